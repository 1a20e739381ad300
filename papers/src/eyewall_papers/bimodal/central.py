"""The optimal mapping with knowledge of the whole network: an integer program with paths.

The authors of paper 004 had no optimum to compare with (section 4.2). Operators go to nodes by
binary x, streams take dedicated links by binary flows f and public ones by binary y; a flow keeps
its balance at every node between the places of its two operators. Capacities and bandwidths are
sums over all operators and all hops. Costs are additive and at least 0.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import inf, isfinite

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.model.violations import exceeds
from pulp import LpAffineExpression, LpInteger, LpMinimize, LpProblem, lpSum
from pulp import LpVariable as Variable

from eyewall_papers.bimodal.mapping import Mapping, Resources, Route
from eyewall_papers.bimodal.metric import Additive
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork, fewest_hops
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import hop_of

Way = tuple[str, str]
"""(sender, receiver)."""

SCALE = 1000.0
"""Solvers' tolerances are absolute: capacities and the dearest hop are scaled to this."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The result of the integer program.

    Parameters
    ----------
    outcome
        How the run ended.
    mapping
        The best mapping found; None if there is none.
    bound
        No mapping costs less.
    error
        What went wrong in the solver, in its words.
    """

    outcome: Outcome
    mapping: Mapping | None = None
    bound: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class MappingProgram:
    """The program while it grows.

    Parameters
    ----------
    network, free, task, metric
        What is to be solved.
    linear
        The PuLP program.
    x
        [operator][node]: whether the node holds it.
    f, y
        [stream][way]: whether it takes that dedicated hop; whether it takes that public one.
    """

    network: TwoKindNetwork
    free: Resources
    task: Task
    metric: Additive
    linear: LpProblem = field(default_factory=lambda: LpProblem("mapping", LpMinimize))
    x: list[dict[str, Variable]] = field(default_factory=list)
    f: list[dict[Way, Variable]] = field(default_factory=list)
    y: list[dict[Way, Variable]] = field(default_factory=list)


def optimal_mapping(
    network: TwoKindNetwork,
    free: Resources,
    task: Task,
    metric: Additive,
    *,
    ends_at: float,
    clock: Callable[[], float],
    seed: int,
) -> Optimum:
    """Return the cheapest mapping, or the best known when `clock` reaches `ends_at`."""
    program = MappingProgram(network, free, task, metric)
    define_variables(program)
    unit = define_cost(program)
    define_places(program)
    define_routes(program)
    define_capacities(program)
    define_bandwidths(program)
    define_hop_limits(program)
    run = minimise(program.linear, ends_at=ends_at, clock=clock, seed=seed)
    if run.outcome not in (Outcome.OPTIMAL, Outcome.INCUMBENT):
        return Optimum(run.outcome, None, run.bound * unit, run.error)
    return Optimum(run.outcome, _mapping(program), run.bound * unit, run.error)


def define_variables(program: MappingProgram) -> None:
    """Create x, f and y for choices that fit alone: other operators and streams only add load."""
    task, free = program.task, program.free
    number = {node.id: str(at) for at, node in enumerate(program.network.nodes)}

    def binary(family: str, place: int, *nodes: str) -> Variable:
        name = "_".join((family, str(place), *(number[node] for node in nodes)))
        return program.linear.add_variable(name, 0, 1, LpInteger)

    for place, operator in enumerate(task.operators):
        nodes = task.candidates(place, program.network)
        fitting = [node for node in nodes if not exceeds(operator.cpu, free.cpu[node])]
        program.x.append({node: binary("x", place, node) for node in fitting})
    for stream, budget in enumerate(task.budgets):
        needed = task.bandwidth(stream)
        program.f.append(
            {
                way: binary("f", stream, *way)
                for link in program.network.dedicated
                for way in link.directions
                if not exceeds(needed, free.dedicated[way]) and not exceeds(link.price, budget)
            }
        )
        ends = product(program.x[stream], program.x[stream + 1])
        program.y.append(
            {
                way: binary("y", stream, *way)
                for way in ends
                if program.network.public is not None
                and way[0] != way[1]
                and not exceeds(needed, free.uplinks[way[0]])
                and not exceeds(needed, free.downlinks[way[1]])
            }
        )


def define_cost(program: MappingProgram) -> float:
    """Minimise the sum of all hops' costs; return the value of one unit of the objective."""
    costs: list[tuple[Variable, float]] = []
    for stream, (flows, offers) in enumerate(zip(program.f, program.y, strict=True)):
        needed = program.task.bandwidth(stream)
        for hops, kind in ((flows, LinkKind.DEDICATED), (offers, LinkKind.PUBLIC)):
            for way, taken in hops.items():
                hop = hop_of(program.network, kind, *way)
                costs.append((taken, program.metric.charge(hop, needed)))
    unit = max((cost for _, cost in costs), default=0.0) / SCALE or 1.0
    program.linear.setObjective(LpAffineExpression([(it, cost / unit) for it, cost in costs]))
    return unit


