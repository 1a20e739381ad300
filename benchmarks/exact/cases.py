"""The cases of the placement benchmarks; each is a family of seeded problems."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_papers.instances.tag_and_count import tag_and_count
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Objective

from benchmarks.instances.loaded import loaded
from benchmarks.instances.unequal import UnequalShape, unequal

WEIGHTED = "R=0.5,A=0.2,N=0.3"
SEQUENTIAL, FAT, LAYERS = GraphShape
FIGURE = "in a figure only"


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """A family of problems, one for each seed, and an objective.

    Parameters
    ----------
    name
        Its name in tables.
    problem
        Seed → problem.
    paper
        The result in paper 000 (CPLEX 12.6.2, a machine of 2016).
    """

    name: str
    objective: Objective
    problem: Callable[[int], PlacementProblem]
    paper: str = ""


def sodp_case(objective: str) -> BenchmarkCase:
    """S-ODP of section 7.1."""
    return BenchmarkCase("S-ODP 12 × 8", Objective.parse(objective), tag_and_count, "< 420 ms")


def baseline_case(
    shape: GraphShape,
    operators: int,
    nodes: int,
    objective: str = "R=1",
    *,
    capacity: int = 4,
    paper: str = "",
) -> BenchmarkCase:
    """The baseline of section 7.3; rates and availabilities vary if the objective is not R."""
    asked = Objective.parse(objective)
    name = f"{shape} {operators} × {nodes}" + (f", capacity {capacity}" if capacity != 4 else "")
    return BenchmarkCase(
        name, asked, partial(_problem, shape, operators, nodes, capacity, objective), paper
    )


def _problem(
    shape: GraphShape, operators: int, nodes: int, capacity: int, objective: str, seed: int
) -> PlacementProblem:
    varied = objective != "R=1"
    return baseline(shape, operators, nodes, capacity=capacity, seed=seed, varied=varied)


def unequal_case(shape: UnequalShape, operators: int, nodes: int, objective: str) -> BenchmarkCase:
    """Nodes with unequal speed and room."""
    return BenchmarkCase(
        f"unequal {shape} {operators} × {nodes}",
        Objective.parse(objective),
        partial(unequal, shape, operators, nodes),
    )


def loaded_case(shape: UnequalShape, operators: int, nodes: int, objective: str) -> BenchmarkCase:
    """Nodes with unequal speed, room and cores, and operators that need up to 0.8 of one."""
    return BenchmarkCase(
        f"loaded {shape} {operators} × {nodes}",
        Objective.parse(objective),
        partial(loaded, shape, operators, nodes),
    )


TABLE = (
    *(baseline_case(shape, 20, 20, paper=FIGURE) for shape in GraphShape),
    *(baseline_case(shape, 50, 20, paper=FIGURE) for shape in (SEQUENTIAL, FAT)),
    baseline_case(SEQUENTIAL, 20, 100, paper="gap < 10 % within 500 s"),
    baseline_case(FAT, 20, 100, paper="gap < 10 % only near the end"),
    baseline_case(LAYERS, 20, 100),
)

GROUPS: dict[str, tuple[BenchmarkCase, ...]] = {
    "sodp": tuple(sodp_case(it) for it in ("R=1", "A=1", "T=1", "N=1", "EE=1", WEIGHTED)),
    "table": TABLE,
    "open": (
        baseline_case(LAYERS, 40, 20),
        baseline_case(LAYERS, 20, 20, "N=1"),
        baseline_case(LAYERS, 20, 20, capacity=2),
        baseline_case(FAT, 20, 20, "T=1"),
        baseline_case(FAT, 20, 20, WEIGHTED),
        baseline_case(SEQUENTIAL, 50, 20, "A=1"),
        baseline_case(FAT, 50, 20, "A=1"),
    ),
    "more": (
        *(baseline_case(shape, operators, 20) for shape in GraphShape for operators in (10, 30)),
        *(baseline_case(shape, 40, 20) for shape in (SEQUENTIAL, FAT)),
        *(baseline_case(shape, 20, 50) for shape in GraphShape),
        *(baseline_case(shape, 20, 20, capacity=2) for shape in (SEQUENTIAL, FAT)),
        *(baseline_case(shape, 20, 20, capacity=10) for shape in GraphShape),
        *(
            baseline_case(SEQUENTIAL, operators, nodes, objective)
            for operators, nodes in ((20, 20), (20, 100), (50, 20))
            for objective in ("T=1", "N=1", "EE=1", WEIGHTED)
        ),
        *(baseline_case(FAT, 20, 20, objective) for objective in ("N=1", "EE=1")),
        *(baseline_case(FAT, 20, 100, objective) for objective in ("N=1", WEIGHTED)),
        *(baseline_case(LAYERS, 20, 20, objective) for objective in ("T=1", "EE=1", WEIGHTED)),
    ),
    "unequal": tuple(
        unequal_case(shape, operators, 20, objective)
        for shape in UnequalShape
        for operators in (40, 100)
        for objective in ("R=1", "N=1")
    ),
    "unequal-large": tuple(
        unequal_case(shape, 500, 100, objective)
        for shape in UnequalShape
        for objective in ("R=1", "N=1")
    ),
    "loaded": tuple(
        loaded_case(shape, operators, nodes, objective)
        for operators, nodes in ((9, 6), (40, 20), (100, 20), (500, 100))
        for shape in UnequalShape
        for objective in ("L=1", "THETA=1")
    ),
}
"""`open`: cases that no prototype proved on all seeds. `more` and those of unequal
or loaded nodes take long and run on request."""
