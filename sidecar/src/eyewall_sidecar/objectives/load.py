"""Response time and headroom under load: utilisation, waiting, and the rate that is just carried.

The formulas, their units and what they leave out are in docs/design/load.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eyewall_sidecar.model import Placement, PlacementProblem, ProblemError
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.model.limits import MOST
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.objectives.load_scenarios import AS_ESTIMATED, LoadScenario

HEADROOM_PENALTY = 1.0
"""Seconds that a placement pays for carrying only half of the multiple it should carry."""
KNEE = 0.98
"""The utilisation from which on waits grow linearly, along the tangent: they remain finite."""
LEAST_FREE = 0.01
"""The share of a host's cores that the others there always leave to a topology."""
MOST_SUSTAINABLE = 1e6
"""Θ of what needs no CPU."""
LEAST_RATE = 1e-12
"""Bursts/s; avoids 0 / 0 where nothing crosses and `crossing_half_rate` is 0."""


@dataclass(frozen=True, slots=True)
class LoadForecast:
    """What the load model expects of a placement at a multiple of the problem's rates.

    Parameters
    ----------
    node_utilisation
        Node id → share of its cores that is needed, background included.
    node_shown
        Node id → share of its cores in use, as the node shows it: including what threads use to
        look for tuples, which gives way to what is needed.
    operator_utilisation
        Operator id → share of its thread's time in use.
    sustainable
        Θ: the multiple of the problem's rates that is just carried, with workers woken as often as
        at `rate`.
    bottleneck
        Id of the node or operator that saturates first.
    response_time
        Expected seconds until the source has the ack, or from source to sink of what is not acked:
        the mean over paths weighted by rate.
    longest_path
        Expected seconds on the slowest path.
    headroom_penalty
        Seconds that the placement pays for lacking headroom.
    """

    node_utilisation: Mapping[str, float]
    node_shown: Mapping[str, float]
    operator_utilisation: Mapping[str, float]
    sustainable: float
    bottleneck: str
    response_time: float
    longest_path: float
    headroom_penalty: float

    @property
    def load_response_time(self) -> float:
        """L in seconds, what the objective minimises: expected response time and penalty."""
        return self.response_time + self.headroom_penalty


@dataclass(frozen=True, slots=True, eq=False)
class LoadState:
    """What a placement makes of the arrays.

    Parameters
    ----------
    nodes, operators
        [node], [operator]: utilisation.
    shown
        [node]: utilisation with what threads look for tuples.
    node_limits, operator_limits
        [node], [operator]: the multiple of the problem's rates at which each saturates.
    sustainable, response_time, longest_path, headroom_penalty
        As in `LoadForecast`.
    """

    nodes: Floats
    operators: Floats
    shown: Floats
    node_limits: Floats
    operator_limits: Floats
    sustainable: float
    response_time: float
    longest_path: float
    headroom_penalty: float

    @property
    def load_response_time(self) -> float:
        """L in seconds."""
        return self.response_time + self.headroom_penalty


