"""A topology's placement problem, built again only when something it depends on has changed."""

from dataclasses import dataclass, replace
from itertools import islice

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.service.estimates import Estimates
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.stores import DelayTable
from eyewall_sidecar.storm import (
    ClusterState,
    Doubt,
    Doubts,
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
class Observation:
    """What is known of the cluster at one moment: Nimbus's state, delays, and estimates."""

    state: ClusterState
    delays: DelayTable
    estimates: Estimates


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """A topology's problem and what it depends on.

    Parameters
    ----------
    observation
        For which it holds.
    topology, rooms, settings
        Whose executors are placed, where there is room for them, and what its owner asks for.
    problem
        The problem, or why there is none.
    """

    observation: Observation
    topology: TopologyState
    rooms: Rooms
    settings: Settings
    problem: TopologyProblem | ProblemError

    @property
    def measured(self) -> MeasuredTopology | None:
        """What was measured of the topology; None if nothing is measured at all."""
        return self.observation.estimates.of(self.topology.topology.id)

    @property
    def unknown(self) -> str:
        """What has to be known better before anything that runs is moved; empty if nothing."""
        if not isinstance(self.problem, TopologyProblem):
            return ""
        depends_on_rates = self.settings.objective.depends_on_rates
        rates_unknown = self.problem.rates_unknown if depends_on_rates else ""
        return self.problem.delays_assumed or rates_unknown

    def task(self, problem: TopologyProblem, seed: int) -> PlacementTask:
        """Return what the topology's policy is asked."""
        return PlacementTask(
            problem.problem,
            self.settings.objective,
            self.settings.policy,
            seed,
            problem.interchangeable,
        )


class DelayCache:
    """What problems derived from the latest delays, for other topologies' problems; one thread.

    Doubted delays are used where something has no slot: what was derived there is kept apart.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._delays: DelayTable | None = None
        self._known: dict[bool, tuple[KnownDelays, ...]] = {}

    def known(self, delays: DelayTable, *, missing: bool) -> tuple[KnownDelays, ...]:
        """Return what was derived from these delays, newest first; what is of others is dropped."""
        if self._delays != delays:
            self._known = {}
        self._delays = delays  # of two that are equal the later one: it is compared faster
        return self._known.get(missing, ())

    def add(self, known: KnownDelays, *, missing: bool) -> None:
        """Keep what was derived from the delays that were passed to `known` last."""
        others = (it for it in self._known.get(missing, ()) if it is not known)
        self._known[missing] = (known, *islice(others, MOST_KEPT - 1))


def request_placement(
    previous: PlacementRequest | None,
    observation: Observation,
    topology: TopologyState,
    settings: Settings,
    cache: DelayCache,
) -> PlacementRequest:
    """Return where what has no slot belongs or, if nothing lacks one, where everything does.

    `previous` is the topology's last request: its problem is kept if nothing has changed.
    """
    if previous is not None and not _is_current(previous, observation, topology, settings):
        previous = None
    if previous is not None and previous.observation.state is observation.state:
        return replace(previous, observation=observation)
    room = rooms(observation.state, topology)
    if previous is not None and previous.rooms == room:
        return replace(previous, observation=observation)
    problem = _build(observation, topology, settings, room, cache)
    return PlacementRequest(observation, topology, room, settings, problem)


def _is_current(
    request: PlacementRequest,
    observation: Observation,
    topology: TopologyState,
    settings: Settings,
) -> bool:
    """Whether all but the cluster's state is as it was."""
    return (
        request.topology == topology
        and request.settings == settings
        and request.observation.delays == observation.delays
        and request.measured == observation.estimates.of(topology.topology.id)
        and request.observation.estimates.loads == observation.estimates.loads
    )


def _build(
    observation: Observation,
    topology: TopologyState,
    settings: Settings,
    room: Rooms,
    cache: DelayCache,
) -> TopologyProblem | ProblemError:
    missing = bool(topology.missing())
    build = problem_of_missing if missing else problem_of_moving
    delays, loads = observation.delays, observation.estimates.loads
    measured = observation.estimates.of(topology.topology.id)
    known = cache.known(delays, missing=missing)
    try:
        signals = Signals(delays.seconds_between, _doubts(delays), measured, loads, known)
        problem = build(room, topology, settings, signals)
    except ProblemError as error:
        return error.with_traceback(None)
    cache.add(problem.known, missing=missing)
    return problem


def _doubts(delays: DelayTable) -> Doubts:
    return {
        pair: Doubt(
            confidence=delays.confidence_between(*pair),
            wanted=delays.minimum_confidence,
            age=delays.age_between(*pair),
        )
        for pair in delays.doubtful_pairs()
    }
