"""The topologies of a run: how they are submitted, and what they have written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyewall_deploy.failure import Failure
from eyewall_deploy.jar_submission import cluster_client, find_topologies_jar, submit_jar
from eyewall_deploy.measure.load_samples import (
    START_FILE,
    read_seconds,
    read_start,
    seconds_of_events,
)
from eyewall_deploy.measure.seen_numbers import SeenNumbers, count_seen, count_seen_events
from eyewall_deploy.measure.tuple_events import read_events
from eyewall_deploy.submit import DEFAULT_PROJECT, submit
from eyewall_deploy.trial.trial_file import LOAD_CLASS, RATE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eyewall_deploy.measure.load_samples import LoadSecond
    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.trial_file import Trial, TrialTopology


@dataclass(frozen=True, slots=True)
class TopologyRate:
    """The rate of a run, as its topologies are given it.

    Parameters
    ----------
    profile
        The argument of a load topology's source.
    first
        The rate at first, in tuples/s: all that a streamparse topology knows. None for as much as
        goes.
    settle
        Seconds from the start in which the sources leave out what is late.
    """

    profile: str
    first: float | None
    settle: float


def submit_topologies(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, folder: Path, rate: TopologyRate
) -> Failure | None:
    """Submit a trial's topologies for a run; each writes to its own folder in `folder`."""
    for topology in trial.topologies:
        cluster.progress.show(f"{planned.description}: submitting {topology.name}")
        measured = folder / topology.name
        measured.mkdir(parents=True)
        settings = (
            topology.options
            | planned.scheduler.settings
            | {
                "measure.dir": str(measured),
                "measure.start": str(folder / START_FILE),
            }
        )
        options = topology_options(settings, rate)
        if topology.streamparse is None:
            submitted = _submit_jar(cluster, trial, topology, options, rate)
        else:
            submitted = submit(
                topology.streamparse,
                options,
                nimbus=cluster.deployment.state.nimbus,
                cluster=trial.cluster,
                project=topology_project(trial, topology),
                run_as=topology.name,
            )
        if isinstance(submitted, Failure):
            return submitted
    return None


def topology_arguments(topology: TrialTopology, rate: TopologyRate) -> list[str]:
    """Return the arguments of a topology's class."""
    given = topology.arguments
    if isinstance(given, dict):
        own = [part for key, value in given.items() for part in (f"--{key}", str(value))]
    else:
        own = list(given)
    if topology.shape is not None:
        own += ["--shape", topology.shape, "--rate", rate.profile]
        own += ["--settle", f"{rate.settle:.0f}"]
    return [part.replace(RATE, rate.profile) for part in own]


def topology_project(trial: Trial, topology: TrialTopology) -> Path:
    """Return the project of a streamparse topology."""
    return DEFAULT_PROJECT if topology.project is None else trial.folder / topology.project


def topology_options(settings: dict[str, Any], rate: TopologyRate) -> list[str]:
    """Return settings as options of a submission, with the rate where they ask for it."""
    return [
        f"{key}={json.dumps(rate.first if value == RATE else value)}"
        for key, value in settings.items()
    ]


def topology_start(topology: TrialTopology, folder: Path) -> float | None:
    """Return when a topology's sources began, seconds since the epoch; None if not yet.

    The schedules of all load topologies begin at once.
    """
    own = folder / topology.name
    if topology.streamparse is None:
        return read_start(folder) if any(own.iterdir()) else None
    emitted = read_events(own).emitted
    return min(emitted.values(), default=None)


def read_topologies(trial: Trial, folder: Path) -> list[dict[int, LoadSecond]]:
    """Return what each topology has done in each second since the epoch."""
    return [
        read_seconds(folder / topology.name)
        if topology.streamparse is None
        else seconds_of_events(read_events(folder / topology.name))
        for topology in trial.topologies
    ]


def read_seen(trial: Trial, folder: Path, began: float) -> SeenNumbers | None:
    """Return what became of all topologies' tuples, as far as their sinks say which they saw."""
    end = began + trial.seconds
    counted = [
        count_seen(folder / topology.name, began, end)
        if topology.streamparse is None
        else count_seen_events(read_events(folder / topology.name), began, end)
        for topology in trial.topologies
    ]
    known = [it for it in counted if it is not None]
    if not known:
        return None
    return SeenNumbers(
        sum(it.tuples for it in known),
        sum(it.lost for it in known),
        sum(it.twice for it in known),
    )


def _submit_jar(
    cluster: MeasuredCluster,
    trial: Trial,
    topology: TrialTopology,
    options: Sequence[str],
    rate: TopologyRate,
) -> str | Failure:
    client = cluster_client(cluster.deployment)
    if isinstance(client, Failure):
        return client
    jar = find_topologies_jar() if topology.jar is None else trial.folder / topology.jar
    if jar is None:
        return Failure("the load topologies' jar is missing: `make setup` builds it")
    return submit_jar(
        jar,
        topology.main_class or LOAD_CLASS,
        topology_arguments(topology, rate),
        options,
        nimbus=cluster.deployment.state.nimbus,
        cluster=trial.cluster,
        client=client,
        run_as=topology.name,
    )
