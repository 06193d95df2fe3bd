"""The three plug-ins of `train_args`: early stopping, TensorBoard and the speed log."""

from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field

from runyard.config.base import Finite, NonNegative, Part, Positive, needs, without_meaning


class EarlyStopping(Part):
    """Stop when the monitored metric has not become better for `patience` epochs."""

    monitor: str = Field(default="val_loss", description="Name of a metric, such as val_auc.")
    min_delta: Finite = Field(default=0.0, description="A smaller change is no improvement.")
    patience: NonNegative = Field(default=0, description="Epochs without improvement that are borne.")
    mode: Literal["auto", "min", "max"] = Field(default="auto", description="Whether small or large values are good.")
    baseline: Finite | None = Field(default=None, description="The value that must be beaten.")
    restore_best_weights: bool = Field(default=True, description="Save the weights of the best epoch, not of the last.")
    start_from_epoch: NonNegative = Field(default=0, description="Epochs before watching starts.")
    verbose: NonNegative = without_meaning(
        0, description="Keras's verbosity.", notice="early stopping always says in one line what it does"
    )


def _first_and_last(value: object) -> object:
    if isinstance(value, str):
        value = [int(part) for part in value.split(",")]
    batches = cast("list[object]", value) if isinstance(value, list) else [value]
    return [batches[0], batches[-1]] if len(batches) in (1, 2) else batches


def _is_range(batches: list[int]) -> list[int]:
    if len(batches) != 2 or batches[0] > batches[1]:
        raise ValueError("not a range")
    return batches


class TensorBoard(Part):
    """Keras's parameters (r2.3). `{}` switches it on."""

    log_dir: str = Field(default="summary", description="Where summaries go, relative to the data path.")
    histogram_freq: NonNegative = Field(default=0, description="Epochs between histograms of weights; 0: none.")
    write_graph: bool = Field(default=True, description="Write the graph of the model.")
    write_images: bool = Field(default=False, description="Show weights as images.")
    update_freq: Annotated[
        Positive | Literal["batch", "epoch"], needs('"batch", "epoch" or a whole number above 0')
    ] = Field(default="epoch", description="When metrics are written.")
    profile_batch: Annotated[
        list[NonNegative],
        BeforeValidator(_first_and_last, json_schema_input_type=int | list[int] | str),
        AfterValidator(_is_range),
        needs('a batch, or the first and the last batch: 10, [10, 20] or "10, 20"'),
    ] = Field(default=[0, 0], description="First and last batch of TensorFlow's profiler; 0: off.")
    embeddings_freq: NonNegative = Field(default=0, description="Epochs between embeddings; 0: none.")
    embeddings_metadata: Annotated[str | dict[str, str] | None, needs("a path, or a path for each layer's name")] = (
        Field(default=None, description="Metadata file of each embedding.")
    )
    write_grads: bool = without_meaning(
        False, description="A leftover of TensorFlow 1.", notice="gradients are not written, as in Keras since 2.0"
    )


class TrainSpeedLogger(Part):
    """A line with the speed, now and then."""

    every_batches: Positive = Field(default=100, description="Batches between two lines.")
    with_metrics: bool = Field(default=False, description="Show the metrics, too.")
