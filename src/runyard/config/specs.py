"""Optimizers, losses and metrics: the one form the rest of Runyard sees. How people may write them: `written_forms`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field, TypeAdapter, ValidationError, ValidationInfo, WithJsonSchema
from typing_extensions import TypeAliasType

from runyard.config.arguments import check_arguments
from runyard.config.base import Finite, Part
from runyard.config.known_names import Kind, find, names, nearest
from runyard.config.learning_rate import Schedule
from runyard.config.mistakes import Mistake, mistakes_of

FACTORIES = "factories"
"""Key of the validation context: the names that the user's script defines, or None when they cannot be known."""

_SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)


def _completion(kind: Kind) -> WithJsonSchema:
    """Known names for editors, but not only those: there are other spellings, and the script's own factories."""
    return WithJsonSchema({"anyOf": [{"enum": names(kind)}, {"type": "string"}]})


OptimizerName = TypeAliasType("OptimizerName", Annotated[str, _completion(Kind.OPTIMIZER)])
LossName = TypeAliasType("LossName", Annotated[str, _completion(Kind.LOSS)])
MetricName = TypeAliasType("MetricName", Annotated[str, _completion(Kind.METRIC)])


class Spec(Part):
    """A name with arguments. `type` is a known name, or for losses and metrics a factory in the user's script."""

    kind: ClassVar[Kind]

    type: str
    args: dict[str, Any] = Field(default={}, description="Arguments of the constructor or factory.")

    @property
    def is_factory(self) -> bool:
        return find(self.kind, self.type) is None

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        known = find(self.kind, self.type)
        if known is None:
            return [] if self._may_be_factory(info) else [self._unknown()]
        return [
            Mistake(
                mistake.message,
                path=("args", mistake.argument) if mistake.argument in self.args else ("args",),
                received=mistake.received,
                allowed=mistake.allowed,
                nearest=mistake.nearest,
                forgivable=mistake.unknown,
            )
            for mistake in check_arguments(self.kind, known, self.args)
        ]

    def _may_be_factory(self, info: ValidationInfo) -> bool:
        if self.kind is Kind.OPTIMIZER:
            return False
        factories = cast("Mapping[str, frozenset[str] | None]", info.context or {}).get(FACTORIES, frozenset())
        return factories is None or self.type in factories

    def _unknown(self) -> Mistake:
        elsewhere = "" if self.kind is Kind.OPTIMIZER else ", and the script defines no function of that name"
        return Mistake(
            f"no {self.kind.name.lower()} is called {self.type!r}{elsewhere}",
            path=("type",),
            received=repr(self.type),
            allowed=", ".join(names(self.kind)),
            nearest=nearest(self.kind, self.type),
        )


class OptimizerSpec(Spec):
    kind = Kind.OPTIMIZER

    type: OptimizerName = Field(description="Name of the optimizer.")
    grad_process: Literal["pcgrad"] | None = Field(default=None, description="'pcgrad': project conflicting gradients.")

    @property
    def learning_rate(self) -> object | None:
        """A number, the written form of a schedule, or None for Keras's default."""
        return self.args.get("learning_rate", self.args.get("lr"))

    @property
    def schedule(self) -> Schedule | None:
        rate = self.learning_rate
        return _SCHEDULE.validate_python(rate) if isinstance(rate, dict) else None

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        found = super().mistakes(info)
        try:
            _ = self.schedule
        except ValidationError as error:
            key = "learning_rate" if "learning_rate" in self.args else "lr"
            found += [replace(mistake, path=("args", key, *mistake.path)) for mistake in mistakes_of(error)]
        return found


class LossSpec(Spec):
    kind = Kind.LOSS

    type: LossName = Field(description="Name of the loss, or of a factory.")
    weight: Finite = Field(default=1.0, description="Factor of this loss in the sum of all.")


class MetricSpec(Spec):
    kind = Kind.METRIC

    type: MetricName = Field(description="Name of the metric, or of a factory.")

    @property
    def name(self) -> str:
        """The name in logs: `args.name`, or the type as the job file spells it, in lower case."""
        name = self.args.get("name")
        return name if isinstance(name, str) else self.type.lower()
