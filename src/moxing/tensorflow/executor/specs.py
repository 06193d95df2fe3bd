"""What a `model_fn` returns."""

from collections.abc import Mapping, Sequence
from typing import Any


class ExportSpec:
    """The inputs and outputs of an exported model: tensors that `model_fn` made, or was given.

    Args:
        version: the folder below `log_dir`; -1 is one more than the largest there is. A name is taken as it is.
        Version: another spelling of `version`.

    Raises:
        TypeError: for an argument that there is not.
    """

    def __init__(
        self, inputs_dict: Mapping[str, Any], outputs_dict: Mapping[str, Any], version: int | str = -1, **spelled: Any
    ) -> None:
        self.inputs_dict = dict(inputs_dict)
        self.outputs_dict = dict(outputs_dict)
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
        self.log_info = dict(log_info or {})
        self.output_info = dict(spelled.pop("output_dict", output_info) or {})
        self.export_spec = export_spec
        self.hooks = list(hooks or ())
        self.compressor_spec = spelled.pop("compressor_spec", None)
        _refuse_unknown("ModelSpec", spelled)


def _refuse_unknown(name: str, arguments: Mapping[str, Any]) -> None:
    if arguments:
        raise TypeError(f"{name} got an unexpected keyword argument {next(iter(arguments))!r}")
