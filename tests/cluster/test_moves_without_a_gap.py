"""Moves whose old workers serve on: a host is drained, and its topology does not lose a tuple."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from eyewall_deploy.jar_submission import find_topologies_jar
from eyewall_deploy.measure.host_use import is_worker
from eyewall_deploy.measure.load_samples import read_seconds
from eyewall_deploy.trial.trial_file import LOAD_CLASS
from running_cluster import PATIENCE, Cluster, hosts_of, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME = "served-on"
COMPONENTS = ("source", "operator-1", "sink")
EXECUTORS = 4
"""One of each component, and an acker."""


@pytest.fixture
def seconds(cluster: Cluster, tmp_path: Path) -> Iterator[Path]:
    """Where a chain in one worker, on a host of the cloud, writes what it does in each second."""
    jar = find_topologies_jar()
    assert jar is not None
    options: dict[str, object] = {
        "eyewall.moves": "overlap",
        "eyewall.pin": {it: ["cloud-1", "cloud-2"] for it in COMPONENTS},
        "measure.dir": str(tmp_path),
    }
    settings = [f"-o{key}={json.dumps(value)}" for key, value in options.items()]
    arguments = {"shape": "chain", "name": NAME, "rate": 50, "stages": 1, "parallelism": 1}
    arguments |= {"cpu-us": 10, "declared": 5, "workers": 1, "timeout": 30}
    given = [part for key, value in arguments.items() for part in (f"--{key}", str(value))]
    cluster.run("submit", "--jar", str(jar), "--class", LOAD_CLASS, *settings, "--", *given)
    yield tmp_path
    if cluster.topology(NAME) is not None:
        cluster.run("kill", NAME)


def is_all_acked(folder: Path) -> bool:
    """Whether no tuple was under way when the last line was written; none had a second try."""
    done = read_seconds(folder).values()
    assert sum(it.failed + it.replayed for it in done) == 0
    return sum(it.emitted for it in done) == sum(it.acked for it in done)


def moves(cluster: Cluster) -> list[dict[str, Any]]:
    """Recorded moves of the chain, newest first."""
    return [it for it in cluster.history(NAME) if it["verdict"] == "moved"]


def used_hosts(topology: Mapping[str, object]) -> set[str]:
    return {host for it in COMPONENTS for host in hosts_of(topology, it)}


def worker_logs(cluster: Cluster) -> str:
    logs = cluster.run_dir.rglob(f"{NAME}-*/*/worker.log")
    return "".join(it.read_text(encoding="utf-8") for it in logs)


def running_workers() -> list[psutil.Process]:
    """The chain's, old ones that serve on included."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess):
            if is_worker(process) and any(it.startswith(f"{NAME}-") for it in process.cmdline()):
                found.append(process)
    return found


def only_worker() -> list[psutil.Process] | None:
    """It alone, once no other one of the chain runs."""
    workers = running_workers()
    return workers if len(workers) == 1 else None


def has_all_cores(worker: psutil.Process) -> bool:
    """Whether each of its threads may use all cores of this machine."""
    cores = os.sched_getaffinity(0)
    found = True
    for thread in worker.threads():
        with suppress(ProcessLookupError):
            found = found and os.sched_getaffinity(thread.id) == cores
    return found


def test_a_drained_host_is_left_while_its_worker_serves_on(cluster: Cluster, seconds: Path) -> None:
    # Rates are known once the host has reported its worker, and with it the overlap agent in it.
    cluster.placed(NAME, EXECUTORS)
    wait_for(lambda: cluster.rates_age(NAME), PATIENCE, "rates of the chain", pause=2.0)
    (left,) = used_hosts(cluster.placed(NAME, EXECUTORS))
    before = len(moves(cluster))

    with cluster.drained(left):
        after = cluster.placed(NAME, EXECUTORS)
        assert left not in used_hosts(after)
        assert [it["overlaps"] for it in moves(cluster)[: -before or None]] == [True]
        # The old worker says so before it ends, and nothing that it had taken is lost.
        assert "are prepared elsewhere; lingering" in worker_logs(cluster)
        wait_for(lambda: is_all_acked(seconds), PATIENCE, "a moment when all tuples are acked")
        # It started on half of the cores, and has all of them since it is ready.
        (worker,) = wait_for(only_worker, PATIENCE, "the end of the old worker")
        several = len(os.sched_getaffinity(0)) > 1
        assert any(it.startswith("-Deyewall.cores=") for it in worker.cmdline()) == several
        wait_for(lambda: has_all_cores(worker), PATIENCE, "a worker with all cores")
        assert "not ready after" not in worker_logs(cluster)


def test_both_workers_end_when_the_topology_is_killed_in_the_middle_of_a_move(
    cluster: Cluster, seconds: Path
) -> None:
    cluster.placed(NAME, EXECUTORS)
    wait_for(lambda: cluster.rates_age(NAME), PATIENCE, "rates of the chain", pause=2.0)
    (left,) = used_hosts(cluster.placed(NAME, EXECUTORS))
    with cluster.drained(left, wait=0):
        wait_for(
            lambda: len(running_workers()) == 2, PATIENCE, "an old and a new worker", pause=0.2
        )
        # Both serve on now: of the chain of an earlier test nothing is left.
        wait_for(lambda: cluster.znodes("/storm/eyewall-serving"), PATIENCE, "a notice", pause=0.2)
        topology = cluster.topology(NAME)
        assert topology is not None
        assert cluster.znodes("/storm/eyewall-serving") == [topology["id"]]
        assert cluster.znodes("/storm/eyewall-spouts") == [topology["id"]]
        cluster.run("kill", NAME)
        wait_for(lambda: not running_workers(), PATIENCE, "the end of both")
