"""What is seen of a run from outside the topologies: where they run, and what that takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.measure.host_use import HostMeter
from eyewall_deploy.storm import nimbus
from eyewall_deploy.storm.nimbus import describe_hosts, find_moves, find_restarts
from eyewall_deploy.trial.cluster_events import EventSchedule
from eyewall_deploy.trial.machine_watch import MachineWatch
from eyewall_deploy.trial.records import TrialMove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.storm.nimbus import RunningExecutor, RunningTopology, WorkerSlot
    from eyewall_deploy.trial.applied_plans import AppliedPlans
    from eyewall_deploy.trial.machine_watch import MachineSecond
    from eyewall_deploy.trial.trial_file import Trial

_POLL = 1.0


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """What was seen during one measurement.

    Parameters
    ----------
    began
        Seconds since the epoch.
    machine
        Second of the measurement → what was used in it.
    moves
        Since the measurement before, or since the first placement.
    running
        Topology → where it ran at the end.
    first_placement
        Hosts with their executors before the first of these moves.
    failed_events
        Why events did not happen.
    """

    began: float
    machine: Mapping[int, MachineSecond]
    moves: tuple[TrialMove, ...]
    running: Mapping[str, RunningTopology]
    first_placement: tuple[str, ...] = ()
    failed_events: tuple[str, ...] = ()


class RunWatch:
    """Looks every second at the assignment and the machine; makes the trial's events happen."""

    def __init__(self, cluster: MeasuredCluster, trial: Trial) -> None:
        self._cluster = cluster
        self._trial = trial
        self._looks: dict[str, _Look] = {}
        self.running: dict[str, RunningTopology] = {}
        self.moves: list[TrialMove] = []

    def follow(self, began: float, what: str, plans: AppliedPlans | None = None) -> WatchedRun:
        """Look every second from now on, until the measurement that begins then has ended.

        Parameters
        ----------
        plans
            Are made and applied from `began` on.
        """
        moves_before, first_placement = len(self.moves), self.placement()
        events, failed = EventSchedule(self._cluster, self._trial), list[str]()
        meter = HostMeter(self._cluster.deployment.groups.folders)
        with MachineWatch(meter, began) as machine:
            try:
                while (now := time.time()) < began + self._trial.seconds:
                    time.sleep(_POLL - now % _POLL)
                    at = time.time() - began
                    machine.check()
                    failures = [events.apply(at)]
                    if plans is not None and at >= 0:
                        failures.append(plans.go_on())
                    for failure in failures:
                        if failure is not None:
                            failed.append(failure.reason)
                            self._cluster.progress.log(failure.reason)
                    self.look_at_assignment(began)
                    left = self._trial.seconds - at
                    activity = "warming up" if at < 0 else "measuring"
                    self._cluster.progress.show(f"{what}: {activity} ({left:.0f} s left)")
            finally:
                events.undo_all()
                if plans is not None:
                    plans.end()
        moves = tuple(self.moves[moves_before:])
        return WatchedRun(
            began, machine.seconds, moves, dict(self.running), first_placement, tuple(failed)
        )

    def placement(self) -> tuple[str, ...]:
        """Return hosts with their executors, of one topology after the other, as last seen."""
        return tuple(line for it in self.running.values() for line in describe_hosts(it.hosts()))

    def look_at_assignment(self, began: float | None) -> None:
        """Record what has moved since the last look; without `began` only what runs where.

        Parameters
        ----------
        began
            Start of the measurement whose moves these are, seconds since the epoch.
        """
        for topology in self._trial.topologies:
            asked = time.time()
            try:
                with nimbus.connect(self._cluster.deployment.state.nimbus) as client:
                    running = nimbus.running_topology(client, topology.name)
            except nimbus.NimbusUnreachableError:
                continue
            if running is None:
                continue
            if not running.slots:
                if topology.name not in self._looks:
                    self.running[topology.name] = running  # it says why it has none
                continue
            self.running[topology.name] = running
            before = self._looks.get(topology.name)
            self._looks[topology.name] = _Look(asked, running.slots)
            if before is None or began is None:
                continue
            hosts = {executor: slot.host for executor, slot in before.slots.items()}
            moved = find_moves(hosts, running.hosts())
            restarted = find_restarts(before.slots, running.slots)
            if moved or restarted:
                assigned = sum(len(set(look.slots.values())) for look in self._looks.values())
                self.moves.append(
                    TrialMove(
                        at=round(time.time() - began, 1),
                        executors=len(moved),
                        workers=len(restarted),
                        assigned=assigned,
                        unseen_since=round(before.asked - began, 1),
                        placement=self.placement(),
                    )
                )


@dataclass(frozen=True, slots=True)
class _Look:
    """What Nimbus answered, and when it was asked: seconds since the epoch."""

    asked: float
    slots: Mapping[RunningExecutor, WorkerSlot]
