"""Which member this process is, as told from outside: by TF_CONFIG or by the four flags of older programs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from runyard.cluster.members import Cluster, Member, Place, Role
from runyard.errors import ConfigError

_EXAMPLE = '{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}'
_ROLES = {**{str(role): role for role in Role}, "master": Role.CHIEF}


@dataclass(frozen=True, kw_only=True)
class MemberFlags:
    """`--job_name --task_index --ps_hosts --worker_hosts`, as text; empty: not given."""

    job_name: str = ""
    task_index: str = ""
    ps_hosts: str = ""
    worker_hosts: str = ""

    @classmethod
    def of(cls, place: Place) -> "MemberFlags":
        """What a program that reads flags must be told."""
        return cls(
            job_name=str(place.member.role),
            task_index=str(place.member.index),
            ps_hosts=",".join(place.cluster.ps),
            worker_hosts=",".join(place.cluster.worker),
        )

    def given(self) -> dict[str, str]:
        return {name: value.strip() for name, value in vars(self).items() if value.strip()}

    def arguments(self) -> list[str]:
        """As they are written on a command line."""
        return [f"--{name}={value}" for name, value in self.given().items()]


def source_of_place(tf_config: str | None) -> str:
    """What has said who this process is, once it is known that something has."""
    return "TF_CONFIG" if read_tf_config(tf_config or "") is not None else "--worker_hosts"


def who_am_i(*, tf_config: str | None = None, flags: MemberFlags | None = None) -> Place | None:
    """The place of this process; None: it was told of no other, so it works alone.

    Args:
        tf_config: the value of the variable TF_CONFIG.

    Raises:
        ConfigError: for anything that makes no sense, and for two answers that differ.
    """
    flags = flags or MemberFlags()
    place = read_tf_config(tf_config or "")
    if place is None:
        return read_flags(flags)
    said = MemberFlags.of(place).given()
    for name, value in flags.given().items():
        if _normal(value) != _normal(said.get(name, "")):
            raise ConfigError(
                f"--{name} is {value}, but TF_CONFIG says {said.get(name, 'that there are none')}",
                hint="give one of the two; what both say must be the same",
            )
    return place


def read_tf_config(text: str) -> Place | None:
    """Reads TF_CONFIG. Empty, or with an empty cluster, it speaks of one process.

    Raises:
        ConfigError: if it cannot be read, or contradicts itself.
    """
    if not text.strip():
        return None
    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise _wrong(f"is not JSON: {error}") from None
    config = _mapping(found, name="TF_CONFIG")
    cluster = _mapping(config.get("cluster", {}), name='"cluster"')
    if not cluster:
        return None
    addresses: dict[str, tuple[str, ...]] = {}
    for name, hosts in cluster.items():
        role = _role(name, what='"cluster"')
        if role in addresses:
            raise _wrong('names both "chief" and "master", which are the same')
        addresses[str(role)] = _hosts(hosts, name=name)
    task = _mapping(config.get("task"), name='"task"')
    index = task.get("index")
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    if not isinstance(index, int) or isinstance(index, bool):
        raise _wrong(f'needs a whole number as "index" of "task"; it has {index!r}')
    member = Member(_role(task.get("type"), what='"type" of "task"'), index)
    return _place(addresses, member, source="TF_CONFIG")


def read_flags(flags: MemberFlags) -> Place | None:
    """Reads the four flags. None of them given: one process.

    Raises:
        ConfigError: if one is missing or wrong.
    """
    given = flags.given()
    if not given:
        return None
    if missing := [name for name in ("job_name", "task_index", "worker_hosts") if name not in given]:
        raise ConfigError(
            f"--{next(iter(given))} is given without {' and '.join(f'--{name}' for name in missing)}",
            hint="a member of a cluster needs them all; --ps_hosts only where there are parameter servers",
        )
    if given["job_name"] not in _ROLES:
        raise ConfigError(f"--job_name is {given['job_name']!r}; it must be one of {', '.join(_ROLES)}")
    if not given["task_index"].isdecimal():
        raise ConfigError(f"--task_index is {given['task_index']!r}; it must be a whole number from 0 on")
    addresses = {
        str(role): _addresses(given.get(name, ""), name=name)
        for role, name in ((Role.WORKER, "worker_hosts"), (Role.PS, "ps_hosts"))
    }
    member = Member(_ROLES[given["job_name"]], int(given["task_index"]))
    return _place(addresses, member, source="--job_name, --task_index, --ps_hosts, --worker_hosts")


def _addresses(written: str, *, name: str) -> tuple[str, ...]:
    hosts = [host.strip() for host in written.split(",")] if written.strip() else []
    if "" in hosts:
        raise ConfigError(f"--{name}: address {hosts.index('') + 1} of {len(hosts)} is empty: {written!r}")
    return tuple(hosts)


def _place(addresses: Mapping[str, tuple[str, ...]], member: Member, *, source: str) -> Place:
    try:
        return Place(Cluster(**addresses), member)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error.message}", hint=error.hint) from None


def _normal(value: str) -> list[str]:
    parts = [part.strip() for part in value.split(",") if part.strip()]
    return [str(_ROLES.get(part, part)) for part in parts]


def _role(name: object, *, what: str) -> Role:
    if not isinstance(name, str) or name not in _ROLES:
        raise _wrong(f"has {name!r} in {what}; known are {', '.join(_ROLES)}")
    return _ROLES[name]


def _hosts(hosts: object, *, name: str) -> tuple[str, ...]:
    listed = cast("list[object]", hosts) if isinstance(hosts, list) else [None]
    if not all(isinstance(host, str) for host in listed):
        raise _wrong(f"needs a list of addresses for {name!r}; it has {hosts!r}")
    return tuple(str(host) for host in listed)


def _mapping(value: object, *, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _wrong(f"needs an object in {name}; it has {value!r}" if name != "TF_CONFIG" else "is not an object")
    return cast("dict[str, object]", value)


def _wrong(what: str) -> ConfigError:
    return ConfigError(f"TF_CONFIG {what}", hint=f"the variable should look like {_EXAMPLE}, or not be set")
