"""The integer program of paper 003, sections 5.1 and 5.2, in a form that solves.

`create_program` reads as the list of what the program consists of; each `define_*` function adds
one family of constraints, named in the LP file as papers/docs/provisioning.md says. It differs
from the paper where that costs nothing: what has to share a machine is one operator (`blobs`),
machines are numbered once for all classes and choose their class, their numbering follows the
heaviest operator of each (symmetry), y counts streams that leave a machine and is continuous, and
the numbers of machines of each class obey the rows of `bound`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from math import isfinite

import numpy as np
from pulp import LpAffineExpression, LpInteger, LpMinimize, LpProblem, lpSum
from pulp import LpVariable as Variable

from eyewall_papers.provisioning.blobs import Blobs, HostedBlobs
from eyewall_papers.provisioning.bound import define_numbers
from eyewall_papers.provisioning.problem import ProvisioningProblem

LEAST_UNIT = 1e-3
"""Limits below this fraction of the possible load are not scaled to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvisioningProgram:
    """The program while it grows; i is a blob, u a machine, c a class.

    Parameters
    ----------
    problem, blobs
        What is to be solved.
    machines
        How many machines there may be at most.
    linear
        The PuLP program.
    x
        i → u → x_(i,u): blob i is on machine u. Blobs are numbered from the heaviest here.
    t
        u → c → t_(u,c): machine u is bought, of class c.
    n
        c → how many machines of the class are bought.
    y
        u → (i, j) → y_(u,i,j): what flows between i and j goes over the card of u.
    d
        u → k → l → d_(u,k,l): u downloads object k from server l.
    """

    problem: ProvisioningProblem
    blobs: Blobs
    machines: int
    linear: LpProblem = field(default_factory=lambda: LpProblem("provisioning", LpMinimize))
    x: dict[int, dict[int, Variable]] = field(default_factory=dict)
    t: dict[int, dict[int, Variable]] = field(default_factory=dict)
    n: list[Variable] = field(default_factory=list)
    y: dict[int, dict[tuple[int, int], Variable]] = field(default_factory=dict)
    d: dict[int, dict[int, dict[str, Variable]]] = field(default_factory=dict)

    def streams(self) -> list[tuple[int, int, float]]:
        """Blobs i < j, and what flows between them, where something does."""
        flows = self.blobs.flows
        return [(int(i), int(j), float(flows[i, j])) for i, j in np.argwhere(np.triu(flows) > 0)]

    def used(self, u: int) -> LpAffineExpression:
        """used_u = Σ_c t_(u,c)."""
        return lpSum(self.t[u].values())

    def offered(self, u: int, capacities: Iterable[float], most: float) -> LpAffineExpression:
        """Return Σ_c capacity_c t_(u,c) in units of `most`; no load exceeds `most`."""
        return lpSum(
            min(float(capacity) / most, 1.0) * self.t[u][c] for c, capacity in enumerate(capacities)
        )


def most_variables(problem: ProvisioningProblem, blobs: Blobs, machines: int) -> int:
    """Return the greatest number of variables of `create_program`."""
    streams = int(np.count_nonzero(blobs.flows)) // 2 if _cards_bind(blobs) else 0
    downloads = sum(len(problem.holders(it.id)) for it in problem.objects)
    return machines * (len(blobs) + len(problem.types) + streams + downloads) + len(problem.types)


def create_program(
    problem: ProvisioningProblem, blobs: Blobs, machines: int
) -> ProvisioningProgram:
    """Build all but (5), which few answers break (`define_links` adds it)."""
    program = ProvisioningProgram(problem, blobs, machines)
    for define in families():
        define(program)
    return program


def families() -> tuple[Callable[[ProvisioningProgram], None], ...]:
    """Return the families of the program, in the order in which they are built."""
    return (
        define_purchases,
        define_placements,
        define_assignment,
        define_numbering,
        define_cpu,
        define_downloads,
        define_cards,
        define_servers,
        define_server_links,
        define_platform,
        define_price,
    )


def read_hosted(program: ProvisioningProgram) -> tuple[HostedBlobs, ...]:
    """Return the machines that the solver chose: x_(i,u) = 1 and t_(u,c) = 1."""
    on: defaultdict[int, int] = defaultdict(int)
    for i, places in program.x.items():
        on[max(places, key=lambda u: places[u].value() or 0.0)] |= 1 << i
    return tuple(
        HostedBlobs(members, max(program.t[u], key=lambda c: program.t[u][c].value() or 0.0))
        for u, members in sorted(on.items())
    )


