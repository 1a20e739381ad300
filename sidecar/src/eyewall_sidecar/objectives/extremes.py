"""The values of a term that no placement is better, or worse, than: what normalises equation (9).

Paper 000 leaves open where R_max, log A_min and Z_max come from. Here each is a formula of the
problem alone, the same for every policy: every operator by itself on the worst of its candidates,
every stream by itself on the worst pair of its ends' candidates, capacities or not. The best case
is the same with "best": it is the part of a metric that every placement has, its constant.
"""

from collections.abc import Callable, Iterator

import numpy as np
from eyewall_contracts.objective_terms import TERMS
from numpy.typing import NDArray

from eyewall_sidecar.model import PlacementProblem, Stream
from eyewall_sidecar.model.array_types import Floats
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh

Pick = Callable[[NDArray[np.float64]], np.float64]
"""`np.max` for the worst of what is minimised, `np.min` for the best."""


def worst_case(problem: PlacementProblem, term: Term) -> float:
    """Return a value of the term (for A: of log A) that no placement exceeds on the bad side.

    Candidates and links of availability 0 are left out of A, as no policy uses them for it.
    """
    return Extremes(ProblemArrays.of(problem)).worst(term)


def best_case(problem: PlacementProblem, term: Term) -> float:
    """Return a value of the term (for A: of log A) that no placement exceeds on the good side."""
    return Extremes(ProblemArrays.of(problem)).best(term)


class Extremes:
    """Best and worst cases of one problem; streams between the same candidates share the work.

    Executors of one component do: thousands of streams, but a handful of such choices.
    """

    def __init__(self, arrays: ProblemArrays) -> None:
        """Look at the problem once for all terms."""
        self._arrays = arrays
        self._known: dict[tuple[Term, bool], float] = {}
        # Operators with the same candidates are of one class.
        numbers: dict[bytes, int] = {}
        classes = [numbers.setdefault(row.tobytes(), len(numbers)) for row in arrays.allowed]
        self._classes = np.array(classes, dtype=np.int64)
        self._sets = arrays.allowed[[classes.index(it) for it in range(len(numbers))]]
        ends = self._classes[arrays.sources] * len(numbers) + self._classes[arrays.targets]
        choices, choice = np.unique(
            2 * ends + (arrays.sources == arrays.targets), return_inverse=True
        )
        self._choices = [(*divmod(it // 2, len(numbers)), it % 2) for it in choices.tolist()]
        self._choice = choice

    def worst(self, term: Term) -> float:
        """Return what `worst_case` says."""
        return self._remembered(term, worst=True)

    def best(self, term: Term) -> float:
        """Return what `best_case` says."""
        return self._remembered(term, worst=False)

    def _remembered(self, term: Term, *, worst: bool) -> float:
        key = term, worst
        if key not in self._known:
            greatest = worst == TERMS[term].less_is_better
            self._known[key] = self._value(term, np.max if greatest else np.min)
        return self._known[key]

    def _value(self, term: Term, pick: Pick) -> float:
        arrays = self._arrays
        match term:
            case Term.R:
                return self._response_time(pick)
            case Term.A:
                nodes = self._of_operators(_usable(arrays.node_logs), pick)
                return float(nodes.sum() + self._of_streams(_usable(arrays.link_logs), pick).sum())
            case _:
                costs = weigh(arrays, {term: 1.0})
                return float(
                    self._of_operators(costs.per_operator, pick).sum()
                    + costs.data_rates @ self._of_streams(costs.per_rate, pick)
                    + self._of_streams(costs.per_stream, pick).sum()
                )

    def _response_time(self, pick: Pick) -> float:
        """R with the picked R_i / S_u for each operator, the picked d_(u,v) for each stream."""
        arrays = self._arrays
        work = arrays.execution_times * self._of_operators(1.0 / arrays.speedups, pick)
        delays = dict(
            zip(
                zip(arrays.sources.tolist(), arrays.targets.tolist(), strict=True),
                self._of_streams(arrays.delays, pick).tolist(),
                strict=True,
            )
        )
        arrival, done = np.zeros(arrays.operators), work.copy()
        for source, target in zip(
            arrays.path_sources.tolist(), arrays.path_targets.tolist(), strict=True
        ):
            arrival[target] = max(arrival[target], done[source] + delays[source, target])
            done[target] = arrival[target] + work[target]
        return float(done[arrays.path_order].max(initial=0.0))

    def _of_operators(self, values: Floats, pick: Pick) -> Floats:
        """Return [operator]: the picked one of its candidates' values; nan is left out."""
        return np.array([_picked(values[row], pick) for row in self._sets])[self._classes]

    def _of_streams(self, values: Matrix, pick: Pick) -> Floats:
        """Return [stream]: the picked one of its candidates' pairs; nan is left out."""
        if not self._choices:
            return np.zeros(0)
        picked = []
        for source, target, same in self._choices:
            pairs = values[np.ix_(self._sets[source], self._sets[target])]
            picked.append(_picked(pairs.diagonal() if same else pairs.ravel(), pick))
        return np.array(picked)[self._choice]


def _usable(logs: Floats) -> Floats:
    return np.where(np.isinf(logs), np.nan, logs)


def _picked(values: Floats, pick: Pick) -> float:
    usable = values[~np.isnan(values)]
    return float(pick(usable)) if len(usable) else -np.inf


def candidate_pairs(problem: PlacementProblem, stream: Stream) -> Iterator[tuple[str, str]]:
    """Pairs of nodes that the stream's ends can be on; an operator shares a node with itself."""
    if stream.source == stream.target:
        return ((node, node) for node in problem.candidates(stream.source))
    return (
        (source, target)
        for source in problem.candidates(stream.source)
        for target in problem.candidates(stream.target)
    )
