"""Every flag that is MoXing's, the only list: MoXing reads its flags by it, `tf.flags` leaves them out by it."""

from dataclasses import dataclass

FlagValue = str | int | float | bool


@dataclass(frozen=True)
class MoxingFlag:
    """One flag.

    Args:
        kind: what its value is.
        default: its value when it is not given.
        help: what it does.
        effective: False for one that had a meaning where MoXing comes from and has none here.
    """

    name: str
    kind: type[str] | type[int] | type[float] | type[bool]
    default: FlagValue
    help: str
    effective: bool = True

    @property
    def is_switch(self) -> bool:
        """Whether its name alone says all."""
        return self.kind is bool


def _nothing_here(name: str, default: FlagValue) -> MoxingFlag:
    return MoxingFlag(name, type(default), default, "accepted, has no effect here", effective=False)


_FLAGS = (
    MoxingFlag("num_gpus", int, 1, "devices of this process, each with a clone of the model"),
    MoxingFlag("job_name", str, "", "what this process is: ps or worker; empty for a process of its own"),
    MoxingFlag("task_index", int, 0, "which of its kind this process is, from 0"),
    MoxingFlag("ps_hosts", str, "", "host:port of every parameter server, separated by commas"),
    MoxingFlag("worker_hosts", str, "", "host:port of every worker, separated by commas"),
    MoxingFlag("sync_replicas", bool, True, "workers take each step together"),
    MoxingFlag("chief_inc_global_step", bool, False, "only the chief worker counts the global step"),
    MoxingFlag("log_first_clone", bool, True, "lines show the first clone's values, not the mean over clones"),
    MoxingFlag("clone_on_cpu", bool, False, "put the clones on CPU devices although there are GPUs"),
    MoxingFlag("use_fp16", bool, False, "inputs reach model_fn as float16; variables stay float32"),
    MoxingFlag("loss_scale", float, 1.0, "multiply the loss by this, divide its gradients by it; 1 is off"),
    MoxingFlag("checkpoint_include_patterns", str, "", "variables to load, by parts of their names; empty for all"),
    MoxingFlag("checkpoint_exclude_patterns", str, "", "variables not to load, by parts of their names"),
    MoxingFlag("trainable_include_patterns", str, "", "variables to train, by parts of their names; empty for all"),
    MoxingFlag("trainable_exclude_patterns", str, "", "variables not to train, by parts of their names"),
    MoxingFlag("gradient_clip", float, 0.0, "clip gradients at this; 0 is off"),
    MoxingFlag("gradient_clip_type", str, "norm", "norm, global_norm or value"),
    MoxingFlag("num_inter_threads", int, 0, "threads that run operations side by side; 0 leaves it to TensorFlow"),
    MoxingFlag("num_intra_threads", int, 0, "threads within an operation; 0 leaves it to TensorFlow"),
    MoxingFlag("session_timeout", float, 0.0, "seconds that a session call may take; 0 is without limit"),
    _nothing_here("controller_host", ""),
    _nothing_here("variable_update", ""),
    _nothing_here("local_parameter_device", ""),
    _nothing_here("warmup_steps", 0),
    _nothing_here("dgc_sparsity_strategy", ""),
    _nothing_here("dgc_momentum_type", ""),
    _nothing_here("dgc_momentum", 0.0),
    _nothing_here("dgc_momentum_factor_masking", True),
    _nothing_here("dgc_total_samples", 0),
    _nothing_here("sync_before_server", False),
    _nothing_here("server_protocol", ""),
    _nothing_here("num_prefetch_threads", 0),
    _nothing_here("running_log_level", ""),
    _nothing_here("var_dtype", ""),
    _nothing_here("min_size_in_kb", 0),
    _nothing_here("var_space_starter", ""),
    _nothing_here("var_mix_offset", ""),
)

MOXING_FLAGS = {flag.name: flag for flag in _FLAGS}
