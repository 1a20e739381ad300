"""The cheapest platform, proven (paper 003, section 5), or how far from it the answer may be.

Operators that have to stay together are joined (`blobs`). Few blobs are split by the prices of
all their subsets (`subsets`, `partition`); for more, the integer program is asked first
(`machine_search`). Both are exact for every problem of the model.
"""

from collections.abc import Callable
from math import inf, isfinite

import numpy as np
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.model import Solution, Status

from eyewall_papers.provisioning.blobs import Blobs, blobs
from eyewall_papers.provisioning.bound import price_bound
from eyewall_papers.provisioning.infeasibility import (
    KINDS,
    binding_reasons,
    obvious_reasons,
    stranded_reasons,
)
from eyewall_papers.provisioning.machine_search import solve_program
from eyewall_papers.provisioning.partition import (
    MOST_BLOBS,
    Partition,
    cheapest_partition,
    split_prices,
    subsets,
)
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision, ProvisionSolution, evaluate_provision
from eyewall_papers.provisioning.violations import violations

NAME = "exact"
SUBSETS = "prices of all subsets"
PROGRAM = "integer program"
CHECKS = "checks"
GIVEN = "the given start"

FEW_BLOBS = 12
"""For so many, all subsets take a hundredth of a second, less than building the program."""

FIRST_SHARE = 0.25
"""Of the time: what suits a problem answers soon, and the other engine needs time to help."""

Clock = Callable[[], float]


def exact(
    problem: ProvisioningProblem,
    *,
    time_limit: float,
    seed: int,
    clock: Clock,
    start: Provision | None = None,
) -> ProvisionSolution:
    """Find the cheapest provision, and prove that none is cheaper.

    Parameters
    ----------
    time_limit
        Seconds; if nothing is possible, as many again at most to find out why.
    start
        A provision that is known, if any; nothing dearer is answered. One that breaks a
        constraint is ignored, and the reasons name it.

    Returns
    -------
    The solution: the value of its evaluation, and its bound, are prices. And the provision, if
    there is one.
    """
    started = clock()
    ends_at = started + time_limit
    if reasons := obvious_reasons(problem):
        return _without(Status.INFEASIBLE, CHECKS, reasons, clock() - started)
    broken = violations(problem, start) if start else ()
    remarks = [f"the start is no valid provision: {broken[0]}"] if broken else []
    known = None if broken else start
    joined = blobs(problem)
    found, engine = _cheapest(problem, joined, known, ends_at=ends_at, clock=clock, seed=seed)
    best = found.provision or known
    if found.remark:
        remarks.append(found.remark)
    seconds = clock() - started
    if best is None and found.outcome is Outcome.INFEASIBLE:
        return _without(
            Status.INFEASIBLE,
            engine,
            _reasons(problem, joined, time_limit=time_limit, clock=clock, seed=seed),
            clock() - started,
        )
    if best is None:
        late = "the time limit ended the search before any provision was found"
        solution, _ = _without(Status.TIMED_OUT, engine, (late, *remarks), seconds)
        return ProvisionSolution(solution, None)
    proven = found.outcome is not Outcome.NOTHING
    bound = best.price if proven else min(found.bound, best.price)
    solution = Solution(
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        policy=NAME,
        decided_by=engine if proven or found.provision else GIVEN,
        placement=best.placement,
        evaluation=evaluate_provision(problem, best),
        bound=bound,
        gap=(best.price - bound) / max(best.price, 1e-9),
        seconds=seconds,
        evaluated=found.steps,
        reasons=tuple(remarks),
    )
    return ProvisionSolution(solution, best)


def _cheapest(
    problem: ProvisioningProblem,
    joined: Blobs,
    known: Provision | None,
    *,
    ends_at: float,
    clock: Clock,
    seed: int,
) -> tuple[Partition, str]:
    """Ask the engines that suit the size, one after the other, until one has proven its answer.

    The first gets `FIRST_SHARE` of the time, the last what is left. Each looks only for what is
    cheaper than the best of those before it. A proof that nothing is makes that best the optimum.
    """

    def ask(engine: str, price: float, until: float) -> Partition:
        if engine == SUBSETS:
            return solve_by_subsets(problem, joined, known=price, ends_at=until, clock=clock)
        return solve_program(problem, joined, known=price, ends_at=until, clock=clock, seed=seed)

    engines = _engines(len(joined))
    best: Provision | None = None
    found_by = engines[0]
    price, bound, steps = known.price if known else inf, 0.0, 0
    for place, engine in enumerate(engines):
        now = clock()
        last = place == len(engines) - 1
        share = 1.0 if last else FIRST_SHARE
        found = ask(engine, price, now + share * (ends_at - now))
        bound, steps = max(bound, found.bound), steps + found.steps
        if found.provision is not None:
            best, price, found_by = found.provision, found.provision.price, engine
        if found.outcome is not Outcome.NOTHING:
            outcome = Outcome.OPTIMAL if best else Outcome.INFEASIBLE
            return Partition(outcome, best, price, steps), engine
    return Partition(Outcome.NOTHING, best, bound, steps, found.remark), found_by


def _engines(size: int) -> tuple[str, ...]:
    if size > MOST_BLOBS:
        return (PROGRAM,)
    return (SUBSETS, PROGRAM) if size <= FEW_BLOBS else (PROGRAM, SUBSETS)


def solve_by_subsets(
    problem: ProvisioningProblem,
    joined: Blobs,
    *,
    known: float = inf,
    ends_at: float,
    clock: Clock,
) -> Partition:
    """Look at all subsets of up to `MOST_BLOBS` blobs for what costs less than `known`."""
    sets = subsets(problem, joined)
    least = split_prices(sets.price, ends_at=ends_at, clock=clock)
    if least is None:
        bound = price_bound(problem, joined, ends_at=ends_at, clock=clock)
        return Partition(Outcome.NOTHING, None, bound, 0)
    return cheapest_partition(
        problem, joined, sets, least, known=known, ends_at=ends_at, clock=clock
    )


def _reasons(
    problem: ProvisioningProblem, joined: Blobs, *, time_limit: float, clock: Clock, seed: int
) -> tuple[str, ...]:
    """Say what binds: which blobs no machine holds, or which limits one could not do without."""
    if len(joined) <= MOST_BLOBS:
        price = subsets(problem, joined).price
        sets = np.arange(len(price))
        stranded = tuple(
            b for b in range(len(joined)) if not isfinite(price[(sets >> b) & 1 == 1].min())
        )
        if stranded:
            return stranded_reasons(problem, joined, stranded)

    def solvable(relaxed: ProvisioningProblem) -> float | None:
        if obvious_reasons(relaxed):
            return inf
        ends_at = clock() + time_limit / KINDS
        found, _ = _cheapest(relaxed, blobs(relaxed), None, ends_at=ends_at, clock=clock, seed=seed)
        if found.provision is None:
            return inf if found.outcome is Outcome.INFEASIBLE else None
        return found.provision.price

    return binding_reasons(problem, solvable)


def _without(
    status: Status, decided_by: str, reasons: tuple[str, ...], seconds: float
) -> ProvisionSolution:
    return ProvisionSolution(Solution(status, NAME, decided_by, seconds=seconds, reasons=reasons))
