"""The values of a term that no placement is better, or worse, than: what normalises equation (9).

Paper 000 leaves open where R_max, log A_min and Z_max come from. Here each is a formula of the
problem alone, the same for every policy: every operator by itself on the worst of its candidates,
every stream by itself on the worst pair of its ends' candidates, capacities or not. The best case
is the same with "best": it is the part of a metric that every placement has, its constant.
"""

from collections.abc import Callable, Iterable, Iterator

from eyewall_sidecar.model import PlacementProblem, Stream
from eyewall_sidecar.objective import Term
from eyewall_sidecar.qos.availability import logarithm

Pick = Callable[[Iterable[float]], float]
"""`max` for the worst of what is minimised, `min` for the best."""


def worst_case(problem: PlacementProblem, term: Term) -> float:
    """Return a value of the term (for A: of log A) that no placement exceeds on the bad side.

    Candidates and links of availability 0 are left out of A, as no policy uses them for it.
    """
    return _log_availability(problem, min) if term is Term.A else _FORMULAS[term](problem, max)


def best_case(problem: PlacementProblem, term: Term) -> float:
    """Return a value of the term (for A: of log A) that no placement exceeds on the good side."""
    return _log_availability(problem, max) if term is Term.A else _FORMULAS[term](problem, min)


def _response_time(problem: PlacementProblem, pick: Pick) -> float:
    """R with the picked R_i / S_u for every operator and the picked d_(u,v) for every stream."""
    picked = _over_pairs(problem, problem.delay, pick)
    delays = {(stream.source, stream.target): picked(stream) for stream in problem.streams}
    done: dict[str, float] = {}
    for operator, sources in problem.path_inputs.items():
        speedups = {problem.node(node).speedup for node in problem.candidates(operator)}
        work = pick(problem.operator(operator).execution_time / speedup for speedup in speedups)
        arrivals = (done[source] + delays[source, operator] for source in sources)
        done[operator] = max(arrivals, default=0.0) + work
    return max(done.values(), default=0.0)


def _log_availability(problem: PlacementProblem, pick: Pick) -> float:
    """Sum the picked log A_u over operators and the picked log A_(u,v) over streams."""

    def pick_usable(choice: Iterable[float]) -> float:
        return pick([it for it in choice if it > 0] or [0.0])

    nodes = [
        pick_usable(problem.node(node).availability for node in problem.candidates(operator.id))
        for operator in problem.operators
    ]
    picked = _over_pairs(problem, problem.availability, pick_usable)
    links = [picked(stream) for stream in problem.streams]
    return sum(logarithm(it) for it in nodes + links)


def _inter_node_traffic(problem: PlacementProblem, pick: Pick) -> float:
    """Σ λ over the streams whose ends can (best case: must) be on different nodes."""
    picked = _over_pairs(problem, lambda u, v: float(u != v), pick)
    return sum(stream.rate * picked(stream) for stream in problem.streams)


def _network_usage(problem: PlacementProblem, pick: Pick) -> float:
    """Sum λ times the picked d_(u,v) over streams."""
    picked = _over_pairs(problem, problem.delay, pick)
    return sum(stream.rate * picked(stream) for stream in problem.streams)


def _elastic_energy(problem: PlacementProblem, pick: Pick) -> float:
    """Sum λ times the square of the picked d_(u,v) over streams."""
    picked = _over_pairs(problem, problem.delay, pick)
    return sum(stream.rate * picked(stream) ** 2 for stream in problem.streams)


_FORMULAS: dict[Term, Callable[[PlacementProblem, Pick], float]] = {
    Term.R: _response_time,
    Term.T: _inter_node_traffic,
    Term.N: _network_usage,
    Term.EE: _elastic_energy,
}


def _over_pairs(
    problem: PlacementProblem, metric: Callable[[str, str], float], pick: Pick
) -> Callable[[Stream], float]:
    """Pick among the metric of all pairs of a stream; streams between the same candidates share it.

    Executors of one component do: thousands of streams, but a handful of such choices.
    """
    known: dict[tuple[tuple[str, ...], tuple[str, ...], bool], float] = {}

    def picked(stream: Stream) -> float:
        source, target = stream.source, stream.target
        key = problem.candidates(source), problem.candidates(target), source == target
        if key not in known:
            known[key] = pick(metric(u, v) for u, v in candidate_pairs(problem, stream))
        return known[key]

    return picked


def candidate_pairs(problem: PlacementProblem, stream: Stream) -> Iterator[tuple[str, str]]:
    """Pairs of nodes that the stream's ends can be on; an operator shares a node with itself."""
    if stream.source == stream.target:
        return ((node, node) for node in problem.candidates(stream.source))
    return (
        (source, target)
        for source in problem.candidates(stream.source)
        for target in problem.candidates(stream.target)
    )
