"""Our own heuristic: the best of the paper's seven, repaired where it failed, then improved.

In paper 003, section 7.3, Subtree-Bottom-Up finds the cheapest placements, whose downloads then
cannot be served (N = 34-36, 41, 42). Here server selection is exact, and a placement that cannot be
served is ruined and rebuilt until one is found that can.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, isinf

from eyewall_sidecar.exact.finding import Clock
from eyewall_sidecar.heuristic.stopping_criteria import (
    After,
    At,
    Either,
    SearchProgress,
    StoppingCriterion,
)
from eyewall_sidecar.model import Solution, Status
from numpy.random import Generator, default_rng

from eyewall_papers.provisioning.blobs import blobs
from eyewall_papers.provisioning.bound import price_bound
from eyewall_papers.provisioning.groups import ProvisioningArrays, bits
from eyewall_papers.provisioning.heuristics import HEURISTICS, HeuristicFailure
from eyewall_papers.provisioning.infeasibility import obvious_reasons
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import (
    Downloads,
    Provision,
    ProvisionSolution,
    evaluate_provision,
)
from eyewall_papers.provisioning.purchases import Purchases
from eyewall_papers.provisioning.rebuild import rebuild, ruin
from eyewall_papers.provisioning.server_choice import serve

NAME = "repairing"
DEARER = 0.02
"""The search goes on from what costs at most this much more than the best (record-to-record)."""
STEPS, IDLE = 20_000, 1_500
"""It ends after so many steps, or so many without a gain."""
SAME = 1e-8
"""Prices that differ by less, relative, are the same: a solver's bound is a little below."""
LATE = "nothing was found in the time and the steps that there were"
COUNTS = (
    "no numbers of available machines are enough for the work, the memory and the flows of "
    "all operators together"
)
FIRST_TRIES = 20
"""Times that a start is rebuilt before it is given up, and that the whole is built."""

Serve = Callable[[Purchases], Downloads | None]
"""Placement → from which server each machine downloads, None if they cannot serve it."""


@dataclass(slots=True)
class _Record:
    """The cheapest provision so far, and who found it."""

    price: float = inf
    provision: Provision | None = None
    found_by: str = ""

    def take(self, provision: Provision, found_by: str) -> bool:
        """Keep it if it is cheaper; return whether it is."""
        if self.provision is not None and provision.price >= self.price * (1 - 1e-12):
            return False
        self.price, self.provision, self.found_by = provision.price, provision, found_by
        return True

    def reaches(self, bound: float) -> bool:
        """Whether nothing can be cheaper; true of no provision at all if there can be none."""
        return self.price <= bound * (1 + SAME)


def repair(
    problem: ProvisioningProblem, *, time_limit: float, seed: int, clock: Clock
) -> ProvisionSolution:
    """Find a provision that is never dearer than the best of the seven with the same seed.

    1. All seven are run; what they find is the first record. 2. Their placements, those whose
    server selection failed too, are rebuilt, as is the whole application at once. 3. From the
    cheapest of these on, up to three machines or a connected set of operators are taken apart
    and placed again (`rebuilding`), until nothing cheaper was found for a while, or the price is
    that of `price_bound`. Only what servers can serve is gone on from.

    Parameters
    ----------
    time_limit
        Seconds for steps 2 and 3 to end in; step 1 is always done.

    Returns
    -------
    The solution: the value of its evaluation, and its bound, are prices. And the provision, if
    one was found; else the status is infeasible where that is easily seen, and timed out where
    time or steps were up.
    """
    started = clock()
    until = Either(After(STEPS, IDLE), At(started + time_limit, clock))
    rng = default_rng([seed, 1])
    instance = ProvisioningArrays.of(problem)

    def served(placed: Purchases) -> Downloads | None:
        ends_at = started + time_limit
        return serve(problem, placed.wanted(), ends_at=ends_at, clock=clock)[1]

    record = _Record()
    bound = price_bound(problem, blobs(problem), ends_at=started + time_limit, clock=clock)
    starts, failures = _of_the_seven(instance, seed, record)
    rebuilt = _rebuilt(instance, starts, until, rng)
    looked = _search(instance, rebuilt, served, record, until, bound, rng)
    return _answer(problem, record, bound, clock() - started, looked, failures)


