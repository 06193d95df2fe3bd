"""Who the processes of a job are, and which of them this one is."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from runyard.cluster.shape import Shape
from runyard.errors import ConfigError

_ADDRESS = re.compile(r"\S+:(-?[0-9]+)")


class Role(StrEnum):
    """What a process does. The chief drives workers and parameter servers; without parameter servers it trains too."""

    CHIEF = "chief"
    WORKER = "worker"
    PS = "ps"


@dataclass(frozen=True)
class Member:
    """One process of a job."""

    role: Role
    index: int

    def __str__(self) -> str:
        return f"{self.role} {self.index}"

    @property
    def file_name(self) -> str:
        """`worker-1`: what its files are called."""
        return f"{self.role}-{self.index}"


@dataclass(frozen=True)
class Cluster:
    """The addresses (`host:port`) of all members, by role."""

    chief: tuple[str, ...] = ()
    worker: tuple[str, ...] = ()
    ps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        seen: dict[str, Member] = {}
        for member in self.members():
            address = self.address(member)
            if rule := _broken_rule(address):
                raise ConfigError(f"the address of {member} is {address!r}; {rule}")
            if address in seen:
                raise ConfigError(f"{seen[address]} and {member} have the same address: {address}")
            seen[address] = member
        if not self.chief and not self.worker:
            raise ConfigError("a cluster needs a worker")
        if len(self.chief) > 1:
            raise ConfigError(f"a cluster has one chief, not {len(self.chief)}: {', '.join(self.chief)}")

    def members(self) -> Iterator[Member]:
        """Chief, workers, parameter servers."""
        for role in Role:
            for index in range(len(self.addresses(role))):
                yield Member(role, index)

    def addresses(self, role: Role) -> tuple[str, ...]:
        return {Role.CHIEF: self.chief, Role.WORKER: self.worker, Role.PS: self.ps}[role]

    def address(self, member: Member) -> str:
        return self.addresses(member.role)[member.index]

    def endpoint(self, member: Member) -> tuple[str, int]:
        """Its address as sockets want it."""
        host, _, port = self.address(member).rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def number_of_workers(self) -> int:
        """How many processes train: without parameter servers the chief is one of them."""
        return len(self.worker) + (0 if self.ps else len(self.chief))

    @property
    def shape(self) -> Shape:
        return Shape(self.number_of_workers, len(self.ps))


@dataclass(frozen=True)
class Place:
    """A member in its cluster."""

    cluster: Cluster
    member: Member

    def __post_init__(self) -> None:
        role, known = self.member.role, len(self.cluster.addresses(self.member.role))
        if not known:
            raise ConfigError(f"this process is {self.member}, but the cluster has no {role}")
        if not 0 <= self.member.index < known:
            raise ConfigError(f"this process is {self.member}, but the cluster has {role} 0 to {known - 1} only")

    @property
    def is_chief(self) -> bool:
        """Whether it is the one that saves and speaks: the chief, else worker 0."""
        return self.member == next(self.cluster.members())

    @property
    def others(self) -> list[Member]:
        return [member for member in self.cluster.members() if member != self.member]

    @property
    def is_lone(self) -> bool:
        """Whether there is nobody to talk to."""
        return not self.others

    def tf_config(self) -> str:
        """What TensorFlow reads from the variable TF_CONFIG."""
        cluster = {str(role): list(found) for role in Role if (found := self.cluster.addresses(role))}
        return json.dumps({"cluster": cluster, "task": {"type": str(self.member.role), "index": self.member.index}})


def _broken_rule(address: str) -> str | None:
    """Why it is none; None if it is one."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return "it must be host:port"
    return None if len(found[1]) < 6 and 0 < int(found[1]) < 65536 else "its port must be 1 to 65535"
