"""`train_args`: how the training runs."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo

from runyard.config.base import Finite, NonNegative, Part, Positive, Whole, needs, positive_or, without_meaning
from runyard.config.input_keys import InputKeys
from runyard.config.metric_names import repeated_names
from runyard.config.mistakes import Mistake
from runyard.config.plugins import EarlyStopping, TensorBoard, TrainSpeedLogger
from runyard.config.specs import OptimizerSpec
from runyard.config.written_forms import AnyLosses, AnyMetrics, Optimizers

DEFAULT_BATCH_SIZE = 128
DEFAULT_EPOCHS = 1
DEFAULT_OPTIMIZER = "adam"

Label = Annotated[str, Field(pattern="^[0-9]+$")]


class Checkpoint(Part):
    """When checkpoints are written, and how many are kept."""

    every_steps: Positive | None = Field(default=None, description="Write one after this many steps.")
    every_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=600, description="Write one when the last is this old; null switches it off."
    )
    every_epochs: Positive | None = Field(
        default=1, description="Write one after this many epochs; null switches it off."
    )
    keep: Positive = Field(default=3, description="How many are kept.")


class Input(Part):
    """What Runyard does to make a dataset fast. None of it changes a value."""

    vectorize: bool = Field(
        default=True, description="Run a per-row map on whole batches where that gives the same bits."
    )
    parallel: Annotated[Positive | Literal["auto", False], needs('a whole number above 0, "auto" or false')] = Field(
        default="auto", description="Threads of a map; false: one."
    )
    prefetch: Annotated[NonNegative | Literal["auto"], needs('a whole number from 0 on or "auto"')] = Field(
        default="auto", description="Batches made ahead of time."
    )


class Validation(Part):
    """What is validated after an epoch, where it differs from training."""

    model: Literal["train", "saved"] | None = Field(
        default=None,
        description="Validate the training model or that of awf_model_to_save_fn; null: the one that fits.",
    )
    model_call_exclude_input_index: InputKeys | None = Field(
        default=None, description="As in train_args, for validation."
    )
    input_squeeze: bool | None = Field(default=None, description="As in train_args, for validation.")
    every_epochs: Positive = Field(default=1, description="Validate after this many epochs.")


class Gradient(Part):
    """What happens to gradients before the optimizer sees them."""

    clip_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Per variable."
    )
    clip_value: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Per element."
    )
    global_clip_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Over all."
    )
    accumulate_steps: Positive = Field(default=1, description="Batches whose gradients make one step.")

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        given = [name for name in ("clip_norm", "clip_value", "global_clip_norm") if getattr(self, name) is not None]
        if len(given) > 1:
            return [Mistake("only one kind of clipping can be chosen", received=", ".join(given))]
        return []


class Ema(Part):
    """A moving average of the weights, used for validation and for the saved model."""

    momentum: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=0.999, description="How much of the average stays per step."
    )


class Restart(Part):
    """What happens when a process of a distributed job is lost."""

    max_restarts: NonNegative = Field(default=3, description="Failures after which the job gives up.")
    max_preemptions: NonNegative | None = Field(
        default=None, description="Lost machines after which it gives up; null: never."
    )
    hang_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=600, description="Seconds of silence."
    )
    min_workers: Positive | None = Field(
        default=None, description="Go on with fewer workers down to this; null: num_workers."
    )


class TrainArgs(Part):
    """How the training runs."""

    batch_size: Annotated[Whole, positive_or(DEFAULT_BATCH_SIZE)] = Field(
        default=DEFAULT_BATCH_SIZE, description="Rows of a batch on one replica."
    )
    epochs: Annotated[Whole, positive_or(DEFAULT_EPOCHS)] = Field(
        default=DEFAULT_EPOCHS, description="How often the training set is seen."
    )
    num_samples: Positive | None = Field(
        default=None, description="Rows of the training set; needed when it is endless."
    )
    num_val_samples: NonNegative | None = Field(
        default=None, description="Rows of the validation set, if it is endless."
    )
    optimizer: Optimizers = Field(
        default=[OptimizerSpec(type=DEFAULT_OPTIMIZER)],
        description="Name, {type, args, grad_process} or a list, one for each group of awf_group_trainable_vars_fn.",
    )
    losses: AnyLosses | None = Field(
        default=None, description="Name, {type, args, weight}, a list, or a dict by output."
    )
    metrics: AnyMetrics | None = Field(
        default=None, description="Name, {type, args}, a list, a nested list, a dict by output."
    )
    weighted_metrics: AnyMetrics | None = Field(default=None, description="Metrics that use the sample weights.")
    class_weight: Annotated[dict[Label, Finite] | None, needs('a weight for each label: {"0": 1.0, "1": 5.0}')] = Field(
        default=None, description="Weight of each class, by label."
    )
    early_stopping: EarlyStopping | None = Field(default=None, description="Stop when a metric no longer gets better.")
    tensorboard: TensorBoard | None = Field(default=None, description="Write summaries for TensorBoard; {} is on.")
    train_speed_logger: TrainSpeedLogger | None = Field(
        default=None, description="Print the speed every so many batches."
    )
    devices: Annotated[Positive | Literal["auto"], needs('a whole number above 0 or "auto"')] = Field(
        default="auto",
        description="Devices of each worker, which divide its batches; auto: all GPUs, or one processor.",
    )
    save_path: str = Field(default="saved_model", description="Where the model goes, relative to the data path.")
    ckpt_path: str = Field(default="checkpoints", description="Where checkpoints go, relative to the data path.")
    term_on_nan: bool = Field(default=False, description="End with an error when the loss is NaN or infinite.")
    steps_per_execution: Positive | None = Field(
        default=None, description="Steps per call; null: chosen while it runs."
    )
    jit_compile: bool = Field(default=False, description="Compile the step with XLA.")
    mix_precision: bool = Field(default=False, description="Compute in half precision with loss scaling.")
    model_call_exclude_input_index: InputKeys | None = Field(
        default=None, description="Inputs (position or key) kept from the model and left to metrics."
    )
    input_squeeze: bool = Field(default=False, description="Pass the one input that is left bare, not in a tuple.")
    inter_op_paral: NonNegative = Field(
        default=0, description="TensorFlow's threads between operations; 0: its own choice."
    )
    intra_op_paral: NonNegative = Field(
        default=0, description="TensorFlow's threads within an operation; 0: its own choice."
    )
    verbose: bool = Field(default=False, description="Show TensorFlow's own log.")
    mw_com: Literal["", "AUTO", "NCCL", "RING"] = Field(
        default="", description="How workers talk: NCCL, RING, or empty for TensorFlow's choice."
    )
    var_partition_policy: str = Field(
        default="minsize:256k",
        description="How variables are split over parameter servers: minsize:N, maxsize:N, fixed.",
    )
    seed: NonNegative | None = Field(default=None, description="Seed of everything random; null: drawn and recorded.")
    checkpoint: Checkpoint = Field(default=Checkpoint(), description="When checkpoints are written.")
    input: Input = Field(default=Input(), description="How datasets are made fast.")
    validation: Validation = Field(default=Validation(), description="Where validation differs from training.")
    gradient: Gradient = Field(default=Gradient(), description="Clipping and accumulation.")
    ema: Ema | None = Field(default=None, description="Keep a moving average of the weights.")
    ungrouped: Literal["error", "freeze"] = Field(
        default="error", description="What variables in no group of awf_group_trainable_vars_fn mean."
    )
    restart: Restart = Field(default=Restart(), description="What happens when a process is lost.")
    version: str | None = without_meaning(
        None, description="Version in the original's model repository.", notice="there is no model repository here"
    )
    train_type: Literal["compile_fit", "custom_loop"] = without_meaning(
        "compile_fit",
        description="Which loop the original used.",
        notice="Runyard has one loop of its own, which does what both did",
    )
    tf_log_level: str | None = without_meaning(None, description="Log level.", notice="use `verbose` instead")
    log_device: bool | None = without_meaning(None, description="Log devices.", notice="not supported here")
    gpu_mem_growth: bool | None = without_meaning(None, description="GPU memory growth.", notice="always on here")
    debug: bool | None = without_meaning(None, description="Debugging in the original.", notice="not supported here")
    nni_search: object = without_meaning(None, description="NNI search space.", notice="NNI is not used here")
    nni_metric: object = without_meaning(None, description="NNI's metric.", notice="NNI is not used here")
    nni_batch: object = without_meaning(None, description="NNI's batches.", notice="NNI is not used here")
    nni_exp_id: object = without_meaning(None, description="NNI's experiment.", notice="NNI is not used here")
    nni_trial_id: object = without_meaning(None, description="NNI's trial.", notice="NNI is not used here")
    nni_record: object = without_meaning(None, description="NNI's record file.", notice="NNI is not used here")

    def mistakes(self, info: ValidationInfo) -> list[Mistake]:
        found = repeated_names(self.metrics, self.weighted_metrics)
        if self.jit_compile and self.devices not in ("auto", 1):
            found.append(
                Mistake(
                    "a step that jit_compile compiles runs on one device",
                    received=f"devices: {self.devices}",
                    hint="leave out one of the two, or use several workers with a device each",
                )
            )
        return found
