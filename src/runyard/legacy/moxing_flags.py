"""The flags that are MoXing's. It reads them itself; `tf.flags` need not know them."""

from collections.abc import Collection, Iterator, Sequence

_SWITCHES = frozenset(
    {
        "sync_replicas",
        "chief_inc_global_step",
        "log_first_clone",
        "clone_on_cpu",
        "use_fp16",
        "dgc_momentum_factor_masking",
        "sync_before_server",
    }
)

MOXING_FLAGS = _SWITCHES | {
    "num_gpus",
    "job_name",
    "task_index",
    "ps_hosts",
    "worker_hosts",
    "controller_host",
    "loss_scale",
    "checkpoint_exclude_patterns",
    "checkpoint_include_patterns",
    "trainable_include_patterns",
    "trainable_exclude_patterns",
    "variable_update",
    "local_parameter_device",
    "warmup_steps",
    "dgc_sparsity_strategy",
    "dgc_momentum_type",
    "dgc_momentum",
    "dgc_total_samples",
    "gradient_clip",
    "gradient_clip_type",
    "session_timeout",
    "server_protocol",
    "num_inter_threads",
    "num_intra_threads",
    "num_prefetch_threads",
    "running_log_level",
    "var_dtype",
    "min_size_in_kb",
    "var_space_starter",
    "var_mix_offset",
}


def without_moxing_flags(arguments: Sequence[str], *, defined: Collection[str]) -> list[str]:
    """The arguments that are left for the program's own flags.

    Args:
        arguments: as in `sys.argv`, the program's name first.
        defined: flags that the program defines itself, whatever their names.
    """
    return [*arguments[:1], *_left(list(arguments[1:]), defined=defined)]


def _left(arguments: list[str], *, defined: Collection[str]) -> Iterator[str]:
    while arguments:
        argument = arguments.pop(0)
        if argument == "--":
            yield argument
            yield from arguments
            return
        name, given, _ = argument.lstrip("-").partition("=")
        switched_off = name.removeprefix("no") if name.startswith("no") else name
        name = switched_off if switched_off in _SWITCHES else name
        if not argument.startswith("-") or name not in MOXING_FLAGS or name in defined:
            yield argument
        elif not given and name not in _SWITCHES and arguments and not arguments[0].startswith("-"):
            arguments.pop(0)
