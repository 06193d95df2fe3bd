"""The rule of early stopping is Keras's, value by value."""

import math
from typing import Any

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from runyard.config.plugins import EarlyStopping
from runyard.errors import ModelError
from runyard.training.stopping import StoppingRule, Verdict, refuse_unknown_monitor

VALUES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, math.nan, math.inf, -math.inf]), st.floats(-2, 2, width=16))


class _Model:
    stop_training = False


def keras_stops_after(values: list[float], config: EarlyStopping) -> tuple[int | None, float]:
    """The epoch that Keras stops after, and the best value by then."""
    arguments = config.model_dump(exclude={"restore_best_weights"})
    callback = tf.keras.callbacks.EarlyStopping(**arguments)
    model: Any = _Model()
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        callback.on_epoch_end(epoch, {config.monitor: value})
        if model.stop_training:
            return epoch, callback.best
    return None, callback.best


def ours_stops_after(values: list[float], config: EarlyStopping) -> tuple[int | None, float]:
    rule = StoppingRule(config)
    nothing = -math.inf if rule.larger_is_better else math.inf
    for epoch, value in enumerate(values):
        if rule.judge(value, epoch=epoch) is Verdict.STOP:
            return epoch, nothing if rule.best is None else rule.best
    return None, nothing if rule.best is None else rule.best


@settings(max_examples=300, deadline=None)
@given(
    values=st.lists(VALUES, max_size=12),
    config=st.builds(
        EarlyStopping,
        mode=st.sampled_from(["min", "max", "auto"]),
        patience=st.integers(0, 4),
        min_delta=st.sampled_from([0.0, 0.25, -0.25]),
        baseline=st.none() | st.sampled_from([0.0, 0.5]),
        start_from_epoch=st.integers(0, 3),
        monitor=st.sampled_from(["val_loss", "val_auc"]),
    ),
)
def test_it_stops_when_keras_stops(values: list[float], config: EarlyStopping) -> None:
    assert ours_stops_after(values, config) == keras_stops_after(values, config)


@pytest.mark.parametrize(
    ("monitor", "larger"),
    [
        ("loss", False),
        ("val_loss", False),
        ("val_auc", True),
        ("val_auc(0)", True),
        ("val_gauc(key)", True),
        ("click_auc_1", True),
        ("val_bacc", True),
        ("val_f1", True),
        ("val_r2_score", True),
        ("val_mean_io_u", True),
        ("val_precision_at_recall", True),
        ("val_cosine_similarity", True),
        ("val_account_mse", False),
        ("tower2_mae", False),
        ("val_recall_loss", False),
        ("val_f1_loss(0)", False),
    ],
)
def test_what_is_better_follows_from_the_name_of_the_metric(monitor: str, larger: bool) -> None:
    assert StoppingRule(EarlyStopping(monitor=monitor)).larger_is_better is larger


def test_a_resumed_rule_goes_on() -> None:
    config = EarlyStopping(patience=2)
    first, second = StoppingRule(config), StoppingRule(config)
    assert [first.judge(value, epoch=epoch) for epoch, value in enumerate([1.0, 0.5, 0.6])][-1] is Verdict.NOT_BETTER
    second.load_values(first.values())
    assert second.judge(0.55, epoch=3) is Verdict.STOP
    assert (second.best, second.best_epoch) == (0.5, 1)


def test_a_monitor_that_does_not_exist_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(
        ModelError, match=r"monitors 'val_ucc', which does not exist; there are loss, val_loss, val_auc"
    ):
        refuse_unknown_monitor("val_ucc", names=["loss", "val_loss", "val_auc"])
