"""The demo's two acts: each scheduler in turn, and a delay that is raised."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy.demo.link import RAISED_BY, delay_between, link_to_raise
from eyewall_deploy.demo.records import Reassignment, Run
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.changes import change_delay, change_scheduler
from eyewall_deploy.lifecycle.plans import read_plan
from eyewall_deploy.measure.latency import Window, longest_gap, summarise
from eyewall_deploy.measure.nimbus import moved
from eyewall_deploy.state import Scheduler
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.demo.stage import Stage
    from eyewall_deploy.measure.nimbus import Executor, RunningTopology

ORDER = (Scheduler.DEFAULT, Scheduler.RAS, Scheduler.EYEWALL)
_MOVE_PATIENCE = 180.0
_BEFORE_MOVE = 5.0
_POLL = 0.5


def compare(stage: Stage, repetition: int) -> list[Run] | Failure:
    """Each scheduler in turn; the last one's topology goes on running."""
    runs = []
    for scheduler in ORDER:
        failure = stage.end_topology()
        if failure is not None:
            return failure
        turned = with_scheduler(stage, scheduler)
        if isinstance(turned, Failure):
            return turned
        stage = turned
        run = measure(stage, scheduler, events_folder(stage, scheduler, repetition))
        if isinstance(run, Failure):
            return run
        runs.append(run)
        stage.steps.done(f"{scheduler}: p50 {_ms(run.measured.p50)}, p99 {_ms(run.measured.p99)}")
    return runs


def with_scheduler(stage: Stage, scheduler: Scheduler) -> Stage | Failure:
    """Give Nimbus this scheduler, unless it has it."""
    if stage.plan.state.scheduler is scheduler:
        return stage
    stage.steps.doing(f"Nimbus starts again with the scheduler {scheduler}")
    failure = change_scheduler(stage.plan, scheduler, stage.steps)
    if failure is not None:
        return failure
    plan = read_plan(stage.plan.run)
    return plan if isinstance(plan, Failure) else stage.on(plan)


def measure(stage: Stage, scheduler: Scheduler, events: Path) -> Run | Failure:
    """Submit, wait for a steady flow, measure."""
    stage.steps.doing(f"{scheduler}: submitting")
    failure = stage.submit(events)
    if failure is not None:
        return failure
    flowed = stage.wait_for_flow(events, str(scheduler))
    if isinstance(flowed, Failure):
        return flowed
    return measured_run(stage, scheduler, events, flowed)


def measured_run(
    stage: Stage, scheduler: Scheduler, events: Path, seconds_to_flow: float
) -> Run | Failure:
    """Measure what runs now, which has to stay where it is meanwhile."""
    before = stage.look()
    start, end = stage.let_pass(str(scheduler), stage.scenario.seconds)
    after = stage.look()
    if moved(before.hosts(), after.hosts()):
        stage.steps.done(f"{scheduler}: moved while it was measured; measuring again")
        return measured_run(stage, scheduler, events, seconds_to_flow)
    summary = summarise(stage.events(events), Window(start, end))
    if summary is None:
        return Failure(f"{scheduler}: no tuple arrived within {stage.scenario.seconds:g} s")
    return Run(
        scheduler=str(scheduler),
        placement=stage.placement(after, events.name),
        measured=summary,
        complete_latency=after.complete_latency,
        seconds_to_flow=seconds_to_flow,
    )


def raise_a_delay(stage: Stage, before: Run, repetition: int) -> Reassignment | Failure:
    """Raise the delay of a link that is in use; watch what Eyewall does."""
    events = events_folder(stage, Scheduler.EYEWALL, repetition)
    running = stage.look()
    own = {e: host for e, host in running.hosts().items() if not e.is_system}
    link = link_to_raise(own, stage.streams(running))
    if link is None:
        return Failure("everything runs on one host: there is no link whose delay could matter")
    old = delay_between(delay_file.read(stage.plan.run.delays), link)
    failure = change_delay(stage.plan, *link, old + RAISED_BY, both_directions=True)
    if failure is not None:
        return failure
    raised_at = time.time()
    named = f"{link[0]} ↔ {link[1]}"
    stage.steps.done(f"delay {named} raised from {_ms(old)} to {_ms(old + RAISED_BY)}")
    moved_at = _wait_for_move(stage, running, named)
    if isinstance(moved_at, Failure):
        return moved_at
    stage.steps.done(f"reassigned after {moved_at - raised_at:.1f} s")
    during = summarise(stage.events(events), Window(raised_at + 1.0, moved_at - 1.0))
    flowed = stage.wait_for_flow(events, "after the move")
    if isinstance(flowed, Failure):
        return flowed
    flows_again = time.time()
    after = measured_run(stage, Scheduler.EYEWALL, events, flowed)
    if isinstance(after, Failure):
        return after
    told = stage.events(events)
    return Reassignment(
        link=link,
        delay_before=old,
        delay_after=old + RAISED_BY,
        before=before,
        during=during,
        after=after,
        moved=_moved(running, after),
        raised_at=raised_at,
        moved_at=moved_at,
        gap=longest_gap(told, Window(moved_at - _BEFORE_MOVE, flows_again)),
        failed=sum(at >= raised_at for _, at in told.failed),
    )


def events_folder(stage: Stage, scheduler: Scheduler, repetition: int) -> Path:
    """Where the events of one turn go."""
    return stage.folder / f"{repetition}-{scheduler}"


def _wait_for_move(stage: Stage, running: RunningTopology, named: str) -> float | Failure:
    began = time.time()
    while True:
        now = stage.look()
        if moved(running.hosts(), now.hosts()):
            return time.time()
        waited = time.time() - began
        if waited > _MOVE_PATIENCE:
            return Failure(f"nothing moved within {waited:.0f} s; Eyewall says: {now.scheduling}")
        stage.steps.doing(f"{named} is slow now; until Eyewall moves executors ({waited:.0f} s)")
        time.sleep(_POLL)


def _moved(running: RunningTopology, after: Run) -> tuple[Executor, ...]:
    return tuple(moved(running.hosts(), after.placement.hosts))


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
