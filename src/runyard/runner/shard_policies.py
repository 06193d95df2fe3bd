"""What `shard_policy` asks for, as far as it can be judged before anything runs."""

from collections.abc import Collection, Iterator

from runyard.config import Job, nearest_name
from runyard.config.mistakes import Mistake, show_value
from runyard.config.shard_policy import ShardPolicy
from runyard.script import Outline, Task
from runyard.script.contract import CALLBACKS, Callback

_KEY = "shard_policy"


def unknown_shard_policies(job: Job, *, outline: Outline, tasks: Collection[Task]) -> Iterator[Mistake]:
    """Values that name no policy. A callback that divides its data itself may take what it likes."""
    for callback, written in _written(job, tasks=tasks):
        if ShardPolicy.named(written) is None and _divides_itself(callback, outline=outline) is False:
            yield Mistake(
                "not one of the values that are allowed here",
                path=("job_detail", str(callback.section), _KEY),
                received=show_value(written),
                allowed=", ".join(ShardPolicy),
                nearest=nearest_name(written.upper(), map(str, ShardPolicy)) if isinstance(written, str) else None,
            )


def unheeded_shard_policies(job: Job, *, outline: Outline, tasks: Collection[Task]) -> list[str]:
    """Remarks about policies that nothing heeds but, perhaps, the callback."""
    return [
        f"{callback.section}.{_KEY}: {callback.name} takes num_shards and shard_index, so it divides its data itself"
        for callback, _ in _written(job, tasks=tasks)
        if _divides_itself(callback, outline=outline) and not _takes(callback, _KEY, outline=outline)
    ]


def _written(job: Job, *, tasks: Collection[Task]) -> Iterator[tuple[Callback, object]]:
    for callback in CALLBACKS:
        if _KEY in callback.optional_keys and callback.called_for.intersection(tasks):
            section = getattr(job.job_detail, str(callback.section)) or {}
            if _KEY in section:
                yield callback, section[_KEY]


def _divides_itself(callback: Callback, *, outline: Outline) -> bool | None:
    """None: that cannot be seen from outside."""
    if outline.names.get(callback.name) is None:
        return None
    return all(_takes(callback, name, outline=outline) for name in ("num_shards", "shard_index"))


def _takes(callback: Callback, parameter: str, *, outline: Outline) -> bool:
    signature = outline.names.get(callback.name)
    return signature is not None and parameter in signature.names
