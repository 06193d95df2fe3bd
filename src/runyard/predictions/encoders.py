"""The encoder of each format."""

import numpy as np

from runyard.config.eval_args import PredictArgs
from runyard.errors import ConfigError, ModelError
from runyard.predictions.columns import Columns
from runyard.predictions.delimited import DelimitedEncoder
from runyard.predictions.encoding import Encoder
from runyard.predictions.json_lines import JsonLinesEncoder
from runyard.predictions.parquet import ParquetEncoder
from runyard.predictions.templated import TemplatedEncoder
from runyard.predictions.tf_records import TFRecordEncoder


def encoder_for(columns: Columns, *, args: PredictArgs) -> Encoder:
    """What writes these columns as the job says.

    Raises:
        ConfigError: if `row_format` names a column that there is not, or nobody could tell columns from numbers.
        ModelError: if the format has no type for a column.
    """
    if args.format == "jsonl":
        return JsonLinesEncoder(columns)
    if args.format == "parquet":
        _refuse_unknown_rank(columns)
        return ParquetEncoder(columns)
    if args.format == "tfrecord":
        _refuse_large_numbers(columns)
        return TFRecordEncoder(columns)
    if args.row_format is not None:
        return TemplatedEncoder(columns, args=args)
    _refuse_one_delimiter_for_all(columns, args=args)
    return DelimitedEncoder(columns, args=args)


def _refuse_one_delimiter_for_all(columns: Columns, *, args: PredictArgs) -> None:
    """Columns of several numbers would look like several columns. Texts are put in quotes where that may happen."""
    field, inner = args.result_field_delim, args.output_delim
    several = [column.name for column in columns.outputs if not column.single and column.dtype != object]
    if several and (field in inner or inner in field):
        raise ConfigError(
            f"result_field_delim is {field!r} and output_delim is {inner!r}, so nobody could tell the numbers of the "
            f"output {several[0]!r} from columns",
            hint="choose another output_delim, or jsonl or parquet as the format; a row_format may say what is wanted",
        )


def _refuse_unknown_rank(columns: Columns) -> None:
    """Columns of a Parquet file have a type, and the number of dimensions is part of it."""
    for column in columns.all:
        if column.shape is None:
            raise ModelError(
                f"the output {column.name!r} has an unknown number of dimensions, and parquet needs to know it",
                hint="set_shape in the model, or another format",
            )


def _refuse_large_numbers(columns: Columns) -> None:
    """The whole numbers of an Example are int64."""
    for column in columns.all:
        if column.dtype == np.uint64:
            raise ModelError(
                f"the column {column.name!r} is uint64, which tfrecord cannot hold", hint="int64, or another format"
            )
