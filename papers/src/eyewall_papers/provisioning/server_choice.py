"""From which server each machine downloads each object, exactly: (3) and (4) of paper 003.

Every download comes from one server. A greedy choice is tried first, then an integer program:
downloading objects of different rates from two equal servers is already 2-Partition (section 4).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from math import isfinite

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from eyewall_sidecar.model.violations import TOLERANCE, exceeds
from pulp import LpInteger, LpMinimize, LpProblem, LpVariable, lpSum

from eyewall_papers.provisioning.problem import DataServer, ProvisioningProblem
from eyewall_papers.provisioning.provision import Downloads

WantedDownloads = Mapping[str, tuple[str, frozenset[str]]]
"""Machine id → the name of its type, and the ids of the objects that it downloads."""

Serving = tuple[Outcome, Downloads | None]


def serve(
    problem: ProvisioningProblem,
    wanted: WantedDownloads,
    *,
    ends_at: float,
    clock: Callable[[], float],
) -> Serving:
    """Choose servers for all downloads.

    Returns
    -------
    Outcome.OPTIMAL with the downloads, INFEASIBLE if there is no choice, or NOTHING if the time was
    up before either was known.
    """
    greedy = _greedily(problem, wanted)
    if greedy is not None:
        return Outcome.OPTIMAL, greedy
    if _too_much(problem, wanted):
        return Outcome.INFEASIBLE, None
    return _exactly(problem, wanted, ends_at, clock)


def _greedily(problem: ProvisioningProblem, wanted: WantedDownloads) -> Downloads | None:
    """Fewest holders first, then the greatest rate; from where most is left."""
    left = {it.id: it.card for it in problem.servers}
    link_left = {
        (server.id, machine): server.link_to(of_type)
        for server in problem.servers
        for machine, (of_type, _) in wanted.items()
    }
    order = sorted(
        ((machine, name) for machine, (_, names) in wanted.items() for name in sorted(names)),
        key=lambda it: (len(problem.holders(it[1])), -problem.object(it[1]).rate),
    )
    chosen = {}
    for machine, name in order:
        rate = problem.object(name).rate
        room = {it.id: min(left[it.id], link_left[it.id, machine]) for it in problem.holders(name)}
        server = max(room, key=room.__getitem__)
        if exceeds(rate, room[server]):
            return None
        chosen[machine, name] = server
        left[server] -= rate
        link_left[server, machine] -= rate
    return chosen


def _too_much(problem: ProvisioningProblem, wanted: WantedDownloads) -> bool:
    """Whether what only one server holds is more than it, or one of its links, carries."""
    sent: defaultdict[str, float] = defaultdict(float)
    for of_type, names in wanted.values():
        over_link: defaultdict[str, float] = defaultdict(float)
        for name in names:
            holders = problem.holders(name)
            if len(holders) == 1:
                over_link[holders[0].id] += problem.object(name).rate
        for server in problem.servers:
            if exceeds(over_link[server.id], server.link_to(of_type)):
                return True
            sent[server.id] += over_link[server.id]
    return any(exceeds(sent[server.id], server.card) for server in problem.servers)


def _exactly(
    problem: ProvisioningProblem,
    wanted: WantedDownloads,
    ends_at: float,
    clock: Callable[[], float],
) -> Serving:
    linear = LpProblem("serving", LpMinimize)
    chosen: dict[tuple[str, str], dict[str, LpVariable]] = {}
    for u, (machine, (_, names)) in enumerate(wanted.items()):
        for k, name in enumerate(sorted(names)):
            chosen[machine, name] = {
                it.id: linear.add_variable(f"d_{u}_{k}_{place}", 0, 1, LpInteger)
                for place, it in enumerate(problem.holders(name))
            }
            linear += lpSum(chosen[machine, name].values()) == 1
    for server in problem.servers:
        sent = _sent(problem, chosen, server)
        _limit(linear, [part for parts in sent.values() for part in parts], server.card)
        for machine, parts in sent.items():
            _limit(linear, parts, server.link_to(wanted[machine][0]))
    linear += lpSum(
        place * variable
        for choice in chosen.values()
        for place, variable in enumerate(choice.values(), start=1)
    )
    run = minimise(linear, ends_at=ends_at, clock=clock, seed=0)
    match run.outcome:
        case Outcome.OPTIMAL | Outcome.INCUMBENT:
            return Outcome.OPTIMAL, {
                download: max(choice, key=lambda it: choice[it].value() or 0.0)
                for download, choice in chosen.items()
            }
        case Outcome.INFEASIBLE:
            return Outcome.INFEASIBLE, None
        case _:
            return Outcome.NOTHING, None


def _sent(
    problem: ProvisioningProblem,
    chosen: Mapping[tuple[str, str], Mapping[str, LpVariable]],
    server: DataServer,
) -> dict[str, list[tuple[float, LpVariable]]]:
    sent: defaultdict[str, list[tuple[float, LpVariable]]] = defaultdict(list)
    for (machine, name), choice in chosen.items():
        if server.id in choice:
            sent[machine].append((problem.object(name).rate, choice[server.id]))
    return sent


def _limit(linear: LpProblem, parts: list[tuple[float, LpVariable]], limit: float) -> None:
    """Σ rate · d ≤ limit, in units of the limit, so that solvers' tolerances are relative."""
    if not isfinite(limit) or sum(rate for rate, _ in parts) <= limit:
        return
    unit = limit or 1.0
    linear += (
        lpSum((rate / unit) * variable for rate, variable in parts) <= limit / unit + TOLERANCE
    )
