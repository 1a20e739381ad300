"""Before CPU is measured a topology is placed at least as well as Storm's own scheduler does it."""

from dataclasses import replace
from math import inf

from eyewall_sidecar.model import (
    Link,
    Node,
    Operator,
    Placement,
    PlacementProblem,
    Solution,
    Status,
    Stream,
)
from eyewall_sidecar.model.load_model import LoadModel
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.first_placement import is_same_but_for_others, prefer_ras
from eyewall_sidecar.service.solver_pool import PlacementTask

LOAD = Objective.parse("L=1")
APART = {"a": "n1", "b": "n2"}
TOGETHER = {"a": "n1", "b": "n1"}


def two_hosts(delay: float) -> PlacementProblem:
    """A chain of two executors that declare a tenth of a core, two hosts of 0.3 cores."""
    return PlacementProblem(
        operators=(Operator("a", cpu=0.1), Operator("b", cpu=0.1)),
        streams=(Stream("a", "b", rate=1.0),),
        nodes=(Node("n1", cpu=0.3), Node("n2", cpu=0.3)),
        links={("n1", "n2"): Link(delay), ("n2", "n1"): Link(delay)},
        load=LoadModel(sharing=0.5),
    )


def frozen_clock() -> float:
    """However busy the machine, Storm's scheduler is in time."""
    return 0.0


def apart(problem: PlacementProblem, objective: Objective = LOAD) -> Solution:
    value = evaluate(problem, APART, objective, {})
    return Solution(Status.OPTIMAL, "odp", "branch and bound", APART, value, bound=value.value)


def chosen(problem: PlacementProblem, objective: Objective = LOAD) -> Solution:
    components = {it.id: it.id for it in problem.operators}
    return prefer_ras(problem, objective, apart(problem, objective), frozen_clock, inf, components)


def test_what_pays_only_if_all_of_the_declared_cpu_is_used_gives_way_to_storms_placement() -> None:
    # With all of it tuples wait 25 ms · 0.67^2.8 / 0.33 = 24 ms on one host, and 10 + 2 · 1.7 ms
    # with the link between two. With a tenth of it next to nothing, and still 10 ms.
    problem = two_hosts(0.01)
    found = chosen(problem)
    assert found.placement == TOGETHER
    assert found.evaluation == evaluate(problem, TOGETHER, LOAD, {})
    assert (found.status, found.decided_by, found.bound) == (Status.HEURISTIC, "ras", None)
    assert found.reasons


def test_what_is_better_only_if_no_component_is_heavy_gives_way_to_storms_placement() -> None:
    # a → b → c → d, two executors in a worker. Storm's scheduler puts all on the large host, where
    # half of each stream crosses from worker to worker: 1.5 · 5 ms. With a, b and c, d on a small
    # host each one stream crosses: 5 ms, and 0.2 of 0.45 cores are used at most. But if all of the
    # 0.4 cores is d's, its small host carries 0.45 / 0.4 = 1.1 times as much, and 1.3 are wanted.
    hosts = {"n1": 0.45, "n2": 0.45, "large": 0.9}
    problem = PlacementProblem(
        operators=tuple(Operator(it, cpu=0.1) for it in "abcd"),
        streams=tuple(Stream(one, other, rate=1.0) for one, other in ("ab", "bc", "cd")),
        nodes=tuple(Node(name, cpu=cores) for name, cores in hosts.items()),
        links={(one, it): Link(0.0) for one in hosts for it in hosts if one != it},
        load=LoadModel(sharing=1e-9, executors_per_worker=2, crossing_seconds=0.005),
    )
    pairs = {"a": "n1", "b": "n1", "c": "n2", "d": "n2"}
    found = Solution(Status.OPTIMAL, "odp", "", pairs, evaluate(problem, pairs, LOAD, {}))

    def chosen_if(component_of: dict[str, str]) -> object:
        return prefer_ras(problem, LOAD, found, frozen_clock, inf, component_of).placement

    assert chosen_if({it: it for it in "abcd"}) == dict.fromkeys("abcd", "large")
    assert chosen_if(dict.fromkeys("abcd", "all")) == pairs


def test_where_each_worker_takes_cpu_no_more_hosts_are_used_than_by_storm() -> None:
    # With no delay two hosts are as good at any load, and are kept where workers take nothing.
    problem = two_hosts(0.0)
    found = apart(problem, LOAD)
    components = {it.id: it.id for it in problem.operators}

    def placed(*, fewest_nodes: bool) -> object:
        return prefer_ras(
            problem, LOAD, found, frozen_clock, inf, components, fewest_nodes=fewest_nodes
        ).placement

    assert placed(fewest_nodes=False) == APART
    assert placed(fewest_nodes=True) == TOGETHER


