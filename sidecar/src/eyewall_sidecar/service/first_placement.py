"""A first placement, before anything is measured: by the load model never worse than Storm's own.

What executors declare says how they relate to each other and to their hosts, but hardly how much
they use: most use far less. A placement that is good only if all of it is used spreads a topology
over hosts for nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product, takewhile
from operator import itemgetter

import numpy as np
from numpy.random import default_rng

from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of, places_of
from eyewall_sidecar.model.violations import violations
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.objectives.load_scenarios import SCENARIOS
from eyewall_sidecar.policies.ras import ResourceAware
from eyewall_sidecar.service.solver_pool import PlacementTask
from eyewall_sidecar.storm import MeasuredTopology, Topology, TopologySettings, unknown_streams

DECLARED_PARTS = (0.1, 0.3, 1.0)
"""Of the declared CPU and the assumed rates, in each of which a placement has to be as good."""
UNEVENNESS, DRAWS = 1.5, 50
"""Deviation of the logarithm of what components use of what they declare, and how many topologies
of such components a placement has to be as good for."""
RAS_SECONDS, RAS_RETRIES = 0.1, 100
"""After which RAS's placement is not waited for; it usually takes a millisecond."""
AS_GOOD = 1.0 + 1e-9
LEAST_GAIN = 0.01
"""The mean logarithm of what L falls by, for which other hosts than Storm's are used."""
GLANCE = 20
"""One in so many loads is looked at first, to see what may be as good at all of them."""
_FIELDS_BUT_NODES = tuple(it for it in fields(PlacementProblem) if it.init and it.name != "nodes")
KEPT = (
    "before CPU is measured a placement has to be as good as Storm's resource-aware one whatever "
    "part of the declared CPU is used; what {policy} found is not, so that one is used, on nearer "
    "hosts where these are as good"
)


def early_settings(
    settings: TopologySettings, topology: Topology, measured: MeasuredTopology | None
) -> TopologySettings:
    """Return the settings towards what executors are placed while the topology's rates are unknown.

    Paper 000, sections 6.2 and 7.2: S-ODP's early assignment weighs availability alone, w_a = 1.
    Where the objective does not depend on rates it could move what was placed at once.
    """
    early = settings.early_objective
    if early is None or measured is None or not settings.objective.depends_on_rates:
        return settings
    if not unknown_streams(topology, settings.rate_hints, measured):
        return settings
    return replace(settings, objective=early)


def is_same_but_for_others(task: PlacementTask, other: PlacementTask) -> bool:
    """Whether nothing but hosts' use by others, and coordinates, tells one task from another.

    These change all the time, and use is unknown until a host's first report: a search for a first
    placement goes on.
    """
    one, two = task.problem, other.problem
    if task == other:
        return True
    return (
        replace(task, problem=two) == other
        and all(getattr(one, it.name) == getattr(two, it.name) for it in _FIELDS_BUT_NODES)
        and len(one.nodes) == len(two.nodes)
        and all(
            replace(u, cores=v.cores, background=v.background, coordinates=v.coordinates) == v
            for u, v in zip(one.nodes, two.nodes, strict=True)
        )
    )


