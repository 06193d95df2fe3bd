"""What one training leaves for the next: weights, random states, the memory of the optimizers, the loss scale."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runyard.bridge import optimizer_memory
from runyard.checkpoint.state import Snapshot, VariableState, restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.errors import ModelError
from runyard.training.engine import Engine
from runyard.training.model_state import model_state

_MODEL = "model/"
_RANDOM = "model/random/"
_OPTIMIZER = "optimizer_"
_LOSS_SCALE = "loss_scale/"


def state_to_continue_from(engine: Engine) -> Snapshot:
    """What a later run needs: weights and random states of the whole trained model, its optimizers, the loss scale.

    Gradients that wait to be applied are no part of it: the end of an epoch applies them. Nor are the weights that a
    moving average has replaced: the averages are the model.
    """
    model = take_snapshot({"model": model_state(engine.model, keras=engine.keras)})
    learned = {**_memories(engine), **_loss_scale(engine)}
    kinds = [type(optimizer).__name__ for optimizer in engine.optimizers]
    tensors = {**model.tensors, **{name: variable.read_value() for name, variable in learned.items()}}
    return Snapshot(tensors, {"keras": engine.keras, "optimizers": kinds})


def carried_weights(state: Snapshot) -> dict[str, Any]:
    """The weights of the trained model, in its order."""
    return {
        name: value
        for name, value in sorted(state.tensors.items())
        if name.startswith(_MODEL) and not name.startswith(_RANDOM)
    }


def restore_randomness(engine: Engine, *, state: Snapshot) -> None:
    """Dropout goes on where it was, if the model draws from as many generators as before."""
    now = {
        f"{_MODEL}{name}": variable
        for name, variable in model_state(engine.model, keras=engine.keras).variables.items()
    }
    mine = {name: variable for name, variable in now.items() if name.startswith(_RANDOM)}
    theirs = {name: value for name, value in state.tensors.items() if name.startswith(_RANDOM)}
    if _shapes(mine) == _shapes(theirs):
        for name, variable in mine.items():
            variable.assign(theirs[name])


def restore_loss_scale(engine: Engine, *, state: Snapshot) -> None:
    """Half precision goes on with the factor that was found, if both trainings compute in it."""
    for name, variable in _loss_scale(engine).items():
        if name in state.tensors:
            variable.assign(state.tensors[name])


def learn_from_chief(engine: Engine, *, path: Path) -> None:
    """All workers begin with what the chief has brought back: an earlier model may be on its disk alone.

    Raises:
        ModelError: if this worker trains another model than the chief, because it has not found the earlier one.
    """
    if engine.workers.size == 1:
        return
    model = model_state(engine.model, keras=engine.keras).variables
    weights = {name: variable for name, variable in model.items() if not f"{_MODEL}{name}".startswith(_RANDOM)}
    parts = {name: part for name, part in engine.parts().items() if name.startswith(_OPTIMIZER) or name == "update"}
    parts["model"] = VariableState(weights)
    mine = take_snapshot(parts)
    chiefs = from_bytes(engine.workers.broadcast(as_bytes(mine)))
    if _shapes(mine.tensors) != _shapes(chiefs.tensors):
        raise ModelError(
            f"this worker trains another model than the chief, which continues from the one in {path}",
            hint="the earlier model must be there for all workers, as it is not the one that awf_create_model_fn makes",
        )
    restore_snapshot(chiefs, parts)


def restore_optimizers(engine: Engine, *, state: Snapshot | None) -> str:
    """Gives the optimizers their memory back; says in words whether it fits."""
    if state is None:
        return "with new optimizers: it was saved without theirs"
    kinds = [type(optimizer).__name__ for optimizer in engine.optimizers]
    if kinds != state.values.get("optimizers") or engine.keras != state.values.get("keras"):
        return f"with new optimizers: it was trained by {', '.join(state.values.get('optimizers', []))}"
    mine = _memories(engine)
    theirs = {name: value for name, value in state.tensors.items() if name.startswith(_OPTIMIZER)}
    if _shapes(mine) != _shapes(theirs):
        return "with new optimizers: theirs were for other variables"
    for name, variable in mine.items():
        variable.assign(theirs[name])
    return "and from the state of its optimizers"


def _memories(engine: Engine) -> dict[str, Any]:
    return {
        f"{_OPTIMIZER}{place}/{number:05d}": variable
        for place, optimizer in enumerate(engine.optimizers)
        for number, variable in enumerate(optimizer_memory(optimizer))
    }


def _loss_scale(engine: Engine) -> dict[str, Any]:
    scale = engine.update.loss_scale
    return {f"{_LOSS_SCALE}{number}": each for number, each in enumerate(scale.variables)} if scale is not None else {}


def _shapes(tensors: Mapping[str, Any]) -> dict[str, Any]:
    return {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}
