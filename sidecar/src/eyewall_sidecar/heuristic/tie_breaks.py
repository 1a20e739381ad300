"""Of placements with the same value, the one that moves fewest operators and keeps traffic near.

A policy optimises the objective alone, and an objective leaves much open: which of two equal
executors goes where, or where an acker runs that no path of the response time touches. Left to
chance, acks would travel around the world.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from eyewall_sidecar.model import Placement, PlacementProblem, Range, Solution, Stream, violations
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate

TOLERANCE = 1e-9


def with_fewest_moves(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    interchangeable: Iterable[tuple[str, ...]],
    is_late: Callable[[], bool],
) -> Solution:
    """Take back moves that gain nothing, until it is late; the value never gets worse."""
    if solution.placement is None or not problem.current:
        return solution
    ties = _Ties(problem, objective, solution)
    for changes in _returns(interchangeable, ties.placement, problem.current):
        if is_late():
            break
        tried = ties.placement | changes
        if problem.moves(tried) < problem.moves(ties.placement) and ties.allows(tried):
            ties.placement |= changes
    return ties.solved()


def with_least_traffic(
    problem: PlacementProblem,
    objective: Objective,
    solution: Solution,
    is_late: Callable[[], bool],
) -> Solution:
    """Move operators towards those they exchange tuples with while the value stays the same.

    Operators that stay on their current node are left there. A step takes one operator to the node
    of one of its neighbours and lowers the network usage (paper 000, equation 20), so steps end;
    they end earlier when it is late.
    """
    if solution.placement is None:
        return solution
    ties = _Ties(problem, objective, solution)
    current = problem.current or {}
    movable = [it.id for it in problem.operators if ties.placement[it.id] != current.get(it.id)]
    streams = _streams_of_operators(problem)

    def move_nearer(operator: str) -> bool:
        moved = False
        own = streams[operator]
        ends = {end for stream in own for end in (stream.source, stream.target)}
        for node in sorted({ties.placement[end] for end in ends}):
            if is_late():
                break
            tried = ties.placement | {operator: node}
            usage = _network_usage(problem, own, ties.placement)
            saved = usage - _network_usage(problem, own, tried)
            if saved > TOLERANCE and ties.allows(tried):
                ties.placement[operator] = node
                moved = True
        return moved

    moved = True
    while moved:
        moved = False
        for operator in movable:
            moved |= move_nearer(operator)
    return ties.solved()


@dataclass(slots=True)
class _Ties:
    """A placement that changes while its value does not."""

    problem: PlacementProblem
    objective: Objective
    solution: Solution
    placement: dict[str, str] = field(init=False)
    ranges: Mapping[Term, Range] = field(init=False)
    value: float = field(init=False)

    def __post_init__(self) -> None:
        evaluation = self.solution.evaluation
        if evaluation is None:
            raise ValueError(f"{self.solution.policy}: a placement without an evaluation")
        self.placement = dict(self.solution.placement or {})
        self.ranges = evaluation.ranges
        self.value = evaluation.value

    def allows(self, placement: Placement) -> bool:
        """Whether a placement breaks no constraint and costs the objective nothing."""
        if violations(self.problem, placement):
            return False
        value = evaluate(self.problem, placement, self.objective, self.ranges).value
        loss = self.value - value if self.objective.maximised else value - self.value
        return loss <= TOLERANCE * max(1.0, abs(self.value))

    def solved(self) -> Solution:
        """Return the solution with the placement as it is now."""
        if self.placement == self.solution.placement:
            return self.solution
        return replace(
            self.solution,
            placement=self.placement,
            evaluation=evaluate(self.problem, self.placement, self.objective, self.ranges),
            moves=self.problem.moves(self.placement),
        )


def _returns(
    interchangeable: Iterable[tuple[str, ...]], placement: Placement, current: Placement
) -> Iterator[dict[str, str]]:
    """Yield changes towards the current placement; `placement` may change meanwhile."""
    for group in interchangeable:
        yield _exchange(group, placement, current)
    for operator, node in current.items():
        if placement[operator] != node:
            yield {operator: node}


def _exchange(group: tuple[str, ...], placement: Placement, current: Placement) -> dict[str, str]:
    """Give the group the same nodes, each member its current one where that is among them."""
    nodes = Counter(placement[it] for it in group)
    exchanged: dict[str, str] = {}
    for operator in group:
        if nodes[node := current.get(operator, "")] > 0:
            exchanged[operator] = node
            nodes[node] -= 1
    left = iter(sorted(nodes.elements()))
    return exchanged | {it: next(left) for it in group if it not in exchanged}


def _streams_of_operators(problem: PlacementProblem) -> dict[str, list[Stream]]:
    """Operator → the streams that it sends or receives."""
    found: defaultdict[str, list[Stream]] = defaultdict(list)
    for stream in problem.streams:
        for end in {stream.source, stream.target}:
            found[end].append(stream)
    return found


def _network_usage(
    problem: PlacementProblem, streams: Iterable[Stream], placement: Placement
) -> float:
    return sum(
        problem.data_rate(stream)
        * problem.delay(placement[stream.source], placement[stream.target])
        for stream in streams
    )
