from dataclasses import replace

import numpy as np
import pytest
from eyewall_papers.bimodal.mapping import Mapping, Resources, Route, mapping_violations, needs
from eyewall_papers.bimodal.metric import DELAY, PAYMENT
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.valuation import evaluation, mapping_cost
from eyewall_sidecar.model import LinkMatrix, Node, ProblemError, violations
from eyewall_sidecar.objective import Term

NETWORK = TwoKindNetwork(
    nodes=tuple(Node(name, cpu=2.0) for name in "abc"),
    dedicated=(
        DedicatedLink("a", "b", bandwidth=10, delay=0.001, price=1),
        DedicatedLink("b", "c", bandwidth=10, delay=0.002, price=2),
    ),
    public=LinkMatrix.from_delays("abc", np.full((3, 3), 0.05)),
    uplinks=dict.fromkeys("abc", 5.0),
    downlinks=dict.fromkeys("abc", 5.0),
    services={"b": frozenset({"x"}), "c": frozenset({"x"})},
)
TASK = Task.of_services("t", ("a", "a"), ["x"], [1.0], [4.0, 3.0], budgets=[3.0, 3.0], max_null=1)
FREE = Resources.of(NETWORK)
ALONG = Route(LinkKind.DEDICATED, ("a", "b", "c"))
BACK = Route(LinkKind.PUBLIC, ("c", "a"))
MAPPING = Mapping({"source": "a", "1 x": "c", "sink": "a"}, (ALONG, BACK))


def broken(
    mapping: Mapping = MAPPING, task: Task = TASK, free: Resources = FREE
) -> tuple[str, ...]:
    return mapping_violations(NETWORK, free, task, mapping)


def test_a_mapping_takes_cores_and_bandwidth_on_every_hop() -> None:
    needed = needs(TASK, MAPPING)
    assert needed.cpu == {"a": 0.0, "c": 1.0}
    assert needed.dedicated == {("a", "b"): 4.0, ("b", "c"): 4.0}
    assert (needed.uplinks, needed.downlinks) == ({"c": 3.0}, {"a": 3.0})


def test_what_is_taken_is_there_again_once_it_is_released() -> None:
    left = FREE.reserve(TASK, MAPPING)
    assert left.dedicated == {("a", "b"): 6, ("b", "a"): 10, ("b", "c"): 6, ("c", "b"): 10}
    assert left.release(TASK, MAPPING) == FREE


def test_costs_are_sums_over_hops() -> None:
    # 4 bytes/s over prices 1 + 2 is 12 per second; public links are free.
    assert mapping_cost(NETWORK, TASK, MAPPING, PAYMENT) == 12.0
    assert mapping_cost(NETWORK, TASK, MAPPING, DELAY) == pytest.approx(0.001 + 0.002 + 0.05)


def test_a_mapping_is_valued_like_a_placement_with_its_routes_delays() -> None:
    # R = 3 ms there, 50 ms back; N = 4 tuples/s · 3 ms + 3 tuples/s · 50 ms.
    found = evaluation(NETWORK, TASK, MAPPING)
    assert found.metrics[Term.R] == pytest.approx(0.053)
    assert found.metrics[Term.N] == pytest.approx(0.162)
    assert violations(TASK.problem(NETWORK), MAPPING.placement) == ()


def test_a_valid_mapping_breaks_nothing() -> None:
    assert broken() == ()


@pytest.mark.parametrize(
    ("mapping", "task", "free", "sentence"),
    [
        (
            replace(MAPPING, placement={"source": "a", "sink": "a"}),
            TASK,
            FREE,
            "operator 1 x is placed nowhere",
        ),
        (
            replace(MAPPING, placement=dict.fromkeys(MAPPING.placement, "a")),
            TASK,
            FREE,
            "operator 1 x is on a, which is not among its candidates",
        ),
        (replace(MAPPING, routes=(ALONG,)), TASK, FREE, "1 routes for 2 streams"),
        (
            replace(MAPPING, routes=(Route(LinkKind.DEDICATED, ("a", "b")), BACK)),
            TASK,
            FREE,
            "stream source → 1 x: its route does not lead from a to c",
        ),
        (
            replace(MAPPING, routes=(Route(LinkKind.DEDICATED, ("a", "c")), BACK)),
            TASK,
            FREE,
            "stream source → 1 x: no dedicated link joins a and c",
        ),
        (
            replace(MAPPING, routes=(ALONG, Route(LinkKind.PUBLIC, ("c", "b", "a")))),
            TASK,
            FREE,
            "stream 1 x → sink: a public link leads from end to end, without forwarding",
        ),
        (
            MAPPING,
            replace(TASK, max_null=0),
            FREE,
            "stream source → 1 x: 1 nodes forward it, max_null is 0",
        ),
        (
            MAPPING,
            replace(TASK, budgets=(2.0, 0.0)),
            FREE,
            "stream source → 1 x: a byte costs 3, its budget is 2",
        ),
        (
            MAPPING,
            TASK,
            replace(FREE, cpu={"a": 0, "b": 0, "c": 0.5}),
            "node c: 1 cores placed, 0.5 there",
        ),
        (
            MAPPING,
            TASK,
            replace(FREE, uplinks={"c": 1.0}),
            "uplink of c: 3 bytes/s placed, 1 there",
        ),
        (
            MAPPING,
            TASK,
            replace(FREE, downlinks={"a": 1.0}),
            "downlink of a: 3 bytes/s placed, 1 there",
        ),
    ],
)
def test_each_broken_constraint_of_a_mapping_is_named(
    mapping: Mapping, task: Task, free: Resources, sentence: str
) -> None:
    assert broken(mapping, task, free) == (sentence,)


def test_streams_that_share_a_link_share_its_bandwidth() -> None:
    # Each of 6 bytes/s fits the 10 of a → b; both together do not.
    task = Task.of_services("t", ("a", "b"), ["y", "y"], [0, 0], [6.0, 1.0, 6.0])
    network = replace(NETWORK, services=dict.fromkeys("ab", frozenset({"y"})))
    there, back = Route(LinkKind.DEDICATED, ("a", "b")), Route(LinkKind.DEDICATED, ("b", "a"))
    placement = {"source": "a", "1 y": "b", "2 y": "a", "sink": "b"}
    found = mapping_violations(
        network, Resources.of(network), task, Mapping(placement, (there, back, there))
    )
    assert found == ("dedicated link a → b: 12 bytes/s placed, 10 there",)


def test_without_a_public_network_nothing_may_take_it() -> None:
    network = replace(NETWORK, public=None)
    found = mapping_violations(network, FREE, TASK, MAPPING)
    assert found == ("stream 1 x → sink: there is no public network",)


def test_a_task_that_is_no_path_is_refused() -> None:
    with pytest.raises(ProblemError, match="one after the other"):
        replace(TASK, streams=TASK.streams[::-1])
    with pytest.raises(ProblemError, match="task t: 2 services for 1 operators"):
        replace(TASK, services=("x", "x"))
    with pytest.raises(ProblemError, match="task t: max_null is -1"):
        replace(TASK, max_null=-1)
    with pytest.raises(ProblemError, match="stream source → 1 x: budget is -1"):
        replace(TASK, budgets=(-1.0, 0.0))
