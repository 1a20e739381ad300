"""A running cluster as the demo uses it: submit, wait, look, kill."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from eyewall_deploy.demo import prediction
from eyewall_deploy.demo.records import Placement
from eyewall_deploy.demo.scenario import TOPOLOGY, Scenario, detour
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.measure.events import Events, read_events
from eyewall_deploy.measure.latency import flows_steadily
from eyewall_deploy.measure.nimbus import (
    Executor,
    RunningTopology,
    Stream,
    configuration_of,
    kill,
    running_topology,
    slots_in_use,
    streams_of,
    topology_names,
)
from eyewall_deploy.pins import pinned_hosts
from eyewall_deploy.storm import nimbus
from eyewall_deploy.submit import submit
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from eyewall_deploy.lifecycle.programs import Plan
    from eyewall_deploy.lifecycle.steps import Steps

_PATIENCE = 300.0
_NIMBUS_PATIENCE = 60.0
_POLL = 1.0
_WARM_UP = 10.0
_WORKERS_END = 3.0
_OLD_WORKERS_TUPLES = 9.0
"""Seconds after a new assignment in which what flows may still be the old workers' work: they end,
and the window that has to be steady lies behind their end."""
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo plays.

    Parameters
    ----------
    project
        The streamparse project of the topologies; None is `./topologies`.
    """

    plan: Plan
    scenario: Scenario
    steps: Steps
    project: Path | None

    @property
    def folder(self) -> Path:
        """Where event files and problems of this demo lie."""
        return self.plan.run.data("demo")

    def submit(self, events: Path) -> Failure | None:
        """Submit the topology; its events go to the folder `events`."""
        endpoint = self.plan.state.nimbus
        submitted = submit(
            TOPOLOGY,
            self.scenario.topology_options(events),
            nimbus=(endpoint.host, endpoint.port),
            cluster=self.plan.cluster,
            project=self.project,
        )
        return submitted if isinstance(submitted, Failure) else None

    def wait_for_flow(self, events: Path, what: str) -> float | Failure:
        """Wait until tuples flow steadily and everything is warm; seconds until they flowed."""
        began = time.time()
        while time.time() < began + _OLD_WORKERS_TUPLES or not flows_steadily(
            read_events(events), time.time()
        ):
            waited = time.time() - began
            if waited > _PATIENCE:
                status = self.look().scheduling or "no status"
                return Failure(f"{what}: no steady flow of tuples after {waited:.0f} s ({status})")
            self.steps.doing(f"{what}: until tuples flow steadily ({waited:.0f} s)")
            time.sleep(_POLL)
        flowing = time.time()
        self._count(what, "warming up", _WARM_UP)
        return flowing - began

    def let_pass(self, what: str, seconds: float) -> tuple[float, float]:
        """Let tuples flow for this long; (start, end) of it. Late ones have time to arrive."""
        start = time.time()
        self._count(what, "measuring", seconds)
        end = time.time()
        time.sleep(2 * _POLL)
        return start, end

    def look(self) -> RunningTopology:
        """The topology as Nimbus has it now."""
        topology = self._ask(partial(running_topology, name=TOPOLOGY))
        if topology is None:
            raise RuntimeError(f"topology {TOPOLOGY} is gone: somebody else has killed it")
        return topology

    def streams(self, topology: RunningTopology) -> tuple[Stream, ...]:
        """The topology's streams."""
        return self._ask(partial(streams_of, topology_id=topology.id))

    def placement(self, topology: RunningTopology, name: str) -> Placement:
        """Where it runs, and what the model says of that with the delays as they are now."""
        conf = self._ask(partial(configuration_of, topology_id=topology.id))
        streams = self.streams(topology)
        delays = delay_file.read(self.plan.run.delays)
        pins = {
            component: pinned_hosts(self.plan.cluster, wanted)
            for component, wanted in self.scenario.pins.items()
        }
        predicted = self._predict(topology.hosts(), streams, conf, delays, name)
        if isinstance(predicted, Failure):
            self.steps.done(f"no prediction: {predicted.reason}")
        known = None if isinstance(predicted, Failure) else predicted
        return Placement(
            hosts=topology.hosts(),
            status=topology.scheduling,
            predicted=known.response_time if known else None,
            predicted_mean=known.mean_path if known else None,
            detour=detour(topology.hosts(), pins, delays),
        )

    def others(self) -> tuple[str, ...]:
        """Names of other topologies on the cluster: they would be measured with it."""
        return tuple(name for name in self._ask(topology_names) if name != TOPOLOGY)

    def end_topology(self) -> Failure | None:
        """Kill the topology and wait until its workers have ended, if it runs at all."""
        if self._ask(partial(running_topology, name=TOPOLOGY)) is None:
            return None
        began = time.time()
        self._ask(partial(kill, name=TOPOLOGY))
        while slots := self._ask(slots_in_use):
            waited = time.time() - began
            if waited > _PATIENCE:
                return Failure(
                    f"{slots} slots are still in use {waited:.0f} s after {TOPOLOGY}'s end"
                )
            self.steps.doing(f"the topology is ending ({waited:.0f} s)")
            time.sleep(_POLL)
        time.sleep(_WORKERS_END)
        return None

    def events(self, folder: Path) -> Events:
        """Everything that happened so far."""
        return read_events(folder)

    def _predict(
        self,
        hosts: Mapping[Executor, str],
        streams: tuple[Stream, ...],
        conf: Mapping[str, Any],
        delays: delay_file.DelayTable,
        name: str,
    ) -> prediction.Prediction | Failure:
        solve = sidecar_command()
        if solve is None:
            return Failure("there is no command `eyewall` (install eyewall-sidecar)")
        problem = prediction.problem_of(
            hosts,
            streams,
            conf,
            {host.name: host.speed for host in self.plan.cluster.hosts},
            delays,
        )
        rate = conf["tag_and_count.rate"]
        return prediction.predict(solve, self.folder / f"{name}.json", problem, rate)

    def _ask(self, question: Callable[[Any], _Answer]) -> _Answer:
        """Ask Nimbus, again and again while the machine is too busy for it to answer in time."""
        end = time.time() + _NIMBUS_PATIENCE
        while True:
            try:
                with nimbus.connected(self.plan.state.nimbus) as client:
                    return question(client)
            except nimbus.NimbusUnreachableError:
                if time.time() > end:
                    raise
                self.steps.doing("Nimbus is slow to answer")
                time.sleep(_POLL)

    def _count(self, what: str, doing: str, seconds: float) -> None:
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.steps.doing(f"{what}: {doing} ({left:.0f} s left)")
            time.sleep(min(_POLL, left))

    def on(self, plan: Plan) -> Stage:
        """The same stage with another scheduler."""
        return replace(self, plan=plan)
