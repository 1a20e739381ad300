"""One task mapped by a policy: the distributed algorithm in simulation, or the central optimum."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, isinf

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.heuristic.stopping_criteria import At
from eyewall_sidecar.model import Solution, Status
from eyewall_sidecar.model.errors import listed

from eyewall_papers.bimodal.bound import cost_bound
from eyewall_papers.bimodal.central import Optimum, optimal_mapping
from eyewall_papers.bimodal.mapping import Mapping, Resources
from eyewall_papers.bimodal.metric import METRICS, PAYMENT, Additive
from eyewall_papers.bimodal.negotiation import negotiate
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.obstacles import obstacles
from eyewall_papers.bimodal.pruning import PRUNINGS
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import evaluation, mapping_cost

CENTRAL = "central"
POLICIES = (*PRUNINGS, CENTRAL)
CHECKS = "checks"
AGENTS = "agents"
PROGRAM = "integer program"


@dataclass(frozen=True, slots=True)
class MappingSolution:
    """A policy's answer with its routes.

    Parameters
    ----------
    solution
        Status, placement and evaluation; `evaluated` counts map messages.
    mapping
        None if there is none.
    cost
        What the metric says of it; by the order of three, what it pays.
    """

    solution: Solution
    mapping: Mapping | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class MappingRequest:
    """A task, and the network to map it onto.

    Parameters
    ----------
    network, free
        Nodes and links, and what is left of them.
    task
        The task.
    metric
        Name among METRICS.
    """

    network: TwoKindNetwork
    free: Resources
    task: Task
    metric: str = "payment"

    @property
    def additive(self) -> Additive | None:
        """The metric, if it adds up."""
        metric = METRICS[self.metric]
        return metric if isinstance(metric, Additive) else None


def solve_mapping(
    asked: MappingRequest, policy: str, *, time_limit: float, seed: int, clock: Callable[[], float]
) -> MappingSolution:
    """Map the task within the time limit, in seconds.

    Parameters
    ----------
    asked
        The task and the network; `require_places` holds for them.
    policy
        Among POLICIES; CENTRAL needs a metric that adds up.
    time_limit, seed, clock
        Seconds; same seed, same answer; returns the time in seconds.
    """
    started = clock()
    found = _solved(asked, policy, started + time_limit, seed, clock)
    return replace(found, solution=replace(found.solution, seconds=clock() - started))


def _solved(
    asked: MappingRequest, policy: str, ends_at: float, seed: int, clock: Callable[[], float]
) -> MappingSolution:
    reasons = obstacles(asked.network, asked.free, asked.task)
    if reasons:
        return MappingSolution(Solution(Status.INFEASIBLE, policy, CHECKS, reasons=reasons))
    if policy == CENTRAL:
        return _central(asked, ends_at, seed, clock)
    agreed = negotiate(
        asked.network,
        asked.free,
        asked.task,
        PRUNINGS[policy],
        METRICS[asked.metric],
        seed=seed,
        stop=At(ends_at, clock),
    )
    maps = agreed.traffic.maps
    if agreed.outcome is None:
        said = f"the time limit ended it with {agreed.traffic.pending} messages under way"
        return MappingSolution(
            Solution(Status.TIMED_OUT, policy, AGENTS, evaluated=maps, reasons=(said,))
        )
    if agreed.outcome.accepted is None:
        return MappingSolution(replace(_none(asked, policy), evaluated=maps))
    mapping = agreed.outcome.accepted.mapping(asked.task)
    status = Status.OPTIMAL if policy == "exact" else Status.HEURISTIC
    return _answer(asked, mapping, Solution(status, policy, AGENTS, evaluated=maps))


def _none(asked: MappingRequest, policy: str) -> Solution:
    """Return the answer if the agents found nothing."""
    said = _proof(asked)
    if said:
        return Solution(Status.INFEASIBLE, policy, CHECKS, reasons=(said,))
    if policy == "exact":
        said = "every map broke a capacity, a bandwidth, a budget or max_null on its way"
        return Solution(Status.INFEASIBLE, policy, AGENTS, reasons=(said,))
    said = "no map reached the sink; policies exact and central would find one if there is any"
    return Solution(Status.FAILED, policy, AGENTS, reasons=(said,))


def _proof(asked: MappingRequest) -> str:
    """Return what an infinite lower bound proves; nothing for a finite one."""
    metric, task = asked.additive or PAYMENT, asked.task
    if isfinite(cost_bound(asked.network, asked.free, task, metric)):
        return ""
    if isinf(cost_bound(asked.network, asked.free, replace(task, budgets=()), metric)):
        return "even without bandwidths, no path through the network holds all operators"
    budgets = [
        f"{stream}: {budget:g}"
        for stream, budget in zip(task.streams, task.budgets, strict=True)
        if isfinite(budget)
    ]
    return (
        "the budgets per byte allow no dedicated hops that would lead past nodes for all "
        f"operators ({listed(budgets)}); without budgets there is such a path"
    )


def _central(
    asked: MappingRequest, ends_at: float, seed: int, clock: Callable[[], float]
) -> MappingSolution:
    metric = asked.additive
    if metric is None:
        raise ValueError(f"the integer program adds costs up, {asked.metric} does not")
    found = optimal_mapping(
        asked.network, asked.free, asked.task, metric, ends_at=ends_at, clock=clock, seed=seed
    )
    if found.mapping is None:
        return MappingSolution(_nothing(asked, found))
    status = Status.OPTIMAL if found.outcome is Outcome.OPTIMAL else Status.FEASIBLE
    errors = (found.error,) if found.error else ()
    solution = Solution(status, CENTRAL, PROGRAM, bound=found.bound, reasons=errors)
    return _answer(asked, found.mapping, solution)


def _nothing(asked: MappingRequest, found: Optimum) -> Solution:
    match found.outcome:
        case Outcome.INFEASIBLE:
            together = "capacities, bandwidths, budgets and max_null together leave no mapping"
            reasons = (_proof(asked) or together,)
            return Solution(Status.INFEASIBLE, CENTRAL, PROGRAM, reasons=reasons)
        case Outcome.FAILED:
            return Solution(Status.FAILED, CENTRAL, PROGRAM, reasons=(found.error,))
        case _:
            said = "the time limit ended the search"
            return Solution(Status.TIMED_OUT, CENTRAL, PROGRAM, reasons=(said,))


def _answer(asked: MappingRequest, mapping: Mapping, solution: Solution) -> MappingSolution:
    """Fill in placement, value and gap."""
    metric = asked.additive
    cost = mapping_cost(asked.network, asked.task, mapping, metric or PAYMENT)
    bound = solution.bound
    if metric and solution.status is Status.OPTIMAL:
        bound = cost
    elif metric and bound is None:
        bound = cost_bound(asked.network, asked.free, asked.task, metric)
    gap = None if bound is None else abs(cost - bound) / max(abs(cost), 1e-9)
    return MappingSolution(
        replace(
            solution,
            placement=mapping.placement,
            evaluation=evaluation(asked.network, asked.task, mapping),
            bound=bound,
            gap=gap,
        ),
        mapping,
        cost,
    )