def _of_the_seven(
    instance: ProvisioningArrays, seed: int, record: _Record
) -> tuple[list[Purchases], list[str]]:
    """Run the paper's heuristics; return their placements, and why some of them failed."""
    starts, failures = [], []
    for name, heuristic in HEURISTICS.items():
        rng = default_rng(seed)
        placed = heuristic.place(instance, rng)
        if isinstance(placed, HeuristicFailure):
            failures.append(f"{name}: {placed}")
            continue
        found = heuristic.complete(placed, rng)
        starts.append(placed)
        if isinstance(found, HeuristicFailure):
            failures.append(f"{name}: {found}")
        else:
            record.take(found, name)
    return starts, failures


def _answer(
    problem: ProvisioningProblem,
    record: _Record,
    bound: float,
    seconds: float,
    looked: int,
    failures: list[str],
) -> ProvisionSolution:
    best = record.provision
    if best is None:
        binding = obvious_reasons(problem) or ((COUNTS,) if isinf(bound) else ())
        status = Status.INFEASIBLE if binding else Status.TIMED_OUT
        reasons = binding or (LATE, *failures)
        solution = Solution(status, NAME, NAME, seconds=seconds, evaluated=looked, reasons=reasons)
        return ProvisionSolution(solution, None)
    bound = min(bound, best.price)
    solution = Solution(
        Status.HEURISTIC,
        policy=NAME,
        decided_by=record.found_by,
        placement=best.placement,
        evaluation=evaluate_provision(problem, best),
        bound=bound,
        gap=(best.price - bound) / max(best.price, 1e-9),
        seconds=seconds,
        evaluated=looked,
    )
    return ProvisionSolution(solution, best)


def _rebuilt(
    instance: ProvisioningArrays, starts: list[Purchases], until: StoppingCriterion, rng: Generator
) -> Iterator[Purchases]:
    """Yield placements near the starts, and near none; servers may not be able to serve them."""
    everything = bits(instance.operators)
    for start in starts:
        for _ in range(FIRST_TRIES):
            if until(SearchProgress()):
                return
            rebuilt = rebuild(instance, start.owned.values(), 0, rng)
            if rebuilt is not None:
                yield rebuilt
                break
    for _ in range(FIRST_TRIES):
        if until(SearchProgress()):
            return
        rebuilt = rebuild(instance, (), everything, rng)
        if rebuilt is not None:
            yield rebuilt


def _search(
    instance: ProvisioningArrays,
    starts: Iterator[Purchases],
    serve_all: Serve,
    record: _Record,
    until: StoppingCriterion,
    bound: float,
    rng: Generator,
) -> int:
    """Take starts apart and rebuild them; return how many placements were evaluated."""
    looked = 0
    current: Purchases | None = None
    served = False
    for start in starts:
        if record.reaches(bound):
            return looked
        looked += 1
        downloads = serve_all(start)
        if downloads is not None:
            record.take(start.provision(downloads), NAME)
        if current is None or _rank(start, downloads is not None) < _rank(current, served):
            current, served = start, downloads is not None
    progress = SearchProgress()
    while current is not None and not record.reaches(bound) and not until(progress):
        progress = SearchProgress(progress.steps + 1, progress.idle + 1)
        rebuilt = rebuild(instance, *ruin(current, rng), rng)
        looked += 1
        if rebuilt is None or rebuilt.price > record.price * (1 + DEARER):
            continue
        downloads = serve_all(rebuilt)
        if downloads is not None:
            current = rebuilt
            if record.take(rebuilt.provision(downloads), NAME):
                progress = SearchProgress(progress.steps, 0)
    return looked


def _rank(purchases: Purchases, served: bool) -> tuple[bool, float]:
    """Rank placements that servers can serve by price, the rest by their downloads."""
    downloaded = sum(it.group.downloads for it in purchases.owned.values())
    return not served, purchases.price if served else downloaded
