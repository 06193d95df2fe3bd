"""What a `model_fn` returns."""

from collections.abc import Mapping, Sequence
from typing import Any

from moxing.tensorflow.executor.failures import WrongValue


class ExportSpec:
    """The inputs and outputs of an exported model: tensors that `model_fn` made, or was given.

    Args:
        version: the folder below `log_dir`; -1 is one more than the largest there is. A name is taken as it is.
        Version: another spelling of `version`.

    Raises:
        TypeError: for an argument that there is not.
        WrongValue: for inputs or outputs without names.
    """

    def __init__(
        self, inputs_dict: Mapping[str, Any], outputs_dict: Mapping[str, Any], version: int | str = -1, **spelled: Any
    ) -> None:
        self.inputs_dict = _by_name("inputs_dict of ExportSpec", inputs_dict)
        self.outputs_dict = _by_name("outputs_dict of ExportSpec", outputs_dict)
        self.version = spelled.pop("Version", version)
        _refuse_unknown("ExportSpec", spelled)


class ModelSpec:
    """What one call of `model_fn` built.

    Args:
        loss: a scalar, or a list of scalars; needed in TRAIN.
        var_scopes: the variable scopes whose variables the loss updates; for a list of losses a list of such lists.
        log_info: scalars for the console by name; needed in EVAL.
        output_info: tensors for `output_fn` by name; needed in PREDICT.
        export_spec: an `ExportSpec`; needed in EXPORT.
        hooks: instances of `mox.AggregativeSessionRunHook`.
        spelled: `var_scope` and `output_dict` are other spellings; `compressor_spec` is accepted and has no effect.

    Raises:
        TypeError: for an argument that there is not.
        WrongValue: if `log_info` or `output_info` is no dict, or `hooks` no list.
    """

    def __init__(
        self,
        loss: Any = None,
        var_scopes: Sequence[Any] | None = None,
        log_info: Mapping[str, Any] | None = None,
        output_info: Mapping[str, Any] | None = None,
        export_spec: ExportSpec | None = None,
        hooks: Sequence[Any] | None = None,
        **spelled: Any,
    ) -> None:
        self.loss = loss
        self.var_scopes = spelled.pop("var_scope", var_scopes)
        self.log_info = _by_name("`log_info` of mox.ModelSpec", log_info)
        self.output_info = _by_name("`output_info` of mox.ModelSpec", spelled.pop("output_dict", output_info))
        self.export_spec = export_spec
        self.hooks = _listed(hooks)
        self.compressor_spec = spelled.pop("compressor_spec", None)
        _refuse_unknown("ModelSpec", spelled)


def _by_name(what: str, given: Any) -> dict[str, Any]:
    if given is None or (isinstance(given, list | tuple) and not given):
        return {}
    if not isinstance(given, Mapping):
        raise WrongValue(f"{what} is {given!r}; it must be a dict", hint="{'name': tensor}")
    return dict(given)


def _listed(hooks: Any) -> list[Any]:
    if hooks is None:
        return []
    if not isinstance(hooks, list | tuple):
        raise WrongValue(f"`hooks` of mox.ModelSpec is a {type(hooks).__name__}; it must be a list", hint="[hook]")
    return list(hooks)


def _refuse_unknown(name: str, arguments: Mapping[str, Any]) -> None:
    if arguments:
        raise TypeError(f"{name} got an unexpected keyword argument {next(iter(arguments))!r}")
