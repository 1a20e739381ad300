"""What to expect of a topology at another rate, or with hosts that are slower or off."""

from dataclasses import replace

import pytest
from desk_cluster import TOPOLOGY, running, three_sites
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import Link, LoadModel, Node, Operator, PlacementProblem, Stream
from eyewall_sidecar.service.lookup import (
    InvalidRequestError,
    ServiceError,
    UnavailableError,
    UnknownNameError,
)
from eyewall_sidecar.service.planner import MOST_AT_ONCE
from eyewall_sidecar.service.what_if import Change, change_hosts, forecast, prospect_of, scale_rates
from storm_builders import chain, worker

LOOKING = 0.01
"""Cores with which a thread looks for tuples."""
CHAIN = PlacementProblem(
    operators=(
        Operator("source", demand=0.1, execution_time=0.001),
        Operator("sink", demand=0.3, demand_error=0.03, execution_time=0.003),
    ),
    streams=(Stream("source", "sink", 100.0),),
    nodes=(Node("a", cpu=1.0, cores=1.0), Node("b", cpu=0.5, cores=0.5)),
    links={("a", "b"): Link(0.01), ("b", "a"): Link(0.01)},
    current={"source": "a", "sink": "b"},
    load=LoadModel(polling_cpu=LOOKING),
)
WHERE = {"source": "a", "sink": "b"}


def refusal(change: Change, policy: str = "") -> ServiceError:
    context = running(three_sites()).context
    with pytest.raises(ServiceError) as refused:
        forecast(context, TOPOLOGY.name, change, policy, lambda: True)
    return refused.value


def test_utilisation_grows_with_the_rate_up_to_what_is_sustainable() -> None:
    # sink needs 0.3 of the 0.5 cores of b: 60 %, and 5/3 of the rate fill them. Its thread looks
    # for tuples with 0.01 of the 0.5 cores, as long as these are free: 2 % of 40 %, and at 1.5
    # times the rate of 10 %.
    now, twice = prospect_of(CHAIN, WHERE, 1.0), prospect_of(CHAIN, WHERE, 1.5)
    assert now.nodes["b"].value == pytest.approx(0.608)
    assert twice.nodes["b"].value == pytest.approx(0.902)
    assert now.sustainable.value == twice.sustainable.value == pytest.approx(5 / 3)
    assert now.bottleneck == "b"
    assert twice.response_time.value > now.response_time.value


def test_more_than_is_sustainable_is_not_carried() -> None:
    assert prospect_of(CHAIN, WHERE, 1.0).throughput.value == pytest.approx(100.0)
    assert prospect_of(CHAIN, WHERE, 10.0).throughput.value == pytest.approx(100.0 * 5 / 3)


def test_the_error_of_a_demand_is_the_interval_of_its_utilisation() -> None:
    # 0.3 ± 0.03 of 0.5 cores; looking for tuples takes 2 % of the 46 % that 0.27 leave free, and of
    # the 34 % that 0.33 do.
    interval = prospect_of(CHAIN, WHERE, 1.0).nodes["b"]
    assert interval == pytest.approx((0.608, 0.5492, 0.6668))


def test_a_host_that_is_off_is_no_node_and_holds_nobody() -> None:
    left = change_hosts(CHAIN, {"b": 0.0})
    assert [it.id for it in left.nodes] == ["a"]
    assert left.current == {"source": "a"}


def test_a_host_with_half_of_its_cores_is_twice_as_busy() -> None:
    half = change_hosts(CHAIN, {"b": 0.5})
    assert prospect_of(half, WHERE, 1.0).nodes["b"].value == pytest.approx(1.2)


def test_an_executor_that_may_run_only_where_hosts_are_off_is_named() -> None:
    source, sink = CHAIN.operators
    bound = replace(CHAIN, operators=(source, replace(sink, candidates=("b",))))
    with pytest.raises(InvalidRequestError) as refused:
        change_hosts(bound, {"b": 0.0})
    assert refused.value.reason == message(Code.BOUND_TO_HOSTS_OFF, executor="sink", hosts=["b"])


def test_a_policy_places_for_the_rate_that_is_asked_about() -> None:
    twice = scale_rates(CHAIN, 2.0)
    assert [it.demand for it in twice.operators] == [0.2, 0.6]
    assert [it.demand_error for it in twice.operators] == [0.0, 0.06]
    assert [it.rate for it in twice.streams] == [200.0]


def test_executors_of_a_host_that_is_off_are_placed_elsewhere_and_the_others_stay() -> None:
    unpinned = chain(("source", 1), ("tag", 2), ("sink", 1), name="free-1")
    nimbus = three_sites()
    nimbus.running[unpinned.id] = (worker("edge-1", 6700, 1, 2, 3), worker("cloud-1", 6700, 4))
    nimbus.round(unpinned)
    off = Change(hosts={"edge-1": 0.0})
    found = forecast(nimbus.context, unpinned.id, off, "", lambda: True)
    assert {name for name, _, _ in found.moves} == {"source[1-1]", "tag[2-2]", "tag[3-3]"}
    assert {before for _, before, _ in found.moves} == {"edge-1"}
    assert "edge-1" not in found.then.nodes
    assert message(Code.CPU_NOT_MEASURED) in found.remarks


def test_placements_are_looked_for_a_few_at_a_time_and_as_it_runs_at_any_time() -> None:
    context = running(three_sites()).context
    for _ in range(MOST_AT_ONCE):
        assert context.places.acquire(blocking=False)
    with pytest.raises(UnavailableError) as refused:
        forecast(context, TOPOLOGY.name, Change(), "odp", lambda: True)
    assert refused.value.reason == message(Code.TOO_MANY_PLANS, limit=MOST_AT_ONCE)
    assert forecast(context, TOPOLOGY.name, Change(rate=2.0), "", lambda: True).moves == ()
    context.places.release()
    forecast(context, TOPOLOGY.name, Change(), "odp", lambda: True)
    assert context.places.acquire(blocking=False)  # it has given its place back


def test_a_rate_that_no_placement_carries_is_said_beforehand() -> None:
    context = running(three_sites()).context
    found = forecast(context, TOPOLOGY.name, Change(rate=1e5), "", lambda: True)
    assert found.moves == ()
    assert Code.RATE_NOT_CARRIED in {getattr(it, "code", None) for it in found.remarks}


def test_what_makes_no_sense_is_refused() -> None:
    hosts = ["cloud-1", "edge-1", "fog-1"]
    unknown = refusal(Change(hosts={"fog-7": 0.0}))
    assert isinstance(unknown, UnknownNameError)
    assert unknown.reason == message(Code.NO_HOST, name="fog-7", known=hosts)
    assert unknown.nearest == ("fog-1",)
    assert refusal(Change(rate=0.0)).reason == message(Code.BAD_RATE, value=0.0, limit=1e6)
    assert refusal(Change(hosts={"fog-1": -1.0})).reason == message(
        Code.BAD_SHARE, host="fog-1", value=-1.0
    )
    assert refusal(Change(hosts=dict.fromkeys(hosts, 0.0))).reason == message(Code.ALL_HOSTS_OFF)
    assert isinstance(refusal(Change(), policy="magic"), UnknownNameError)
