"""`eval_args` and `predict_args`: the other two tasks."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from runyard.config.base import NonNegative, Part, Positive, Whole, positive_or, without_meaning
from runyard.config.input_keys import InputKeys
from runyard.config.metric_names import repeated_names
from runyard.config.mistakes import Mistake
from runyard.config.row_format import parse_row_format
from runyard.config.train_args import DEFAULT_BATCH_SIZE
from runyard.config.written_forms import AnyLosses, AnyMetrics, as_list

DEFAULT_PREDICT_BATCH_SIZE = 1024


class ModelToLoad(Part):
    """A saved model and the name it goes by."""

    path: str = Field(description="Where the model is, relative to the data path.")
    name: str | None = Field(default=None, description="What it is called in tables.")


def _path_as_model(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


AnyModel = Annotated[ModelToLoad, BeforeValidator(_path_as_model, json_schema_input_type=str | ModelToLoad)]


class EvalArgs(Part):
    """How models are evaluated."""

    models: Annotated[list[AnyModel], BeforeValidator(as_list, json_schema_input_type=AnyModel | list[AnyModel])] = (
        Field(default=[], description="A path, {name, path}, or a list; empty: the trained model.")
    )
    baseline: str | None = Field(
        default=None, description="Name of the model the others are compared with; null: the last."
    )
    batch_size: Annotated[Whole, positive_or(DEFAULT_BATCH_SIZE)] = Field(
        default=DEFAULT_BATCH_SIZE, description="Rows of a batch."
    )
    metrics: AnyMetrics | None = Field(default=None, description="As in train_args; those of train_args when left out.")
    weighted_metrics: AnyMetrics | None = Field(
        default=None, description="As in train_args; those of train_args when left out."
    )
    losses: AnyLosses | None = Field(default=None, description="As in train_args; those of train_args when left out.")
    num_test_samples: Positive | None = Field(
        default=None, description="Rows of the test set; needed when it is endless."
    )
    model_call_exclude_input_index: InputKeys | None = Field(
        default=None, description="As in train_args; as there when left out."
    )
    input_squeeze: bool | None = Field(default=None, description="As in train_args; as there when left out.")
    output_file: str | None = Field(
        default=None, description="Where the results go; null: evaluation.json in the data path."
    )
    report: bool = Field(default=True, description="Write evaluation.html; its curves need all scores in memory.")
    inter_op_paral: NonNegative = Field(default=0, description="As in train_args.")
    intra_op_paral: NonNegative = Field(default=0, description="As in train_args.")
    verbose: bool = Field(default=False, description="Show TensorFlow's own log.")
    mw_com: str = without_meaning("", description="As in train_args.", notice="evaluation runs in one process")
    train_type: str | None = without_meaning(None, description="Estimators.", notice="there are no estimators here")

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        return repeated_names(self.metrics, self.weighted_metrics)


def _is_delimiter(value: str) -> str:
    if not value or re.search(r'[\w.+\-"\r\n\0]', value):
        raise ValueError("must not be empty, and hold nothing that a number, a quoted text or the end of a line has")
    return value


def _is_template(value: str) -> str:
    parse_row_format(value)
    return value


def _position_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Delimiter = Annotated[str, AfterValidator(_is_delimiter)]


class PredictArgs(Part):
    """How a model predicts, and what is written."""

    model_path: str | None = Field(
        default=None, description="The model, relative to the data path; null: the trained one."
    )
    model_name: str = Field(default="", description="What it is called.")
    batch_size: Annotated[Whole, positive_or(DEFAULT_PREDICT_BATCH_SIZE)] = Field(
        default=DEFAULT_PREDICT_BATCH_SIZE, description="Rows of a batch."
    )
    result_file: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="Where predictions go, relative to the data path; null: predict.csv, or as the format.",
    )
    format: Literal["csv", "jsonl", "parquet", "tfrecord"] = Field(default="csv", description="How they are written.")
    result_field_delim: Delimiter = Field(default=" ", description="Between columns.")
    output_delim: Delimiter = Field(default=",", description="Between the numbers of one output.")
    write_headers: bool = Field(default=True, description="One line of column names first.")
    row_id_col: Annotated[str, BeforeValidator(_position_as_text, json_schema_input_type=str | int)] = Field(
        default="", description="Input that is written first in each row: its key, or its position in a tuple."
    )
    input_exclude_row_id: bool = Field(default=True, description="Keep row_id_col from the model.")
    row_format: Annotated[str, AfterValidator(_is_template)] | None = Field(
        default=None, description="Template of a row: {row_id}, {output}, {output_0}, names."
    )
    model_call_exclude_input_index: InputKeys | None = Field(default=None, description="As in train_args.")
    input_squeeze: bool = Field(default=False, description="As in train_args.")

    @property
    def result_name(self) -> str:
        """The name of the file, whether it is given or not."""
        return self.result_file or f"predict.{self.format}"

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        if self.row_format is not None and self.format != "csv":
            return [Mistake(f"row_format is for csv, but the format is {self.format}", path=("row_format",))]
        return []
