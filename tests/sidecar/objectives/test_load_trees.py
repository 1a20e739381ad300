"""Response time under load of what follows from one tuple: its tree, and what it finds at work."""

from dataclasses import replace

import pytest
from eyewall_sidecar.model import Link, LoadModel, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.objectives.load_arrays import ASSUMED_WORK


@pytest.mark.parametrize(
    ("cores", "seconds"),
    [
        (0.5, 0.04),  # 2 · 10 ms of work for half a core
        (1.0, 0.02),
        (2.0, 0.01),  # side by side
        (4.0, 0.01),  # 5 ms would do for all, but not for one thread
    ],
)
def test_a_tuples_ack_waits_for_all_that_its_host_works_on_for_it(
    cores: float, seconds: float
) -> None:
    # Each tuple goes from a by way of f to b and to c, which work 10 ms on it.
    problem = PlacementProblem(
        operators=tuple(
            Operator(it, cpu=0, execution_time=work)
            for it, work in (("a", 0.0), ("f", 0.0), ("b", 0.01), ("c", 0.01))
        ),
        streams=(Stream("a", "f", 1), Stream("f", "b", 1), Stream("f", "c", 1)),
        nodes=(Node("n", cores=cores),),
        links={},
    )
    found = forecast_load(problem, dict.fromkeys("afbc", "n"))
    assert found.response_time == pytest.approx(seconds)


def test_hosts_that_work_side_by_side_are_not_added_up_unless_they_do_it_one_after_the_other() -> (
    None
):
    # f sends each tuple to b and to c, which work 10 ms on it: on cores of their own at a time.
    forked = PlacementProblem(
        operators=tuple(
            Operator(it, cpu=0, execution_time=work)
            for it, work in (("a", 0.0), ("f", 0.0), ("b", 0.01), ("c", 0.01))
        ),
        streams=(Stream("a", "f", 1), Stream("f", "b", 1), Stream("f", "c", 1)),
        nodes=tuple(Node(it, cores=1.0) for it in "nuv"),
        links={(x, y): Link(0.0) for x in "nuv" for y in "nuv" if x != y},
    )
    apart = dict(zip("afbc", "nnuv", strict=True))
    assert forecast_load(forked, apart).response_time == pytest.approx(0.01)
    # Wherever f is, what b and c do on one core takes 20 ms.
    together = dict(zip("afbc", "nnuu", strict=True))
    assert forecast_load(forked, together).response_time == pytest.approx(0.02)
    # The slowest path has 10 ms of work, however many there are.
    assert forecast_load(forked, together).longest_path == pytest.approx(0.01)


def test_each_half_of_the_tuples_takes_as_long_on_a_core_of_its_own() -> None:
    # a sends half of the tuples to f and half to g; each sends them on to two of its own.
    problem = PlacementProblem(
        operators=tuple(
            Operator(it, cpu=0, execution_time=0.01 if it in "bcde" else 0.0) for it in "afgbcde"
        ),
        streams=(
            *(Stream("a", it, 1) for it in "fg"),
            *(Stream("f", it, 1) for it in "bc"),
            *(Stream("g", it, 1) for it in "de"),
        ),
        nodes=tuple(Node(it, cores=1.0) for it in "nu"),
        links={("n", "u"): Link(0.0), ("u", "n"): Link(0.0)},
    )
    for places in ("nnnnnnn", "nnunnuu"):
        placement = dict(zip("afgbcde", places, strict=True))
        assert forecast_load(problem, placement).response_time == pytest.approx(0.02)


@pytest.mark.parametrize("cores", [1.0, 16.0])
def test_more_cores_do_not_speed_up_one_threads_part_of_a_tree(cores: float) -> None:
    # Each tuple makes ten, which one executor works on for 10 ms each.
    problem = PlacementProblem(
        operators=(Operator("a", cpu=0), Operator("b", cpu=0, execution_time=0.01)),
        streams=(Stream("a", "b", 10),),
        nodes=(Node("n", cores=cores),),
        links={},
    )
    split = replace(
        problem,
        operators=(*problem.operators, Operator("source", cpu=0)),
        streams=(*problem.streams, Stream("source", "a", 1)),
    )
    found = forecast_load(split, dict.fromkeys(["source", "a", "b"], "n"))
    assert found.response_time == pytest.approx(0.1)


@pytest.mark.parametrize("count", [1, 4])
def test_who_shares_a_components_tuples_is_found_at_work_on_a_whole_one(count: int) -> None:
    # Each on a core of its own that is half used, ρ / (1 − ρ) = 1; 10 ms of work and γ = 0.5.
    names = [f"b{it}" for it in range(count)]
    nodes = ["n", *names]
    problem = PlacementProblem(
        operators=(
            Operator("a", cpu=0),
            *(Operator(it, demand=0.5, execution_time=0.01) for it in names),
        ),
        streams=tuple(Stream("a", it, 50) for it in names),
        nodes=tuple(Node(it, cores=1.0) for it in nodes),
        links={(x, y): Link(0.0) for x in nodes for y in nodes if x != y},
        load=LoadModel(burstiness=0.0, sharing=0.5),
    )
    found = forecast_load(problem, {"a": "n", **dict(zip(names, names, strict=True))})
    assert found.response_time == pytest.approx(0.01 + 0.005)


def test_tuples_wait_long_on_a_busy_node_whose_execution_times_are_unknown() -> None:
    busy = Operator("b", demand=0.5)
    problem = PlacementProblem(
        operators=(Operator("a", demand=0.0, execution_time=0.0), busy),
        streams=(Stream("a", "b", 1),),
        nodes=(Node("n", cores=1.0),),
        links={},
        load=LoadModel(burstiness=0.0),
    )
    both = {"a": "n", "b": "n"}
    # ρ = 0.5 on a core: h₁ = 1.
    assert forecast_load(problem, both).response_time == pytest.approx(ASSUMED_WORK)
    # That the source's time is known says nothing of what b does.
    source = replace(problem.operators[0], execution_time=0.001)
    partly = replace(problem, operators=(source, busy))
    assert forecast_load(partly, both).response_time == pytest.approx(ASSUMED_WORK)
    known = replace(problem, operators=(source, replace(busy, execution_time=0.002)))
    assert forecast_load(known, both).response_time == pytest.approx(0.002 + 0.003)
    # A source without a time is no reason to assume anything. ρ = 0.6: h₁ = 1.5.
    source = replace(problem.operators[0], demand=0.1)
    sink = replace(problem, operators=(source, replace(busy, execution_time=0.002)))
    assert forecast_load(sink, both).response_time == pytest.approx(0.002 + 0.002 * 1.5)
