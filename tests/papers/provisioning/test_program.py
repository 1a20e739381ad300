"""The rows of the integer program: what each says, and that no valid provision breaks any."""

from dataclasses import replace

import pytest
from eyewall_papers.provisioning import DataServer, Provision, ProvisioningProblem, violations
from eyewall_papers.provisioning.blobs import Blobs, blobs
from eyewall_papers.provisioning.exact import exact
from eyewall_papers.provisioning.program import (
    ProvisioningProgram,
    create_program,
    define_links,
    most_variables,
    price_unit,
    read_hosted,
)
from eyewall_sidecar.exact.finding import Outcome
from eyewall_sidecar.exact.highs import minimise
from hypothesis import given, settings
from hypothesis import strategies as st
from pulp import LpConstraint, LpProblem
from random_provisioning import provisioning_problems
from small_provisioning import LARGE, SMALL, pair


def stopped() -> float:
    return 0.0


def rows(linear: LpProblem) -> dict[str, LpConstraint]:
    return {row.name: row for row in linear.constraints()}


def program(problem: ProvisioningProblem, machines: int = 2) -> ProvisioningProgram:
    return create_program(problem, blobs(problem), machines)


def row(problem: ProvisioningProblem, name: str) -> str:
    return " ".join(str(rows(program(problem).linear)[name]).split())


def families(problem: ProvisioningProblem) -> set[str]:
    return {name.rstrip("_0123456789") for name in rows(program(problem).linear)}


def test_constraint_1_is_counted_in_parts_of_all_the_work() -> None:
    # a and b (blobs 1 and 0) take 3 of 6 cores each; a small machine has 4 of 6, a large one all,
    # as 8 is more than there is: 0.5 x_a + 0.5 x_b ≤ 0.667 t_small + t_large.
    factors = {variable.name: it for variable, it in rows(program(pair()).linear)["cpu_0"].items()}
    assert factors == pytest.approx({"x_0_0": 0.5, "x_1_0": 0.5, "t_0_0": -2 / 3, "t_0_1": -1})


def test_the_heaviest_operator_is_on_the_first_machine() -> None:
    made = program(pair(works=(3, 2)))
    assert made.blobs.members == (("b",), ("a",))
    assert set(made.x[1]) == {0}
    assert set(made.x[0]) == {0, 1}


def test_a_machine_is_numbered_after_one_with_a_heavier_operator() -> None:
    assert row(pair(works=(3, 2)), "numbering_0_1") == "x_0_1 - x_1_0 <= -0.0"


def test_a_platform_that_is_there_has_each_machine_once() -> None:
    made = program(pair(types=(replace(SMALL, count=1.0),)), machines=2)
    assert made.n[0].upBound == 1


@given(provisioning_problems(operators=6), st.integers(1, 4))
def test_no_program_has_more_variables_than_predicted(
    problem: ProvisioningProblem, machines: int
) -> None:
    made = program(problem, machines)
    assert len(made.linear.variables()) <= most_variables(problem, made.blobs, machines)


def test_streams_take_no_variables_where_no_card_can_bind() -> None:
    # Two machines, two types, operators a and b: t 4, n 2, x 3, and d 1 for a's object, as the
    # heavier of both is on the first machine; that is not foretold. Cards of 100 bytes/s carry the
    # 5 + 2 that there are.
    wide = (replace(SMALL, card=100.0), replace(LARGE, card=100.0))
    made = program(pair(types=wide))
    assert not made.y
    assert len(made.linear.variables()) == 4 + 2 + 3 + 1
    assert most_variables(made.problem, made.blobs, 2) == 4 + 2 + 4 + 2


def test_limits_that_nothing_can_reach_have_no_rows() -> None:
    # Work, cards and servers without limits that bind: no rows of (1) to (4) are left.
    vast = replace(SMALL, cpu=100.0, card=1000.0)
    assert families(pair(types=(vast,))).isdisjoint({"cpu", "card", "server", "server_link"})


def test_servers_and_their_links_have_rows_where_they_bind() -> None:
    server = DataServer("s", ("k",), card=9, link=4)
    problem = replace(pair(servers=(server,)), needs={"a": ("k",), "b": ("k",)})
    assert {"server", "server_link"} <= families(problem)


def test_a_download_is_binary_only_where_there_is_a_choice_of_servers() -> None:
    two = (DataServer("s", ("k",)), DataServer("t", ("k",)))
    assert {it.cat for it in program(pair()).d[0][0].values()} == {"Continuous"}
    assert {it.cat for it in program(pair(servers=two)).d[0][0].values()} == {"Integer"}


def test_the_objective_is_the_price_in_units_of_the_dearest_machine() -> None:
    made = program(pair())
    assert price_unit(made.blobs) == 16
    assert str(made.linear.objective) == "0.625*n_0 + n_1"


def test_the_optimum_of_the_program_is_read_back() -> None:
    made = program(pair())
    run = minimise(made.linear, ends_at=60.0, clock=stopped, seed=0)
    assert run.outcome is Outcome.OPTIMAL
    assert run.bound * price_unit(made.blobs) == pytest.approx(16)
    (only,) = read_hosted(made)
    assert (only.places(), only.type) == ([0, 1], 1)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(provisioning_problems(operators=6), st.sampled_from([1.0, 1.2, 2.0]))
def test_every_valid_provision_obeys_every_row(problem: ProvisioningProblem, factor: float) -> None:
    # What is the cheapest at a higher rate is valid, and often not the cheapest, at this one.
    _, provision = exact(
        problem.at(problem.throughput * factor), time_limit=60, seed=0, clock=stopped
    )
    if provision is None:
        return
    assert violations(problem, provision) == ()
    joined = blobs(problem)
    made = create_program(problem, joined, len(joined))
    define_links(made)
    _fix(made, provision)
    broken = [name for name, it in rows(made.linear).items() if not it.valid(1e-6)]
    assert broken == []


def _fix(made: ProvisioningProgram, provision: Provision) -> None:
    """Give every variable its value in the provision, by its name in the LP file."""
    problem, joined = made.problem, made.blobs
    numbers = _numbers(joined, provision)
    on = {b: numbers[provision.placement[members[0]]] for b, members in enumerate(joined.members)}
    names = [it.name for it in problem.types]
    types = {numbers[it.id]: names.index(it.type.name) for it in provision.machines}
    downloads = {
        (numbers[machine], name): server for (machine, name), server in provision.downloads.items()
    }
    value: float
    for variable in made.linear.variables():
        kind, *places = variable.name.split("_")
        match kind, [int(it) for it in places]:
            case "x", [i, u]:
                value = on[i] == u
            case "t", [u, c]:
                value = types.get(u) == c
            case "n", [c]:
                value = sum(it == c for it in types.values())
            case "y", [u, i, j]:
                value = (on[i] == u) != (on[j] == u)
            case "z", [u, v, i, j]:
                value = {on[i], on[j]} == {u, v}
            case "d", [u, k, place]:
                thing = problem.objects[k].id
                value = downloads.get((u, thing)) == problem.holders(thing)[place].id
            case _:
                raise AssertionError(variable.name)
        variable.varValue = float(value)


def _numbers(joined: Blobs, provision: Provision) -> dict[str, int]:
    """Number the machines by their heaviest blobs."""
    order = dict.fromkeys(provision.placement[members[0]] for members in reversed(joined.members))
    return {machine: number for number, machine in enumerate(order)}
