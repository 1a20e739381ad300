"""A running cluster on which topologies are measured."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from eyewall_deploy.deployment import read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.changes import change_scheduler
from eyewall_deploy.storm import nimbus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.progress import CommandProgress
    from eyewall_deploy.state import SchedulerChoice

_PATIENCE = 300.0
_POLL = 1.0
_NIMBUS_PATIENCE = 60.0
_WORKERS_END = 3.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class MeasuredCluster:
    """A cluster that is up."""

    deployment: Deployment
    progress: CommandProgress

    def ask(self, question: Callable[[Any], _Answer]) -> _Answer:
        """Ask Nimbus, repeatedly while the machine is too busy for it to answer in time."""
        end = time.time() + _NIMBUS_PATIENCE
        while True:
            try:
                with nimbus.connect(self.deployment.state.nimbus) as client:
                    return question(client)
            except nimbus.NimbusUnreachableError:
                if time.time() > end:
                    raise
                self.progress.show("Nimbus is slow to answer")
                time.sleep(_POLL)

    def topologies(self) -> tuple[str, ...]:
        """Return the names of all topologies that run."""
        return self.ask(nimbus.topology_names)

    def end_topologies(self, names: Sequence[str]) -> Failure | None:
        """Kill those of the topologies that run, and wait until their workers have ended."""
        running = [name for name in names if name in self.topologies()]
        if not running:
            return None
        began = time.time()
        for name in running:
            self.ask(partial(nimbus.kill, name=name))
        while slots := self.ask(nimbus.count_used_slots):
            waited = time.time() - began
            if waited > _PATIENCE:
                ended = ", ".join(running)
                return Failure(f"{slots} slots are still in use {waited:.0f} s after {ended}'s end")
            self.progress.show(f"{', '.join(running)}: ending ({waited:.0f} s)")
            time.sleep(_POLL)
        time.sleep(_WORKERS_END)
        return None

    def use_scheduler(self, scheduler: SchedulerChoice) -> Self | Failure:
        """Give Nimbus this scheduler, unless it has it; return the cluster as it is then."""
        if self.deployment.state.scheduler is scheduler:
            return self
        self.progress.show(f"Nimbus restarts with the scheduler {scheduler}")
        failure = change_scheduler(self.deployment, scheduler, self.progress)
        if failure is not None:
            return failure
        deployment = read_deployment(self.deployment.run)
        return (
            deployment if isinstance(deployment, Failure) else replace(self, deployment=deployment)
        )
