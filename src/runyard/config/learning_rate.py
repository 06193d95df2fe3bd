"""Learning rates that change: `{"type": "cosine", "args": {...}}`, each with an optional warm-up."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo

from runyard.config.base import Finite, NonNegative, Part, Positive
from runyard.config.mistakes import Mistake

Rate = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _WarmUp(Part):
    warmup_steps: NonNegative = Field(
        default=0, description="Steps over which the rate rises in a straight line from 0."
    )


class ConstantArgs(_WarmUp):
    learning_rate: Rate = Field(description="The rate.")


class ExponentialArgs(_WarmUp):
    initial_learning_rate: Rate = Field(description="The rate at the first step after the warm-up.")
    decay_steps: Positive = Field(description="Steps over which the rate is multiplied by decay_rate once.")
    decay_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(description="Factor per decay_steps.")
    staircase: bool = Field(default=False, description="Change at whole multiples of decay_steps only.")


class CosineArgs(_WarmUp):
    initial_learning_rate: Rate = Field(description="The rate at the first step after the warm-up.")
    decay_steps: Positive = Field(description="Steps from the initial rate to the last one.")
    alpha: Rate = Field(default=0.0, description="The last rate, as a fraction of the initial one.")


class PiecewiseArgs(_WarmUp):
    boundaries: list[NonNegative] = Field(description="Steps after which the next value holds, rising.")
    values: list[Rate] = Field(description="One rate more than there are boundaries.")

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        found: list[Mistake] = []
        if len(self.values) != len(self.boundaries) + 1:
            counts = f"{len(self.values)} values for {len(self.boundaries)} boundaries"
            found.append(Mistake("needs one value more than boundaries", received=counts))
        if self.boundaries != sorted(set(self.boundaries)):
            found.append(Mistake("boundaries must rise", path=("boundaries",), received=str(self.boundaries)))
        return found


class PolynomialArgs(_WarmUp):
    initial_learning_rate: Rate = Field(description="The rate at the first step after the warm-up.")
    decay_steps: Positive = Field(description="Steps from the initial rate to end_learning_rate.")
    end_learning_rate: Rate = Field(default=0.0001, description="The last rate.")
    power: Finite = Field(default=1.0, description="1 is a straight line.")
    cycle: bool = Field(default=False, description="Start again, lower, when decay_steps are over.")


class Constant(Part):
    type: Literal["constant"] = Field(description="The same rate at every step.")
    args: ConstantArgs = Field(description="Its parameters.")


class Exponential(Part):
    type: Literal["exponential"] = Field(description="Multiplied by a factor every so many steps.")
    args: ExponentialArgs = Field(description="Its parameters.")


class Cosine(Part):
    type: Literal["cosine"] = Field(description="Down along half a cosine wave.")
    args: CosineArgs = Field(description="Its parameters.")


class Piecewise(Part):
    type: Literal["piecewise"] = Field(description="A list of rates, each for some steps.")
    args: PiecewiseArgs = Field(description="Its parameters.")


class Polynomial(Part):
    type: Literal["polynomial"] = Field(description="Down along a power of the steps that are left.")
    args: PolynomialArgs = Field(description="Its parameters.")


Schedule = Annotated[Constant | Exponential | Cosine | Piecewise | Polynomial, Field(discriminator="type")]
