"""What a trial changes while it runs, and back; what it kills; commands that it gives to Storm."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from eyewall_deploy import state_file
from eyewall_deploy.failure import Failure
from eyewall_deploy.host.cgroups import read_cpu
from eyewall_deploy.lifecycle.changes import change_cpu, change_delay, kill, return_host
from eyewall_deploy.lifecycle.drain import drain_hosts
from eyewall_deploy.storm import nimbus
from eyewall_deploy.trial.host_faults import BusyHost, CrashingWorkers, FailedHost
from eyewall_deploy.trial.trial_event import host_pairs
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyewall_deploy.measure.measured_cluster import MeasuredCluster
    from eyewall_deploy.trial.host_faults import HostFault
    from eyewall_deploy.trial.trial_event import TrialEvent
    from eyewall_deploy.trial.trial_file import Trial


def restore_cluster(cluster: MeasuredCluster, trial: Trial) -> Failure | None:
    """Give delays and CPU back the values that the trial begins with; no host is drained or failed.

    Where a trial overcommits the machine, hosts whose CPU nothing can limit are left as they are.
    """
    # Drains end whether the rest can be restored or not.
    failures = [_drain(cluster, trial, ()), _restore_hosts(cluster, trial)]
    failed = dict.fromkeys(it.fail for it in trial.events if it.fail is not None)
    failures += [return_host(cluster.deployment, it) for it in failed]
    return next((it for it in failures if it is not None), None)


def _drain(cluster: MeasuredCluster, trial: Trial, active: Iterable[TrialEvent]) -> Failure | None:
    """Drain what is drained by events; a trial without any leaves that to people."""
    if not trial.drains:
        return None
    hosts = frozenset(it.drain for it in active if it.drain is not None)
    return drain_hosts(cluster.deployment, hosts)


def _restore_hosts(cluster: MeasuredCluster, trial: Trial) -> Failure | None:
    deployment = cluster.deployment
    declared = delay_file.declared_delays(deployment.cluster, as_of=time.time())
    state_file.write(deployment.run.delays, declared)
    if deployment.on_loopback:
        return None
    for host, cores in trial.host_cores().items():
        if trial.overcommit and read_cpu(deployment.groups.folders.get(host, ())) is None:
            continue
        changed = change_cpu(deployment, host, cores)
        if isinstance(changed, Failure):
            return changed
    return None


class EventSchedule:
    """The events of a trial, each with what undoes it; on loopback delays and hosts stay."""

    def __init__(self, cluster: MeasuredCluster, trial: Trial) -> None:
        self._cluster = cluster
        self._trial = trial
        possible = trial.events
        if cluster.deployment.on_loopback:
            possible = tuple(it for it in possible if not it.is_emulated)
        self._due = sorted(possible, key=lambda event: event.at)
        self._active: list[tuple[TrialEvent, HostFault | None]] = []

    def apply(self, at: float) -> Failure | None:
        """Begin and end what is due; called again and again."""
        failures: list[Failure | None] = []
        changed = False
        for event in [event for event in self._due if event.at <= at]:
            self._due.remove(event)
            if event.happens_once:
                failures.append(self._happen(event))
                continue
            fault = self._host_fault(event)
            failures.append(fault if isinstance(fault, Failure) else None)
            self._active.append((event, None if isinstance(fault, Failure) else fault))
            changed = True
        for event, fault in list(self._active):
            if event.until is not None and event.until <= at:
                self._active.remove((event, fault))
                if fault is not None:
                    failures.append(fault.end())
                changed = True
            elif fault is not None:
                failures.append(fault.go_on())
        if changed:
            failures.append(self._set())
        return next((it for it in failures if it is not None), None)

    def undo_all(self) -> None:
        """End all."""
        if self._active:
            for _, fault in self._active:
                if fault is not None:
                    fault.end()
            self._active.clear()
            self._set()

    def _happen(self, event: TrialEvent) -> Failure | None:
        if event.kill is not None:
            return kill(self._cluster.deployment, event.kill)
        if event.storm is None:
            return None
        failures = []
        for topology in self._trial.topologies:
            try:  # once: an answer that is late is no reason to order a second rebalance
                with nimbus.connect(self._cluster.deployment.state.nimbus) as client:
                    failures.append(nimbus.command(client, topology.name, event.storm))
            except nimbus.NimbusUnreachableError as error:
                failures.append(Failure(f"storm {event.storm} {topology.name}: {error}"))
        return next((it for it in failures if it is not None), None)

    def _host_fault(self, event: TrialEvent) -> HostFault | Failure | None:
        """Begin what happens on a host; None if nothing does."""
        host = event.busy or event.crash_starts or event.fail
        if host is None:
            return None
        folders = self._cluster.deployment.groups.folders.get(host, ())
        if not folders:
            return Failure(f"{event.label}: {host} has no control group, so nothing happens to it")
        if event.fail is not None:
            return FailedHost(self._cluster.deployment, host, folders)
        if event.share is not None:
            return BusyHost(folders, self._trial.host_cores()[host] * event.share)
        return CrashingWorkers(folders)

    def _set(self) -> Failure | None:
        """Give the cluster what it begins with, and all that is active on top."""
        active = [event for event, _ in self._active]
        drained = _drain(self._cluster, self._trial, active)
        failure = _restore_hosts(self._cluster, self._trial) or drained
        cores = self._trial.host_cores()
        for event in active:
            if event.delay is not None and event.add is not None:
                a, b = event.delay
                old = place_delay(self._cluster, a, b)
                raised = old + event.add / 1000
                failure = failure or change_delay(
                    self._cluster.deployment, a, b, raised, both_directions=True
                )
            elif event.cpu is not None and event.factor is not None:
                cores[event.cpu] *= event.factor
                changed = change_cpu(self._cluster.deployment, event.cpu, cores[event.cpu])
                failure = failure or (changed if isinstance(changed, Failure) else None)
        return failure


def place_delay(cluster: MeasuredCluster, a: str, b: str) -> float:
    """Return the one-way delay between two hosts or sites; of sites that of their first hosts."""
    (first, second), *_ = host_pairs(cluster.deployment.cluster, a, b)
    delays = delay_file.read(cluster.deployment.run.delays)
    return delays.between(first, second)
