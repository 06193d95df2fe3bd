"""The callbacks of a job as typed functions: called as the contract says, their results checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.config import Job, JobPaths, LossSpec, MetricSpec
from runyard.config.eval_args import DEFAULT_PREDICT_BATCH_SIZE
from runyard.config.train_args import DEFAULT_BATCH_SIZE
from runyard.data.sharding import WHOLE, Shard, shard_policy
from runyard.errors import ScriptError
from runyard.script import Callback, Script, call, declares
from runyard.script.contract import (
    CREATE_MODEL,
    GROUP_VARIABLES,
    LOAD_MODEL,
    MODEL_TO_SAVE,
    OBSERVERS,
    PREDICT_DATASET,
    TEST_DATASET,
    TRAIN_DATASET,
    VAL_DATASET,
    Returns,
)
from runyard.script.factories import call_factory
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


@dataclass(frozen=True)
class JobScript:
    """A loaded script and the job that says what it is called with."""

    script: Script
    job: Job
    paths: JobPaths
    lenient: bool = False

    def has(self, callback: Callback) -> bool:
        return self.script.function(callback.name) is not None

    def create_model(self) -> Any:
        model = self._call(CREATE_MODEL, config=self.job.job_detail.model_args)
        self._require(keras_version_of(model) is not None, CREATE_MODEL, model)
        return model

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
        detail = self.job.job_detail
        batch_size = detail.predict_args.batch_size if detail.predict_args else DEFAULT_PREDICT_BATCH_SIZE
        shard: dict[str, object] = {"num_shards": num_shards, "shard_index": shard_index}
        return self._required_datasets(
            PREDICT_DATASET, config=detail.predict_data_args, batch_size=batch_size, shard=shard
        )

    @property
    def shards_predict_dataset(self) -> bool:
        """Whether the callback asks which shard it is to make, and so makes it."""
        return self._shards(PREDICT_DATASET)

    def _shards(self, callback: Callback) -> bool:
        return all(declares(self.script, callback, parameter=name) for name in ("num_shards", "shard_index"))

    def _sharded(
        self, made: UserDatasets, shard: Shard, *, callback: Callback, config: Mapping[str, object] | None
    ) -> UserDatasets:
        """The shard of what a callback returned, unless it has made that itself."""
        if shard.count == 1 or self._shards(callback):
            return made
        policy = shard_policy((config or {}).get("shard_policy", "AUTO"), where=str(callback.section))

        def remark(text: str) -> None:
            note(f"{callback.section}.shard_policy: {text}")

        parts = {key: shard.of(each, policy=policy, remark=remark) for key, each in made.named.items()}
        return replace(made, named=parts)

    @property
    def _train_batch_size(self) -> int:
        args = self.job.job_detail.train_args
        return args.batch_size if args else DEFAULT_BATCH_SIZE

    def model_to_save(self, model: Any) -> Any:
        """What `awf_model_to_save_fn` returns, or the model itself where there is none or it returns None."""
        if not self.has(MODEL_TO_SAVE):
            return model
        saved = self._call(MODEL_TO_SAVE, model, config=self.job.job_detail.save_model_args)
        return model if saved is None else saved

    @property
    def loads_models(self) -> bool:
        """Whether the script has a loader of its own."""
        return self.has(LOAD_MODEL)

    def load_model(self, path: str, *, name: str, purpose: str) -> Any:
        """What `awf_load_model_fn` returns: something to call, or None for a model that is to be left out."""
        given = {"path": path, "name": name, "purpose": purpose}
        model = self._call(LOAD_MODEL, config=self.job.job_detail.load_model_args, injectable=given)
        self._require(model is None or callable(model), LOAD_MODEL, model)
        return model

    def variable_groups(self, model: Any) -> list[list[Any]]:
        """The variables of each optimizer."""
        groups = self._call(GROUP_VARIABLES, model)
        self._require(isinstance(groups, tuple | list), GROUP_VARIABLES, groups)
        assert isinstance(groups, tuple | list)
        return [list(group) for group in groups]

    def observers(self) -> object:
        """What `awf_observers_fn` returns, or None where there is none."""
        return self._call(OBSERVERS) if self.has(OBSERVERS) else None

    def loss_factory(self, model: Any) -> Any:
        def make(spec: LossSpec) -> object:
            return call_factory(self.script, spec, model=model, injectable=self._injectable(), returns=Returns.LOSS)

        return make

    def metric_factory(self, model: Any) -> Any:
        def make(spec: MetricSpec) -> object:
            return call_factory(self.script, spec, model=model, injectable=self._injectable(), returns=Returns.METRIC)

        return make

    def _required_datasets(
        self,
        callback: Callback,
        *,
        config: Mapping[str, object] | None,
        batch_size: int,
        shard: Mapping[str, object] | None = None,
    ) -> UserDatasets:
        datasets = self._datasets(callback, config=config or {}, batch_size=batch_size, shard=shard)
        self._require(datasets is not None, callback, None)
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
        made = self._call(callback, config=config, injectable=injectable)
        if made is None and callback.returns is Returns.DATASETS_OR_NONE:
            return None
        single = callback.returns is Returns.DATASET
        named = {"": made} if single or isinstance(made, tf.data.Dataset) else _named(made)
        well_formed = named is not None and all(isinstance(value, tf.data.Dataset) for value in named.values())
        self._require(well_formed and bool(named), callback, made)
        assert named is not None
        return UserDatasets(
            named, batched=declares(self.script, callback, parameter="batch_size"), batch_size=batch_size
        )

    def _call(
        self,
        callback: Callback,
        *subjects: object,
        config: Mapping[str, object] | None = None,
        injectable: Mapping[str, object] | None = None,
    ) -> object:
        return call(
            self.script,
            callback,
            *subjects,
            config=config,
            injectable={**self._injectable(), **(injectable or {})},
            lenient=self.lenient,
        )

    def _injectable(self) -> dict[str, object]:
        data_path = str(self.paths.data)
        return {"pack_path": str(self.paths.pack), "data_path": data_path, "export_path": data_path}

    def _require(self, holds: bool, callback: Callback, returned: object) -> None:
        if not holds:
            kind = "None" if returned is None else type(returned).__name__
            raise ScriptError(f"{callback.name} returned {kind}, expected {callback.returns.value}")


def _injected(shard: Shard) -> dict[str, object]:
    return {"num_shards": shard.count, "shard_index": shard.index, "is_chief": shard.index == 0}


def _named(made: object) -> dict[str, Any] | None:
    if isinstance(made, dict):
        return {str(key): value for key, value in made.items()}
    if isinstance(made, tuple | list):
        return {str(index): value for index, value in enumerate(made)}
    return None
