"""Which inputs of a model are meant: a position, a key, or a list of them."""

from typing import Annotated

from pydantic import BeforeValidator

from runyard.config.base import NonNegative, needs
from runyard.config.written_forms import as_list

InputKey = Annotated[NonNegative | str, needs("the position or the name of an input")]


InputKeys = Annotated[list[InputKey], BeforeValidator(as_list, json_schema_input_type=int | str | list[int | str])]
