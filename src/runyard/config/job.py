"""The job file as a whole: what is done (`job_detail`), and the envelope around it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runyard.config.base import NonNegative, Part, Positive, needs, without_meaning
from runyard.config.eval_args import EvalArgs, PredictArgs
from runyard.config.train_args import TrainArgs

CallbackArgs = dict[str, Any]

_ON_ONE_MACHINE = "how a cluster places and restarts processes is not decided by the job file here"


class JobDetail(Part):
    """The script, the arguments of its callbacks, and how each task runs."""

    script_name: str = Field(min_length=1, description="The script with the callbacks, relative to the pack path.")
    model_args: CallbackArgs = Field(default={}, description="Arguments of awf_create_model_fn.")
    train_data_args: CallbackArgs | None = Field(default=None, description="Arguments of awf_create_train_dataset_fn.")
    val_data_args: CallbackArgs | None = Field(default=None, description="Arguments of awf_create_val_dataset_fn.")
    test_data_args: CallbackArgs | None = Field(default=None, description="Arguments of awf_create_test_dataset_fn.")
    predict_data_args: CallbackArgs | None = Field(
        default=None, description="Arguments of awf_create_predict_dataset_fn."
    )
    save_model_args: CallbackArgs = Field(default={}, description="Arguments of awf_model_to_save_fn.")
    load_model_args: CallbackArgs = Field(default={}, description="Arguments of awf_load_model_fn.")
    train_args: TrainArgs | None = Field(default=None, description="How the training runs.")
    eval_args: EvalArgs | None = Field(default=None, description="How models are evaluated.")
    predict_args: PredictArgs | None = Field(default=None, description="How a model predicts.")
    best_param_path: str | None = Field(
        default=None, description="JSON of parameters that override train_args, model_args."
    )
    nni_using: object = without_meaning(None, description="NNI search.", notice="NNI is not used here")
    model_input_config_file: str | None = without_meaning(
        None, description="Input description of a template.", notice="there are no model templates here"
    )
    load_model_from: str | None = without_meaning(
        None, description="Model of a template.", notice="there are no model templates here"
    )
    params: list[object] | None = without_meaning(
        None, description="Arguments of a plain trainer.", notice="plain scripts are started with `runyard run`"
    )
    model_name: str | None = without_meaning(
        None, description="Name of a plain trainer's model.", notice="plain scripts are started with `runyard run`"
    )
    save_path: str | None = without_meaning(
        None, description="Path of a plain trainer's model.", notice="it belongs into train_args"
    )
    version: str | None = without_meaning(
        None, description="Version of a plain trainer's model.", notice="there is no model repository here"
    )


class Job(Part):
    """A job file."""

    job_detail: JobDetail = Field(description="What is done. Its keys may also stand at the top level.")
    name: str | None = Field(default=None, description="Name of the job.")
    num_workers: Positive = Field(default=1, description="Processes that train together.")
    num_pss: NonNegative = Field(default=0, description="Parameter servers.")
    keras: Literal[2, 3] | None = Field(
        default=None, description="Which Keras `tf.keras` is; null: TF_USE_LEGACY_KERAS decides, 2 if it is not set."
    )
    skip: bool = Field(default=False, description="Do nothing, successfully.")
    output_file: str | None = Field(
        default=None, description="File in the data path that names the result of the task."
    )
    envs: dict[str, str] = Field(default={}, description="Environment variables, set before the script is loaded.")
    trainer: Literal["runner", "plain"] = Field(default="runner", description="'plain' scripts are for `runyard run`.")
    archive: object = without_meaning(None, description="What to archive.", notice="archives are not made here")
    clean_files: Annotated[str | list[str] | None, needs("a file name pattern or a list of them")] = without_meaning(
        None, description="Files to delete.", notice="nothing is deleted here"
    )
    namespace: str | None = without_meaning(None, description="Kubernetes namespace.", notice=_ON_ONE_MACHINE)
    node_affin: str | None = without_meaning(None, description="Node affinity.", notice=_ON_ONE_MACHINE)
    pod_affin: str | None = without_meaning(None, description="Pod affinity.", notice=_ON_ONE_MACHINE)
    node_selector: object = without_meaning(None, description="Node selector.", notice=_ON_ONE_MACHINE)
    resources: object = without_meaning(None, description="Resources.", notice=_ON_ONE_MACHINE)
    ps_resources: object = without_meaning(None, description="Resources.", notice=_ON_ONE_MACHINE)
    chief_resources: object = without_meaning(None, description="Resources.", notice=_ON_ONE_MACHINE)
    restart_policy: str | None = without_meaning(
        None, description="Kubernetes restart policy.", notice="use train_args.restart instead"
    )
    backoff_limits: int | None = without_meaning(
        None, description="Kubernetes back-off.", notice="use train_args.restart instead"
    )
    timeout: str | None = without_meaning(None, description="Timeout.", notice=_ON_ONE_MACHINE)
    polling_interval: str | None = without_meaning(None, description="Polling.", notice=_ON_ONE_MACHINE)
    os_ver: str | None = without_meaning(None, description="Image.", notice=_ON_ONE_MACHINE)
    tf_ver: str | None = without_meaning(None, description="Image.", notice="Runyard runs on TensorFlow 2.21")
    ps_config: object = without_meaning(None, description="BytePS.", notice="BytePS is not used here")
    privileged: bool | None = without_meaning(None, description="Pod privileges.", notice=_ON_ONE_MACHINE)
    debug: bool | None = without_meaning(None, description="Debugging.", notice="not supported here")


JOB_DETAIL = "job_detail"
ENVELOPE_KEYS = frozenset(Job.model_fields) - {JOB_DETAIL}
DETAIL_KEYS = frozenset(JobDetail.model_fields)
EITHER_PLACE = ("num_workers", "num_pss", "keras")
"""Keys of the envelope that may also stand in `job_detail`."""

CALLBACK_KEYS = {
    "model_args": frozenset({"continue_training", "continue_training_model_path", "name"}),
    **dict.fromkeys(
        ("train_data_args", "val_data_args", "test_data_args", "predict_data_args"), frozenset({"shard_policy"})
    ),
}
"""Keys among the arguments of callbacks that are for Runyard, too, and that no callback need declare."""

SYNONYMS = {
    "evaluation_args": "eval_args",
    "test_args": "eval_args",
    "eval_data_args": "test_data_args",
    "pred_args": "predict_args",
    "pred_data_args": "predict_data_args",
}
"""Other names that old job files use for keys of `job_detail`."""
