"""Ctrl-C and SIGTERM."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from tests.moxing.executor.models import classifier, run, samples, weights


class Sends(mox.AggregativeSessionRunHook):
    """Sends this process a signal after a step."""

    def __init__(self, number: int, *, after: int) -> None:
        self.number, self.after = number, after

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self.view.step == self.after:
            os.kill(os.getpid(), self.number)

    def support_aggregation(self) -> bool:
        return True

    def run_inter_mode(self) -> bool:
        return False

    support_sync_workers = support_aggregation


@pytest.fixture(autouse=True)
def _same_handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def _model(number: int, *, after: int) -> Any:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        spec.hooks = [Sends(number, after=after)]
        return spec

    return model_fn


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_training_saves_where_it_is_and_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, word: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(model_fn=_model(number, after=2), log_dir=tmp_path, max_number_of_steps=1000, export_model="TF_SERVING")
    assert stopped.value.code == 128 + number
    assert isinstance(stopped.value, KeyboardInterrupt) == (number is signal.SIGINT)
    shown = capsys.readouterr().err
    assert f"error: {word}: everything up to here is saved; the same command goes on" in shown
    assert weights(tmp_path)["global_step"] == 3
    assert not (tmp_path / "1").exists(), "what is not trained to its end is not exported"
    run(log_dir=tmp_path, max_number_of_steps=4)
    assert weights(tmp_path)["global_step"] == 4


def test_an_evaluation_ends_without_a_mean_that_would_look_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(log_dir=tmp_path)
    seen: list[Any] = []
    capsys.readouterr()
    with pytest.raises(KeyboardInterrupt):
        run(
            run_mode=mox.ModeKeys.EVAL,
            model_fn=_model(signal.SIGINT, after=1),
            output_fn=seen.append,
            log_dir=tmp_path,
            max_number_of_steps=6,
        )
    shown = capsys.readouterr().err
    assert "error: interrupted: EVAL ends after 2 steps" in shown
    assert "examples]" not in shown and seen == []


def test_while_the_graph_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(mode: str) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return samples(mode)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(SystemExit) as stopped:
        run(input_fn=interrupted)
    assert stopped.value.code == 130
    assert capsys.readouterr().err.splitlines()[-1] == "error: interrupted"
    assert not tf.get_default_graph().get_operations()
