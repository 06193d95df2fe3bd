"""Rows of a job's own data to try an exported model on."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runyard.data.batches import first_batch
from runyard.data.elements import split_element
from runyard.data.inputs import InputChoice
from runyard.errors import RunyardError
from runyard.models.check_inputs import drawn_rows, fitted_rows
from runyard.models.exporting import Sample
from runyard.models.served import ServedModel
from runyard.runner.job_script import JobScript, UserDatasets
from runyard.script.contract import PREDICT_DATASET, TEST_DATASET, TRAIN_DATASET


def rows_of_job(script: JobScript) -> Callable[[ServedModel, Sequence[str]], Sample]:
    """Makes samples: the first batch of the test, predict or training set that can be made and fits; else drawn."""

    def sample(served: ServedModel, order: Sequence[str]) -> Sample:
        for origin, made, choice in _datasets(script):
            try:
                rows = fitted_rows(choice.apply(_first_inputs(made())), served=served, order=order)
            except RunyardError:
                continue  # Data that are not there any more are no reason not to export a model.
            if rows is not None:
                return Sample(origin, rows)
        return Sample("random numbers", drawn_rows(served))

    return sample


def _datasets(script: JobScript) -> Iterator[tuple[str, Callable[[], UserDatasets], InputChoice]]:
    detail = script.job.job_detail
    kinds = (
        (TEST_DATASET, "the test set", script.test_datasets, detail.test_data_args, detail.eval_args),
        (PREDICT_DATASET, "the predict set", script.predict_dataset, detail.predict_data_args, detail.predict_args),
        (TRAIN_DATASET, "the training set", script.train_dataset, detail.train_data_args, detail.train_args),
    )
    for callback, origin, make, data_args, args in kinds:
        if script.has(callback) and (data_args is not None or args is not None):
            excluded = (args.model_call_exclude_input_index if args else None) or ()
            yield origin, make, InputChoice(excluded, squeeze=bool(args and args.input_squeeze))


def _first_inputs(datasets: UserDatasets) -> Any:
    dataset = next(iter(datasets.named.values()))
    batches = dataset if datasets.batched else dataset.batch(datasets.batch_size)
    return split_element(first_batch(batches, what="dataset").element).inputs
