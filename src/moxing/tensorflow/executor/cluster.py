"""A process of several: workers that train one model, and parameter servers that keep its variables."""

import itertools
import os
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_devices import VariableServers
from moxing.tensorflow.executor.cluster_place import ClusterPlace
from moxing.tensorflow.executor.cluster_server import serve, start_server
from moxing.tensorflow.executor.cluster_waiting import wait_for_servers
from moxing.tensorflow.executor.lines import log_line
from moxing.tensorflow.executor.place import Place
from runyard.cluster import MemberFlags, Role, who_am_i
from runyard.cluster import Place as Membership
from runyard.cluster.among_workers import among_workers
from runyard.errors import ConfigError

_runs = itertools.count()


def place_in_cluster(local: Place, *, flags: Any, training: bool) -> Place | None:
    """Where this process stands: alone, as a worker of several, or nowhere.

    A parameter server does not come back from here: it serves until the workers are done.

    Args:
        local: the place of a process that works alone.
        training: only training takes several; other modes are the chief's alone.

    Returns:
        None where another process does the work.

    Raises:
        ConfigError: if the flags or TF_CONFIG make no sense.
    """
    membership = _membership(flags)
    if membership is None:
        return local
    if membership.member.role is Role.PS:
        serve(membership)
    if not training:
        if membership.is_chief:
            return local
        log_line(f"{membership.member} has nothing to do: only training takes more than the first worker")
        return None
    if not membership.cluster.ps:
        raise ConfigError(
            f"{len(membership.cluster.worker)} workers need a parameter server that keeps the variables",
            hint="runyard run --workers 2 --ps 1, or the flag --ps_hosts",
        )
    return _worker(local, membership, flags=flags)


def _membership(flags: Any) -> Membership | None:
    """The four flags tell; where they are not given, TF_CONFIG does."""
    if not flags.job_name and not flags.ps_hosts and not flags.worker_hosts:
        found = who_am_i(tf_config=os.environ.get("TF_CONFIG"))
    else:
        given = {name: str(getattr(flags, name)) for name in ("job_name", "ps_hosts", "worker_hosts")}
        found = who_am_i(flags=MemberFlags(**given, task_index=str(flags.task_index)))
    return None if found is None or found.is_lone else among_workers(found)


def _worker(local: Place, membership: Membership, *, flags: Any) -> ClusterPlace:
    index = membership.member.index
    own = f"/job:worker/task:{index}"
    wait_for_servers(membership)
    server = start_server(membership, config=local.config)
    servers = VariableServers(len(membership.cluster.ps))
    config = tf.ConfigProto()
    config.CopyFrom(local.config)
    # What other workers do, and whether they are there at all, is nothing to this one's session.
    config.device_filters.extend(["/job:ps", own])
    return ClusterPlace(
        clone_devices=[f"{own}{device}" for device in local.clone_devices],
        config=config,
        input_device=f"{own}/cpu:0",
        target=server.target,
        is_chief=index == 0,
        task_index=index,
        num_workers=len(membership.cluster.worker),
        membership=membership,
        servers=servers,
        variable_device=servers.beside(f"{own}/cpu:0"),
        synchronous=bool(flags.sync_replicas),
        only_chief_counts=bool(flags.chief_inc_global_step),
        run=next(_runs),
    )
