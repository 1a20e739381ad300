import pytest
from eyewall_sidecar.model import Link, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.objectives.response_time import response_time

MS = 1e-3
NODES = (Node("near"), Node("far"), Node("fast", speedup=2))
LINKS = {
    (u.id, v.id): Link(5 * MS if "far" not in (u.id, v.id) else 30 * MS)
    for u in NODES
    for v in NODES
    if u != v
}


def problem(operators: str, streams: str, *, work: float = 0.0) -> PlacementProblem:
    """Streams as "ab bc"; a system stream as "ab!"."""
    return PlacementProblem(
        operators=tuple(Operator(name, execution_time=work) for name in operators),
        streams=tuple(Stream(it[0], it[1], system=it.endswith("!")) for it in streams.split()),
        nodes=NODES,
        links=LINKS,
    )


def test_a_chain_takes_its_delays_and_the_time_that_its_operators_work() -> None:
    # 2 ms on near + 30 ms to far + 2 ms + 30 ms to fast + 2 ms / 2 there.
    placement = {"a": "near", "b": "far", "c": "fast"}
    chain = problem("abc", "ab bc", work=2 * MS)
    assert response_time(chain, placement) == pytest.approx(65 * MS)


def test_operators_on_one_node_reach_each_other_at_once() -> None:
    assert response_time(problem("ab", "ab"), {"a": "far", "b": "far"}) == 0


def test_of_several_paths_the_slowest_counts() -> None:
    # a → b → d: 5 + 5 ms; a → c → d: 30 + 30 ms.
    diamond = problem("abcd", "ab bd ac cd")
    placement = {"a": "near", "b": "fast", "c": "far", "d": "near"}
    assert response_time(diamond, placement) == pytest.approx(60 * MS)


def test_a_system_stream_is_on_no_path() -> None:
    # The acker k on far would add 30 ms each way.
    acked = problem("abk", "ab ak! kb! ka!", work=1 * MS)
    placement = {"a": "near", "b": "fast", "k": "far"}
    assert response_time(acked, placement) == pytest.approx((1 + 5 + 0.5) * MS)


def test_a_stream_that_closes_a_cycle_is_left_out() -> None:
    # s → b → c → a, and a → b closes the cycle: 5 (near–fast) + 30 (fast–far) + 30 (far–near) ms.
    looped = problem("sabc", "sb bc ca ab")
    placement = {"s": "near", "b": "fast", "c": "far", "a": "near"}
    assert response_time(looped, placement) == pytest.approx(65 * MS)


def test_an_operator_without_streams_is_a_path() -> None:
    assert response_time(problem("a", "", work=4 * MS), {"a": "fast"}) == pytest.approx(2 * MS)