def evaluate_load(arrays: LoadArrays, places: Places) -> LoadState:
    """Apply the load model to a placement; the reference for compiled code."""
    arrays = arrays.spread(places)
    nodes = len(arrays.cores)
    executors = np.bincount(places, minlength=nodes)
    workers = np.ceil(executors / arrays.executors_per_worker)
    between = 1.0 - 1.0 / np.maximum(1.0, _crossed_workers(arrays, places))
    at, to = places[arrays.sources], places[arrays.targets]
    crossing = np.where(at == to, between[at], 1.0)
    crossing[arrays.sources == arrays.targets] = 0.0
    crossed = arrays.rates * crossing
    demand = (
        np.bincount(places, arrays.demands, nodes)
        + arrays.send_cpu * np.bincount(at, crossed, nodes)
        + arrays.receive_cpu * np.bincount(to, crossed, nodes)
    ) / arrays.speedups
    bursts = crossing * arrays.bursts
    bursts_on_node = np.bincount(at, bursts, nodes) + np.bincount(to, bursts, nodes)
    bursts_of_each = bursts_on_node / np.maximum(1.0, workers)
    woken = bursts_of_each / np.maximum(bursts_of_each + arrays.crossing_half_rate, LEAST_RATE)
    own = workers * (arrays.worker_cpu + arrays.crossing_cpu * woken)
    fixed = arrays.background + own / arrays.speedups
    free = np.maximum(arrays.cores - fixed, LEAST_FREE * arrays.cores)
    polling = arrays.polling_cpu * executors / arrays.speedups
    left = free / (1.0 + polling / np.maximum(1.0, free))
    threads = arrays.demands / (arrays.speedups * np.minimum(1.0, free))[places]
    utilisation = (demand + fixed) / arrays.cores
    idle = np.bincount(places, np.maximum(0.0, 1.0 - threads), nodes)
    looking = arrays.polling_cpu * idle / (arrays.speedups * arrays.cores)
    limits = _multiples(demand, free, arrays.rate)
    operator_limits = _multiples(threads, np.ones(len(threads)), arrays.rate)
    thread_speeds = arrays.speedups * np.minimum(1.0, left)
    speeds = arrays.speedups * left
    found = _found_at_work(arrays, places, speeds)
    waits = arrays.sharing * found * _wait(demand / free, arrays.exponents)
    work = np.where(arrays.entries > 0, 0.0, arrays.work) / thread_speeds[places]
    times = work * (1.0 + arrays.burstiness * _wait(threads, np.ones(len(threads))))
    hops = crossing * arrays.crossing_seconds + arrays.delays[at, to] + (at != to) * waits[to]
    rest_of_trees = _rest_of_trees(arrays, places, speeds, thread_speeds)
    sustainable = float(min(limits.min(), operator_limits.min(initial=MOST_SUSTAINABLE)))
    way = arrays.visits @ times + arrays.entries @ waits[places] + arrays.passes @ hops
    return LoadState(
        nodes=utilisation,
        operators=threads,
        shown=np.maximum(utilisation, np.minimum(1.0, utilisation + looking)),
        node_limits=limits,
        operator_limits=operator_limits,
        sustainable=sustainable,
        response_time=float(way) + rest_of_trees,
        longest_path=_longest_path(arrays, places, times, waits, between),
        headroom_penalty=HEADROOM_PENALTY
        * max(0.0, arrays.headroom * arrays.rate / sustainable - 1.0),
    )


def forecast_load(
    problem: PlacementProblem,
    placement: Placement,
    rate: float = 1.0,
    scenario: LoadScenario = AS_ESTIMATED,
) -> LoadForecast:
    """Forecast utilisation, headroom and response time at a multiple of the problem's rates."""
    if not 0 < rate <= MOST:
        raise ProblemError(f"rate is {rate:g}; it must be a number more than 0, up to {MOST:g}")
    arrays = ProblemArrays.of(problem)
    state = evaluate_load(LoadArrays.of(arrays, rate, scenario), places_of(problem, placement))
    node, operator = int(state.node_limits.argmin()), None
    if arrays.operators and state.operator_limits.min() < state.node_limits[node]:
        operator = int(state.operator_limits.argmin())
    nodes = [it.id for it in problem.nodes]
    operators = [it.id for it in problem.operators]
    return LoadForecast(
        node_utilisation=dict(zip(nodes, state.nodes.tolist(), strict=True)),
        node_shown=dict(zip(nodes, state.shown.tolist(), strict=True)),
        operator_utilisation=dict(zip(operators, state.operators.tolist(), strict=True)),
        sustainable=state.sustainable,
        bottleneck=nodes[node] if operator is None else operators[operator],
        response_time=state.response_time,
        longest_path=state.longest_path,
        headroom_penalty=state.headroom_penalty,
    )


