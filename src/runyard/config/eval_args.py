"""`eval_args` and `predict_args`: the other two tasks."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runyard.config.base import NonNegative, Part, Positive, Whole, positive_or, without_meaning
from runyard.config.input_keys import InputKeys
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
    losses: AnyLosses | None = Field(default=None, description="As in train_args.")
    num_test_samples: Positive | None = Field(
        default=None, description="Rows of the test set; needed when it is endless."
    )
    model_call_exclude_input_index: InputKeys | None = Field(default=None, description="As in train_args.")
    input_squeeze: bool = Field(default=False, description="As in train_args.")
    output_file: str | None = Field(
        default=None, description="Where the results go; null: evaluation.json in the data path."
    )
    inter_op_paral: NonNegative = Field(default=0, description="As in train_args.")
    intra_op_paral: NonNegative = Field(default=0, description="As in train_args.")
    verbose: bool = Field(default=False, description="Show TensorFlow's own log.")
    mw_com: str = without_meaning("", description="As in train_args.", notice="evaluation runs in one process")
    train_type: str | None = without_meaning(None, description="Estimators.", notice="there are no estimators here")


class PredictArgs(Part):
    """How a model predicts, and what is written."""

    model_path: str | None = Field(
        default=None, description="The model, relative to the data path; null: the trained one."
    )
    model_name: str = Field(default="", description="What it is called.")
    batch_size: Annotated[Whole, positive_or(DEFAULT_PREDICT_BATCH_SIZE)] = Field(
        default=DEFAULT_PREDICT_BATCH_SIZE, description="Rows of a batch."
    )
    result_file: str = Field(default="predict.csv", description="Where predictions go, relative to the data path.")
    format: Literal["csv", "jsonl", "parquet", "tfrecord"] = Field(default="csv", description="How they are written.")
    result_field_delim: str = Field(default=" ", description="Between columns.")
    output_delim: str = Field(default=",", description="Between the numbers of one output.")
    write_headers: bool = Field(default=True, description="One line of column names first.")
    row_id_col: str = Field(default="", description="Input that is written first in each row.")
    input_exclude_row_id: bool = Field(default=True, description="Keep row_id_col from the model.")
    row_format: str | None = Field(
        default=None, description="Template of a row: {row_id}, {output}, {output_0}, names."
    )
    model_call_exclude_input_index: InputKeys | None = Field(default=None, description="As in train_args.")
    input_squeeze: bool = Field(default=False, description="As in train_args.")
