"""L and Θ of whole and partial placements in compiled code; `load.evaluate_load` is the reference.

An evaluation costs time in proportion to operators, streams and nodes: a microsecond for a Storm
topology of ten executors.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np

from eyewall_sidecar.model.arrays import Flags, Floats, Places, ProblemArrays
from eyewall_sidecar.model.compilation import subroutine
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.model.violations import TOLERANCE
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.load import (
    HEADROOM_PENALTY,
    KNEE,
    LEAST_FREE,
    LEAST_RATE,
    MOST_SUSTAINABLE,
    LoadArrays,
)

Numbers = TypeVar("Numbers", Floats, Places, Flags)

NOWHERE = -1
"""The place of an operator that is not placed."""
BALANCE = 1e-3
"""What the squares of utilisation weigh where Θ guides a search: Θ alone leaves plateaus."""


class LoadTerms(NamedTuple):
    """A problem, its constraints and the load model; all arrays are read-only.

    Parameters
    ----------
    sustainable
        Whether Θ is the objective; L otherwise.
    demands, work, tree_work, batch_work, assumed_work, way_shares, visits, entries
        [operator]: as in `LoadArrays`.
    least
        [operator]: seconds of its work on a tuple's way on its fastest candidate.
    sources, targets, rates, bursts, passes, tuple_passes, loads
        [stream]: as in `LoadArrays`, and bytes/s; those from an operator to itself are left out.
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
    batch_work: Floats
    assumed_work: Floats
    way_shares: Floats
    visits: Floats
    entries: Floats
    least: Floats
    sources: Places
    targets: Places
    rates: Floats
    bursts: Floats
    passes: Floats
    tuple_passes: Floats
    loads: Floats
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
    demand, held, free
        [node]: cores at speedup 1, executors, and cores that are free.
    bursts
        [node]: bursts/s that leave and enter its workers.
    entering, way_entering
        [node]: how often tuples enter with their acks, and without.
    left
        [node]: cores that are left for the work on a tuple.
    trees, batches, slowest, assumed, on_way
        [node]: seconds for all of a tuple's tree, for what a tuple finds at work, and for the
        operator that has most to do; seconds that are assumed; seconds of work on a tuple's way.
    shares
        [node]: the part of a tree's tuples there that are on the tuple's way.
    inner_rates, inner_bursts, inner_passes
        [node]: tuples/s and bursts/s within it, and how often a tuple's way leads along streams
        there.
    used
        [resource, node]: what its operators need.
    links
        [node, node]: bytes/s; 0 × 0 if no link is limited.
    """

    demand: Floats
    held: Floats
    free: Floats
    bursts: Floats
    entering: Floats
    way_entering: Floats
    left: Floats
    trees: Floats
    batches: Floats
    slowest: Floats
    assumed: Floats
    on_way: Floats
    shares: Floats
    inner_rates: Floats
    inner_bursts: Floats
    inner_passes: Floats
    used: Floats
    links: Floats


def load_terms(arrays: ProblemArrays, term: Term) -> LoadTerms:
    """Translate a problem for compiled code; the term is L or THETA."""
    load = LoadArrays.of(arrays)
    between = load.sources != load.targets
    limited = bool(np.isfinite(arrays.bandwidths).any())
    carried = np.where(np.isnan(arrays.sizes), 0.0, arrays.rates * arrays.sizes)[between]
    tolerated = arrays.bandwidths + TOLERANCE * np.maximum(1.0, arrays.bandwidths)
    units = np.append(arrays.requirements.max(axis=1, initial=0.0), carried.max(initial=0.0))
    fastest = np.where(arrays.allowed, arrays.speedups, 0.0).max(axis=1, initial=0.0)
    made: dict[str, Any] = {
        "demands": load.demands,
        "work": load.work,
        "tree_work": load.tree_work,
        "batch_work": load.batch_work,
        "assumed_work": load.assumed_work,
        "way_shares": load.way_shares,
        "visits": load.visits,
        "entries": load.entries,
        "least": load.visits * load.work / np.maximum(fastest, 1e-300),
        "sources": load.sources[between],
        "targets": load.targets[between],
        "rates": load.rates[between],
        "bursts": load.bursts[between],
        "passes": load.passes[between],
        "tuple_passes": load.tuple_passes[between],
        "loads": carried,
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
        bursts=np.zeros(nodes),
        entering=np.zeros(nodes),
        way_entering=np.zeros(nodes),
        free=np.zeros(nodes),
        left=np.zeros(nodes),
        trees=np.zeros(nodes),
        batches=np.zeros(nodes),
        slowest=np.zeros(nodes),
        assumed=np.zeros(nodes),
        on_way=np.zeros(nodes),
        shares=np.zeros(nodes),
        inner_rates=np.zeros(nodes),
        inner_bursts=np.zeros(nodes),
        inner_passes=np.zeros(nodes),
        used=np.zeros((3, nodes)),
        links=np.zeros(terms.link_limits.shape),
    )


@subroutine
def evaluate_places(terms: LoadTerms, room: Scratch, places: Places) -> tuple[float, float, float]:
    """Return the objective as a cost, a cost to search by, and by how much constraints are broken.

    No completion of a placement with operators that are `NOWHERE` has a lower cost, or breaks
    constraints by less. The cost is L in seconds, or 1 / Θ.
    """
    demand, held, free, left = room.demand, room.held, room.free, room.left
    bursts = room.bursts
    entering, way_entering = room.entering, room.way_entering
    trees, batches, slowest = room.trees, room.batches, room.slowest
    assumed, on_way, shares = room.assumed, room.on_way, room.shares
    inner_rates, inner_bursts, inner_passes, used, links = (
        room.inner_rates,
        room.inner_bursts,
        room.inner_passes,
        room.used,
        room.links,
    )
    for node in range(len(demand)):
        demand[node] = held[node] = entering[node] = way_entering[node] = 0.0
        bursts[node] = 0.0
        trees[node] = batches[node] = slowest[node] = 0.0
        assumed[node] = on_way[node] = shares[node] = 0.0
        inner_rates[node] = inner_bursts[node] = inner_passes[node] = 0.0
        used[0, node] = used[1, node] = used[2, node] = 0.0
    limited = len(links) > 0
    for source in range(len(links)):
        for target in range(len(links)):
            links[source, target] = 0.0
    seconds = unplaced = work_unplaced = 0.0
    whole = True
    for operator in range(len(places)):
        node = places[operator]
        if node == NOWHERE:
            whole = False
            work_unplaced += terms.least[operator]
            unplaced += terms.demands[operator]
            continue
        demand[node] += terms.demands[operator]
        held[node] += 1.0
        entering[node] += terms.entries[operator]
        way_entering[node] += terms.entries[operator]
        trees[node] += terms.tree_work[operator]
        batches[node] += terms.tree_work[operator] * terms.batch_work[operator]
        slowest[node] = max(slowest[node], terms.tree_work[operator])
        assumed[node] = max(assumed[node], terms.assumed_work[operator])
        shares[node] = max(shares[node], terms.way_shares[operator])
        for resource in range(3):
            used[resource, node] += terms.requirements[resource, operator]
    for stream in range(len(terms.sources)):
        source, target = places[terms.sources[stream]], places[terms.targets[stream]]
        if source == NOWHERE or target == NOWHERE:
            continue
        rate, passes = terms.rates[stream], terms.passes[stream]
        if source == target:
            inner_rates[source] += rate
            inner_bursts[source] += terms.bursts[stream]
            inner_passes[source] += passes
            continue
        demand[source] += terms.send_cpu * rate
        demand[target] += terms.receive_cpu * rate
        bursts[source] += terms.bursts[stream]
        bursts[target] += terms.bursts[stream]
        entering[target] += passes
        way_entering[target] += terms.tuple_passes[stream]
        seconds += passes * (terms.delays[source, target] + terms.crossing_seconds)
        if limited:
            links[source, target] += terms.loads[stream]
    excess = saturation = balance = total_demand = total_free = 0.0
    for node in range(len(demand)):
        workers = np.ceil(held[node] / terms.executors_per_worker)
        if workers > 1.0:
            crossing = 1.0 - 1.0 / workers
            both = terms.send_cpu + terms.receive_cpu
            demand[node] += both * crossing * inner_rates[node]
            bursts[node] += 2.0 * crossing * inner_bursts[node]
            seconds += crossing * inner_passes[node] * terms.crossing_seconds
        speedup, cores = terms.speedups[node], terms.cores[node]
        bursts_of_each = bursts[node] / max(1.0, workers)
        woken = bursts_of_each / max(bursts_of_each + terms.crossing_half_rate, LEAST_RATE)
        own = workers * (terms.worker_cpu + terms.crossing_cpu * woken)
        fixed = terms.background[node] + own / speedup
        free[node] = max(cores - fixed, LEAST_FREE * cores)
        polling = terms.polling_cpu * held[node] / speedup
        left[node] = free[node] / (1.0 + polling / max(1.0, free[node]))
        # What is not placed yet may have less to do at a time.
        batches[node] = batches[node] / trees[node] if whole and trees[node] > 0.0 else 0.0
        batches[node] /= speedup * left[node]
        trees[node] /= speedup * left[node]
        slowest[node] /= speedup * min(1.0, left[node])
        needed = demand[node] / speedup
        filled = needed / free[node]
        saturation = max(saturation, filled)
        balance += filled * filled
        total_demand += demand[node]
        total_free += free[node] * speedup
        if entering[node] > 0.0:
            wait = _wait(filled, terms.exponents[node])
            found = max(trees[node], batches[node], assumed[node])
            seconds += entering[node] * terms.sharing * found * wait
        for resource in range(3):
            over = used[resource, node] - terms.limits[resource, node]
            if over > 0.0:
                excess += over / terms.units[resource]
    if limited:
        for source in range(len(links)):
            for target in range(len(links)):
                over = links[source, target] - terms.link_limits[source, target]
                if over > 0.0:
                    excess += over / terms.units[3]
    for operator in range(len(places)):
        node = places[operator]
        if node == NOWHERE:
            continue
        speedup = terms.speedups[node]
        thread = terms.demands[operator] / (speedup * min(1.0, free[node]))
        saturation = max(saturation, thread)
        if terms.visits[operator] > 0.0:
            work = terms.visits[operator] * terms.work[operator]
            work /= speedup * min(1.0, left[node])
            on_way[node] += work
            seconds += work * (1.0 + terms.burstiness * _wait(thread, 1.0))
    rest_of_trees = 0.0
    for node in range(len(demand)):
        on_node = min(1.0, max(way_entering[node], shares[node])) * max(trees[node], slowest[node])
        rest_of_trees += max(0.0, on_node - on_way[node])
    # What is not placed yet may be worked on while hosts work on the rest of a tuple's tree.
    seconds += max(rest_of_trees, work_unplaced)
    # However the rest is placed, all nodes together carry it.
    saturation = max(saturation, (total_demand + unplaced) / total_free, 1.0 / MOST_SUSTAINABLE)
    if terms.sustainable:
        return saturation, saturation + BALANCE * balance / len(demand), excess
    seconds += HEADROOM_PENALTY * max(0.0, terms.headroom * saturation - 1.0)
    return seconds, seconds, excess


@subroutine
def _wait(utilisation: float, exponent: float) -> float:
    """Return ρ^k / (1 − ρ), from `KNEE` on along the tangent there."""
    below = min(utilisation, KNEE)
    power = 1.0 if exponent == 1.0 else below ** (exponent - 1.0)
    value = power * below / (1.0 - below)
    if utilisation > KNEE:
        slope = power * (exponent / (1.0 - below) + below / (1.0 - below) ** 2)
        value += slope * (utilisation - below)
    return value


def _read_only(array: Numbers) -> Numbers:
    own = np.ascontiguousarray(array).view()
    own.setflags(write=False)
    return own