def define_places(program: MappingProgram) -> None:
    """Each operator is on one node that may hold it: M_v is a function."""
    for nodes in program.x:
        program.linear.addConstraint(lpSum(nodes.values()) == 1)


def define_routes(program: MappingProgram) -> None:
    """Each stream leads from its first operator's node to its second's, M_e.

    A public hop leads from end to end: it needs both operators where it begins and ends. With that,
    a stream that takes one has no use for dedicated hops.
    """
    for stream, (flows, offers) in enumerate(zip(program.f, program.y, strict=True)):
        balance: defaultdict[str, list[tuple[Variable, int]]] = defaultdict(list)
        for hops in (flows, offers):
            for (sender, receiver), hop in hops.items():
                balance[sender].append((hop, 1))
                balance[receiver].append((hop, -1))
        starts, ends = program.x[stream], program.x[stream + 1]
        for node in {*balance, *starts, *ends}:
            terms = [*balance[node]]
            if node in starts:
                terms.append((starts[node], -1))
            if node in ends:
                terms.append((ends[node], 1))
            program.linear.addConstraint(LpAffineExpression(terms) == 0)
        _define_public_ends(program, stream)


def _define_public_ends(program: MappingProgram, stream: int) -> None:
    leaving: defaultdict[str, list[Variable]] = defaultdict(list)
    reaching: defaultdict[str, list[Variable]] = defaultdict(list)
    for (sender, receiver), offer in program.y[stream].items():
        leaving[sender].append(offer)
        reaching[receiver].append(offer)
    for node, offers in leaving.items():
        program.linear.addConstraint(lpSum(offers) <= program.x[stream][node])
    for node, offers in reaching.items():
        program.linear.addConstraint(lpSum(offers) <= program.x[stream + 1][node])


def define_capacities(program: MappingProgram) -> None:
    """No node holds more than its cores."""
    for node, cores in program.free.cpu.items():
        held = [
            (nodes[node], operator.cpu)
            for nodes, operator in zip(program.x, program.task.operators, strict=True)
            if node in nodes
        ]
        _limit(program, held, cores)


def define_bandwidths(program: MappingProgram) -> None:
    """No direction of a dedicated link, no uplink and no downlink carries more than it can."""
    loads: defaultdict[tuple[str, ...], list[tuple[Variable, float]]] = defaultdict(list)
    for stream, (flows, offers) in enumerate(zip(program.f, program.y, strict=True)):
        needed = program.task.bandwidth(stream)
        for way, flow in flows.items():
            loads["dedicated", *way].append((flow, needed))
        for (sender, receiver), offer in offers.items():
            loads["uplink", sender].append((offer, needed))
            loads["downlink", receiver].append((offer, needed))
    free = program.free
    limits: dict[tuple[str, ...], float] = {
        **{("dedicated", *way): limit for way, limit in free.dedicated.items()},
        **{("uplink", node): limit for node, limit in free.uplinks.items()},
        **{("downlink", node): limit for node, limit in free.downlinks.items()},
    }
    for owner, load in loads.items():
        _limit(program, load, limits[owner])


def define_hop_limits(program: MappingProgram) -> None:
    """No stream has more forwarding nodes than max_null, or costs more than its budget."""
    for stream, flows in enumerate(program.f):
        most = program.task.max_null + 1
        program.linear.addConstraint(lpSum(flows.values()) <= most)
        prices = [
            (flow, hop_of(program.network, LinkKind.DEDICATED, *way).price)
            for way, flow in flows.items()
        ]
        _limit(program, prices, program.task.budgets[stream])


def _limit(program: MappingProgram, load: list[tuple[Variable, float]], limit: float) -> None:
    """Keep the load within the limit, unless it cannot be exceeded anyway."""
    if isfinite(limit) and exceeds(sum(amount for _, amount in load), limit):
        unit = SCALE / limit if limit > 0 else 1.0
        scaled = [(variable, amount * unit) for variable, amount in load]
        program.linear.addConstraint(LpAffineExpression(scaled) <= limit * unit)


def _mapping(program: MappingProgram) -> Mapping:
    nodes = [
        max(choices, key=lambda node: float(choices[node].value() or 0.0)) for choices in program.x
    ]
    routes = []
    for stream, (source, target) in enumerate(pairwise(nodes)):
        if any((it.value() or 0.0) > 0.5 for it in program.y[stream].values()):
            routes.append(Route(LinkKind.PUBLIC, (source, target)))
            continue
        # Loops that cost nothing are possible, off the path and on it: the shortest way is none.
        onward: defaultdict[str, list[str]] = defaultdict(list)
        for (sender, receiver), flow in program.f[stream].items():
            if (flow.value() or 0.0) > 0.5:
                onward[sender].append(receiver)
        hops: tuple[str, ...] = (source,)
        if source != target:
            hops = fewest_hops(source, target, onward.__getitem__, inf)
        routes.append(Route(LinkKind.DEDICATED, hops))
    placement = {
        operator.id: node for operator, node in zip(program.task.operators, nodes, strict=True)
    }
    return Mapping(placement, tuple(routes))
