"""A problem and the load model as compiled code takes them, and room for it to work in."""

from typing import Any, NamedTuple, TypeVar

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.conserved_sets import conserved_sets
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.shuffles import Shuffles
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.load_arrays import LoadArrays

Numbers = TypeVar("Numbers", Floats, Places, Flags)


class LoadTerms(NamedTuple):
    """A problem, its constraints and the load model; all arrays are read-only.

    Parameters
    ----------
    sustainable
        Whether Θ is the objective; L otherwise.
    demands, work, tree_work, assumed_work, way_shares, visits, entries
        [operator]: as in `LoadArrays`.
    least, least_demands
        [operator]: what it adds at least, on average of those that share its tuples: seconds of
        work on a tuple's way, on its fastest candidate, and cores.
    sources, targets, rates, bursts, passes, tuple_passes, loads
        [stream]: as in `LoadArrays`, and bytes/s; those from an operator to itself are left out.
    shuffled
        Whether what operators get depends on where others are.
    groups, weights, parts
        [stream]: as in `Shuffles`.
    order, others
        The streams that lead forward, as in `Shuffles`, and all others; empty if not `shuffled`.
    begins
        [operator]: nothing leads to it.
    alternatives
        [operator]: as in `Shuffles`.
    cores, background, speedups, exponents
        [node]: as in `LoadArrays`.
    delays
        [node, node]: seconds one way.
    requirements, limits, allowed
        As in `ProblemArrays`.
    link_limits
        [node, node]: bytes/s, tolerance included; 0 × 0 if none is limited.
    units
        [resource]: what an overload is counted in, the most that one operator needs; the last one
        for links, the most that one stream carries.
    headroom, executors_per_worker, worker_cpu, crossing_cpu, crossing_half_rate, polling_cpu,
    send_cpu, receive_cpu, crossing_seconds, burstiness, sharing
        As in `LoadArrays`.
    """

    sustainable: bool
    demands: Floats
    work: Floats
    tree_work: Floats
    assumed_work: Floats
    way_shares: Floats
    visits: Floats
    entries: Floats
    least: Floats
    least_demands: Floats
    sources: Places
    targets: Places
    rates: Floats
    bursts: Floats
    passes: Floats
    tuple_passes: Floats
    loads: Floats
    shuffled: bool
    groups: Indices
    weights: Floats
    parts: Floats
    order: Indices
    others: Indices
    begins: Flags
    alternatives: Indices
    cores: Floats
    background: Floats
    speedups: Floats
    exponents: Floats
    delays: Matrix
    requirements: Floats
    limits: Floats
    allowed: Flags
    link_limits: Matrix
    units: Floats
    headroom: float
    executors_per_worker: float
    worker_cpu: float
    crossing_cpu: float
    crossing_half_rate: float
    polling_cpu: float
    send_cpu: float
    receive_cpu: float
    crossing_seconds: float
    burstiness: float
    sharing: float


class Scratch(NamedTuple):
    """What an evaluation writes to.

    Parameters
    ----------
    demand, held, working, free
        [node]: cores at speedup 1, executors, those that get tuples (alternatives count once), and
        cores that are free.
    crossing
        [node]: the part of tuples within it that go from worker to worker.
    bursts
        [node]: bursts/s that leave and enter its workers.
    entering, way_entering
        [node]: how often tuples enter with their acks, and without.
    left
        [node]: cores that are left for the work on a tuple.
    trees, batches, following, slowest, assumed, on_way
        [node]: seconds for all of a tuple's tree, for what a tuple finds at work, for what follows
        once its source has emitted it, and for the operator that has most to do of that; seconds
        that are assumed; seconds of work on a tuple's way.
    shares
        [node]: the part of a tree's tuples there that are on the tuple's way.
    used
        [resource, node]: what its operators need.
    links
        [node, node]: bytes/s; 0 × 0 if no link is limited.
    operators, streams
        [operator], [stream]: by what its tuples are multiplied; `UNKNOWN` where that depends on
        what is not placed. 1 if nothing is shuffled.
    present
        [alternatives, node]: whether one of them works there.
    """

    demand: Floats
    held: Floats
    working: Floats
    crossing: Floats
    free: Floats
    bursts: Floats
    entering: Floats
    way_entering: Floats
    left: Floats
    trees: Floats
    batches: Floats
    following: Floats
    slowest: Floats
    assumed: Floats
    on_way: Floats
    shares: Floats
    used: Floats
    links: Floats
    operators: Floats
    streams: Floats
    present: Flags


