"""Which models a run saves: what `awf_model_to_save_fn` may return."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.bridge.distinct import distinct_names
from runyard.errors import ScriptError
from runyard.models.destination import TRAINING_STATE
from runyard.script.contract import MODEL_TO_SAVE

_FORBIDDEN = frozenset('/\\|:*?"<>\n\r\t')


@dataclass(frozen=True)
class ModelToSave:
    """One model, and how it is saved.

    Args:
        name: of its directory, and in result files.
        signatures: the user's own, by name. `serving_default` is added where it is not among them.
        options: `tf.saved_model.SaveOptions`, or None.
        input_spec: its inputs as `tf.TensorSpec`s, for a model that does not know them.
    """

    name: str
    model: Any
    signatures: Mapping[str, Any] | None = None
    options: Any = None
    input_spec: Any = None


def models_to_save(returned: object, *, default_name: str) -> list[ModelToSave]:
    """The models in what the callback returned: a model, `(model, signatures, options)`, a list or a dict of those.

    Args:
        default_name: of a model that has none, such as the script's stem.

    Raises:
        ScriptError: if it is anything else, or a name cannot be the name of a directory.
    """
    found = [_model(entry, where=where, name=name) for where, name, entry in _entries(returned)]
    if not found:
        raise ScriptError(f"{MODEL_TO_SAVE.name} returned no model, but an empty {type(returned).__name__}")
    names = [one.name or default_name for one in found]
    for name in names:
        _refuse_name(name)
    return [replace(one, name=name) for one, name in zip(found, distinct_names(names), strict=True)]


def _entries(returned: object) -> Iterator[tuple[str, str | None, object]]:
    """Where each model stands, the name that the user gave it, and what stands there."""
    if isinstance(returned, Mapping):
        for key, entry in returned.items():
            yield f"[{key!r}]", str(key), entry
    elif isinstance(returned, list):
        for index, entry in enumerate(returned):
            yield f"[{index}]", None, entry
    else:
        yield "", None, returned


def _model(entry: object, *, where: str, name: str | None) -> ModelToSave:
    parts = entry if isinstance(entry, tuple) else (entry,)
    if not 1 <= len(parts) <= 3:
        raise _refusal(f"a tuple of {len(parts)}", where=where)
    model, signatures, options = (*parts, None, None)[:3]
    if keras_version_of(model) is None:
        raise _refusal(_shown(model), where=f"{where}[0]" if isinstance(entry, tuple) else where)
    if options is not None and not isinstance(options, tf.saved_model.SaveOptions):
        raise _refusal(f"{_shown(options)} in the place of tf.saved_model.SaveOptions", where=f"{where}[2]")
    own_name = name if name is not None else str(getattr(model, "name", None) or "")
    return ModelToSave(own_name, model, signatures=_signatures(signatures, where=f"{where}[1]"), options=options)


def _signatures(signatures: object, *, where: str) -> Mapping[str, Any] | None:
    if signatures is None:
        return None
    if _is_function(signatures):
        return {tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    if isinstance(signatures, Mapping) and all(map(_is_function, signatures.values())):
        return {str(name): function for name, function in signatures.items()}
    raise _refusal(f"{_shown(signatures)} in the place of signatures", where=where)


def _is_function(thing: object) -> bool:
    return isinstance(thing, tf.types.experimental.PolymorphicFunction | tf.types.experimental.ConcreteFunction)


def _shown(thing: object) -> str:
    kind = "None" if thing is None else type(thing).__name__
    return kind if keras_version_of(thing) is None else f"the model {getattr(thing, 'name', kind)!r}"


def _refusal(received: str, *, where: str) -> ScriptError:
    place = f" at {where}" if where else ""
    return ScriptError(
        f"{MODEL_TO_SAVE.name} must return {MODEL_TO_SAVE.returns.value}; it returned {received}{place}",
        hint="a tuple is one model with its signatures (tf.functions) and tf.saved_model.SaveOptions; "
        "several models are a list or a dict",
    )


def _refuse_name(name: str) -> None:
    if name.startswith(".") or name == TRAINING_STATE or _FORBIDDEN & set(name):
        raise ScriptError(
            f"{MODEL_TO_SAVE.name} returned a model with the name {name!r}, which cannot name a directory",
            hint="return a dict with other names: {'ranker': model}",
        )