def _crossed_workers(arrays: LoadArrays, places: Places) -> Floats:
    """Return [node]: how many workers those need that get tuples, alternatives counted once.

    Slots are filled by traffic: next to a source is one of its targets, and the rest elsewhere.
    """
    nodes, numbers = len(arrays.cores), arrays.shuffles.alternatives
    alone, shared = arrays.working & (numbers < 0), arrays.working & (numbers >= 0)
    sets = np.unique(numbers[shared] * nodes + places[shared]) % nodes
    working = np.bincount(places[alone], minlength=nodes) + np.bincount(sets, minlength=nodes)
    return np.asarray(np.ceil(working / arrays.executors_per_worker))


def _found_at_work(arrays: LoadArrays, places: Places, speeds: Floats) -> Floats:
    """Return the seconds of work that a tuple finds on each busy node, be it one's or a tree's.

    What it finds is the likelier of an operator the more work that has to do.
    """
    nodes = len(speeds)
    work = np.bincount(places, arrays.tree_work, nodes)
    trees = work / speeds
    # Of those tuples that an operator has anything to do for.
    batch = np.maximum(arrays.work, arrays.tree_work)
    batches = np.bincount(places, arrays.tree_work * batch, nodes) * trees
    assumed = np.zeros(nodes)
    np.maximum.at(assumed, places, arrays.assumed_work)
    mean = np.divide(batches, work**2, out=np.zeros(nodes), where=work > 0)
    return np.maximum(np.maximum(trees, mean), assumed)


def _rest_of_trees(
    arrays: LoadArrays, places: Places, speeds: Floats, thread_speeds: Floats
) -> float:
    """Return the seconds by which trees take longer than the way through them.

    A node works on a tree's tuples no faster than all of its cores do, nor than the thread of the
    operator that has most to do. A tree begins when its source has emitted.
    """
    nodes, at, to = len(speeds), places[arrays.sources], places[arrays.targets]
    follows = arrays.entries == 0
    trees = np.bincount(places, follows * arrays.tree_work, nodes) / speeds
    slowest, shares = np.zeros((2, nodes))
    np.maximum.at(slowest, places, follows * arrays.tree_work)
    np.maximum.at(shares, places, follows * arrays.way_shares)
    # Passes within a node do not enter it.
    entering = np.bincount(places, arrays.entries, nodes) + np.bincount(
        to, arrays.tuple_passes * (at != to), nodes
    )
    on_node = np.minimum(1.0, np.maximum(entering, shares)) * np.maximum(
        trees, slowest / thread_speeds
    )
    way = np.bincount(places, follows * arrays.visits * arrays.work, nodes) / thread_speeds
    return float(np.maximum(0.0, on_node - way).sum())


def _wait(utilisation: Floats, exponents: Floats) -> Floats:
    """Return ρ^k / (1 − ρ), from `KNEE` on along the tangent there."""
    below = np.minimum(utilisation, KNEE)
    power = below ** (exponents - 1.0)
    slope = power * (exponents / (1.0 - below) + below / (1.0 - below) ** 2)
    return np.asarray(power * below / (1.0 - below) + slope * (utilisation - below))


def _multiples(demand: Floats, free: Floats, rate: float) -> Floats:
    """Return at which multiple of the problem's rates each demand, now at `rate`, fills `free`."""
    most = np.full(len(demand), MOST_SUSTAINABLE)
    some = demand * MOST_SUSTAINABLE > free * rate
    return np.asarray(np.divide(free * rate, demand, out=most, where=some))


def _longest_path(
    arrays: LoadArrays, places: Places, own: Floats, waits: Floats, between: Floats
) -> float:
    """Return the longest path's seconds; the operator that is done last ends it."""
    done = own + waits[places]
    arrival = np.full(len(done), -np.inf)
    for source, target in zip(
        arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True
    ):
        u, v = places[source], places[target]
        hop = between[u] * arrays.crossing_seconds
        if u != v:
            hop = arrays.crossing_seconds + arrays.delays[u, v] + waits[v]
        arrival[target] = max(arrival[target], done[source] + hop)
        done[target] = arrival[target] + own[target]
    return float(done[arrays.path_order].max(initial=0.0))
