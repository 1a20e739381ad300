import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.objectives.load import forecast_load

NODES = (Node("n1", cores=2.0), Node("n2", cores=2.0))
TOGETHER = {"s": "n1", "a1": "n1", "a2": "n2", "z": "n1"}
"""a2, alone on n2, gets nothing: a1 is next to the source."""


def shuffled(name: str | None = "a") -> PlacementProblem:
    """s shuffles 10 tuples/s to a1 and a2, which send all of it to z; the nodes are 0.4 s apart."""
    return PlacementProblem(
        operators=(
            Operator("s", demand=0.1),
            Operator("a1", demand=0.2, execution_time=0.01),
            Operator("a2", demand=0.2, execution_time=0.01),
            Operator("z", demand=None, cpu=0.1, execution_time=0.001),
        ),
        streams=(
            Stream("s", "a1", 5.0, shuffle=name),
            Stream("s", "a2", 5.0, shuffle=name),
            Stream("a1", "z", 5.0),
            Stream("a2", "z", 5.0),
        ),
        nodes=NODES,
        links={("n1", "n2"): Link(0.4), ("n2", "n1"): Link(0.4)},
    )


def test_a_placements_rates_and_measured_demands_are_those_that_its_shuffles_make() -> None:
    placed = as_placed(shuffled(), TOGETHER)
    assert [it.rate for it in placed.streams] == [10, 0, 10, 0]
    assert [it.demand for it in placed.operators] == [0.1, 0.4, 0.0, None]
    assert {it.shuffle for it in placed.streams} == {None}


@pytest.mark.parametrize("placement", [{}, TOGETHER | {"a2": "elsewhere"}])
def test_where_not_all_operators_are_placed_rates_are_those_of_an_even_spread(
    placement: dict[str, str],
) -> None:
    problem = shuffled()
    assert as_placed(problem, placement) is problem


def test_without_shuffles_rates_hold_wherever_operators_are() -> None:
    problem = shuffled(None)
    assert as_placed(problem, TOGETHER) is problem


def test_what_gets_no_tuples_is_on_no_path() -> None:
    # Without the shuffle the slowest path is s → a2 → z, 0.8 s there and back.
    assert forecast_load(shuffled(None), TOGETHER).longest_path > 0.8
    assert forecast_load(shuffled(), TOGETHER).longest_path < 0.1
    # But for a hundredth of an even spread's 0.2 cores.
    assert forecast_load(shuffled(), TOGETHER).operator_utilisation["a2"] == pytest.approx(2e-3)
