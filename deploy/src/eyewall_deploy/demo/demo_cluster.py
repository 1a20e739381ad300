"""A running cluster as the demo uses it: submit, wait, look, kill."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from eyewall_deploy.demo.prediction import Prediction, pinned_problem, predict
from eyewall_deploy.demo.records import DemoPlacement
from eyewall_deploy.demo.scenario import TOPOLOGY, Scenario, detour
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import sidecar_command
from eyewall_deploy.measure.latency import flows_steadily
from eyewall_deploy.measure.measured_cluster import PATIENCE, POLL, MeasuredCluster
from eyewall_deploy.measure.tuple_events import read_events
from eyewall_deploy.pins import pinned_hosts
from eyewall_deploy.storm import nimbus
from eyewall_deploy.submit import submit
from eyewall_deploy.wan import delay_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.storm.nimbus import RunningTopology, TopologyStream
    from eyewall_deploy.wan.delay_file import EmulatedDelays

_WARM_UP = 10.0
_OLD_WORKERS_TUPLES = 9.0
"""Seconds after a new assignment in which tuples may still come from the old workers. The window
that has to be steady begins after the old workers' end."""


@dataclass(frozen=True, slots=True)
class DemoCluster(MeasuredCluster):
    """A cluster with the demo's topology.

    Parameters
    ----------
    project
        The streamparse project of the topologies; None is `./topologies`.
    """

    scenario: Scenario
    project: Path | None

    @property
    def folder(self) -> Path:
        """Folder of the demo's event files and problems."""
        return self.deployment.run.data("demo")

    def submit(self, events: Path) -> Failure | None:
        """Submit the topology; its events go to the folder `events`."""
        submitted = submit(
            TOPOLOGY,
            self.scenario.topology_options(events),
            nimbus=self.deployment.state.nimbus,
            cluster=self.deployment.cluster,
            project=self.project,
        )
        return submitted if isinstance(submitted, Failure) else None

    def wait_for_flow(self, events: Path, what: str) -> float | Failure:
        """Wait for a steady flow of tuples, and warm up; return the seconds to the flow."""
        began = time.time()
        while time.time() < began + _OLD_WORKERS_TUPLES or not flows_steadily(
            read_events(events), time.time()
        ):
            waited = time.time() - began
            if waited > PATIENCE:
                status = self.topology().scheduling or "no status"
                return Failure(f"{what}: no steady flow of tuples after {waited:.0f} s ({status})")
            self.progress.show(f"{what}: waiting for a steady flow of tuples ({waited:.0f} s)")
            time.sleep(POLL)
        flowing = time.time()
        self._count_down(what, "warming up", _WARM_UP)
        return flowing - began

    def wait(self, what: str, seconds: float) -> tuple[float, float]:
        """Let tuples flow for this long, and late ones arrive; return (start, end)."""
        start = time.time()
        self._count_down(what, "measuring", seconds)
        end = time.time()
        time.sleep(2 * POLL)
        return start, end

    def topology(self) -> RunningTopology:
        """Return the topology as Nimbus reports it now."""
        topology = self.ask(partial(nimbus.running_topology, name=TOPOLOGY))
        if topology is None:
            raise RuntimeError(f"topology {TOPOLOGY} is gone: another process killed it")
        return topology

    def streams(self, topology: RunningTopology) -> tuple[TopologyStream, ...]:
        """Return the topology's streams."""
        return self.ask(partial(nimbus.topology_streams, topology_id=topology.id))

    def placement(self, topology: RunningTopology, name: str) -> DemoPlacement:
        """Return where it runs, and what the model says of that with the present delays."""
        delays = delay_file.read(self.deployment.run.delays)
        pins = {
            component: pinned_hosts(self.deployment.cluster, pins)
            for component, pins in self.scenario.pins.items()
        }
        predicted = self._predict(topology, delays, name)
        if isinstance(predicted, Failure):
            self.progress.log(f"no prediction: {predicted.reason}")
        known = None if isinstance(predicted, Failure) else predicted
        return DemoPlacement(
            hosts=topology.hosts(),
            status=topology.scheduling,
            predicted=known.response_time if known else None,
            predicted_mean=known.mean_path if known else None,
            detour=detour(topology.hosts(), pins, delays),
        )

    def other_topologies(self) -> tuple[str, ...]:
        """Return the names of other topologies, which would disturb the measurement."""
        return tuple(name for name in self.topologies() if name != TOPOLOGY)

    def end_topology(self) -> Failure | None:
        """Kill the topology, if it runs, and wait until its workers have ended."""
        return self.end_topologies([TOPOLOGY])

    def _predict(
        self, topology: RunningTopology, delays: EmulatedDelays, name: str
    ) -> Prediction | Failure:
        solve = sidecar_command()
        if solve is None:
            return Failure("there is no command `eyewall` (install eyewall-sidecar)")
        configuration = self.ask(partial(nimbus.topology_configuration, topology_id=topology.id))
        speeds = {host.name: host.speed for host in self.deployment.cluster.hosts}
        problem = pinned_problem(
            topology.hosts(), self.streams(topology), configuration, speeds, delays
        )
        rate = configuration["tag_and_count.rate"]
        return predict(solve, self.folder / f"{name}.json", problem, rate)

    def _count_down(self, what: str, activity: str, seconds: float) -> None:
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.progress.show(f"{what}: {activity} ({left:.0f} s left)")
            time.sleep(min(POLL, left))
