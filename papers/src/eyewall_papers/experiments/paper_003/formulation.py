"""Paper 003's integer program of section 5.1 over PuLP, the reference for ours.

Every class has as many machines as there are operators, d and y are binary, and nothing is left
out but the y of operators that are no parent and child, which the paper sets to 0.
"""

from dataclasses import dataclass
from itertools import combinations, product

from pulp import LpInteger, LpMinimize, LpProblem, LpVariable, lpSum

from eyewall_papers.provisioning import ProvisioningProblem

MOST_VARIABLES = 300_000
"""Programs of more are not written out: PuLP takes about a minute and 4 GB for these."""

MachinePlace = tuple[int, int]
"""(c, u): the u-th machine of class c."""


@dataclass(frozen=True, slots=True)
class ProgramSize:
    """The number of variables of the program.

    Parameters
    ----------
    as_written
        With all y of section 5.1: |N|⁴ · |C|² of them.
    needed
        With the y of parents and children alone.
    """

    as_written: int
    needed: int


def size(problem: ProvisioningProblem) -> ProgramSize:
    """Count the variables x, d, used and y."""
    operators, classes = len(problem.operators), len(problem.types)
    machines = operators * classes
    others = (
        operators * machines + machines * len(problem.objects) * len(problem.servers) + machines
    )
    as_written, needed = operators**2 * machines**2, len(problem.streams) * machines**2
    return ProgramSize(others + as_written, others + needed)


def paper_program(problem: ProvisioningProblem) -> LpProblem:
    """Build the program; its objective is the price in units of the dearest machine's."""
    linear = LpProblem("paper_003", LpMinimize)
    places = list(product(range(len(problem.types)), range(len(problem.operators))))
    binary = (0, 1, LpInteger)
    ids = [it.id for it in problem.operators]
    x = {
        (i, p): linear.add_variable(f"x_{n}_{p[0]}_{p[1]}", *binary)
        for n, i in enumerate(ids)
        for p in places
    }
    used = {p: linear.add_variable(f"used_{p[0]}_{p[1]}", *binary) for p in places}
    for i in ids:
        linear += lpSum(x[i, p] for p in places) == 1
    for p in places:
        linear += used[p] <= lpSum(x[i, p] for i in ids)
        for i in ids:
            linear += used[p] >= x[i, p]
    d = _downloads(linear, problem, places, x)
    y = _streams(linear, problem, places, x)
    _limits(linear, problem, places, x, d, y)
    unit = max(it.price for it in problem.types)
    linear += lpSum(problem.types[c].price / unit * used[c, u] for c, u in places)
    return linear


Variables = dict[tuple[str, MachinePlace], LpVariable]
Downloaded = dict[tuple[MachinePlace, str, str], LpVariable]
Streamed = dict[tuple[int, MachinePlace, MachinePlace], LpVariable]


def _downloads(
    linear: LpProblem, problem: ProvisioningProblem, places: list[MachinePlace], x: Variables
) -> Downloaded:
    d: Downloaded = {}
    for n, (p, thing, server) in enumerate(product(places, problem.objects, problem.servers)):
        variable = linear.add_variable(f"d_{n}", 0, 1, LpInteger)
        d[p, thing.id, server.id] = variable
        users = [it.id for it in problem.operators if thing.id in problem.needed(it.id)]
        linear += variable <= float(thing.id in server.objects)
        linear += variable <= lpSum(x[i, p] for i in users)
    for p, operator in product(places, problem.operators):
        for name in problem.needed(operator.id):
            sources = lpSum(d[p, name, server.id] for server in problem.servers)
            linear += sources <= 1
            linear += sources >= x[operator.id, p]
    return d


def _streams(
    linear: LpProblem, problem: ProvisioningProblem, places: list[MachinePlace], x: Variables
) -> Streamed:
    y: Streamed = {}
    for e, stream in enumerate(problem.streams):
        for p, q in product(places, places):
            variable = linear.add_variable(f"y_{e}_{p[0]}_{p[1]}_{q[0]}_{q[1]}", 0, 1, LpInteger)
            y[e, p, q] = variable
            linear += variable <= x[stream.source, p]
            linear += variable <= x[stream.target, q]
            linear += variable >= x[stream.source, p] + x[stream.target, q] - 1
    return y


def _limits(
    linear: LpProblem,
    problem: ProvisioningProblem,
    places: list[MachinePlace],
    x: Variables,
    d: Downloaded,
    y: Streamed,
) -> None:
    """Write (1) to (5), each divided by its right side."""
    rate = {it.id: it.rate for it in problem.objects}
    flow = [it.rate * (it.tuple_bytes or 0.0) for it in problem.flows]
    for p in places:
        kind = problem.types[p[0]]
        linear += lpSum(it.cpu / kind.cpu * x[it.id, p] for it in problem.demands) <= 1
        downloads = [
            rate[o.id] / kind.card * d[p, o.id, s.id]
            for o, s in product(problem.objects, problem.servers)
        ]
        exchanged = [
            flow[e] / kind.card * (y[e, p, q] + y[e, q, p])
            for e in range(len(flow))
            for q in places
            if q != p
        ]
        linear += lpSum(downloads) + lpSum(exchanged) <= 1
    for server in problem.servers:
        sent = {p: [rate[o.id] * d[p, o.id, server.id] for o in problem.objects] for p in places}
        linear += lpSum(part / server.card for parts in sent.values() for part in parts) <= 1
        for parts in sent.values():
            linear += lpSum(part / server.link for part in parts) <= 1
    for p, q in combinations(places, 2):
        carried = (flow[e] / problem.link * (y[e, p, q] + y[e, q, p]) for e in range(len(flow)))
        linear += lpSum(carried) <= 1
