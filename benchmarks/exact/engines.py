"""Our exact engines one by one, without the policy around them: from the arrays to the answer."""

from collections.abc import Callable
from time import perf_counter

from eyewall_sidecar.exact.branch_and_bound import branch_and_bound, covers
from eyewall_sidecar.exact.closed_form import shape_of, solve_closed_form
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.sparse_engine import integer_program
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.costs import Costs, weigh

from benchmarks.exact.contenders import Contender, ContenderRun, Question, term_weights

Solve = Callable[[ProblemArrays, Costs, float], Finding]
Covers = Callable[[ProblemArrays], bool]


def engine(solve: Solve, covers: Covers) -> Contender:
    """Return the engine as a contender: costs by `term_weights`, no initial placement."""

    def answer(question: Question) -> ContenderRun:
        arrays = ProblemArrays.of(question.problem)
        if not covers(arrays):
            return ContenderRun(0.0, remark="not covered")
        began = perf_counter()
        costs = weigh(arrays, term_weights(question.objective, question.ranges))
        found = solve(arrays, costs, began + question.time_limit)
        seconds = perf_counter() - began
        if found.places is None:
            return ContenderRun(seconds, remark=found.remark or found.outcome.value)
        return ContenderRun(
            seconds,
            proven=found.outcome is Outcome.OPTIMAL,
            cost=found.cost,
            gap=(found.cost - found.bound) / max(abs(found.cost), 1e-9),
            remark=f"{found.steps} steps",
        )

    return answer


ENGINES: dict[str, Contender] = {
    "branch and bound": engine(
        lambda arrays, costs, ends_at: branch_and_bound(
            arrays, costs, start=None, ends_at=ends_at, clock=perf_counter
        ),
        covers,
    ),
    "transport": engine(
        lambda arrays, costs, ends_at: solve_closed_form(
            arrays, costs, ends_at=ends_at, clock=perf_counter
        ),
        lambda arrays: shape_of(arrays) is not None,
    ),
    "integer program": engine(
        lambda arrays, costs, ends_at: integer_program(
            arrays, costs, start=None, ends_at=ends_at, clock=perf_counter, seed=0
        ),
        lambda arrays: True,  # noqa: ARG005 (any problem)
    ),
}
