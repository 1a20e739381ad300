"""What forbids an executor a host, in words and with the figures that bind."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eyewall_sidecar.heuristic.alternatives import CONSTRAINTS, HERE, POSSIBLE, rejecting
from eyewall_sidecar.model import violations
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.objectives.ecker import UTILISATION, with_headroom
from eyewall_sidecar.service.asking import Asked
from eyewall_sidecar.storm import Room, TopologyProblem
from eyewall_sidecar.storm.doubts import how_little
from eyewall_sidecar.storm.traits import TraitsError, read_traits

FEW = 3
"""As many names stand in one sentence."""
CLOSED = "another topology runs there, and with Ecker's score a supervisor serves one at most"


class Obstacle(NamedTuple):
    """A constraint by its name, and as a sentence with its figures; both empty if there is none."""

    constraint: str = ""
    reason: str = ""


NONE = Obstacle()


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What forbids one executor each node of its problem, and each host that is not in it.

    Parameters
    ----------
    asked, problem
        What was asked, about executors that all run.
    operator
        Which one this is about.
    """

    asked: Asked
    problem: TopologyProblem
    operator: str

    def of_nodes(self) -> dict[str, Obstacle]:
        """Return node id → what forbids it, everything else staying where it is."""
        given = self.problem.problem
        ecker = self.asked.settings.objective.ecker is not None
        arrays = ProblemArrays.of(with_headroom(given) if ecker else given)
        places = places_of(given, given.current or {})
        row = [it.id for it in given.operators].index(self.operator)
        codes = rejecting(arrays, places)[row].tolist()
        loads = np.zeros_like(arrays.limits)
        for resource, needs in enumerate(arrays.requirements):
            np.add.at(loads[resource], places, needs)
        needed = arrays.requirements[:, row]
        found = {}
        for node, it in enumerate(given.nodes):
            with_it = (loads[:, node] + needed).tolist()
            found[it.id] = self._of_node(it.id, codes[node], with_it)
        return found

    def of_host(self, host: str) -> Obstacle:
        """Say why a host with a supervisor is not in the problem at all."""
        rooms = [it for it in self.asked.rooms.values() if it.supervisor.host == host]
        for room in rooms:
            try:
                read_traits(room.supervisor.scheduler_meta)
            except TraitsError as error:
                return Obstacle("traits", f"what it says of itself cannot be read: {error}")
        if all(not self._offers(it) for it in rooms):
            return self._no_slot(rooms)
        return Obstacle("delay unknown", self._delays(host))

    def _of_node(self, node: str, code: int, with_it: list[float]) -> Obstacle:
        """Word one node's constraint; `with_it` is [resource]: what is placed with the operator."""
        if code in (POSSIBLE, HERE):
            return NONE
        name, there = CONSTRAINTS[code], self.problem.problem.node(node)
        room = self.asked.rooms[self.problem.supervisors[node]]
        headroom = self.asked.settings.objective.ecker is not None
        of_it = f" (Ecker's score leaves {1 - UTILISATION:.0%} free)" if headroom else ""
        known = "measured" if self.problem.cpu_measured else "declared"
        match name:
            case "candidates":
                return self._bound()
            case "operators" if there.operators == 0 or not self._offers(room):
                return self._no_slot([room])
            case "operators":
                taken = with_it[0] - 1
                return Obstacle(name, f"{taken:g} of {there.operators:g} places taken")
            case "cpu":
                cores = f"{with_it[1]:.3g} cores placed with it, {there.cpu:.3g} there"
                return Obstacle(name, f"cpu, {cores}, as {known}{of_it}")
            case "memory":
                placed, offered = with_it[2] / (1 << 20), there.memory / (1 << 20)
                size = f"memory, {placed:.0f} MB placed with it, {offered:.0f} there"
                return Obstacle(name, f"{size}{of_it}")
        current = self.problem.problem.current or {}
        broken = violations(self.problem.problem, {**current, self.operator: node})
        return Obstacle(name, broken[0] if broken else name)

    def _bound(self) -> Obstacle:
        """Word why not every node is a candidate."""
        component = self.asked.topology.topology.executors()[self.problem.executors[self.operator]]
        if pins := self.asked.settings.pins.get(component.id):
            return Obstacle("pin", f"{component.id} is pinned to {listed(pins, FEW)}")
        return Obstacle(
            "withdrawn slot",
            "the slot that it runs in is no longer offered: its worker can only stay as it is",
        )

    def _offers(self, room: Room) -> bool:
        closed = self.asked.settings.objective.ecker is not None and room.shared
        return bool(room.fresh or room.held) and not closed

    def _no_slot(self, rooms: list[Room]) -> Obstacle:
        if self.asked.settings.objective.ecker is not None and any(it.shared for it in rooms):
            return Obstacle("closed", CLOSED)
        if not any(it.supervisor.ports for it in rooms):
            return Obstacle("blacklisted", "Nimbus offers no slot there, as of a blacklisted host")
        slots = sum(len(it.supervisor.ports) for it in rooms)
        all_of_them = "its only slot is" if slots == 1 else f"all {slots} slots are"
        return Obstacle("slots", f"{all_of_them} taken by other topologies")

    def _delays(self, host: str) -> str:
        known = self.problem.known
        doubts = [it for pair, it in known.doubted.items() if host in pair]
        if doubts:
            return f"delays to and from it are known {how_little(doubts)}"
        between = self.asked.delays.seconds_between
        strange = [
            it for it in known.hosts if between(host, it) is None or between(it, host) is None
        ]
        if strange:
            return f"the delay between it and {listed(strange, FEW)} is unknown"
        return "delays between it and other hosts are unknown"
