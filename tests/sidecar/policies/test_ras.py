from dataclasses import replace
from math import inf

import numpy as np
import pytest
from eyewall_sidecar.heuristic.remaining_capacity import RemainingCapacity
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Solution, Status, Stream
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies.ras import ResourceAware, free_shares, in_order
from small_problems import chain_of, graph_of


def place(problem: PlacementProblem, *, retries: int = 10_000) -> Solution:
    return ResourceAware(retries)(problem, Objective.parse("N=1"), time_limit=10, seed=0)


def on(*nodes: Node, needs: tuple[float, ...] = (1.0, 1.0)) -> PlacementProblem:
    """Operators a → b with these needs of cpu, all nodes 10 ms apart."""
    operators = tuple(Operator(name, cpu=cpu) for name, cpu in zip("ab", needs, strict=True))
    ids = [node.id for node in nodes]
    links = {(u, v): Link(0.010) for u in ids for v in ids if u != v}
    return PlacementProblem(operators, (Stream("a", "b", 1.0),), nodes, links)


def test_a_node_is_filled_before_the_next_one_is_begun() -> None:
    # All have one connection but b, c: 2 each; b, with a and c in turn, then c's neighbour d.
    # n2 has the largest share of what is free; it holds b, a and c, then d goes to n1.
    solution = place(chain_of([1, 1, 1], rooms=[2, 3]))
    assert solution.placement == {"b": "n2", "a": "n2", "c": "n2", "d": "n1"}
    assert (solution.status, solution.decided_by) == (Status.HEURISTIC, "ras")


def test_the_node_with_the_largest_mean_share_of_what_is_free_comes_first() -> None:
    # Of 10 cores and 20 GB, and a third each of the endless room for operators:
    #   x 0.6, 0.1, mean with the third 0.34, least 0.1
    #   y 0.3, 0.25, 0.29, least 0.25
    #   z 0.1, 0.65, 0.36, least 0.1
    x, y = Node("x", cpu=6, memory=2e9), Node("y", cpu=3, memory=5e9)
    problem = on(x, y, Node("z", cpu=1, memory=13e9), needs=(0.5, 0.5))
    room = RemainingCapacity(ProblemArrays.of(problem))
    assert free_shares(room) == pytest.approx(
        np.array([[1 / 3, 1 / 3, 1 / 3], [0.6, 0.3, 0.1], [0.1, 0.25, 0.65]])
    )
    assert in_order(room).tolist() == [2, 0, 1]
    assert place(problem).placement == {"a": "z", "b": "z"}


def test_among_equal_means_the_larger_least_share_comes_first() -> None:
    # Of 10 cores and 10 GB: x 0.6 and 0.2, z 0.4 and 0.4, w 0 and 0.4; of the room a third each.
    x, z = Node("x", cpu=6, memory=2e9), Node("z", cpu=4, memory=4e9)
    problem = on(x, z, Node("w", cpu=0, memory=4e9), needs=(0.5, 0.5))
    assert in_order(RemainingCapacity(ProblemArrays.of(problem))).tolist() == [1, 0, 2]


def test_what_holds_more_of_the_topology_comes_before_what_has_more_free() -> None:
    problem = on(Node("small", cpu=2), Node("large", cpu=9))
    room = RemainingCapacity(ProblemArrays.of(problem))
    assert in_order(room).tolist() == [1, 0]
    room.put(0, 0)
    assert in_order(room).tolist() == [0, 1]


def test_endless_resources_are_shared_by_those_that_have_them() -> None:
    room = RemainingCapacity(
        ProblemArrays.of(on(Node("a", cpu=inf), Node("b", cpu=4), Node("c", cpu=inf)))
    )
    assert free_shares(room)[1].tolist() == [0.5, 0.0, 0.5]


def test_an_executor_without_room_takes_back_the_one_before_it() -> None:
    # a is tried on large first, where b alone would fit: it is taken back and goes to small.
    problem = on(Node("small", cpu=1), Node("large", cpu=3), needs=(1.0, 3.0))
    assert place(problem).placement == {"a": "small", "b": "large"}
    assert place(problem).decided_by == "ras"


def test_after_too_many_retries_an_exact_engine_places_them() -> None:
    problem = on(Node("small", cpu=1), Node("large", cpu=3), needs=(1.0, 3.0))
    solution = place(problem, retries=0)
    assert solution.placement == {"a": "small", "b": "large"}
    assert solution.decided_by == "branch and bound"


def with_ackers(
    rooms: tuple[float, ...], ackers: int, *, acker_needs: float = 0.0
) -> PlacementProblem:
    """Return a → b → c → d on n1, n2 …, with acks to and from each of so many ackers."""
    chain = chain_of([1, 1, 1], rooms=rooms)
    operators = (replace(it, cpu=0.0) for it in chain.operators)
    names = [f"acker-{number + 1}" for number in range(ackers)]
    acks = [
        Stream(source, target, 1.0, system=True)
        for name in names
        for source, target in (("a", name), ("d", name), (name, "a"))
    ]
    return replace(
        chain,
        operators=(*(Operator(it, cpu=acker_needs) for it in names), *operators),
        streams=(*chain.streams, *acks),
    )


