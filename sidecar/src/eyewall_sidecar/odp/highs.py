"""HiGHS under PuLP: the same solver object, with the program handed over at once."""

from dataclasses import dataclass
from enum import Enum

import highspy
import numpy as np
from pulp import HiGHS as PulpHiGHS
from pulp import LpProblem
from pulp.constants import LpInteger

RELATIVE_GAP = 1e-7
"""The default of 1e-4 would call 160.676 optimal where 160.400 is."""


_EFFORT = {"mip_allow_restart": False, "mip_heuristic_run_feasibility_jump": False}
"""Half the time on S-ODP: its optimum is found at the root, and proven without a second start."""


class Outcome(Enum):
    """How a run of the solver ended."""

    OPTIMAL = "optimal"
    INCUMBENT = "incumbent"
    INFEASIBLE = "infeasible"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Run:
    """What the solver found; its values are in the program's variables.

    Parameters
    ----------
    outcome
        How the run ended.
    bound
        No solution has a smaller objective.
    """

    outcome: Outcome
    bound: float


def minimise(linear: LpProblem, *, time_limit: float, seed: int) -> Run:
    """Run HiGHS on one thread for at most `time_limit` seconds."""
    solver = _HiGHS(
        msg=False,
        threads=1,
        timeLimit=max(time_limit, 0.0),
        gapRel=RELATIVE_GAP,
        random_seed=seed % 2**31,
        **_EFFORT,
    )
    linear.solve(solver)
    model = linear.solverModel
    info = model.getInfo()
    bound = info.mip_dual_bound
    match model.getModelStatus():
        case highspy.HighsModelStatus.kOptimal:
            return Run(Outcome.OPTIMAL, bound)
        case highspy.HighsModelStatus.kInfeasible:
            return Run(Outcome.INFEASIBLE, bound)
        case _ if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            return Run(Outcome.INCUMBENT, bound)
        case _:
            return Run(Outcome.NOTHING, bound)


class _HiGHS(PulpHiGHS):  # type: ignore[misc]
    """PuLP's HiGHS; PuLP adds the program row by row, which takes longer than solving it."""

    def buildSolverModel(self, lp: LpProblem) -> None:  # noqa: N802 (PuLP's name)
        variables = lp.variables()
        for place, variable in enumerate(variables):
            variable.index = place
        rows = list(lp._constraints.values())  # noqa: SLF001 (constraints() of PuLP 3 warns)
        starts, columns, values = [0], [], []
        for place, row in enumerate(rows):
            row.index = place
            columns += [variable.index for variable in row]
            values += row.values()
            starts.append(len(columns))
        highs = highspy.HighsLp()
        highs.num_col_, highs.num_row_ = len(variables), len(rows)
        highs.col_cost_ = np.array([lp.objective.get(it, 0.0) for it in variables], dtype=float)
        highs.col_lower_ = np.array([_or(it.lowBound, -np.inf) for it in variables], dtype=float)
        highs.col_upper_ = np.array([_or(it.upBound, np.inf) for it in variables], dtype=float)
        highs.row_lower_ = np.array([_or(it.getLb(), -np.inf) for it in rows], dtype=float)
        highs.row_upper_ = np.array([_or(it.getUb(), np.inf) for it in rows], dtype=float)
        highs.integrality_ = [
            highspy.HighsVarType.kInteger
            if it.cat == LpInteger
            else highspy.HighsVarType.kContinuous
            for it in variables
        ]
        highs.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        highs.a_matrix_.start_ = np.array(starts, dtype=np.int32)
        highs.a_matrix_.index_ = np.array(columns, dtype=np.int32)
        highs.a_matrix_.value_ = np.array(values, dtype=float)
        lp.solverModel.passModel(highs)


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound
