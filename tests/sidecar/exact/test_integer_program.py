"""The families of docs/design/exact.md, seen in the program that a solver gets."""

import re
from math import inf
from pathlib import Path

import pytest
from eyewall_sidecar.exact.integer_program import OdpProgram, create_program, read_placement
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objective import Term


def chain(*, cpu: float = 2, bandwidth: float = inf, pinned: bool = False) -> PlacementProblem:
    """a → b → c on two nodes, 20 ms apart."""
    return PlacementProblem(
        operators=(
            Operator("a", candidates=("n1",) if pinned else None),
            Operator("b"),
            Operator("c"),
        ),
        streams=(Stream("a", "b", 10, 100), Stream("b", "c", 30, 100)),
        nodes=(Node("n1", cpu=cpu), Node("n2", availability=0.9)),
        links={("n1", "n2"): Link(0.02, 1, bandwidth), ("n2", "n1"): Link(0.02)},
    )


def rows(program: OdpProgram, folder: Path) -> dict[str, str]:
    """Return the rows of the LP file by name, spaces squeezed."""
    path = folder / "odp.lp"
    program.linear.writeLP(str(path))
    constraints = path.read_text().split("Subject To")[1].split("Bounds")[0]
    found = re.findall(r"^(\w+): ((?:.|\n(?!\w+:))*)", constraints, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def test_every_operator_is_assigned_to_one_node(tmp_path: Path) -> None:
    found = rows(create_program(chain(), {Term.R: 1.0}), tmp_path)
    assert found["assignment_0"] == "x_0_0 + x_0_1 = 1"
    assert {name for name in found if name.startswith("assignment")} == {
        "assignment_0",
        "assignment_1",
        "assignment_2",
    }


def test_a_capacity_is_counted_in_thousandths_and_only_where_it_can_bind(tmp_path: Path) -> None:
    # 1 core of 2 is 500 thousandths; n2 has no limit; of operators and memory there is no end.
    found = rows(create_program(chain(cpu=2), {Term.R: 1.0}), tmp_path)
    assert found["cpu_0"] == "500 x_0_0 + 500 x_1_0 + 500 x_2_0 <= 1000"
    assert {"cpu_1", "operators_0", "memory_0"}.isdisjoint(found)
    assert "cpu_0" not in rows(create_program(chain(cpu=3), {Term.R: 1.0}), tmp_path)


def test_streams_are_linked_to_the_operators_at_both_ends(tmp_path: Path) -> None:
    found = rows(create_program(chain(), {Term.N: 1.0}), tmp_path)
    assert found["linking_0_1_0"] == "- x_0_0 + y_0_1_0_0 + y_0_1_0_1 = 0"
    assert found["linking_1_0_1"] == "- x_1_1 + y_0_1_0_1 + y_0_1_1_1 = 0"


def test_a_stream_with_a_fixed_end_needs_no_variables_of_its_own(tmp_path: Path) -> None:
    program = create_program(chain(pinned=True), {Term.N: 1.0})
    assert program.y["a", "b"] == {("n1", "n1"): program.x["b"]["n1"]} | {
        ("n1", "n2"): program.x["b"]["n2"]
    }
    assert not [name for name in rows(program, tmp_path) if name.startswith("linking_0_1")]


def test_no_stream_variables_where_only_nodes_matter() -> None:
    # All links are always up, so A depends on x alone.
    assert create_program(chain(), {Term.A: 1.0}).y == {}


def test_a_bandwidth_is_counted_in_thousandths_of_bytes_per_second(tmp_path: Path) -> None:
    # a → b carries 1000 bytes/s and b → c 3000 of the 2000 that the link has.
    found = rows(create_program(chain(bandwidth=2000), {Term.R: 1.0}), tmp_path)
    assert found["bandwidth_0_1"] == "500 y_0_1_0_1 + 1500 y_1_2_0_1 <= 1000"
    assert "bandwidth_1_0" not in found


def test_the_longest_path_is_followed_operator_by_operator(tmp_path: Path) -> None:
    found = rows(create_program(chain(), {Term.R: 1.0}), tmp_path)
    # Worst case 20 + 20 ms, best case 0: a unit is 0.04 ms, so 20 ms are 500.
    assert found["path_0_1"] == "- done_0 + done_1 - 500 y_0_1_0_1 - 500 y_0_1_1_0 >= 0"
    assert found["sink_2"] == "- done_2 + response_time >= 0"
    assert {name for name in found if name.split("_")[0] in ("path", "source", "sink")} == {
        "source_0",
        "path_0_1",
        "path_1_2",
        "sink_2",
    }


def test_no_constant_is_left_in_the_objective(tmp_path: Path) -> None:
    # Pitfall: with 1 s of work on each operator, a relative gap of 1e-4 hides the network's part.
    slow = PlacementProblem(
        tuple(Operator(name, execution_time=1.0) for name in "ab"),
        (Stream("a", "b"),),
        (Node("n1", operators=1), Node("n2", operators=1)),
        {("n1", "n2"): Link(0.001), ("n2", "n1"): Link(0.001)},
    )
    program = create_program(slow, {Term.R: 1.0})
    assert program.linear.objective.constant == 0
    assert {variable.name for variable in program.costs} == {"response_time"}
    # What is minimised begins after the 2 s that every placement needs: 1 ms is 1000 units.
    sink = rows(program, tmp_path)["sink_1"]
    assert sink.startswith("- done_1 + response_time >= -")
    assert float(sink.split(">= -")[1]) == pytest.approx(2_000_000)


def test_a_node_that_is_never_up_is_no_candidate_for_availability_but_for_the_rest() -> None:
    problem = PlacementProblem(
        (Operator("a"),),
        (),
        (Node("n1"), Node("dead", availability=0)),
        {("n1", "dead"): Link(0.1), ("dead", "n1"): Link(0.1)},
    )
    assert list(create_program(problem, {Term.A: 1.0}).x["a"]) == ["n1"]
    assert list(create_program(problem, {Term.T: 1.0}).x["a"]) == ["n1", "dead"]


def test_where_nothing_is_optimised_the_nodes_listed_first_are_preferred() -> None:
    # Pitfall: HiGHS 1.10 to 1.15 can run for ever on a program without costs.
    program = create_program(chain(), {})
    assert program.costs == {}
    assert str(program.linear.objective) == (
        "x_0_0 + 2.0*x_0_1 + x_1_0 + 2.0*x_1_1 + x_2_0 + 2.0*x_2_1"
    )


@pytest.mark.parametrize("value", [0.999999, 1.0])
def test_the_placement_is_read_from_x_whatever_the_rounding(value: float) -> None:
    program = create_program(chain(), {})
    for choices in program.x.values():
        choices["n1"].varValue, choices["n2"].varValue = 1 - value, value
    assert read_placement(program) == {"a": "n2", "b": "n2", "c": "n2"}
