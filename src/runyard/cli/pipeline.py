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
    online_model: evaluate.OnlineModel = None,
) -> None:
    """Train, evaluate and predict in one go: all that the job describes."""
    from runyard.runner.pipeline import run_pipeline
    from runyard.script import Task

    training = functools.partial(_train, fresh=fresh)
    prediction = functools.partial(_predict, fresh=fresh)
    evaluation = functools.partial(_evaluate, online_model=online_model)
    parts = {Task.TRAIN: training, Task.EVALUATE: evaluation, Task.PREDICT: prediction}
    code = run_pipeline(request, parts, fresh=fresh, online_model=online_model)
    if code:
        raise typer.Exit(code)


def _train(request: "JobRequest", *, fresh: bool) -> int:
    from runyard.runner.train import TrainOptions
    from runyard.runner.train import train as run

    train.show(run(request, TrainOptions(fresh=fresh)))
    return 0


def _evaluate(request: "JobRequest", *, online_model: str | None) -> int:
    from runyard.runner.evaluate import EvaluateOptions
    from runyard.runner.evaluate import evaluate as run

    return run(request, EvaluateOptions(online_model=online_model), show=evaluate.show).exit_code


def _predict(request: "JobRequest", *, fresh: bool) -> int:
    from runyard.runner.predict import PredictOptions
    from runyard.runner.predict import predict as run

    predict.show(run(request, PredictOptions(resume=not fresh, only_if_it_fits=True)))
    return 0
