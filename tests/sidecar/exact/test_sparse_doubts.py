"""What HiGHS says of the numpy form is held against its placement before it is believed."""

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from eyewall_sidecar.exact.finding import Finding, Outcome
from eyewall_sidecar.exact.sparse_engine import solve_families
from eyewall_sidecar.exact.sparse_program import SparseProgram, families
from eyewall_sidecar.exact.sparse_rows import entries
from eyewall_sidecar.model.array_types import Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Term
from eyewall_sidecar.objectives.costs import weigh
from small_problems import chain_of


def spoilt(spoil: Callable[[SparseProgram], None], start: Places | None = None) -> Finding:
    """Solve a chain of 8 on 4 nodes whose program is spoilt at the end."""
    arrays = ProblemArrays.of(chain_of([1.0] * 7, [4] * 4))
    return solve_families(
        arrays,
        weigh(arrays, {Term.N: 1.0}),
        (*families(), spoil),
        start=start,
        ends_at=30.0,
        clock=lambda: 0.0,
        seed=0,
    )


def test_what_highs_refuses_is_told_in_its_words() -> None:
    def refuse(program: SparseProgram) -> None:
        huge = entries(0, program.x[0, :1], 1e20)
        program.add("refused", huge, count=1, lower=-inf, upper=1.0)

    finding = spoilt(refuse)
    assert finding.outcome is Outcome.FAILED
    assert finding.remark.startswith("the solver failed: ")
    assert "1e+15" in finding.remark


def test_a_placement_that_breaks_a_constraint_is_none_whatever_highs_says() -> None:
    def forget(program: SparseProgram) -> None:
        del program.blocks["capacity"]

    finding = spoilt(forget)
    assert (finding.outcome, finding.places) == (Outcome.FAILED, None)
    assert finding.remark.endswith("a node holds more than it can")
    kept = spoilt(forget, np.arange(8) // 4)
    assert kept.outcome is Outcome.INCUMBENT
    assert kept.remark == finding.remark


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_an_optimum_whose_cost_is_not_its_bound_is_not_called_optimal(factor: float) -> None:
    # Pitfall: objectives come back rounded, or are not the metric at all.
    def falsify(program: SparseProgram) -> None:
        program.objective *= factor

    finding = spoilt(falsify)
    assert finding.outcome is Outcome.INCUMBENT
    assert finding.remark.startswith("the solver failed: ")
    assert finding.bound < finding.cost


def test_infeasible_is_not_believed_where_a_placement_is_known() -> None:
    def forbid(program: SparseProgram) -> None:
        everything = entries(0, program.x, 1.0)
        program.add("forbidden", everything, count=1, lower=-inf, upper=1.0)

    assert spoilt(forbid).outcome is Outcome.INFEASIBLE
    finding = spoilt(forbid, np.arange(8) // 4)
    assert finding.outcome is Outcome.INCUMBENT
    assert finding.remark == "the solver failed: Infeasible"
