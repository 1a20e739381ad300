import re
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
from eyewall_sidecar.model import (
    Link,
    LoadModel,
    Node,
    Operator,
    PlacementProblem,
    ProblemError,
    Stream,
)

NODES = (Node("edge-1"), Node("cloud-1"))
LINKS = {("edge-1", "cloud-1"): Link(0.02), ("cloud-1", "edge-1"): Link(0.03)}
OPERATORS = (Operator("source"), Operator("tag"))
STREAMS = (Stream("source", "tag"),)


def test_a_link_has_a_direction_and_a_node_reaches_itself_at_once() -> None:
    problem = PlacementProblem(OPERATORS, STREAMS, NODES, LINKS)
    assert problem.delay("edge-1", "cloud-1") == 0.02
    assert problem.delay("cloud-1", "edge-1") == 0.03
    assert problem.delay("edge-1", "edge-1") == 0
    assert problem.availability("edge-1", "edge-1") == 1
    assert problem.bandwidth("edge-1", "edge-1") == inf


def test_an_operator_without_candidates_can_go_everywhere() -> None:
    operators = (Operator("a"), Operator("b", candidates=("cloud-1",)))
    problem = PlacementProblem(operators, (), NODES, LINKS)
    assert problem.candidates("a") == ("edge-1", "cloud-1")
    assert problem.candidates("b") == ("cloud-1",)


def test_only_operators_that_run_now_and_would_run_elsewhere_are_moves() -> None:
    problem = PlacementProblem(OPERATORS, STREAMS, NODES, LINKS, current={"tag": "edge-1"})
    assert problem.moves({"source": "edge-1", "tag": "cloud-1"}) == 1
    assert problem.moves({"source": "cloud-1", "tag": "edge-1"}) == 0


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        (
            {"links": LINKS | {("edge-1", "cloud-9"): Link(0.1)}},
            (
                "delay between edge-1 and cloud-9: no node cloud-9; nodes are edge-1, cloud-1 "
                "(did you mean cloud-1?)"
            ),
        ),
        (
            {"links": {("edge-1", "cloud-1"): Link(0.1)}},
            "no delay for cloud-1 → edge-1; every ordered pair of nodes needs one",
        ),
        (
            {"links": LINKS | {("edge-1", "edge-1"): Link(0.1)}},
            (
                "delay between edge-1 and edge-1: a node reaches itself at once; "
                "list only pairs of different nodes"
            ),
        ),
        (
            {"streams": (Stream("source", "tga"),)},
            "stream source → tga: no operator tga; operators are source, tag (did you mean tag?)",
        ),
        (
            {"operators": (Operator("source", candidates=("edge1",)), Operator("tag"))},
            (
                "candidates of operator source: no node edge1; nodes are edge-1, cloud-1 "
                "(did you mean edge-1?)"
            ),
        ),
        (
            {"operators": (*OPERATORS, Operator("tag"))},
            "operator tag is listed more than once; ids must be unique",
        ),
        (
            {"nodes": (*NODES, Node("edge-1"))},
            "node edge-1 is listed more than once; ids must be unique",
        ),
        (
            {"operators": (), "streams": (), "nodes": (), "links": {}},
            "the problem has no nodes; it needs at least one",
        ),
        ({"nodes": (), "links": {}}, "the problem has no nodes; it needs at least one"),
        (
            {"current": {"sink": "edge-1"}},
            "current: no operator sink; operators are source, tag",
        ),
        (
            {"current": {"tag": "fog"}},
            "current node of operator tag: no node fog; nodes are edge-1, cloud-1",
        ),
        (
            {"links": LINKS | {("edge-1", "cloud-1"): Link(0.1, bandwidth=1e6)}},
            (
                "stream source → tag: tuple_bytes is not given, but the bandwidth from edge-1 to "
                "cloud-1 is limited; give tuple_bytes for every stream (unknown is not zero)"
            ),
        ),
    ],
)
def test_a_problem_that_does_not_fit_together_is_refused_by_name(
    parts: dict[str, Any], complaint: str
) -> None:
    whole = {"operators": OPERATORS, "streams": STREAMS, "nodes": NODES, "links": LINKS}
    with pytest.raises(ProblemError) as refused:
        PlacementProblem(**(whole | parts))
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: Operator("a", cpu=-1),
            "operator a: cpu is -1; it must be a number from 0 to 1e+15",
        ),
        (
            lambda: Operator("a", memory=nan),
            "operator a: memory is nan; it must be a number from 0 to 1e+15",
        ),
        (
            lambda: Operator("a", candidates=()),
            "operator a: candidates is empty; name at least one node",
        ),
        (
            lambda: Stream("a", "b", rate=-2),
            "stream a → b: rate is -2; it must be a number from 0 to 1e+15",
        ),
        (
            lambda: Operator("a", execution_time=1e200),
            "operator a: execution_time is 1e+200; it must be a number from 0 to 86400",
        ),
        (
            lambda: Stream("a", "b", rate=1e200),
            "stream a → b: rate is 1e+200; it must be a number from 0 to 1e+15",
        ),
        (
            lambda: Stream("a", "b", tuple_bytes=1e200),
            "stream a → b: tuple_bytes is 1e+200; it must be a number from 0 to 1e+15",
        ),
        (
            lambda: Node("n", cpu=-0.5),
            "node n: cpu is -0.5; it must be a number from 0 to 1e+30, or infinite",
        ),
        (
            lambda: Link(0.1, bandwidth=1e200),
            "link: bandwidth is 1e+200; it must be a number from 0 to 1e+30, or infinite",
        ),
        (lambda: Node("n", speedup=0), "node n: speedup is 0; it must be from 1e-06 to 1e+06"),
        (
            lambda: Node("n", speedup=1e-200),
            "node n: speedup is 1e-200; it must be from 1e-06 to 1e+06",
        ),
        (
            lambda: Node("n", coordinates=(0.0, -1e200)),
            "node n: coordinates are (0.0, -1e+200); they must be from -1e+15 to 1e+15",
        ),
        (lambda: Node("n", availability=1.5), "node n: availability is 1.5; it must be in [0, 1]"),
        (lambda: Link(-0.1), "link: delay is -0.1; it must be a number from 0 to 86400"),
        (lambda: Link(inf), "link: delay is inf; it must be a number from 0 to 86400"),
        (lambda: Link(1e200), "link: delay is 1e+200; it must be a number from 0 to 86400"),
    ],
)
def test_a_value_out_of_range_is_refused_with_what_is_allowed(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises(ProblemError) as refused:
        make()
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Operator("a", demand=-0.1), "operator a: demand is -0.1; it must be"),
        (lambda: Operator("a", demand_error=inf), "operator a: demand_error is inf; it must be"),
        (lambda: Node("n", background=-1), "node n: background is -1; it must be"),
        (lambda: Node("n", cores=inf), "node n: cores is inf; it must be"),
        (lambda: LoadModel(headroom=-1), "load: headroom is -1; it must be"),
        (lambda: LoadModel(send_cpu=1e9), "load: send_cpu is 1e+09; it must be"),
        (lambda: LoadModel(uncertainty=1e9), "load: uncertainty is 1e+09; it must be"),
        (lambda: LoadModel(executors_per_worker=-1), "load: executors_per_worker is -1; it must"),
    ],
)
def test_what_the_load_model_cannot_use_is_refused(
    make: Callable[[], object], complaint: str
) -> None:
    with pytest.raises(ProblemError, match=re.escape(complaint)):
        make()


class Name(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, str(other))

    __hash__ = str.__hash__


def test_each_name_is_looked_up_not_searched_for() -> None:
    # 40 nodes have 1,560 links; every end found by searching a list of 40 would take 62,400
    # comparisons of two names.
    first = [Name(f"n{place}") for place in range(40)]
    again = [Name(name) for name in first]
    pairs: list[tuple[str, str]] = [(u, v) for u in again for v in again if u != v]
    Name.compared = 0
    PlacementProblem((), (), tuple(Node(it) for it in first), dict.fromkeys(pairs, Link(0.01)))
    assert Name.compared <= 10 * len(pairs)
