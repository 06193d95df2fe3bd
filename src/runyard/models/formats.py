"""What a model can be exported to, and how exactly each format repeats the outputs of the model."""

from enum import Enum

from runyard.errors import ConfigError


class ExportFormat(Enum):
    """A format, by the name that people write."""

    SAVED_MODEL = "saved_model"
    KERAS = "keras"
    ONNX = "onnx"
    TFLITE = "tflite"

    @property
    def suffix(self) -> str:
        """Of its file; a SavedModel is a directory."""
        return "" if self is ExportFormat.SAVED_MODEL else f".{self.value}"

    def tolerance(self, *, half_precision: bool) -> float:
        """How far an output may be off, in parts of the largest output.

        SavedModel and Keras run the same kernels, fused in another way. ONNX Runtime and TensorFlow Lite have their own
        kernels, which add up in another order. Halves have eleven bits, so that order shows in the third digit.
        """
        if half_precision:
            return 1e-2
        return 1e-5 if self in (ExportFormat.SAVED_MODEL, ExportFormat.KERAS) else 1e-4


def export_format(name: str) -> ExportFormat:
    """The format of that name.

    Raises:
        ConfigError: if there is none.
    """
    try:
        return ExportFormat(name.lower().replace("-", "_"))
    except ValueError:
        known = ", ".join(each.value for each in ExportFormat)
        raise ConfigError(f"a model cannot be exported to {name!r}", hint=f"the formats are {known}") from None