def define_purchases(program: ProvisioningProgram) -> None:
    """t_(u,c) ∈ {0, 1} with Σ_c t_(u,c) ≤ 1; n_c = Σ_u t_(u,c) ≤ count_c (5.2: 1)."""
    linear = program.linear
    for u in range(program.machines):
        program.t[u] = {
            c: linear.add_variable(f"t_{u}_{c}", 0, 1, LpInteger)
            for c in range(len(program.problem.types))
        }
        linear += program.used(u) <= 1, f"one_class_{u}"
    for c, machine_type in enumerate(program.problem.types):
        most = min(float(program.machines), machine_type.count)
        number = linear.add_variable(f"n_{c}", 0, most, LpInteger)
        linear += number == lpSum(program.t[u][c] for u in program.t), f"number_{c}"
        program.n.append(number)


def define_placements(program: ProvisioningProgram) -> None:
    """x_(i,u) ∈ {0, 1}, x_(i,u) ≤ Σ_(c that may run i) t_(u,c).

    The r-th heaviest blob is on one of the first r machines.
    """
    linear = program.linear
    count = len(program.blobs)
    for i in range(count):
        rank = count - i
        program.x[i] = {
            u: linear.add_variable(f"x_{i}_{u}", 0, 1, LpInteger)
            for u in range(min(rank, program.machines))
        }
        hosts = np.flatnonzero(program.blobs.allowed[i]).tolist()
        for u, x in program.x[i].items():
            linear += x <= lpSum(program.t[u][c] for c in hosts), f"host_{i}_{u}"


def define_assignment(program: ProvisioningProgram) -> None:
    """Σ_u x_(i,u) = 1 for every blob i."""
    linear = program.linear
    for i, places in program.x.items():
        linear += lpSum(places.values()) == 1, f"assignment_{i}"


def define_numbering(program: ProvisioningProgram) -> None:
    """Machines are numbered by their heaviest blobs: x_(i,u) ≤ Σ_(h heavier than i) x_(h,u−1).

    Of the m! ways to number m machines one is left, whatever their classes.
    """
    linear = program.linear
    for i, places in program.x.items():
        for u, x in places.items():
            if u:
                before = [
                    program.x[h][u - 1]
                    for h in range(i + 1, len(program.blobs))
                    if u - 1 in program.x[h]
                ]
                linear += x <= lpSum(before), f"numbering_{i}_{u}"


def define_cpu(program: ProvisioningProgram) -> None:
    """(1): Σ_i ρ w_i x_(i,u) ≤ Σ_c s_c t_(u,c) for every machine u, and the same in memory."""
    linear = program.linear
    blobs = program.blobs
    for name, parts, offered in (
        ("cpu", blobs.work, blobs.cpu),
        ("memory", blobs.memory, blobs.memory_of),
    ):
        most = float(parts.sum())
        if most <= offered.min():
            continue
        for u in program.t:
            taken = lpSum(
                float(parts[i]) / most * places[u] for i, places in program.x.items() if u in places
            )
            linear += taken <= program.offered(u, offered, most), f"{name}_{u}"


def define_downloads(program: ProvisioningProgram) -> None:
    """Σ_l d_(u,k,l) ≥ x_(i,u) for every blob i that uses k; d_(u,k,l) only where l holds k.

    d is binary where there is a choice of servers. Σ_l d ≤ 1 is not needed: more costs more.
    """
    linear = program.linear
    for u in program.t:
        program.d[u] = {}
        for k, thing in enumerate(program.problem.objects):
            users = [i for i in np.flatnonzero(program.blobs.uses[:, k]) if u in program.x[int(i)]]
            if not users:
                continue
            holders = program.problem.holders(thing.id)
            kind = LpInteger if len(holders) > 1 else "Continuous"
            program.d[u][k] = {
                holder.id: program.linear.add_variable(f"d_{u}_{k}_{place}", 0, 1, kind)
                for place, holder in enumerate(holders)
            }
            for i in users:
                downloaded = lpSum(program.d[u][k].values())
                linear += downloaded >= program.x[int(i)][u], f"download_{u}_{k}_{i}"


def define_cards(program: ProvisioningProgram) -> None:
    """(2): Σ_(k,l) rate_k d_(u,k,l) + Σ_(i,j) ρ δ_(i,j) y_(u,i,j) ≤ Σ_c Bp_c t_(u,c) for all u.

    y_(u,i,j) ≥ x_(i,u) − x_(j,u) and y_(u,i,j) ≥ x_(j,u) − x_(i,u).
    """
    linear, blobs = program.linear, program.blobs
    if not _cards_bind(blobs):
        return
    streams = program.streams()
    most = _most_carried(blobs)
    for u in program.t:
        program.y[u] = {}
        parts = [
            float(blobs.rates[k]) / most * d
            for k, sources in program.d[u].items()
            for d in sources.values()
        ]
        for i, j, flow in streams:
            one, other = program.x[i].get(u), program.x[j].get(u)
            if one is None and other is None:
                continue
            y = linear.add_variable(f"y_{u}_{i}_{j}", 0, 1)
            program.y[u][i, j] = y
            linear += y >= _or_0(one) - _or_0(other), f"leaves_{u}_{i}_{j}"
            linear += y >= _or_0(other) - _or_0(one), f"enters_{u}_{i}_{j}"
            parts.append(flow / most * y)
        linear += lpSum(parts) <= program.offered(u, blobs.card, most), f"card_{u}"


