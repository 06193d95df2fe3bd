"""How many processes a job has, and which of them decide that it is done."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from runyard.cluster.members import Cluster, Member, Role


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The members of a job on one machine.

    Args:
        chief: whether a chief of its own drives the others; None: where there are parameter servers.
    """

    workers: int
    ps: int = 0
    chief: bool | None = None

    def members(self) -> Iterator[Member]:
        """Chief, workers, parameter servers. The first of them speaks for all."""
        has_chief = bool(self.ps) if self.chief is None else self.chief
        for role, count in ((Role.CHIEF, int(has_chief)), (Role.WORKER, self.workers), (Role.PS, self.ps)):
            for index in range(count):
                yield Member(role, index)

    def is_server(self, member: Member) -> bool:
        """Whether it only serves others, for ever: it is ended when those that are waited for have ended."""
        driven = next(self.members()).role is Role.CHIEF
        return member.role is Role.PS or (member.role is Role.WORKER and driven)

    def on(self, ports: Iterable[int], *, host: str = "127.0.0.1") -> Cluster:
        """The cluster on these ports of one machine."""
        addresses: dict[Role, list[str]] = {role: [] for role in Role}
        for member, port in zip(self.members(), ports, strict=True):
            addresses[member.role].append(f"{host}:{port}")
        return Cluster(**{str(role): tuple(listed) for role, listed in addresses.items()})