def test_the_first_executor_on_a_node_brings_an_acker_along() -> None:
    # b is first, on n1, and an acker with it; a is the third there. c opens n2 and brings the
    # second acker along, d follows. With all ackers last b, a and c were on n1.
    placement = place(with_ackers((3, 3), ackers=2)).placement
    assert placement == {"b": "n1", "acker-1": "n1", "a": "n1"} | {
        "c": "n2",
        "acker-2": "n2",
        "d": "n2",
    }


def test_ackers_beyond_one_a_node_come_last() -> None:
    # b, acker-1, a, c fill n1; d opens n2 with acker-2, and acker-3 goes where most of it is and
    # room is left: n2.
    placement = place(with_ackers((4, 4), ackers=3)).placement
    assert placement == {
        **dict.fromkeys(("b", "acker-1", "a", "c"), "n1"),
        **dict.fromkeys(("d", "acker-2", "acker-3"), "n2"),
    }


def test_an_acker_without_room_beside_the_first_executor_comes_last() -> None:
    # n1 has the most room and is filled first, but of cpu, which ackers alone need, only n3 enough.
    problem = with_ackers((4, 1, 1), ackers=1, acker_needs=1.0)
    nodes = tuple(replace(it, cpu=1.0 if it.id == "n3" else 0.5) for it in problem.nodes)
    placement = place(replace(problem, nodes=nodes)).placement
    assert placement == {**dict.fromkeys("abcd", "n1"), "acker-1": "n3"}


def test_a_metrics_consumer_is_no_acker() -> None:
    # Streams lead to it and none from it: n2's first executor brings none along.
    problem = with_ackers((3, 3), ackers=1)
    consumer = Operator("metrics", cpu=0.0)
    metrics = [Stream(it, "metrics", 0.1, system=True) for it in "abcd"]
    placement = place(
        replace(
            problem,
            operators=(consumer, *problem.operators),
            streams=(*problem.streams, *metrics),
            nodes=tuple(replace(it, operators=5 - 2 * n) for n, it in enumerate(problem.nodes)),
        )
    ).placement
    # n1 holds five of the six: b, acker, a, c, d; the consumer comes last.
    assert placement == {**dict.fromkeys(("b", "acker-1", "a", "c", "d"), "n1"), "metrics": "n2"}


def test_where_workers_are_not_mixed_ackers_come_last() -> None:
    # b, a, c on n1, d opens n2, then the acker, which has no room on n1.
    problem = with_ackers((3, 3), ackers=1)
    objective = Objective.parse("N=1")
    solution = ResourceAware(ackers_per_worker=0)(problem, objective, time_limit=10, seed=0)
    assert solution.placement == {
        **dict.fromkeys("bac", "n1"),
        **dict.fromkeys(("d", "acker-1"), "n2"),
    }


def test_nodes_are_sorted_again_where_an_executor_is_of_the_same_component_as_the_one_before() -> (
    None
):
    # Storm 2.8's `isExecCompDifferentFromPrior` is true for the same. Needs 1.5, 3, 1, 0.25; n1 has
    # 4 cores, n2 3. b goes to n1, a to n2, c to n1, as n1 is first in the first order, d to n2.
    # Sorted for each component, c went to n2, which had the larger share of what was free then.
    chained = chain_of([1, 1, 1], rooms=[9, 9])
    needs = {"a": 1.5, "b": 3.0, "c": 1.0, "d": 0.25}
    operators = tuple(replace(it, cpu=needs[it.id]) for it in chained.operators)
    nodes = tuple(replace(it, cpu=4.0 - n) for n, it in enumerate(chained.nodes))
    placement = place(replace(chained, operators=operators, nodes=nodes)).placement
    assert placement == {"b": "n1", "a": "n2", "c": "n1", "d": "n2"}


def test_an_executor_that_is_taken_back_takes_its_acker_back() -> None:
    # a and its acker are tried on large first; b, which needs large for itself, takes both back.
    problem = on(Node("small", cpu=1), Node("large", cpu=3), needs=(1.0, 3.0))
    acker = Operator("acker", cpu=0.0)
    acked = replace(
        problem,
        operators=(*problem.operators, acker),
        streams=(
            *problem.streams,
            Stream("a", "acker", 1.0, system=True),
            Stream("acker", "a", 1.0, system=True),
        ),
    )
    solution = place(acked)
    assert solution.placement == {"a": "small", "acker": "small", "b": "large"}
    assert solution.decided_by == "ras"


def test_delays_and_rates_are_not_looked_at() -> None:
    near = graph_of({("a", "b"): 1.0, ("a", "c"): 99.0}, rooms=[2, 2])
    far = graph_of({("a", "b"): 99.0, ("a", "c"): 1.0}, rooms=[2, 2], delays={("n1", "n2"): 9.0})
    assert place(near).placement == place(far).placement


def test_cores_to_set_aside_count_only_where_they_are_limited() -> None:
    # Operators, cpu and memory are rows 0 to 2. What is set aside is a fourth one, 1 of 4 cores.
    endless = RemainingCapacity(ProblemArrays.of(on(Node("a", cpu=2), Node("b", cpu=2))))
    assert len(free_shares(endless)) == 3
    limited = RemainingCapacity(
        ProblemArrays.of(on(Node("a", cpu=2, reserved=1), Node("b", cpu=2, reserved=3)))
    )
    assert free_shares(limited)[3].tolist() == pytest.approx([0.25, 0.75])
