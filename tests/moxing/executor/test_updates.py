"""What a training step changes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import WrongValue
from tests.moxing.executor.models import FEATURES, assert_same, classifier, dense, run, weights


def adversaries(inputs: Any, mode: str, **_: Any) -> Any:
    """A generator and a discriminator of numbers."""

    def generator(noise: Any) -> Any:
        with tf.variable_scope("generator"):
            return dense(noise, 6, name="out")

    def discriminator(x: Any, *, reuse: bool = False) -> Any:
        with tf.variable_scope("discriminator", reuse=reuse):
            return dense(tf.nn.tanh(dense(x, 4, name="in")), 1, name="out")

    made = generator(tf.ones([8, 3]))
    real, fake = discriminator(inputs[0]), discriminator(made, reuse=True)
    sigmoid = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(sigmoid(logits=real, labels=tf.ones_like(real)))
    d_loss += tf.reduce_mean(sigmoid(logits=fake, labels=tf.zeros_like(fake)))
    g_loss = tf.reduce_mean(sigmoid(logits=fake, labels=tf.ones_like(fake)))
    return mox.ModelSpec(
        loss=[d_loss, g_loss],
        var_scopes=[["discriminator"], ["generator"]],
        log_info={"D_loss": d_loss, "G_loss": g_loss},
    )


def test_two_losses_change_their_own_variables_from_the_same_weights(tmp_path: Path) -> None:
    rates = (0.3, 0.7)
    run(
        model_fn=adversaries,
        optimizer_fn=[mox.get_optimizer_fn("sgd", learning_rate=rate) for rate in rates],
        log_dir=str(tmp_path),
        max_number_of_steps=1,
    )
    before, after = weights(tmp_path / "model.ckpt-0"), weights(tmp_path / "model.ckpt-1")
    assert after.pop("global_step") == 1
    with tf.Graph().as_default(), tf.Session() as session:
        losses = adversaries([tf.constant(FEATURES[:8])], "TRAIN").loss
        session.run(tf.global_variables_initializer())
        for name in after:
            loss, rate = (losses[0], rates[0]) if name.startswith("discriminator") else (losses[1], rates[1])
            variable = next(one for one in tf.global_variables() if one.op.name == name)
            gradient = session.run(tf.gradients(loss, variable)[0])
            np.testing.assert_allclose(after[name], before[name] - rate * gradient, atol=1e-6)


def test_one_function_may_make_the_optimizers_of_all_losses(tmp_path: Path) -> None:
    run(model_fn=adversaries, optimizer_fn=mox.get_optimizer_fn("adam", learning_rate=0.01), log_dir=str(tmp_path))
    assert weights(tmp_path)["global_step"] == 5


@pytest.mark.parametrize(
    ("scopes", "optimizers", "words"),
    [
        (None, 3, "3 functions in `optimizer_fn` for 2 losses"),
        (["generator"], 2, "a list of scopes for each"),
        ([["generator"]], 2, "1 lists of scopes"),
        ([["discriminator"], ["artist"]], 2, "'artist', but no variable"),
    ],
)
def test_what_does_not_fit_together(scopes: Any, optimizers: int, words: str) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = adversaries(inputs, mode)
        spec.var_scopes = scopes
        return spec

    with pytest.raises(WrongValue, match=words):
        run(model_fn=model_fn, optimizer_fn=[mox.get_optimizer_fn("sgd", learning_rate=0.1)] * optimizers)


def test_one_loss_with_scopes_changes_these_alone(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        return mox.ModelSpec(loss=spec.loss, var_scope=["logits"])

    run(model_fn=model_fn, log_dir=str(tmp_path))
    before, after = weights(tmp_path / "model.ckpt-0"), weights(tmp_path / "model.ckpt-5")
    changed = {name for name in after if not np.array_equal(before[name], after[name])}
    assert changed == {"logits/kernel", "logits/bias", "global_step"}


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"trainable_include_patterns": "logits"}, {"logits/kernel", "logits/bias"}),
        ({"trainable_exclude_patterns": "bias,logits"}, {"hidden/kernel"}),
        ({"trainable_include_patterns": "kernel", "trainable_exclude_patterns": "^hid"}, {"logits/kernel"}),
    ],
)
def test_flags_choose_what_is_trained(flags: dict[str, str], expected: set[str], tmp_path: Path) -> None:
    for name, value in flags.items():
        mox.set_flag(name, value)
    run(log_dir=str(tmp_path))
    before, after = weights(tmp_path / "model.ckpt-0"), weights(tmp_path / "model.ckpt-5")
    assert {name for name in after if not np.array_equal(before[name], after[name])} == expected | {"global_step"}


def test_nothing_to_train_is_said() -> None:
    mox.set_flag("trainable_include_patterns", "no such thing")
    with pytest.raises(WrongValue, match="no variable that is to be trained"):
        run()


def test_a_scaled_loss_gives_the_same_weights(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path / "plain"))
    mox.set_flag("loss_scale", 1024.0)
    run(log_dir=str(tmp_path / "scaled"))
    assert_same(weights(tmp_path / "plain"), weights(tmp_path / "scaled"), tolerance=1e-6)


@pytest.mark.parametrize(("kind", "expected"), [("value", [-0.5, -0.5]), ("norm", [-0.3, -0.4]), ("global_norm", None)])
def test_gradients_are_clipped(kind: str, expected: list[float] | None, tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        one = tf.get_variable("one", [2], initializer=tf.zeros_initializer())
        other = tf.get_variable("other", [], initializer=tf.zeros_initializer())
        return mox.ModelSpec(loss=3.0 * one[0] + 4.0 * one[1] + 12.0 * other)

    mox.set_flag("gradient_clip", 0.5)
    mox.set_flag("gradient_clip_type", kind)
    run(
        model_fn=model_fn,
        optimizer_fn=lambda: tf.train.GradientDescentOptimizer(1.0),
        log_dir=str(tmp_path),
        max_number_of_steps=1,
    )
    found = weights(tmp_path)
    if expected is None:
        np.testing.assert_allclose([*found["one"], found["other"]], [-1.5 / 13, -2.0 / 13, -6.0 / 13], rtol=1e-5)
    else:
        np.testing.assert_allclose(found["one"], expected, rtol=1e-5)


def test_another_way_to_clip_is_refused() -> None:
    mox.set_flag("gradient_clip", 1.0)
    mox.set_flag("gradient_clip_type", "hard")
    with pytest.raises(WrongValue, match="norm, global_norm or value"):
        run()


def test_regularisation_is_added_by_nobody_but_the_user(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        with tf.variable_scope("", regularizer=tf.keras.regularizers.L2(100.0)):
            return classifier(inputs, mode)

    run(model_fn=model_fn, log_dir=str(tmp_path / "with"))
    run(log_dir=str(tmp_path / "without"))
    assert_same(weights(tmp_path / "with"), weights(tmp_path / "without"))


def test_statistics_of_batches_are_kept_without_extra_code(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        x = tf.layers.batch_normalization(inputs[0], training=mode == mox.ModeKeys.TRAIN, momentum=0.0, name="norm")
        return classifier([x, inputs[1]], mode)

    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=1)
    np.testing.assert_allclose(weights(tmp_path)["norm/moving_mean"], FEATURES[:8].mean(0), rtol=1e-5)


def test_half_precision_keeps_variables_in_full(tmp_path: Path) -> None:
    seen: list[Any] = []

    def half_dense(inputs: Any, mode: str) -> Any:
        kernel = tf.get_variable("kernel", [6, 2], dtype=inputs[0].dtype, initializer=tf.zeros_initializer())
        logits = inputs[0] @ kernel
        seen.append(logits.dtype)
        return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(inputs[1], logits))

    mox.set_flag("use_fp16", True)
    run(model_fn=half_dense, log_dir=str(tmp_path))
    assert seen == [tf.float16]
    assert weights(tmp_path)["kernel"].dtype == np.float32


def test_an_optimizer_that_is_none_is_refused() -> None:
    with pytest.raises(WrongValue, match="must return an optimizer"):
        run(optimizer_fn=lambda: 0.1)
