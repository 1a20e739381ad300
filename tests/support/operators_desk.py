"""An operator's desk: the dashboard of the running cluster, and a topology to look at and move."""

from __future__ import annotations

import json
import os
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
from eyewall_deploy.endpoint import Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.storm import nimbus
from running_cluster import Cluster, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from eyewall_contracts.rates import Rates

NAME = "desk"
SPEC = "meet"
PINS = {"left": ["edge-1"], "right": ["cloud-1"], "consumer": ["fog-1"]}
EXECUTORS = 5
"""left, right, join, consumer and an acker."""
MESSAGE_TIMEOUT = 10
"""Seconds, a third of Storm's default: tuples that are lost in a move cost as much less."""
PATIENCE = 300.0
PLAN_SECONDS = 300.0

Places = dict[str, tuple[str, int]]
"""Executor → host and port."""


@dataclass(frozen=True)
class Desk:
    """`desk` is Meet, decided by response time alone: `join` runs where both sources are near.

    Parameters
    ----------
    url
        Of the dashboard.
    nimbus
        Where Nimbus answers.
    """

    cluster: Cluster
    url: str
    nimbus: Endpoint

    def at(self, path: str) -> str:
        return f"{self.url}{path}"

    def get(self, path: str) -> Any:
        return self._answered("GET", path)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        return self._answered("POST", path, body or {})

    def put(self, path: str, body: Mapping[str, object]) -> Any:
        return self._answered("PUT", path, body)

    def _answered(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        response = httpx.request(method, f"{self.url}/api/v1{path}", json=body, timeout=120)
        assert response.is_success, f"{method} {path}: {response.text}"
        return response.json()

    def places(self) -> Places:
        """Where Nimbus says that everything of the topology runs, at this moment."""
        view = nimbus.read_summary(self.nimbus)
        (running,) = [it for it in view.topologies if it.name == NAME]
        return {
            f"{it.component}[{it.first_task}-{it.last_task}]": (slot.host, slot.port)
            for it, slot in running.slots.items()
        }

    def whole(self) -> Places:
        """The same, once all of it has a place."""

        def look() -> Places | None:
            places = self.places()
            return places if len(places) == EXECUTORS else None

        return wait_for(look, PATIENCE, f"{NAME} with {EXECUTORS} executors placed")

    def explained(self, executor: str) -> None:
        """Wait until the sidecar can say why it is there: it hears of a topology in Nimbus's next
        round, and looks at a new assignment a round after Nimbus has it.
        """
        path = f"{self.url}/api/v1/topologies/{NAME}/explain"

        def look() -> bool:
            return httpx.get(path, params={"executor": executor}, timeout=120).is_success

        wait_for(look, PATIENCE, f"why {executor} of {NAME} is where it is")

    @property
    def join(self) -> str:
        """The executor that moves."""
        return next(it for it in self.whole() if it.startswith("join["))

    def rates(self) -> Rates:
        """What ZooKeeper says that flows, once all that flows is known and plans count on it."""

        def look() -> Rates | None:
            found = self.cluster.rates(self.get(f"/topologies/{NAME}")["summary"]["id"])
            known = {(it.source, it.component) for it in found.streams} if found else set()
            flows = {("left", "join"), ("right", "join"), ("join", "consumer")}
            return found if flows <= known else None

        found = wait_for(look, PATIENCE, f"the rates of {NAME}'s streams")
        wait_for(
            lambda: not any("assumed" in it for it in self.planned("N=1")["remarks"]),
            PATIENCE,
            f"a plan of {NAME} by rates of which none is assumed",
            pause=1.0,
        )
        return found

    def planned(self, objective: str) -> Any:
        """A plan that is worth as much by this objective as any."""
        return self.post("/plans", {"topology": NAME, "objective": objective, "time_limit": 5})

    def best_by(self, objective: str) -> Places:
        """Have it run where this objective is best, by a plan that is applied; return where."""
        self.unfreeze()
        plan = self.planned(objective)
        if plan["moves"]:
            self.post(f"/plans/{plan['id']}/apply")
            wait_for(
                lambda: self.get(f"/plans/{plan['id']}")["state"] == "applied",
                PLAN_SECONDS,
                f"the plan by {objective} applied",
            )
        return self.whole()

    def unfreeze(self) -> None:
        switches = self.get("/cluster")["switches"]
        if switches["frozen"]:
            self.put("/frozen", {"frozen": False})
        for it in switches["frozen_topologies"]:
            self.put(f"/topologies/{it}/frozen", {"frozen": False})

    @contextmanager
    def halted(self, *programs: str) -> Iterator[None]:
        """Let the programs stand still, as if their machine did."""
        pids = [self.cluster.pid(it) for it in programs]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


def desk_of(cluster: Cluster, rates_file: Path) -> Desk:
    """Submit the topology to look at, alone: no other takes CPU from where it belongs."""
    for it in cluster.status()["topologies"]:
        cluster.run("kill", it["name"])
    rates_file.write_text(json.dumps({"left": 5, "right": 20}))
    endpoint = parse_endpoint(cluster.addresses["nimbus"], 0)
    assert not isinstance(endpoint, Failure)
    options = {
        "eyewall.pin": PINS,
        "eyewall.objective": "R=1",
        "meet.rates.file": str(rates_file),
        "meet.cpu.ms": 1,
        "topology.message.timeout.secs": MESSAGE_TIMEOUT,
        # Unset, it is the number of supervisors: none for a moment where ZooKeeper was away before.
        "topology.workers": 6,
    }
    cluster.submit(SPEC, options, under=NAME)
    desk = Desk(cluster, cluster.addresses["dashboard"], endpoint)
    desk.explained("join")
    return desk
