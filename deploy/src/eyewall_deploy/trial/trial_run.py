"""One run of a trial: a scheduler places the topologies, and each second is measured."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from eyewall_contracts.setting_keys import MODE

from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.load_samples import LoadSecond, latency_percentile
from eyewall_deploy.storm.nimbus import describe_hosts, describe_workers
from eyewall_deploy.trial.applied_plans import follow_policy
from eyewall_deploy.trial.cluster_events import restore_cluster
from eyewall_deploy.trial.forecasts import ask_forecasts
from eyewall_deploy.trial.machine_watch import MachineSecond
from eyewall_deploy.trial.plan import fingerprint
from eyewall_deploy.trial.records import RunSecond, TrialRun
from eyewall_deploy.trial.run_watch import RunWatch
from eyewall_deploy.trial.topology_runs import (
    TopologyRate,
    read_seen,
    read_topologies,
    submit_topologies,
    topology_start,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.measure.seen_numbers import SeenNumbers
    from eyewall_deploy.trial.plan import PlannedRun
    from eyewall_deploy.trial.run_watch import WatchedRun
    from eyewall_deploy.trial.trial_file import Trial

_START_PATIENCE = 180.0
_POLL = 1.0
_PAUSE = 6.0
"""Seconds between two loads of one start, for what the change of the rate stirs up."""
_LINES_LATE = 3.0
"""Seconds until the last lines of a window are in the files, even on a host without CPU."""

_BAD_SETTINGS: Final = re.compile(
    r"(?:(?:not )?placed by [^:]+: |eyewall: kept; )?"
    rf"(?!{re.escape(MODE.name)}\b)(?P<why>eyewall\..+)"
)
"""A status text where Eyewall leaves a topology to Storm's scheduler: the text begins with the key
of the setting. A mode is right, and means that it may be left."""


def run_trial(
    cluster: MeasuredCluster, trial: Trial, runs: Sequence[PlannedRun], folder: Path
) -> list[TrialRun] | Failure:
    """Place the topologies with the runs' scheduler, and measure one run after another.

    Parameters
    ----------
    cluster
        Its scheduler is the runs'; no topology runs on it.
    runs
        Of one scheduler and repetition: one, or several loads of a constant rate.
    folder
        For what the topologies write; new.
    """
    loads = [1.0 if it.load is None else it.load for it in runs]
    rate = trial.rate.scale(loads[0])
    if len(runs) > 1:
        rate = trial.rate.hold_in_turn(loads, trial.seconds, _PAUSE)
    given = TopologyRate(rate.text(trial.warm_up), rate.first, trial.warm_up)
    failure = restore_cluster(cluster, trial) or submit_topologies(
        cluster, trial, runs[0], folder, given
    )
    if failure is not None:
        return failure
    watch = RunWatch(cluster, trial)
    start = wait_for_start(cluster, trial, runs[0], folder, watch)
    if isinstance(start, Failure):
        return start
    first = start + trial.warm_up
    watched = [
        watch.follow(
            first + place * (trial.seconds + _PAUSE),
            planned.description,
            follow_policy(cluster.deployment, trial, planned.scheduler),
        )
        for place, planned in enumerate(runs)
    ]
    end = watched[-1].began + trial.seconds
    time.sleep(max(0.0, end + _LINES_LATE - time.time()))
    measured = read_topologies(trial, folder)
    without_events = cluster.deployment.on_loopback and any(it.is_emulated for it in trial.events)
    made = [
        replace(
            _trial_run(trial, planned, load, one, measured, read_seen(trial, folder, one.began)),
            without_events=without_events,
        )
        for planned, load, one in zip(runs, loads, watched, strict=True)
    ]
    forecasts = ask_forecasts(cluster, trial, runs[-1], made[-1])
    return [*made[:-1], replace(made[-1], forecasts=forecasts)]


def _trial_run(
    trial: Trial,
    planned: PlannedRun,
    load: float,
    watched: WatchedRun,
    measured: list[dict[int, LoadSecond]],
    seen: SeenNumbers | None,
) -> TrialRun:
    rate, began, running = trial.rate.scale(load), watched.began, watched.running
    return TrialRun(
        scheduler=planned.scheduler.label,
        load=load,
        repetition=planned.repetition,
        fingerprint=fingerprint(trial, planned),
        began=began,
        due=None if rate.is_unlimited else rate.tuples_until(trial.seconds) * len(trial.topologies),
        latency=window_latency(measured, began, trial.seconds),
        seconds=tuple(join_seconds(measured, watched.machine, began, trial.seconds)),
        moves=watched.moves,
        status="; ".join(it.scheduling for it in running.values()),
        placement=tuple(line for it in running.values() for line in describe_hosts(it.hosts())),
        workers=tuple(line for it in running.values() for line in describe_workers(it.slots)),
        first_placement=watched.first_placement,
        failed_events=watched.failed_events,
        seen=seen,
    )


def window_latency(
    loads: list[dict[int, LoadSecond]], began: float, seconds: float
) -> dict[int, int]:
    """Return the acks of all topologies within the window, by bucket of their latency."""
    counts: Counter[int] = Counter()
    for second in _window(loads, began, seconds):
        counts.update(second.latency)
    return dict(counts)


def window_emissions(loads: list[dict[int, LoadSecond]], began: float, seconds: float) -> int:
    """Return how many tuples all sources emitted within the window, replays too."""
    return sum(it.emitted + it.replayed for it in _window(loads, began, seconds))


def _window(
    loads: list[dict[int, LoadSecond]], began: float, seconds: float
) -> Iterator[LoadSecond]:
    for load in loads:
        for at, second in load.items():
            if 0 <= at - round(began) < seconds:
                yield second


def join_seconds(
    loads: list[dict[int, LoadSecond]],
    machine: Mapping[int, MachineSecond],
    began: float,
    seconds: float,
) -> Iterator[RunSecond]:
    """Yield each second of the window: of all topologies together, and of the machine."""
    nothing = LoadSecond()
    has_slots = any(it.out_slots is not None for load in loads for it in load.values())
    for at in range(round(seconds)):
        own = [load.get(round(began) + at, nothing) for load in loads]
        latency: Counter[int] = Counter()
        for second in own:
            latency.update(second.latency)
        around = machine.get(at, MachineSecond())
        yield RunSecond(
            at=at,
            out=sum(it.out for it in own),
            emitted=sum(it.emitted for it in own),
            acked=sum(it.acked for it in own),
            failed=sum(it.failed for it in own),
            replayed=sum(it.replayed for it in own),
            pending=sum(it.pending for it in own),
            behind=max(it.behind for it in own),
            p50=latency_percentile(latency, 50),
            p99=latency_percentile(latency, 99),
            cpu=around.cpu,
            stolen=around.stolen,
            busy=around.busy,
            latency=dict(latency),
            memory=around.memory,
            workers=around.workers,
            out_slots=reduce(or_, (it.out_slots or 0 for it in own)) if has_slots else None,
        )


def wait_for_start(
    cluster: MeasuredCluster, trial: Trial, planned: PlannedRun, folder: Path, watch: RunWatch
) -> float | Failure:
    """Wait until the sources of all topologies have begun; return when the last one did.

    A topology whose settings Eyewall refuses is no run: Storm's scheduler has placed it.
    """
    submitted = time.time()
    while True:
        watch.look_at_assignment(None)
        for name, running in watch.running.items():
            if bad := _BAD_SETTINGS.fullmatch(running.scheduling):
                return Failure(
                    f"{planned.description}: Eyewall does not place {name}: {bad['why']}"
                )
        starts = [topology_start(topology, folder) for topology in trial.topologies]
        known = [start for start in starts if start is not None]
        if len(known) == len(starts):
            return max(known)
        waited = time.time() - submitted
        if waited > _START_PATIENCE:
            status = "; ".join(it.scheduling or "no status" for it in watch.running.values())
            return Failure(
                f"{planned.description}: no source has begun after {waited:.0f} s ({status})"
            )
        cluster.progress.show(f"{planned.description}: starting ({waited:.0f} s)")
        time.sleep(_POLL)
