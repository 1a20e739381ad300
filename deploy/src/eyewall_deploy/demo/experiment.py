"""The demo's two experiments: one run of each scheduler, and a delay that is raised."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.demo.records import DelayRise, SchedulerRun
from eyewall_deploy.demo.scenario import RAISED_BY, most_used_link
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.changes import change_delay
from eyewall_deploy.measure.latency import TimeWindow, longest_gap, summarise
from eyewall_deploy.measure.tuple_events import read_events
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.nimbus import find_moves
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.demo.demo_cluster import DemoCluster
    from eyewall_deploy.storm.nimbus import RunningTopology

ORDER = (SchedulerChoice.DEFAULT, SchedulerChoice.RAS, SchedulerChoice.EYEWALL)
_MOVE_PATIENCE = 180.0
_BEFORE_MOVE = 5.0
_POLL = 0.5


def measure_schedulers(cluster: DemoCluster, repetition: int) -> list[SchedulerRun] | Failure:
    """Measure one run of each scheduler; the topology of the last one keeps running."""
    runs = []
    for scheduler in ORDER:
        failure = cluster.end_topology()
        if failure is not None:
            return failure
        changed = cluster.use_scheduler(scheduler)
        if isinstance(changed, Failure):
            return changed
        cluster = changed
        run = _measure_scheduler(cluster, events_folder(cluster, scheduler, repetition))
        if isinstance(run, Failure):
            return run
        runs.append(run)
        p50, p99 = _ms(run.measured.p50), _ms(run.measured.p99)
        cluster.progress.log(f"{scheduler}: p50 {p50}, p99 {p99}")
    return runs


def raise_delay(cluster: DemoCluster, before: SchedulerRun, repetition: int) -> DelayRise | Failure:
    """Raise the delay of a link that is in use, and measure what Eyewall does about it."""
    events = events_folder(cluster, SchedulerChoice.EYEWALL, repetition)
    running = cluster.topology()
    own = {executor: host for executor, host in running.hosts().items() if not executor.is_system}
    link = most_used_link(own, cluster.streams(running))
    if link is None:
        return Failure("everything runs on one host: no link has a delay that could matter")
    old = delay_file.read(cluster.deployment.run.delays).between(*link)
    failure = change_delay(cluster.deployment, *link, old + RAISED_BY, both_directions=True)
    if failure is not None:
        return failure
    raised_at = time.time()
    name = f"{link[0]} ↔ {link[1]}"
    cluster.progress.log(f"delay {name} raised from {_ms(old)} to {_ms(old + RAISED_BY)}")
    moved_at = _wait_for_move(cluster, running, name)
    if isinstance(moved_at, Failure):
        return moved_at
    cluster.progress.log(f"reassigned after {moved_at - raised_at:.1f} s")
    during = summarise(read_events(events), TimeWindow(raised_at + 1.0, moved_at - 1.0))
    seconds_to_flow = cluster.wait_for_flow(events, "after the move")
    if isinstance(seconds_to_flow, Failure):
        return seconds_to_flow
    flows_at = time.time()
    after = _measure_run(cluster, events, seconds_to_flow)
    if isinstance(after, Failure):
        return after
    all_events = read_events(events)
    return DelayRise(
        link=link,
        delay_before=old,
        delay_after=old + RAISED_BY,
        before=before,
        during=during,
        after=after,
        moved=tuple(find_moves(running.hosts(), after.placement.hosts)),
        raised_at=raised_at,
        moved_at=moved_at,
        gap=longest_gap(all_events, TimeWindow(moved_at - _BEFORE_MOVE, flows_at)),
        failed=sum(at >= raised_at for _, at in all_events.failed),
    )


def events_folder(cluster: DemoCluster, scheduler: SchedulerChoice, repetition: int) -> Path:
    """Return the folder of the events of one run."""
    return cluster.folder / f"{repetition}-{scheduler}"


def _measure_scheduler(cluster: DemoCluster, events: Path) -> SchedulerRun | Failure:
    """Submit the topology, wait for a steady flow, and measure."""
    scheduler = cluster.deployment.state.scheduler
    cluster.progress.show(f"{scheduler}: submitting")
    failure = cluster.submit(events)
    if failure is not None:
        return failure
    seconds_to_flow = cluster.wait_for_flow(events, scheduler)
    if isinstance(seconds_to_flow, Failure):
        return seconds_to_flow
    return _measure_run(cluster, events, seconds_to_flow)


def _measure_run(
    cluster: DemoCluster, events: Path, seconds_to_flow: float
) -> SchedulerRun | Failure:
    """Measure what runs now; if something moves meanwhile, measure again."""
    scheduler = cluster.deployment.state.scheduler
    while True:
        before = cluster.topology()
        start, end = cluster.wait(scheduler, cluster.scenario.seconds)
        after = cluster.topology()
        if not find_moves(before.hosts(), after.hosts()):
            break
        cluster.progress.log(f"{scheduler}: moved during the measurement; measuring again")
    summary = summarise(read_events(events), TimeWindow(start, end))
    if summary is None:
        return Failure(f"{scheduler}: no tuple arrived within {cluster.scenario.seconds:g} s")
    return SchedulerRun(
        scheduler=scheduler,
        placement=cluster.placement(after, events.name),
        measured=summary,
        complete_latency=after.complete_latency,
        seconds_to_flow=seconds_to_flow,
    )


def _wait_for_move(cluster: DemoCluster, running: RunningTopology, link: str) -> float | Failure:
    """Return when executors have moved."""
    began = time.time()
    while True:
        now = cluster.topology()
        if find_moves(running.hosts(), now.hosts()):
            return time.time()
        waited = time.time() - began
        if waited > _MOVE_PATIENCE:
            return Failure(f"nothing moved within {waited:.0f} s; Eyewall says: {now.scheduling}")
        cluster.progress.show(f"{link} is slow; waiting for Eyewall to move ({waited:.0f} s)")
        time.sleep(_POLL)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
