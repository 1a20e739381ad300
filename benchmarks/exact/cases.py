"""The cases that benchmarks of placement go through, by name; each a seeded problem."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from eyewall_papers.instances.baseline import GraphShape, baseline
from eyewall_papers.instances.tag_and_count import tag_and_count
from eyewall_sidecar.model import PlacementProblem
from eyewall_sidecar.objective import Objective

WEIGHTED = "R=0.5,A=0.2,N=0.3"
SEQUENTIAL, FAT, LAYERS = GraphShape
FIGURE = "in a figure only"


@dataclass(frozen=True, slots=True)
class Case:
    """A family of problems, one for each seed, and an objective.

    Parameters
    ----------
    name
        What a table calls it.
    problem
        Seed → problem.
    paper
        What paper 000 says of it (CPLEX 12.6.2, a machine of 2016).
    """

    name: str
    objective: Objective
    problem: Callable[[int], PlacementProblem]
    paper: str = ""


def sodp(objective: str) -> Case:
    """S-ODP of section 7.1."""
    return Case("S-ODP 12 × 8", Objective.parse(objective), tag_and_count, "< 420 ms")


def scaled(
    shape: GraphShape,
    operators: int,
    nodes: int,
    objective: str = "R=1",
    *,
    capacity: int = 4,
    paper: str = "",
) -> Case:
    """The baseline of section 7.3; rates and availabilities vary where R is not all there is."""
    asked = Objective.parse(objective)
    name = f"{shape} {operators} × {nodes}" + (f", capacity {capacity}" if capacity != 4 else "")
    return Case(name, asked, partial(_problem, shape, operators, nodes, capacity, objective), paper)


def _problem(
    shape: GraphShape, operators: int, nodes: int, capacity: int, objective: str, seed: int
) -> PlacementProblem:
    varied = objective != "R=1"
    return baseline(shape, operators, nodes, capacity=capacity, seed=seed, varied=varied)


TABLE = (
    *(scaled(shape, 20, 20, paper=FIGURE) for shape in GraphShape),
    *(scaled(shape, 50, 20, paper=FIGURE) for shape in (SEQUENTIAL, FAT)),
    scaled(SEQUENTIAL, 20, 100, paper="gap < 10 % within 500 s"),
    scaled(FAT, 20, 100, paper="gap < 10 % only near the end"),
    scaled(LAYERS, 20, 100),
)

GROUPS: dict[str, tuple[Case, ...]] = {
    "sodp": tuple(sodp(it) for it in ("R=1", "A=1", "T=1", "N=1", "EE=1", WEIGHTED)),
    "table": TABLE,
    "open": (
        scaled(LAYERS, 40, 20),
        scaled(LAYERS, 20, 20, "N=1"),
        scaled(LAYERS, 20, 20, capacity=2),
        scaled(FAT, 20, 20, "T=1"),
        scaled(FAT, 20, 20, WEIGHTED),
        scaled(SEQUENTIAL, 50, 20, "A=1"),
        scaled(FAT, 50, 20, "A=1"),
    ),
    "more": (
        *(scaled(shape, operators, 20) for shape in GraphShape for operators in (10, 30)),
        *(scaled(shape, 40, 20) for shape in (SEQUENTIAL, FAT)),
        *(scaled(shape, 20, 50) for shape in GraphShape),
        *(scaled(shape, 20, 20, capacity=2) for shape in (SEQUENTIAL, FAT)),
        *(scaled(shape, 20, 20, capacity=10) for shape in GraphShape),
        *(
            scaled(SEQUENTIAL, operators, nodes, objective)
            for operators, nodes in ((20, 20), (20, 100), (50, 20))
            for objective in ("T=1", "N=1", "EE=1", WEIGHTED)
        ),
        *(scaled(FAT, 20, 20, objective) for objective in ("N=1", "EE=1")),
        *(scaled(FAT, 20, 100, objective) for objective in ("N=1", WEIGHTED)),
        *(scaled(LAYERS, 20, 20, objective) for objective in ("T=1", "EE=1", WEIGHTED)),
    ),
}
"""`open` is what no prototype proved in general; `more` takes long and is not run unasked."""
