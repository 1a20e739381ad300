"""The integer program, for more and more machines, until no larger platform can be cheaper."""

from collections.abc import Callable
from math import ceil, inf, isfinite

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import MOST_VARIABLES, VARIABLES_PER_SECOND, HighsRun, minimise

from eyewall_papers.provisioning.blobs import Blobs, provision_of, wanted
from eyewall_papers.provisioning.bound import price_bound
from eyewall_papers.provisioning.partition import Partition
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.program import (
    ProvisioningProgram,
    create_program,
    define_links,
    most_variables,
    price_unit,
    read_hosted,
)
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.server_choice import serve
from eyewall_papers.provisioning.violations import violations

SLACK = 1e-6
"""Prices that differ by this fraction are one."""

MOST_ENTRIES = 2_000_000
"""Of the rows that number machines; building more takes longer than most limits."""

SERVING = 1.0
"""Seconds beyond the limit for the servers' choice, which takes a thousandth of that."""


def solve_program(
    problem: ProvisioningProblem,
    blobs: Blobs,
    *,
    known: float = inf,
    ends_at: float,
    clock: Callable[[], float],
    seed: int,
) -> Partition:
    """Search for what costs less than `known`; with nothing less, INFEASIBLE and bound `known`.

    Platforms of m machines or fewer are the program's; what more machines cost at least,
    `price_bound` says.
    """
    lowest = price_bound(problem, blobs, ends_at=ends_at, clock=clock)
    machines = ceil(lowest / price_unit(blobs)) + 1 if isfinite(lowest) else 1
    best: Provision | None = None
    price = known
    steps = 0
    while True:
        steps += 1
        if lowest >= price * (1 - SLACK):
            return Partition(_proven(best), best, price, steps)
        most = _most_machines(problem, blobs, price)
        machines = min(machines, most)
        found = _cheapest_of(
            problem, blobs, machines, price, ends_at=ends_at, clock=clock, seed=seed
        )
        if found.provision is not None and found.provision.price < price:
            best, price = found.provision, found.provision.price
        beyond = inf
        if machines < _most_machines(problem, blobs, price):
            beyond = price_bound(
                problem, blobs, machines=machines + 1, ends_at=ends_at, clock=clock
            )
        bound = max(lowest, min(found.bound, beyond, price))
        if bound >= price * (1 - SLACK):
            return Partition(_proven(best), best, price, steps)
        if found.outcome is Outcome.NOTHING:
            return Partition(Outcome.NOTHING, best, bound, steps, found.remark)
        machines += 2


def _too_many(problem: ProvisioningProblem, blobs: Blobs, machines: int, seconds: float) -> str:
    """Say why the program is not worth building; nothing if it is."""
    variables = most_variables(problem, blobs, machines)
    # Half as many as of other programs: a stream's variable has two rows where others have one.
    most = min(MOST_VARIABLES / 2, VARIABLES_PER_SECOND * seconds)
    if variables > most:
        return (
            f"the integer program was not built: it may have {variables} variables, and {most:.0f} "
            "are solved in the time that is left"
        )
    entries = machines * len(blobs) ** 2 // 2
    if entries > MOST_ENTRIES:
        return (
            f"the integer program was not built: its rows may have {entries} entries, and "
            f"{MOST_ENTRIES} are the most that is worth it"
        )
    return ""


def _proven(best: Provision | None) -> Outcome:
    return Outcome.INFEASIBLE if best is None else Outcome.OPTIMAL


def _most_machines(problem: ProvisioningProblem, blobs: Blobs, price: float) -> int:
    """Return the greatest number of machines of a platform cheaper than `price`."""
    least = float(blobs.price.min())
    most = min(float(len(blobs)), sum(it.count for it in problem.types))
    if least > 0 and isfinite(price):
        most = min(most, price // least)
    return max(1, int(most))


def _cheapest_of(
    problem: ProvisioningProblem,
    blobs: Blobs,
    machines: int,
    price: float,
    *,
    ends_at: float,
    clock: Callable[[], float],
    seed: int,
) -> Partition:
    """Solve the program for at most so many machines; (5) is added once an answer breaks it."""
    left = ends_at - clock()
    if many := _too_many(problem, blobs, machines, left):
        return Partition(Outcome.NOTHING, None, 0.0, 0, many if left > 0 else "")
    program = create_program(problem, blobs, machines)
    unit = price_unit(blobs)
    if isfinite(price):
        linear = program.linear
        linear += linear.objective <= price / unit * (1 - SLACK), "cheaper"
    run = minimise(program.linear, ends_at=ends_at, clock=clock, seed=seed)
    provision = _read(problem, program, run, ends_at, clock)
    if provision is not None and violations(problem, provision):
        define_links(program)
        run = minimise(program.linear, ends_at=ends_at, clock=clock, seed=seed)
        provision = _read(problem, program, run, ends_at, clock)
        if provision is not None and violations(problem, provision):
            provision = None
    match run.outcome:
        case Outcome.INFEASIBLE:
            return Partition(Outcome.INFEASIBLE, None, inf, 1)
        case Outcome.OPTIMAL if provision is not None:
            return Partition(Outcome.OPTIMAL, provision, provision.price, 1)
        case Outcome.OPTIMAL | Outcome.INCUMBENT:
            return Partition(Outcome.NOTHING, provision, max(0.0, run.bound * unit), 1)
        case _:
            bound = run.bound * unit if isfinite(run.bound) else 0.0
            return Partition(Outcome.NOTHING, None, max(0.0, bound), 1, run.error)


def _read(
    problem: ProvisioningProblem,
    program: ProvisioningProgram,
    run: HighsRun,
    ends_at: float,
    clock: Callable[[], float],
) -> Provision | None:
    """Return the solver's provision; servers are chosen again, since its tolerances are wide."""
    if run.outcome not in (Outcome.OPTIMAL, Outcome.INCUMBENT):
        return None
    hosted = read_hosted(program)
    _, downloads = serve(
        problem, wanted(problem, program.blobs, hosted), ends_at=ends_at + SERVING, clock=clock
    )
    if downloads is None:
        return None
    return provision_of(problem, program.blobs, hosted, downloads)
