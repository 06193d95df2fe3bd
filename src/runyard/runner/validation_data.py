"""The validation sets of a job as they are read: which rows a process reads, in which order, and how many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.elsewhere import DividedDataset
from runyard.data.pipeline import prepare
from runyard.data.sharding import Shard
from runyard.data.tree import may_be_endless, traits_of
from runyard.runner.endless import refuse_endless
from runyard.runner.job_datasets import JobDatasets
from runyard.training.coordinator import Coordinator
from runyard.training.division import UNDIVIDED, Division
from runyard.training.limits import steps_in_epoch
from runyard.training.randomness import Purpose, seed_for
from runyard.training.validation import set_name
from runyard.training.workers import ALONE, Workers


@dataclass(frozen=True)
class ValidationData:
    """Makes the validation sets of a training."""

    script: JobDatasets
    args: TrainArgs
    seed: int
    workers: Workers = ALONE
    division: Division = UNDIVIDED

    def datasets(self) -> Mapping[str, Any]:
        """The batches of each set by the suffix of its metrics; nothing where the job does not validate.

        Raises:
            DataError: if a set has no end, and the job names none.
        """
        if not self.script.validates:
            return {}
        shards = [self._of_shard(shard) for shard in self.division.owned_by(self.workers)]
        if len(shards) == 1:
            return shards[0]
        return {key: _in_a_row([self._limited(sets[key], key=key) for sets in shards]) for key in shards[0]}

    def _of_shard(self, shard: Shard) -> dict[str, Any]:
        # Seeded for each shard again: the shards of a shuffled set must be shards of the same order.
        seed_for(self.seed, purpose=Purpose.VALIDATION_DATA)
        made = self.script.val_datasets(shard, replicas=self.division.replicas)
        if made is None:
            return {}
        return {
            key: prepare(
                dataset, batch_size=made.batch_size, already_batched=made.batched, config=self.args.input
            ).dataset
            for key, dataset in made.named.items()
        }

    def _limited(self, dataset: Any, *, key: str) -> Any:
        batches = self._batches_of_shard(dataset, key=key)
        return dataset if batches is None else dataset.take(batches)

    def divided(self, datasets: Mapping[str, Any]) -> Mapping[str, Any]:
        """The sets as they are read: with parameter servers, each worker reads a part.

        A set that runs Python stays whole, for it can be read in this process only.
        """
        if not isinstance(self.workers, Coordinator) or not datasets:
            return datasets
        devices = self.workers.workers
        count = len(devices)
        shards = [datasets] if count == 1 else [self._of_shard(Shard(index, count)) for index in range(count)]

        def in_parts(key: str, whole: Any) -> Any:
            if traits_of(whole).python:
                return whole
            parts = {device: shard[key] for device, shard in zip(devices, shards, strict=True)}
            return DividedDataset(whole, parts=parts, what=set_name(key))

        return {key: in_parts(key, whole) for key, whole in datasets.items()}

    def batches(self, dataset: Any, *, key: str) -> int | None:
        """How many batches of an endless set are validated by this process; None for all of a finite one."""
        of_shard = self._batches_of_shard(dataset, key=key)
        return None if of_shard is None else of_shard * len(self.division.owned_by(self.workers))

    def _batches_of_shard(self, dataset: Any, *, key: str) -> int | None:
        refuse_endless(dataset, samples=self.args.num_val_samples, key="num_val_samples", what=set_name(key))
        if not may_be_endless(dataset) or not self.args.num_val_samples:
            return None
        return steps_in_epoch(self.args.num_val_samples, batch_size=self.args.batch_size * self.division.parts)


def _in_a_row(datasets: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one.concatenate(other), datasets)
