"""Rows of a job's own data to try an exported model on."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runyard.config.eval_args import PredictArgs
from runyard.config.train_args import TrainArgs
from runyard.data.batches import first_batch
from runyard.data.elements import split_element
from runyard.data.inputs import InputChoice
from runyard.errors import RunyardError
from runyard.models.check_inputs import drawn_rows, fitted_rows
from runyard.models.exporting import Sample
from runyard.models.served import ServedModel
from runyard.predictions.features import features_of
from runyard.runner.evaluation.settings import evaluation_settings
from runyard.runner.job_datasets import UserDatasets
from runyard.runner.job_script import JobScript
from runyard.runner.validated_model import training_inputs
from runyard.script.contract import PREDICT_DATASET, TEST_DATASET, TRAIN_DATASET


def rows_of_job(script: JobScript) -> Callable[[ServedModel, Sequence[str]], Sample]:
    """Makes samples: the first batch of the test, predict or training set that can be made and fits; else drawn."""

    def sample(served: ServedModel, order: Sequence[str]) -> Sample:
        for origin, made, choice_for in _datasets(script):
            try:
                element = _first_element(made())
                inputs = choice_for(element).apply(split_element(element).inputs)
                rows = fitted_rows(inputs, served=served, order=order)
            except RunyardError:
                continue  # Data that are not there any more are no reason not to export a model.
            if rows is not None:
                return Sample(origin, rows)
        return Sample("random numbers", drawn_rows(served))

    return sample


def _datasets(
    script: JobScript,
) -> Iterator[tuple[str, Callable[[], UserDatasets], Callable[[Any], InputChoice]]]:
    """Where rows may come from, how they are made, and what each task would give to the model of an element."""
    detail = script.job.job_detail
    if script.has(TEST_DATASET) and (detail.test_data_args is not None or detail.eval_args is not None):
        yield "the test set", script.test_datasets, lambda _: evaluation_settings(script.job).inputs
    if script.has(PREDICT_DATASET) and (detail.predict_data_args is not None or detail.predict_args is not None):
        args = detail.predict_args or PredictArgs()
        yield "the predict set", script.predict_dataset, lambda element: features_of(element, args=args).choice
    if script.has(TRAIN_DATASET) and (detail.train_data_args is not None or detail.train_args is not None):
        yield "the training set", script.train_dataset, lambda _: training_inputs(detail.train_args or TrainArgs())


def _first_element(datasets: UserDatasets) -> Any:
    dataset = next(iter(datasets.named.values()))
    batches = dataset if datasets.batched else dataset.batch(datasets.batch_size)
    return first_batch(batches, what="dataset").element