def load_terms(arrays: ProblemArrays, term: Term) -> LoadTerms:
    """Translate a problem for compiled code; the term is L or THETA."""
    load = LoadArrays.of(arrays)
    between = load.sources != load.targets
    limited = bool(np.isfinite(arrays.bandwidths).any())
    carried = np.where(np.isnan(arrays.sizes), 0.0, arrays.rates * arrays.sizes)[between]
    tolerated = arrays.bandwidths + TOLERANCE * np.maximum(1.0, arrays.bandwidths)
    units = np.append(arrays.requirements.max(axis=1, initial=0.0), carried.max(initial=0.0))
    shuffles, none = _shuffles(arrays, between), np.zeros(0, dtype=np.int64)
    begins = np.ones(arrays.operators, dtype=np.bool_)
    begins[shuffles.targets[shuffles.order]] = False
    fastest = np.where(arrays.allowed, arrays.speedups, 0.0).max(axis=1, initial=0.0)
    way_work = np.where(load.entries > 0, 0.0, load.visits * load.work)
    least, least_demands = _least(load, way_work / np.maximum(fastest, 1e-300))
    made: dict[str, Any] = {
        "demands": load.demands,
        "work": load.work,
        "tree_work": load.tree_work,
        "assumed_work": load.assumed_work,
        "way_shares": load.way_shares,
        "visits": load.visits,
        "entries": load.entries,
        "least": least,
        "least_demands": least_demands,
        "sources": load.sources[between],
        "targets": load.targets[between],
        "rates": load.rates[between],
        "bursts": load.bursts[between],
        "passes": load.passes[between],
        "tuple_passes": load.tuple_passes[between],
        "loads": carried,
        "groups": shuffles.groups,
        "weights": shuffles.weights,
        "parts": shuffles.parts,
        "order": shuffles.order if shuffles.matter else none,
        "others": shuffles.others if shuffles.matter else none,
        "begins": begins,
        "alternatives": shuffles.alternatives,
        "cores": load.cores,
        "background": load.background,
        "speedups": load.speedups,
        "exponents": load.exponents,
        "delays": load.delays,
        "requirements": arrays.requirements,
        "limits": arrays.limits,
        "allowed": arrays.allowed,
        "link_limits": tolerated if limited else np.zeros((0, 0)),
        "units": np.where(units > 0, units, 1.0),
    }
    return LoadTerms(
        sustainable=term is Term.THETA,
        shuffled=shuffles.matter,
        headroom=load.headroom,
        executors_per_worker=load.executors_per_worker,
        worker_cpu=load.worker_cpu,
        crossing_cpu=load.crossing_cpu,
        crossing_half_rate=load.crossing_half_rate,
        polling_cpu=load.polling_cpu,
        send_cpu=load.send_cpu,
        receive_cpu=load.receive_cpu,
        crossing_seconds=load.crossing_seconds,
        burstiness=load.burstiness,
        sharing=load.sharing,
        **{name: _read_only(it) for name, it in made.items()},
    )


def scratch(terms: LoadTerms) -> Scratch:
    """Return room for evaluations."""
    nodes = len(terms.cores)
    return Scratch(
        demand=np.zeros(nodes),
        held=np.zeros(nodes),
        working=np.zeros(nodes),
        crossing=np.zeros(nodes),
        bursts=np.zeros(nodes),
        entering=np.zeros(nodes),
        way_entering=np.zeros(nodes),
        free=np.zeros(nodes),
        left=np.zeros(nodes),
        trees=np.zeros(nodes),
        batches=np.zeros(nodes),
        following=np.zeros(nodes),
        slowest=np.zeros(nodes),
        assumed=np.zeros(nodes),
        on_way=np.zeros(nodes),
        shares=np.zeros(nodes),
        used=np.zeros((len(terms.requirements), nodes)),
        links=np.zeros(terms.link_limits.shape),
        operators=np.ones(len(terms.demands)),
        streams=np.ones(len(terms.sources)),
        present=np.zeros((terms.alternatives.max(initial=-1) + 1, nodes), dtype=np.bool_),
    )


def _shuffles(arrays: ProblemArrays, streams: Flags) -> Shuffles:
    """Return how tuples spread along some of the streams; no group may be cut."""
    return Shuffles.of(
        arrays.sources[streams],
        arrays.targets[streams],
        arrays.rates[streams],
        arrays.system[streams],
        arrays.shuffles.groups[streams],
        arrays.path_order,
        arrays.operators,
    )


def _least(load: LoadArrays, way_work: Floats) -> tuple[Floats, Floats]:
    """Return lower bounds of the seconds and cores that operators add, however tuples are divided.

    Parameters
    ----------
    way_work
        [operator]: seconds on its fastest candidate for what it gets of an even spread.
    """
    if not load.shuffles.matter:
        return way_work, load.demands
    traits = list(zip(load.demands.tolist(), load.work.tolist(), load.visits.tolist(), strict=True))
    sets = conserved_sets(load.shuffles, traits)
    least = np.full(len(sets) + 1, np.inf)
    np.minimum.at(least, sets, way_work)
    return np.where(sets >= 0, least[sets], 0.0), np.where(sets >= 0, load.demands, 0.0)


def _read_only(array: Numbers) -> Numbers:
    own = np.ascontiguousarray(array).view()
    own.setflags(write=False)
    return own