def prefer_ras(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    clock: Callable[[], float],
    until: float,
    component_of: Mapping[str, str],
    *,
    binds_ackers: bool = True,
    fewest_nodes: bool = False,
) -> Solution:
    """Return RAS's placement instead of a solution that may be worse.

    `problem` has declared CPU. A solution is left as it is where executors run already, and for
    objectives that know no load.

    Parameters
    ----------
    until
        When, by the clock, RAS's placement is used unless the solution is known to be as good:
        large topologies take seconds.
    component_of
        Operator id → its component.
    binds_ackers
        Whether the first executor of a worker may bring an acker along.
    fewest_nodes
        Whether no more nodes may be used than by RAS: each worker takes CPU, whatever is in it.
    """
    placement, evaluation = solution.placement, solution.evaluation
    if placement is None or evaluation is None or problem.current or not objective.weighs_load:
        return solution
    baseline = ResourceAware(RAS_RETRIES, clock, int(binds_ackers))
    ras = baseline(problem, objective, time_limit=RAS_SECONDS, seed=0)
    if ras.placement is None:
        return solution
    arrays = ProblemArrays.of(problem)
    found, known = places_of(problem, placement), places_of(problem, ras.placement)
    if np.array_equal(found, known):
        return solution
    components = [component_of[it.id] for it in problem.operators]
    # Once time is over nothing is as good, so that what is missing then is not missed.
    loads = takewhile(lambda _: clock() < until, _possible_loads(arrays, components))
    comparison = _Comparison(tuple(loads), clock, until)
    times = comparison.times(known)
    is_wider = fewest_nodes and _nodes_in_use(found) > _nodes_in_use(known)
    if not is_wider and comparison.as_good(found, times) is not None:
        return solution
    most_nodes = _nodes_in_use(known) if fewest_nodes else arrays.nodes
    nearer = _nearer(problem, arrays, known, times, comparison, components, most_nodes)
    chosen = placement_of(problem, nearer)
    return replace(
        solution,
        status=Status.HEURISTIC,
        decided_by=ras.policy,
        placement=chosen,
        evaluation=evaluate(problem, chosen, objective, evaluation.ranges),
        bound=None,
        gap=None,
        reasons=(*solution.reasons, KEPT.format(policy=solution.policy)),
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What a placement has to be as good for, and until when that is looked at."""

    loads: tuple[LoadArrays, ...]
    clock: Callable[[], float]
    until: float

    @property
    def is_over(self) -> bool:
        """Whether there is no time left: nothing is known to be as good then."""
        return self.clock() >= self.until

    def times(self, places: Places) -> Floats:
        """Return L at each load; as far as there is time."""
        found = np.full(len(self.loads), np.inf)
        for number, it in enumerate(self.loads):
            if self.is_over:
                break
            found[number] = evaluate_load(it, places).load_response_time
        return found

    def as_good(self, places: Places, known: Floats, step: int = 1) -> Floats | None:
        """Return L at each load, or at one in so many.

        None if it is above the known one at any of them, or time is over.
        """
        found = np.empty(len(self.loads[::step]))
        for number, it in enumerate(self.loads[::step]):
            if self.is_over:
                return None
            found[number] = evaluate_load(it, places).load_response_time
            if not found[number] <= AS_GOOD * known[number * step]:
                return None
        return None if self.is_over else found


def _nearer(
    problem: PlacementProblem,
    arrays: ProblemArrays,
    places: Places,
    times: Floats,
    comparison: _Comparison,
    components: Sequence[str],
    most_nodes: int,
) -> Places:
    """Put parts of it on other hosts, `most_nodes` in all, as long as that is as good at each load.

    A part is all that is on one host, or what is there of one component: Storm's scheduler fills
    hosts in the order of what is free there, however far they are from where the others have to be.
    """
    of_component = [
        np.array([it == name for it in components]) for name in dict.fromkeys(components)
    ]
    everything = np.full(len(components), fill_value=True)
    while True:
        promising: list[tuple[float, Places]] = []
        for part, source, target in product(
            (everything, *of_component), np.unique(places), range(arrays.nodes)
        ):
            if comparison.is_over:
                break
            goes = part & (places == source) & arrays.allowed[:, target]
            moved = np.where(goes, target, places)
            if np.array_equal(moved, places) or _nodes_in_use(moved) > most_nodes:
                continue
            if violations(problem, placement_of(problem, moved)):
                continue
            found = comparison.as_good(moved, times, GLANCE)
            if found is not None:
                promising.append((_gain(times[::GLANCE], found), moved))
        promising.sort(key=itemgetter(0), reverse=True)
        for _, moved in promising:
            found = comparison.as_good(moved, times)
            if found is not None and _gain(times, found) > LEAST_GAIN:
                places, times = moved, found
                break
        else:
            return places


def _nodes_in_use(places: Places) -> int:
    return len(np.unique(places))


def _gain(before: Floats, after: Floats) -> float:
    """Return the mean logarithm of what L falls by."""
    return float(np.mean(np.log(before / after)))


def _possible_loads(arrays: ProblemArrays, components: Sequence[str]) -> Iterator[LoadArrays]:
    """Yield what the topology may turn out to be: parts of what is declared, evenly or unevenly.

    `components` has the component of each operator.
    """
    names = {it: number for number, it in enumerate(dict.fromkeys(components))}
    numbers = np.array([names[it] for it in components])
    drawn = default_rng(0).lognormal(0.0, UNEVENNESS, (DRAWS, len(names)))
    uneven = np.vstack([np.eye(len(names)), drawn])[:, numbers]
    for part in DECLARED_PARTS:
        for scenario in SCENARIOS:
            yield LoadArrays.of(arrays, part, scenario)
        loads = LoadArrays.of(arrays, part)
        for weights in uneven:
            demands = loads.demands * weights
            total = max(demands.sum(), 1e-12)
            yield replace(loads, demands=demands * (loads.demands.sum() / total))
