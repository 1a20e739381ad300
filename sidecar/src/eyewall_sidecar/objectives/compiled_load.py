"""L and Θ of whole and partial placements in compiled code; `load.evaluate_load` is the reference.

An evaluation costs time in proportion to operators, streams and nodes: a microsecond for a Storm
topology of ten executors.
"""

import numpy as np

from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.compilation import subroutine
from eyewall_sidecar.objectives.load import (
    HEADROOM_PENALTY,
    KNEE,
    LEAST_FREE,
    LEAST_RATE,
    MOST_SUSTAINABLE,
)
from eyewall_sidecar.objectives.load_arrays import EVEN_PART, LEAST_WORKING
from eyewall_sidecar.objectives.load_terms import LoadTerms, Scratch

NOWHERE = -1
"""The place of an operator that is not placed."""
UNKNOWN = -1.0
"""By what tuples are multiplied where that depends on what is not placed."""
BALANCE = 1e-3
"""What the squares of utilisation weigh where Θ guides a search: Θ alone leaves plateaus."""


@subroutine
def evaluate_places(terms: LoadTerms, room: Scratch, places: Places) -> tuple[float, float, float]:
    """Return the objective as a cost, a cost to search by, and by how much constraints are broken.

    No completion of a placement with operators that are `NOWHERE` has a lower cost, or breaks
    constraints by less. The cost is L in seconds, or 1 / Θ.
    """
    demand, held, free, left = room.demand, room.held, room.free, room.left
    bursts = room.bursts
    entering, way_entering = room.entering, room.way_entering
    trees, batches = room.trees, room.batches
    following, slowest = room.following, room.slowest
    assumed, on_way, shares = room.assumed, room.on_way, room.shares
    used, links = room.used, room.links
    if terms.shuffled:
        _spread(terms, room, places)
    for node in range(len(demand)):
        demand[node] = held[node] = room.working[node] = entering[node] = way_entering[node] = 0.0
        bursts[node] = 0.0
        trees[node] = batches[node] = following[node] = slowest[node] = 0.0
        assumed[node] = on_way[node] = shares[node] = 0.0
        used[:, node] = 0.0
    room.present[:] = False
    limited = len(links) > 0
    for source in range(len(links)):
        for target in range(len(links)):
            links[source, target] = 0.0
    seconds = unplaced = work_unplaced = 0.0
    whole = True
    for operator in range(len(places)):
        node, multiple = places[operator], room.operators[operator]
        if node == NOWHERE or multiple == UNKNOWN:
            whole = False
            work_unplaced += terms.least[operator]
            unplaced += terms.least_demands[operator]
        if node == NOWHERE:
            continue
        held[node] += 1.0
        for resource in range(len(used)):
            used[resource, node] += terms.requirements[resource, operator]
        if multiple == UNKNOWN:
            continue
        alternatives = terms.alternatives[operator]
        if multiple > LEAST_WORKING and (alternatives < 0 or not room.present[alternatives, node]):
            room.working[node] += 1.0
            if alternatives >= 0:
                room.present[alternatives, node] = True
        demand[node] += multiple * terms.demands[operator]
        entering[node] += terms.entries[operator]
        way_entering[node] += terms.entries[operator]
        tree_work = multiple * terms.tree_work[operator]
        trees[node] += tree_work
        batches[node] += tree_work * max(terms.work[operator], tree_work)
        assumed[node] = max(assumed[node], terms.assumed_work[operator])
        if terms.entries[operator] == 0.0:
            following[node] += tree_work
            slowest[node] = max(slowest[node], tree_work)
            shares[node] = max(shares[node], terms.way_shares[operator])
    for node in range(len(demand)):
        workers = np.ceil(room.working[node] / terms.executors_per_worker)
        room.crossing[node] = 1.0 - 1.0 / max(1.0, workers)
    for stream in range(len(terms.sources)):
        source, target = places[terms.sources[stream]], places[terms.targets[stream]]
        multiple = room.streams[stream]
        if source == NOWHERE or target == NOWHERE or multiple == UNKNOWN:
            continue
        rate, passes = multiple * terms.rates[stream], multiple * terms.passes[stream]
        burst_rate = multiple * terms.bursts[stream]
        crossing = room.crossing[source] if source == target else 1.0
        demand[source] += crossing * terms.send_cpu * rate
        demand[target] += crossing * terms.receive_cpu * rate
        bursts[source] += crossing * burst_rate
        bursts[target] += crossing * burst_rate
        seconds += crossing * passes * terms.crossing_seconds
        if source == target:
            continue
        entering[target] += passes
        way_entering[target] += multiple * terms.tuple_passes[stream]
        seconds += passes * terms.delays[source, target]
        if limited:
            links[source, target] += terms.loads[stream]
    excess = saturation = balance = total_demand = total_free = 0.0
    for node in range(len(demand)):
        workers = np.ceil(held[node] / terms.executors_per_worker)
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
        following[node] /= speedup * left[node]
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
        for resource in range(len(used)):
            over = used[resource, node] - terms.limits[resource, node]
            if over > 0.0:
                excess += over / terms.units[resource]
    if limited:
        for source in range(len(links)):
            for target in range(len(links)):
                over = links[source, target] - terms.link_limits[source, target]
                if over > 0.0:
                    excess += over / terms.units[len(used)]
    for operator in range(len(places)):
        node, multiple = places[operator], room.operators[operator]
        if node == NOWHERE or multiple == UNKNOWN:
            continue
        speedup = terms.speedups[node]
        thread = multiple * terms.demands[operator] / (speedup * min(1.0, free[node]))
        saturation = max(saturation, thread)
        if terms.visits[operator] > 0.0 and terms.entries[operator] == 0.0:
            work = multiple * terms.visits[operator] * terms.work[operator]
            work /= speedup * min(1.0, left[node])
            on_way[node] += work
            seconds += work * (1.0 + terms.burstiness * _wait(thread, 1.0))
    rest_of_trees = 0.0
    for node in range(len(demand)):
        of_tree = max(following[node], slowest[node])
        on_node = min(1.0, max(way_entering[node], shares[node])) * of_tree
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
def _spread(terms: LoadTerms, room: Scratch, places: Places) -> None:
    """Follow tuples from the sources; the reference is `LoadArrays.spread`."""
    operators, streams, order = room.operators, room.streams, terms.order
    for operator in range(len(operators)):
        operators[operator] = 1.0 if terms.begins[operator] else 0.0
    start = 0
    while start < len(order):
        source, group = terms.sources[order[start]], terms.groups[order[start]]
        given, total, near, end = operators[source], 0.0, 0.0, start
        while end < len(order):
            stream = order[end]
            if terms.sources[stream] != source or terms.groups[stream] != group:
                break
            place = places[terms.targets[stream]]
            total += terms.weights[stream]
            if place == places[source]:
                near += terms.weights[stream]
            if group >= 0 and (place == NOWHERE or places[source] == NOWHERE):
                given = UNKNOWN
            end += 1
        for it in range(start, end):
            stream = order[it]
            target, multiple = terms.targets[stream], given
            if given != UNKNOWN and group >= 0 and near > 0.0:
                is_near = places[target] == places[source]
                multiple = given * total / near if is_near else 0.0
            streams[stream] = multiple
            if multiple == UNKNOWN or operators[target] == UNKNOWN:
                operators[target] = UNKNOWN
            else:
                operators[target] += terms.parts[stream] * multiple
        start = end
    for stream in terms.others:
        streams[stream] = operators[terms.sources[stream]]
    for multiples in (operators, streams):
        for it in range(len(multiples)):
            if multiples[it] != UNKNOWN:
                multiples[it] = (1.0 - EVEN_PART) * multiples[it] + EVEN_PART


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
