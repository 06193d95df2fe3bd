"""The datasets of a job: what its callbacks return, checked, and the shard of it that a process reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from runyard.config.eval_args import DEFAULT_PREDICT_BATCH_SIZE
from runyard.config.train_args import DEFAULT_BATCH_SIZE
from runyard.data.sharding import WHOLE, Shard, shard_policy
from runyard.runner.called_script import CalledScript, require
from runyard.script import Callback, declares
from runyard.script.contract import PREDICT_DATASET, TEST_DATASET, TRAIN_DATASET, VAL_DATASET, Returns
from runyard.script.signature import signature_of
from runyard.telemetry import note


@dataclass(frozen=True)
class UserDatasets:
    """What a dataset callback returned.

    Args:
        named: the datasets by the suffix of their metrics: "" for a single one, "0", "1" for a tuple, keys for a dict.
        batched: whether the callback has made the batches itself.
        batch_size: rows of a batch.
    """

    named: Mapping[str, Any]
    batched: bool
    batch_size: int


class JobDatasets(CalledScript):
    """The dataset callbacks of a script."""

    @property
    def validates(self) -> bool:
        """Whether there is a validation callback, and arguments for it where it needs some."""
        function = self.script.function(VAL_DATASET.name)
        if function is None or self.job.job_detail.val_data_args is not None:
            return function is not None
        signature = signature_of(function, name=VAL_DATASET.name)
        return signature is None or not signature.required - set(VAL_DATASET.injected)

    def train_dataset(self, shard: Shard = WHOLE, *, replicas: int = 1) -> UserDatasets:
        """The rows of one shard, in batches for so many replicas."""
        config = self.job.job_detail.train_data_args
        made = self._required_datasets(
            TRAIN_DATASET, config=config, batch_size=self._train_batch_size * replicas, shard=_injected(shard)
        )
        return self._sharded(made, shard, callback=TRAIN_DATASET, config=config)

    def val_datasets(self, shard: Shard = WHOLE, *, replicas: int = 1) -> UserDatasets | None:
        """The rows of one shard, in batches for so many replicas; None when the callback returns None."""
        config = self.job.job_detail.val_data_args or {}
        made = self._datasets(
            VAL_DATASET, config=config, batch_size=self._train_batch_size * replicas, shard=_injected(shard)
        )
        return made and self._sharded(made, shard, callback=VAL_DATASET, config=config)

    def test_datasets(self) -> UserDatasets:
        detail = self.job.job_detail
        batch_size = detail.eval_args.batch_size if detail.eval_args else self._train_batch_size
        return self._required_datasets(TEST_DATASET, config=detail.test_data_args, batch_size=batch_size)

    def predict_dataset(self, *, num_shards: int = 1, shard_index: int = 0) -> UserDatasets:
        """All rows, unless the callback makes shards itself (`shards_predict_dataset`)."""
        detail = self.job.job_detail
        batch_size = detail.predict_args.batch_size if detail.predict_args else DEFAULT_PREDICT_BATCH_SIZE
        shard: dict[str, object] = {"num_shards": num_shards, "shard_index": shard_index}
        return self._required_datasets(
            PREDICT_DATASET, config=detail.predict_data_args, batch_size=batch_size, shard=shard
        )

    @property
    def shards_predict_dataset(self) -> bool:
        """Whether the callback asks which shard it is to make, and so makes it."""
        return self._makes_shards(PREDICT_DATASET)

    @property
    def _train_batch_size(self) -> int:
        args = self.job.job_detail.train_args
        return args.batch_size if args else DEFAULT_BATCH_SIZE

    def _makes_shards(self, callback: Callback) -> bool:
        return all(declares(self.script, callback, parameter=name) for name in ("num_shards", "shard_index"))

    def _sharded(
        self, made: UserDatasets, shard: Shard, *, callback: Callback, config: Mapping[str, object] | None
    ) -> UserDatasets:
        """The shard of what a callback returned, unless it has made that itself."""
        if shard.count == 1 or self._makes_shards(callback):
            return made
        policy = shard_policy((config or {}).get("shard_policy", "AUTO"), where=str(callback.section))

        def remark(text: str) -> None:
            note(f"{callback.section}.shard_policy: {text}")

        parts = {key: shard.of(each, policy=policy, remark=remark) for key, each in made.named.items()}
        return replace(made, named=parts)

    def _required_datasets(
        self,
        callback: Callback,
        *,
        config: Mapping[str, object] | None,
        batch_size: int,
        shard: Mapping[str, object] | None = None,
    ) -> UserDatasets:
        datasets = self._datasets(callback, config=config or {}, batch_size=batch_size, shard=shard)
        require(datasets is not None, callback, returned=None)
        assert datasets is not None
        return datasets

    def _datasets(
        self,
        callback: Callback,
        *,
        config: Mapping[str, object],
        batch_size: int,
        shard: Mapping[str, object] | None = None,
    ) -> UserDatasets | None:
        injectable = {
            "batch_size": batch_size,
            "num_shards": 1,
            "shard_index": 0,
            "shard_policy": config.get("shard_policy", "AUTO"),
            "is_chief": True,
            "repeat": False,
            "drop_remainder": False,
            **(shard or {}),
        }
        made = self.call(callback, config=config, injectable=injectable)
        if made is None and callback.returns is Returns.DATASETS_OR_NONE:
            return None
        single = callback.returns is Returns.DATASET
        named = {"": made} if single or isinstance(made, tf.data.Dataset) else _named(made)
        well_formed = named is not None and all(isinstance(value, tf.data.Dataset) for value in named.values())
        require(well_formed and bool(named), callback, returned=made)
        assert named is not None
        return UserDatasets(
            named, batched=declares(self.script, callback, parameter="batch_size"), batch_size=batch_size
        )


def _injected(shard: Shard) -> dict[str, object]:
    return {"num_shards": shard.count, "shard_index": shard.index, "is_chief": shard.index == 0}


def _named(made: object) -> dict[str, Any] | None:
    if isinstance(made, dict):
        return {str(key): value for key, value in made.items()}
    if isinstance(made, tuple | list):
        return {str(index): value for index, value in enumerate(made)}
    return None
