"""Who am I among the processes of a job, and a supervisor that runs them on this machine."""

from runyard.cluster.events import Cause, Exited
from runyard.cluster.heartbeat import Heartbeat, Phase
from runyard.cluster.layout import Layout
from runyard.cluster.members import Cluster, Member, Place, Role
from runyard.cluster.policy import FailurePolicy
from runyard.cluster.shape import Shape
from runyard.cluster.spec import Ending, GroupSpec
from runyard.cluster.stacks import install_stack_dumps
from runyard.cluster.supervisor import supervise
from runyard.cluster.who_am_i import MemberFlags, source_of_place, who_am_i

__all__ = [
    "Cause",
    "Cluster",
    "Ending",
    "Exited",
    "FailurePolicy",
    "GroupSpec",
    "Heartbeat",
    "Layout",
    "Member",
    "MemberFlags",
    "Phase",
    "Place",
    "Role",
    "Shape",
    "install_stack_dumps",
    "source_of_place",
    "supervise",
    "who_am_i",
]
