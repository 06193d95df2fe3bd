"""One colour for each model, the same in every plot, told apart by the colour-blind as well."""

from collections.abc import Iterable
from dataclasses import dataclass

# Okabe and Ito's colours; darker or lighter where the background needs it.
_COLOURS = (
    ("#0072b2", "#4aa8e0"),
    ("#d55e00", "#f0833a"),
    ("#009e73", "#1fc299"),
    ("#b8578f", "#dc93bd"),
    ("#b87f00", "#e6b040"),
    ("#2f9bd8", "#9ad6f7"),
)
_DASHES = ("", "7 3", "2 3", "10 3 2 3")


@dataclass(frozen=True)
class ModelStyle:
    """How a model is drawn: when the colours are used up, dashed lines begin."""

    number: int

    @property
    def css_class(self) -> str:
        return f"m{self.number % len(_COLOURS)}"

    @property
    def dashes(self) -> str:
        return _DASHES[self.number // len(_COLOURS) % len(_DASHES)]


def styles_of(models: Iterable[str]) -> dict[str, ModelStyle]:
    """A style for each name, in the order in which they first appear."""
    return {model: ModelStyle(number) for number, model in enumerate(dict.fromkeys(models))}


def colour_rules() -> str:
    """The CSS that makes `--c` the colour of an element's model."""
    light = "".join(f".m{number}{{--c:{colour}}}" for number, (colour, _) in enumerate(_COLOURS))
    dark = "".join(f".m{number}{{--c:{colour}}}" for number, (_, colour) in enumerate(_COLOURS))
    return f"{light}\n@media (prefers-color-scheme: dark){{{dark}}}"
