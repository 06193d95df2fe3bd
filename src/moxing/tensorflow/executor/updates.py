"""The operation that is one training step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone, losses_of
from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.gradients import Pair, averaged, clipped, matching
from moxing.tensorflow.executor.place import Place
from moxing.tensorflow.executor.request import RunRequest
from moxing.tensorflow.executor.step_scale import scaled_update
from moxing.tensorflow.utils.callbacks_running import inside_callback


@dataclass(frozen=True)
class TrainStep:
    """One step.

    Attributes:
        operation: runs it.
        optimizers: one for each loss.
        summaries: what `optimizer_fn` wants to be written.
    """

    operation: Any
    optimizers: Sequence[Any]
    summaries: Sequence[Any]


def train_step(
    request: RunRequest, clones: Sequence[Clone], *, place: Place, flags: Any, global_step: Any
) -> TrainStep:
    """Makes the step of all clones and losses.

    All gradients are of the weights before the step, and each loss changes the variables of its scopes only.

    Raises:
        WrongValue: if losses, scopes and optimizers do not fit together.
    """
    first_summary = len(tf.get_collection_ref(tf.GraphKeys.SUMMARIES))
    losses = [losses_of(clone.spec) for clone in clones]
    number = len(losses[0])
    variables = _variables_of_losses(clones[0], number, flags=flags)
    functions = list(request.optimizer_fns)
    if len(functions) not in (1, number):
        raise WrongValue(f"mox.run has {len(functions)} functions in `optimizer_fn` for {number} losses of model_fn")
    functions = functions * number if len(functions) == 1 else functions
    optimizers: list[Any] = []
    all_pairs: list[list[Pair]] = []
    for index, function in enumerate(functions):
        # Variables of an optimizer, such as a counter, live where the weights do.
        with tf.device(place.variable_device), inside_callback("optimizer_fn"):
            optimizer = _checked_optimizer(function())
        optimizers.append(optimizer)
        if not variables[index]:
            raise _nothing_to_train(index)
        pairs = [
            _gradients(optimizer, losses[clone][index], variables[index], place.device(clone), flags.loss_scale)
            for clone in range(len(clones))
        ]
        with tf.device(place.variable_device):
            mean = averaged(pairs, scale=flags.loss_scale)
            all_pairs.append(clipped(mean, at=flags.gradient_clip, kind=flags.gradient_clip_type))
        if not all_pairs[-1]:
            raise _nothing_to_train(index)
    before: list[Any] = list(clones[0].update_operations)
    if number > 1:
        before += [gradient for pairs in all_pairs for gradient, _ in pairs]

    def update(pairs_of_losses: Sequence[Sequence[Pair]]) -> Any:
        applied: list[Any] = []
        for index, (optimizer, pairs) in enumerate(zip(optimizers, pairs_of_losses, strict=True)):
            counts = global_step if index == number - 1 and place.counts_global_step else None
            with tf.device(place.variable_device), tf.control_dependencies(applied):
                applied.append(_applied(optimizer, pairs, counts))
        return tf.group(*applied, name="train_step")

    with tf.control_dependencies(before):
        operation = place.apply(all_pairs, update)
    return TrainStep(operation, optimizers, tf.get_collection(tf.GraphKeys.SUMMARIES)[first_summary:])


def _applied(optimizer: Any, pairs: Sequence[Pair], global_step: Any) -> Any:
    return scaled_update(
        [variable for _, variable in pairs],
        lambda: optimizer.apply_gradients(pairs, global_step=global_step),
    )


def _gradients(optimizer: Any, loss: Any, variables: Sequence[Any], device: Any, scale: float) -> list[Pair]:
    with tf.device(device):
        if loss.dtype in (tf.float16, tf.bfloat16):
            loss = tf.cast(loss, tf.float32)
        scaled = loss if scale == 1.0 else loss * scale
        return list(optimizer.compute_gradients(scaled, var_list=list(variables)))


def _nothing_to_train(index: int) -> WrongValue:
    return WrongValue(
        f"loss {index} of model_fn depends on no variable that is to be trained",
        hint="the loss must be computed from variables of its var_scopes; see --trainable_*_patterns too",
    )


def _checked_optimizer(optimizer: Any) -> Any:
    if not hasattr(optimizer, "compute_gradients") or not hasattr(optimizer, "apply_gradients"):
        raise WrongValue(
            f"optimizer_fn returned {optimizer!r}; it must return an optimizer of tf.train",
            hint="optimizer_fn=mox.get_optimizer_fn('sgd', learning_rate=0.01)",
        )
    return optimizer


def _variables_of_losses(clone: Clone, number: int, *, flags: Any) -> list[list[Any]]:
    trainable = {variable.op.name: variable for variable in tf.trainable_variables()}
    names = list(trainable)
    if flags.trainable_include_patterns:
        kept = matching(names, flags.trainable_include_patterns)
        names = [name for name in names if name in kept]
    left_out = matching(names, flags.trainable_exclude_patterns)
    names = [name for name in names if name not in left_out]
    scopes = _scopes_of_losses(clone.spec.var_scopes, number)
    return [[trainable[name] for name in _in_scopes(names, wanted)] for wanted in scopes]


def _scopes_of_losses(var_scopes: Any, number: int) -> list[list[str] | None]:
    if not var_scopes:
        return [None] * number
    if isinstance(var_scopes, str):
        return [[var_scopes]] * number
    if all(isinstance(scope, str) for scope in var_scopes):
        if number == 1:
            return [list(var_scopes)]
        raise WrongValue(
            f"model_fn has {number} losses, so `var_scopes` must have a list of scopes for each of them",
            hint="var_scopes=[['discriminator'], ['generator']]",
        )
    if len(var_scopes) != number:
        raise WrongValue(f"model_fn has {number} losses, but `var_scopes` has {len(var_scopes)} lists of scopes")
    return [[scopes] if isinstance(scopes, str) else list(scopes) for scopes in var_scopes]


def _in_scopes(names: Sequence[str], scopes: Sequence[str] | None) -> list[str]:
    if scopes is None:
        return list(names)
    for scope in scopes:
        if not any(_is_in(name, scope) for name in names):
            known = sorted({name.split("/")[0] for name in names})
            raise WrongValue(
                f"`var_scopes` has {scope!r}, but no variable to be trained is in it",
                hint=f"there are {', '.join(known)}",
            )
    return [name for name in names if any(_is_in(name, scope) for scope in scopes)]


def _is_in(name: str, scope: str) -> bool:
    scope = scope.rstrip("/")
    return name == scope or name.startswith(f"{scope}/")
