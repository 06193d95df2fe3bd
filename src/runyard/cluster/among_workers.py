"""Clusters as older programs know them: workers and parameter servers, the first worker being the chief."""

from runyard.cluster.members import Cluster, Member, Place, Role


def among_workers(place: Place) -> Place:
    """The same place in a cluster whose chief, if it has one, is worker 0."""
    cluster, member = place.cluster, place.member
    if not cluster.chief:
        return place
    if member.role is not Role.PS:
        member = Member(Role.WORKER, 0 if member.role is Role.CHIEF else member.index + 1)
    return Place(Cluster(worker=cluster.chief + cluster.worker, ps=cluster.ps), member)
