"""How this process steps with others, by the flags."""

from moxing.tensorflow.utils.hyper_param_flags import mox_flags


def is_one_of_many() -> bool:
    """Whether there are other workers."""
    return len(mox_flags.worker_hosts.split(",")) > 1


def steps_on_its_own() -> bool:
    """Whether there are other workers, and this one does not wait for them."""
    return is_one_of_many() and not mox_flags.sync_replicas