def with_relay(*relays: str, small: str = "") -> PlacementProblem:
    """A chain from s on n1 to t on n2; b may run on relays, 10 ms from both, or on far, 90 ms.

    Storm's scheduler takes the first of those that have as much free.
    """
    hosts = ("n1", "n2", "far", *relays)
    delay = {frozenset(("n1", "n2")): 0.01} | {
        frozenset((one, it)): 0.09 if "far" in (one, it) else 0.01
        for one in ("n1", "n2")
        for it in ("far", *relays)
    }
    return PlacementProblem(
        operators=(
            Operator("s", cpu=0.1, candidates=("n1",)),
            Operator("b", cpu=0.1, candidates=("far", *relays)),
            Operator("t", cpu=0.1, candidates=("n2",)),
        ),
        streams=(Stream("s", "b", rate=1.0), Stream("b", "t", rate=1.0)),
        nodes=tuple(Node(it, cpu=0.15 if it == small else 0.3) for it in hosts),
        links={
            (one, it): Link(delay.get(frozenset((one, it)), 0.09))
            for one in hosts
            for it in hosts
            if one != it
        },
        load=LoadModel(sharing=0.5),
    )


def first_of(problem: PlacementProblem, found: Placement) -> Solution:
    value = evaluate(problem, found, LOAD, {})
    solution = Solution(Status.OPTIMAL, "odp", "branch and bound", found, value, bound=value.value)
    components = {it.id: it.id for it in problem.operators}
    return prefer_ras(problem, LOAD, solution, frozen_clock, inf, components)


def test_storms_placement_is_used_on_a_nearer_host_that_is_as_good_at_any_load() -> None:
    # What was found has b on a small host, which is worse if b uses all that it declares. Of the
    # two that are as large, Storm's scheduler takes far, the first one.
    problem = with_relay("near", "little", small="little")
    found = first_of(problem, {"s": "n1", "b": "little", "t": "n2"})
    assert found.placement == {"s": "n1", "b": "near", "t": "n2"}
    assert found.evaluation == evaluate(problem, found.placement, LOAD, {})
    assert found.decided_by == "ras"


def test_a_component_alone_goes_to_a_nearer_host_that_has_no_room_for_the_others() -> None:
    # b and c are ways from s to t, and near has room for one executor.
    one = with_relay("near", "little", small="little")
    problem = replace(
        one,
        operators=(*one.operators, replace(one.operators[1], id="c")),
        streams=(*one.streams, Stream("s", "c", rate=1.0), Stream("c", "t", rate=1.0)),
        nodes=tuple(replace(it, operators=1) if it.id == "near" else it for it in one.nodes),
    )
    found = first_of(problem, {"s": "n1", "b": "little", "c": "little", "t": "n2"})
    assert found.placement is not None
    assert sorted(found.placement[it] for it in "bc") == ["far", "near"]


def test_storms_placement_stays_where_a_nearer_host_is_worse_at_some_load() -> None:
    problem = with_relay("little", small="little")
    found = first_of(problem, {"s": "n1", "b": "little", "t": "n2"})
    assert found.placement == {"s": "n1", "b": "far", "t": "n2"}


def test_what_is_better_at_any_load_is_used() -> None:
    problem = two_hosts(0.0)
    assert chosen(problem) == apart(problem)


def test_what_is_not_compared_in_time_gives_way_to_storms_placement() -> None:
    problem = two_hosts(0.0)
    found = prefer_ras(problem, LOAD, apart(problem), lambda: 1.0, 1.0, {"a": "a", "b": "b"})
    assert found.placement == TOGETHER


def test_executors_that_run_are_left_where_the_solution_has_them() -> None:
    problem = replace(two_hosts(0.01), current={"a": "n1"})
    assert chosen(problem) == apart(problem)


def test_an_objective_that_knows_no_load_is_left_alone() -> None:
    problem, objective = two_hosts(0.01), Objective.parse("R=1")
    assert chosen(problem, objective) == apart(problem, objective)


def test_a_search_goes_on_while_others_use_a_host_or_its_coordinates_jitter() -> None:
    problem = two_hosts(0.01)
    task = PlacementTask(problem, LOAD, "odp", 0)
    first, second = problem.nodes

    def other(node: Node) -> PlacementTask:
        return replace(task, problem=replace(problem, nodes=(first, node)))

    assert is_same_but_for_others(task, task)
    assert is_same_but_for_others(task, other(replace(second, background=0.2, cores=0.5)))
    assert is_same_but_for_others(task, other(replace(second, coordinates=(0.01, 0.0))))
    assert not is_same_but_for_others(task, other(replace(second, cpu=0.2)))
