"""What all parts of a job file have in common."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo

from runyard.config.mistakes import Mistake, mistakes_error, mistakes_of, show_value, unknown_key
from runyard.config.problems import JsonPath

NOTICE = "x-notice"


def _in_64_bits(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError("needs a whole number that fits into 64 bits")
    return value


Whole = Annotated[int, AfterValidator(_in_64_bits)]
Positive = Annotated[int, Field(gt=0), AfterValidator(_in_64_bits)]
NonNegative = Annotated[int, Field(ge=0), AfterValidator(_in_64_bits)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Part(BaseModel):
    """One object of the job file. Unknown keys are mistakes; numbers in quotes are, too."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, protected_namespaces=(), defer_build=True)

    @model_validator(mode="wrap")
    @classmethod
    def _all_mistakes(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Checks the known keys even when there are unknown ones, so that one look at the errors is enough."""
        if not isinstance(data, dict):
            return handler(data)
        written = cast("Mapping[str, object]", data)
        found = [
            unknown_key(key, known=cls.model_fields, path=(key,)) for key in written if key not in cls.model_fields
        ]
        try:
            part = handler({key: value for key, value in written.items() if key in cls.model_fields})
        except ValidationError as error:
            raise mistakes_error([*found, *mistakes_of(error)]) from None
        found += part.mistakes(info)
        if found:
            raise mistakes_error(found)
        return part

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        """What is wrong with the values together, when each alone is fine."""
        return []


def needs(text: str) -> WrapValidator:
    """One sentence for a value that may be of several types, instead of one complaint for each type."""

    def check(value: object, handler: ValidatorFunctionWrapHandler) -> object:
        try:
            return handler(value)
        except ValidationError:
            raise mistakes_error([Mistake(f"needs {text}", received=show_value(value))]) from None

    return WrapValidator(check)


def positive_or(default: int) -> AfterValidator:
    """0 and less mean the default, as they did in the original runner."""
    return AfterValidator(lambda value: value if value > 0 else default)


def without_meaning(default: Any, *, description: str, notice: str) -> Any:
    """A field that old job files contain and that does nothing here: accepted, and said in a line when it is used."""
    return Field(default, description=description, json_schema_extra={NOTICE: notice})


def notices(part: Part, *, path: JsonPath = ()) -> Iterator[tuple[JsonPath, str]]:
    """Every field that was written in the file although it has no meaning here, with what to say about it."""
    fields = type(part).model_fields
    for name in fields:
        if name not in part.model_fields_set:
            continue
        value = getattr(part, name)
        if text := _notice_of(fields[name]):
            yield (*path, name), text
        elif isinstance(value, Part):
            yield from notices(value, path=(*path, name))


def has_no_meaning(field: FieldInfo) -> bool:
    return _notice_of(field) is not None


def _notice_of(field: FieldInfo) -> str | None:
    extra = cast("object", field.json_schema_extra)
    text = cast("Mapping[str, object]", extra).get(NOTICE) if isinstance(extra, dict) else None
    return text if isinstance(text, str) else None
