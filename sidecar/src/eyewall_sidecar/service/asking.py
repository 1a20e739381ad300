"""A topology's problem, built again only when something that it is built from has changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.service.measuring import Measured
from eyewall_sidecar.service.solving import Question
from eyewall_sidecar.stores import DelayTable
from eyewall_sidecar.storm import (
    ClusterState,
    Doubt,
    Doubts,
    HostLoad,
    KnownDelays,
    MeasuredTopology,
    Rooms,
    Settings,
    Signals,
    TopologyProblem,
    TopologyState,
    problem_of_missing,
    problem_of_moving,
    rooms,
)

MOST_KEPT = 8
"""Sets of hosts whose delays are kept: topologies differ in where something is free for them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A topology's problem, and what it was built from.

    Parameters
    ----------
    state
        The cluster's state for which it holds: the very same one needs no comparing.
    topology, rooms, settings, delays, measured, loads
        All that a problem depends on.
    problem
        The problem, or why there is none.
    """

    state: ClusterState
    topology: TopologyState
    rooms: Rooms
    settings: Settings
    delays: DelayTable
    measured: MeasuredTopology | None
    loads: Mapping[str, HostLoad]
    problem: TopologyProblem | ProblemError


class LookedAt:
    """What problems found of the latest delays, for those of other topologies; for one thread.

    Where something has no slot, doubted delays are used: what was found there is kept apart.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._delays: DelayTable | None = None
        self._found: dict[bool, tuple[KnownDelays, ...]] = {}

    def known(self, delays: DelayTable, *, missing: bool) -> tuple[KnownDelays, ...]:
        """Return what was found for these delays, newest first; what is of others is forgotten."""
        if self._delays != delays:
            self._found = {}
        self._delays = delays  # of two that are equal the later one: it is compared faster
        return self._found.get(missing, ())

    def add(self, found: KnownDelays, *, missing: bool) -> None:
        """Keep what was found for the delays that were asked for last."""
        others = (it for it in self._found.get(missing, ()) if it is not found)
        self._found[missing] = (found, *islice(others, MOST_KEPT - 1))


def ask(
    before: Asked | None,
    state: ClusterState,
    topology: TopologyState,
    settings: Settings,
    delays: DelayTable,
    measured: Measured,
    looked_at: LookedAt,
) -> Asked:
    """Ask where what has no slot belongs or, if nothing lacks one, where everything does.

    `before` is what was asked last of this topology.
    """
    of_topology = measured.of(topology.topology.id)
    on = (topology, settings, delays, of_topology, measured.loads)
    if before is not None and on != (
        before.topology,
        before.settings,
        before.delays,
        before.measured,
        before.loads,
    ):
        before = None
    if before is not None and before.state is state:
        return before
    room = rooms(state, topology)
    if before is not None and before.rooms == room:
        return replace(before, state=state)
    missing = bool(topology.missing())
    build = problem_of_missing if missing else problem_of_moving
    known = looked_at.known(delays, missing=missing)
    problem: TopologyProblem | ProblemError
    try:
        signals = Signals(
            delays.seconds_between, _doubts(delays), of_topology, measured.loads, known
        )
        problem = build(room, topology, settings, signals)
        looked_at.add(problem.known, missing=missing)
    except ProblemError as error:
        problem = error.with_traceback(None)
    return Asked(state, topology, room, settings, delays, of_topology, measured.loads, problem)


def question_of(asked: TopologyProblem, settings: Settings, seed: int) -> Question:
    """Put the problem to the topology's policy."""
    return Question(asked.problem, settings.objective, settings.policy, seed, asked.interchangeable)


def unknown(asked: TopologyProblem, settings: Settings) -> str:
    """Say what would have to be known better for what runs to be moved; empty if nothing."""
    rates = asked.rates_unknown if settings.objective.depends_on_rates else ""
    return asked.delays_assumed or rates


def _doubts(delays: DelayTable) -> Doubts:
    return {
        pair: Doubt(
            confidence=delays.confidence_between(*pair),
            wanted=delays.minimum_confidence,
            age=delays.age_between(*pair),
        )
        for pair in delays.doubtful_pairs()
    }
