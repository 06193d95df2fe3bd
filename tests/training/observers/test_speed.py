import pytest

from runyard.config.plugins import TrainSpeedLogger
from runyard.training.observers.speed import SpeedObserver
from tests.training.observers.scripted_run import ScriptedRun
from tests.training.trainings import X, Y, rows, small_model, training_of


@pytest.mark.parametrize("steps_per_call", [1, 7, 100, None])
def test_lines_come_every_so_many_batches_over_all_epochs(steps_per_call: int | None) -> None:
    lines: list[str] = []
    observer = SpeedObserver(TrainSpeedLogger(every_batches=4), batch_size=2, say=lines.append)
    data = rows(X, Y, batch=2)  # ten batches an epoch
    training_of(small_model(), data, epochs=2, observers=[observer], steps_per_call=steps_per_call)()
    places = [line.split(":")[0] for line in lines]
    assert places == ["epoch 1 batch 4", "epoch 1 batch 8", "epoch 2 batch 2", "epoch 2 batch 6", "epoch 2 batch 10"]


def test_a_line_tells_the_speed_since_the_last_one() -> None:
    lines: list[str] = []
    observer = SpeedObserver(TrainSpeedLogger(every_batches=4), batch_size=100, say=lines.append)
    run = ScriptedRun()
    for seconds in (0.5, 0.5, 1.0, 1.0):
        run.train(observer, steps=2, seconds=seconds)
    assert lines == [
        "epoch 1 batch 4: 4.0 batches/s, 400 rows/s",
        "epoch 1 batch 8: 2.0 batches/s, 200 rows/s",
    ]


def test_metrics_are_read_only_if_asked() -> None:
    lines: list[str] = []
    run = ScriptedRun()
    for asked in (False, True):
        config = TrainSpeedLogger(every_batches=1, with_metrics=asked)
        run.train(SpeedObserver(config, batch_size=1, say=lines.append))
    assert run.reads == 1
    assert "auc" not in lines[0] and "auc" in lines[1]