def define_servers(program: ProvisioningProgram) -> None:
    """(3): Σ_(u,k) rate_k d_(u,k,l) ≤ Bs_l for every server l."""
    linear = program.linear
    for place, server in enumerate(program.problem.servers):
        parts = [
            (float(program.blobs.rates[k]), sources[server.id])
            for u in program.d
            for k, sources in program.d[u].items()
            if server.id in sources
        ]
        most = sum(rate for rate, _ in parts)
        if isfinite(server.card) and most > server.card:
            unit = max(server.card, LEAST_UNIT * most)
            sent = lpSum(rate / unit * d for rate, d in parts)
            linear += sent <= server.card / unit, f"server_{place}"


def define_server_links(program: ProvisioningProgram) -> None:
    """(4): Σ_k rate_k d_(u,k,l) ≤ Σ_c bs_(l,c) t_(u,c) for every server l and machine u."""
    linear = program.linear
    for place, server in enumerate(program.problem.servers):
        widths = [server.link_to(it.name) for it in program.problem.types]
        for u in program.d:
            parts = [
                (float(program.blobs.rates[k]), sources[server.id])
                for k, sources in program.d[u].items()
                if server.id in sources
            ]
            most = sum(rate for rate, _ in parts)
            if most > min(widths):
                sent = lpSum(rate / most * d for rate, d in parts)
                name = f"server_link_{place}_{u}"
                linear += sent <= program.offered(u, widths, most), name


def define_platform(program: ProvisioningProgram) -> None:
    """What (1) and (2) leave to the n_c alone: `bound.define_numbers`."""
    define_numbers(program.linear, program.n, program.blobs)


def define_price(program: ProvisioningProgram) -> None:
    """Minimise Σ_c cost_c n_c, in units of the dearest; a machine of price 0 counts a trifle."""
    linear = program.linear
    unit = price_unit(program.blobs)
    linear += lpSum(
        max(float(price) / unit, 1e-9) * n
        for price, n in zip(program.blobs.price, program.n, strict=True)
    )


def price_unit(blobs: Blobs) -> float:
    """Return the price that the objective counts as 1."""
    return float(blobs.price.max()) or 1.0


def define_links(program: ProvisioningProgram) -> None:
    """(5): Σ_(i,j) ρ δ_(i,j) z_(u,v,i,j) ≤ bp_(c,c') for all machines u < v of classes c and c'.

    z_(u,v,i,j) ≥ x_(i,u) + x_(j,v) − 1 and ≥ x_(j,u) + x_(i,v) − 1, continuous; where links differ,
    the row holds for u of class c and v of class c' only.
    """
    linear = program.linear
    streams = program.streams()
    most = sum(flow for *_, flow in streams)
    types = program.problem.types
    widths = {
        (c, e): program.problem.link_between(types[c].name, types[e].name)
        for c, e in product(range(len(types)), repeat=2)
    }
    for u, v in combinations(program.t, 2):
        parts = []
        for i, j, flow in streams:
            z = program.linear.add_variable(f"z_{u}_{v}_{i}_{j}", 0, 1)
            parts.append(flow / most * z)
            for one, other, name in ((i, j, "over"), (j, i, "back")):
                if u in program.x[one] and v in program.x[other]:
                    ends = program.x[one][u] + program.x[other][v]
                    linear += z >= ends - 1, f"{name}_{u}_{v}_{i}_{j}"
        carried = lpSum(parts)
        least = min(widths.values())
        if len(set(widths.values())) == 1:
            if least < most:
                linear += carried <= least / most, f"link_{u}_{v}"
            continue
        for (c, e), width in widths.items():
            if width < most:
                apart = 2 - program.t[u][c] - program.t[v][e]
                limit = width / most + (1 - width / most) * apart
                linear += carried <= limit, f"link_{u}_{v}_{c}_{e}"


def _cards_bind(blobs: Blobs) -> bool:
    """Whether all downloads and flows together are more than the narrowest card carries."""
    return _most_carried(blobs) > float(blobs.card.min())


def _most_carried(blobs: Blobs) -> float:
    return float(blobs.rates.sum() + blobs.flows.sum() / 2)


def _or_0(variable: Variable | None) -> Variable | float:
    return 0.0 if variable is None else variable
