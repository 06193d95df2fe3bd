"""`runyard pipeline`."""

import functools
from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli import evaluate, predict, train
from runyard.cli.options import about_a_job

if TYPE_CHECKING:
    from runyard.config import JobRequest


@about_a_job
def command(
    request: "JobRequest",
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever an earlier run has left.")] = False,
) -> None:
    """Train, evaluate and predict in one go: all that the job describes."""
    from runyard.runner.pipeline import run_pipeline
    from runyard.script import Task

    training = functools.partial(_train, fresh=fresh)
    prediction = functools.partial(_predict, fresh=fresh)
    parts = {Task.TRAIN: training, Task.EVALUATE: _evaluate, Task.PREDICT: prediction}
    code = run_pipeline(request, parts, fresh=fresh)
    if code:
        raise typer.Exit(code)


def _train(request: "JobRequest", *, fresh: bool) -> int:
    from runyard.runner.train import TrainOptions
    from runyard.runner.train import train as run

    train.show(run(request, TrainOptions(fresh=fresh)))
    return 0


def _evaluate(request: "JobRequest") -> int:
    from runyard.runner.evaluate import EvaluateOptions
    from runyard.runner.evaluate import evaluate as run

    return run(request, EvaluateOptions(), show=evaluate.show).exit_code


def _predict(request: "JobRequest", *, fresh: bool) -> int:
    from runyard.runner.predict import PredictOptions
    from runyard.runner.predict import predict as run

    predict.show(run(request, PredictOptions(resume=not fresh, only_if_it_fits=True)))
    return 0
