"""What is seen of a run from outside the topologies: assignment, CPU, and other guests."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyewall_deploy.measure.host_use import HostMeter
from eyewall_deploy.measure.machine import busy_cores, read_machine_time, stolen_share
from eyewall_deploy.storm import nimbus
from eyewall_deploy.storm.nimbus import find_moves, find_restarts
from eyewall_deploy.trial.cluster_events import EventSchedule
from eyewall_deploy.trial.records import TrialMove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_deploy.measure.machine import MachineTime
    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.storm.nimbus import RunningExecutor, RunningTopology, WorkerSlot
    from eyewall_deploy.trial.trial_file import Trial

_POLL = 1.0


@dataclass(slots=True)
class MachineSecond:
    """What hosts, the machine and other guests used in one second; see `RunSecond`."""

    cpu: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    workers: dict[str, int] = field(default_factory=dict)
    stolen: float = 0.0
    busy: float = 0.0


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
    failed_events
        Why events did not happen.
    """

    began: float
    machine: Mapping[int, MachineSecond]
    moves: tuple[TrialMove, ...]
    running: Mapping[str, RunningTopology]
    failed_events: tuple[str, ...] = ()


class RunWatch:
    """Looks every second at the assignment and the machine; makes the trial's events happen."""

    def __init__(self, cluster: MeasuredCluster, trial: Trial) -> None:
        self._cluster = cluster
        self._trial = trial
        self._slots: dict[str, Mapping[RunningExecutor, WorkerSlot]] = {}
        self.running: dict[str, RunningTopology] = {}
        self.moves: list[TrialMove] = []

    def follow(self, began: float, what: str) -> WatchedRun:
        """Look every second from now on, until the measurement that begins then has ended."""
        machine: dict[int, MachineSecond] = {}
        moves_before = len(self.moves)
        meter = HostMeter(self._cluster.deployment.groups.folders)
        meter.read()
        before, last = read_machine_time(), time.monotonic()
        events, failed = EventSchedule(self._cluster, self._trial), list[str]()
        try:
            while (now := time.time()) < began + self._trial.seconds:
                time.sleep(_POLL - now % _POLL)
                at = time.time() - began
                after, moment = read_machine_time(), time.monotonic()
                # A reading is of the second that has just ended.
                machine[round(at) - 1] = _machine_second(meter, before, after, moment - last)
                before, last = after, moment
                failure = events.apply(at)
                if failure is not None:
                    failed.append(failure.reason)
                    self._cluster.progress.log(failure.reason)
                self.look_at_assignment(at)
                left = self._trial.seconds - at
                activity = "warming up" if at < 0 else "measuring"
                self._cluster.progress.show(f"{what}: {activity} ({left:.0f} s left)")
        finally:
            events.undo_all()
        moves = tuple(self.moves[moves_before:])
        return WatchedRun(began, machine, moves, dict(self.running), tuple(failed))

    def look_at_assignment(self, at: float | None) -> None:
        """Record what has moved since the last look; without `at` only what runs where."""
        for topology in self._trial.topologies:
            try:
                with nimbus.connect(self._cluster.deployment.state.nimbus) as client:
                    running = nimbus.running_topology(client, topology.name)
            except nimbus.NimbusUnreachableError:
                continue
            if running is None:
                continue
            if not running.slots:
                if topology.name not in self._slots:
                    self.running[topology.name] = running  # it says why it has none
                continue
            before, self._slots[topology.name] = (
                self._slots.get(topology.name, running.slots),
                running.slots,
            )
            hosts = {executor: slot.host for executor, slot in before.items()}
            moved = find_moves(hosts, running.hosts())
            restarted = find_restarts(before, running.slots)
            self.running[topology.name] = running
            if at is not None and (moved or restarted):
                assigned = sum(len(set(slots.values())) for slots in self._slots.values())
                move = TrialMove(round(at, 1), len(moved), len(restarted), assigned)
                self.moves.append(move)


def _machine_second(
    meter: HostMeter, before: MachineTime, after: MachineTime, seconds: float
) -> MachineSecond:
    used = meter.read()
    return MachineSecond(
        cpu={host: round(it.cpu / seconds, 3) for host, it in used.items() if it.cpu is not None},
        memory={host: it.memory for host, it in used.items()},
        workers={host: it.workers for host, it in used.items()},
        stolen=round(stolen_share(before, after), 4),
        busy=round(busy_cores(before, after, os.cpu_count() or 1), 3),
    )
