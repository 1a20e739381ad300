"""HiGHS under PuLP: the same solver object, with the program handed over at once."""

from collections.abc import Callable
from dataclasses import dataclass

import highspy
import numpy as np
from pulp import HiGHS as PulpHiGHS
from pulp import LpProblem
from pulp.constants import LpInteger

from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.sparse_engine import RELATIVE_GAP

_EFFORT = {"mip_allow_restart": False, "mip_heuristic_run_feasibility_jump": False}
"""Half the time on S-ODP: its optimum is found at the root, and proven without a second start."""

VARIABLES_PER_SECOND = 50_000
"""A program with more is not worth building: its relaxation would not be solved in time."""
MOST_VARIABLES = 100_000
"""Above this HiGHS takes steps of many seconds without a look at its time limit."""

_EXPECTED = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kInfeasible,
    highspy.HighsModelStatus.kTimeLimit,
)


@dataclass(frozen=True, slots=True)
class HighsRun:
    """What the solver found; its values are in the program's variables.

    Parameters
    ----------
    outcome
        How the run ended.
    bound
        No solution has a smaller objective.
    error
        What went wrong in the solver, in its words.
    """

    outcome: Outcome
    bound: float
    error: str = ""


class RefusedProgramError(Exception):
    """A program that HiGHS does not take; in its words."""


def minimise(
    linear: LpProblem, *, ends_at: float, clock: Callable[[], float], seed: int
) -> HighsRun:
    """Run HiGHS on one thread until `clock` tells `ends_at`; costs are never negative.

    Reading the values back takes about as long as handing the program over did.
    """
    started = clock()
    solver = _HiGHS(
        lambda: ends_at - 2 * clock() + started,
        msg=False,
        threads=1,
        gapRel=RELATIVE_GAP,
        random_seed=seed % 2**31,
        **_EFFORT,
    )
    try:
        linear.solve(solver)
    except RefusedProgramError as error:
        return HighsRun(Outcome.FAILED, 0.0, str(error))
    model = linear.solverModel
    info = model.getInfo()
    status = model.getModelStatus()
    wrong = "" if status in _EXPECTED else model.modelStatusToString(status)
    match status:
        case highspy.HighsModelStatus.kOptimal:
            return HighsRun(Outcome.OPTIMAL, info.mip_dual_bound)
        case highspy.HighsModelStatus.kInfeasible:
            return HighsRun(Outcome.INFEASIBLE, info.mip_dual_bound)
        case _ if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            return HighsRun(Outcome.INCUMBENT, info.mip_dual_bound, wrong)
        case _ if wrong:
            return HighsRun(Outcome.FAILED, 0.0, wrong)
        case _:
            return HighsRun(Outcome.NOTHING, info.mip_dual_bound)


class _HiGHS(PulpHiGHS):  # type: ignore[misc]
    """PuLP's HiGHS; PuLP adds the program row by row, which takes longer than solving it.

    `remaining` tells the seconds that the solver has once the program is handed over.
    """

    def __init__(self, remaining: Callable[[], float], **options: object) -> None:
        super().__init__(**options)
        self._remaining = remaining

    def callSolver(self, lp: LpProblem) -> None:  # noqa: N802 (PuLP's name)
        lp.solverModel.setOptionValue("time_limit", max(0.0, self._remaining()))
        lp.solverModel.run()

    def buildSolverModel(self, lp: LpProblem) -> None:  # noqa: N802 (PuLP's name)
        variables = lp.variables()
        for place, variable in enumerate(variables):
            variable.index = place
        rows = lp.constraints()
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
        if lp.solverModel.passModel(highs) == highspy.HighsStatus.kError:
            raise RefusedProgramError(_complaint(highs))


def _complaint(program: highspy.HighsLp) -> str:
    """Hand the program over once more, and listen to what HiGHS says."""
    said: list[str] = []
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("log_to_console", False)  # noqa: FBT003 (HiGHS's way)
    highs.cbLogging.subscribe(lambda event: said.append(event.message))
    highs.passModel(program)
    errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR")]
    return "; ".join(errors) or "no reason given"


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound
