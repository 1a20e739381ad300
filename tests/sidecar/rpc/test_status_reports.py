"""What a status says of a round, and when its revision grows."""

from collections.abc import Mapping

import pytest
from desk_cluster import TOPOLOGY, running, three_sites
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.wait_fit import WaitObservation
from eyewall_sidecar.rpc import status
from eyewall_sidecar.rpc.status import FEW_HOSTS, StatusReporter
from eyewall_sidecar.service.overview import TopologyOverview
from eyewall_sidecar.storm import LATENCY_MODEL
from measured_topologies import rates_of
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor, worker

MS = 1e-3


def reported(nimbus: Nimbus) -> pb.Status:
    return StatusReporter(nimbus.service).report(0)


def only_topology(nimbus: Nimbus) -> pb.TopologyStatus:
    (topology,) = reported(nimbus).topologies
    return topology


def metrics(topology: pb.TopologyStatus) -> dict[str, float]:
    return {it.name: it.before for it in topology.metrics if it.HasField("before")}


def links(status: pb.Status) -> dict[tuple[str, str], pb.Link]:
    return {(it.source, it.target): it for it in status.delays.links}


def test_before_the_first_round_there_is_nothing_and_the_first_round_is_another_revision() -> None:
    nimbus = three_sites()
    reporter = StatusReporter(nimbus.service)
    nothing = reporter.report(0)
    assert (nothing.HasField("round_age"), list(nothing.topologies)) == (False, [])
    assert reporter.report(0).revision == nothing.revision
    running(nimbus)
    assert reporter.report(0).revision > nothing.revision


def test_what_runs_is_valued_by_the_model() -> None:
    it = only_topology(running(three_sites()))
    # 40 ms from edge to cloud, 1 ms of work in tag.
    assert metrics(it)["R"] == pytest.approx(41 * MS)
    assert metrics(it)["objective"] == metrics(it)["R"]
    assert (it.mode, it.policy, it.objective, it.unknown) == ("auto", "odp", "R=1", "")
    assert (it.verdict, it.status.split(",")[0]) == ("keep", "eyewall: odp")


def test_executors_are_where_they_run_with_their_pins() -> None:
    source = only_topology(running(three_sites())).executors[0]
    assert (source.executor, source.component, source.host) == ("source[1-1]", "source", "edge-1")
    assert (source.supervisor_id, source.cpu_cores) == ("sup-edge-1", 0.1)
    assert list(source.pins) == ["edge-1"]
    assert source.port in (6700, 6701)


def test_the_slowest_path_adds_up_to_the_response_time() -> None:
    path = only_topology(running(three_sites())).slowest_path
    assert sum(step.delay + step.work for step in path) == pytest.approx(41 * MS)
    assert path[0] == pb.PathStep(executor="source[1-1]", host="edge-1")
    assert path[-1].host == "cloud-1"


def test_streams_have_the_rate_that_crosses_and_links_what_crosses_them() -> None:
    found = reported(running(three_sites()))
    (it,) = found.topologies
    hosts = {executor.executor: executor.host for executor in it.executors}
    # Each tag gets 10 of source's 20 tuples/s.
    apart = 10.0 * sum(hosts[tag] != "edge-1" for tag in ("tag[2-2]", "tag[3-3]"))
    assert [(s.source, s.target, s.rate, s.measured) for s in it.streams] == [
        ("source", "tag", 20.0, False),
        ("tag", "sink", 20.0, False),
    ]
    assert not any(s.HasField("error") for s in it.streams)  # nothing was measured
    assert it.streams[0].rate_between_hosts == pytest.approx(apart)
    assert found.delays.all_pairs
    assert len(links(found)) == 3 * 2
    crossing = sum(link.rate for link in links(found).values())
    assert crossing == pytest.approx(sum(s.rate_between_hosts for s in it.streams))
    assert links(found)["edge-1", "fog-1"].delay == pytest.approx(15 * MS)


def test_a_stream_that_was_measured_has_its_rates_error() -> None:
    nimbus = three_sites(minimum_gain=1.0)
    nimbus.running[TOPOLOGY.id] = (worker("edge-1", 6700, 1, 2, 3), worker("cloud-1", 6700, 4))
    nimbus.measured.wanted = True
    nimbus.clock.now += 5
    nimbus.measured.rates[TOPOLOGY.id] = rates_of(
        TOPOLOGY, {2: 10, 3: 20, 4: 30}, {1: 30, 2: 10, 3: 20}, until=100.0
    )
    nimbus.round(TOPOLOGY)
    # rates_of gives every figure an error of 2 %: 0.6 of 30 tuples/s.
    for stream in only_topology(nimbus).streams:
        assert [stream.rate, stream.error] == pytest.approx([30, 0.6])
        assert stream.measured


def test_an_unchanged_round_has_the_same_revision_whatever_its_age() -> None:
    nimbus = running(three_sites())
    reporter = StatusReporter(nimbus.service)
    before = reporter.report(0)
    nimbus.delays.age = 7.0
    nimbus.delays.confidence = 0.9
    nimbus.rounds(TOPOLOGY, 2)
    after = reporter.report(0)
    assert after.revision == before.revision
    assert after.delays.age == 7.0
    assert links(after)["edge-1", "fog-1"].confidence == 0.9


def test_a_delay_that_changes_is_another_revision() -> None:
    nimbus = running(three_sites(frozen=True))
    reporter = StatusReporter(nimbus.service)
    before = reporter.report(0)
    nimbus.delays.milliseconds["edge-1", "cloud-1"] = 80.0
    nimbus.rounds(TOPOLOGY, 1)
    after = reporter.report(0)
    assert after.revision > before.revision
    assert links(after)["edge-1", "cloud-1"].delay == pytest.approx(0.08)


def test_a_switch_that_is_turned_is_another_revision() -> None:
    nimbus = running(three_sites())
    reporter = StatusReporter(nimbus.service)
    first = reporter.report(0).revision
    assert reporter.report(0).revision == first
    nimbus.switches.turn(TOPOLOGY.id)
    frozen = reporter.report(0)
    assert frozen.revision == first + 1
    assert [it.frozen for it in frozen.topologies] == [True]


def test_only_a_topology_that_changed_is_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    nimbus = three_sites()
    other = chain(("lines", 1), ("count", 1), name="lines-2-17")
    for _ in range(3):
        nimbus.round(TOPOLOGY, other)
    reporter = StatusReporter(nimbus.service)
    reporter.report(0)
    encoded: list[str] = []
    encode = status.encode_topology

    def counted(it: TopologyOverview, hosts: Mapping[str, str]) -> pb.TopologyStatus:
        encoded.append(it.state.topology.id)
        return encode(it, hosts)

    monkeypatch.setattr(status, "encode_topology", counted)
    nimbus.running.pop(other.id)
    nimbus.round(TOPOLOGY, other, obey=False)
    after = {it.topology_id: it for it in reporter.report(0).topologies}
    assert encoded == [other.id]
    assert after[other.id].unknown == "2 of its 2 executors have no slot"
    assert metrics(after[other.id]) == {}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mode": "off"}, "eyewall.mode is off"),
        ({"mode": "auto", "policy": "opd"}, "eyewall.policy"),
        ({"pin": {"a": ["edge-9"]}}, "eyewall.pin of a: no host edge-9"),
    ],
)
def test_what_cannot_be_modelled_says_why(settings: dict[str, object], said: str) -> None:
    nimbus = three_sites()
    nimbus.round(chain(("a", 1), ("b", 1), settings=settings))
    it = only_topology(nimbus)
    assert metrics(it) == {}
    assert said in it.unknown
    assert said in it.status


def test_what_is_not_known_well_enough_to_move_is_reported() -> None:
    nimbus = running(three_sites())
    nimbus.delays.confidence = 0.1
    nimbus.rounds(TOPOLOGY, 1)
    unknown = only_topology(nimbus).unknown
    assert unknown.startswith("delays between edge-1, fog-1, cloud-1 are known only with")


def test_what_lacks_a_slot_is_not_valued() -> None:
    nimbus = three_sites()
    nimbus.solvers.late = True
    nimbus.round(TOPOLOGY)
    it = only_topology(nimbus)
    assert (metrics(it), it.unknown) == ({}, "4 of its 4 executors have no slot")


def test_several_terms_have_no_value_before_a_solution_shows_what_normalises_them() -> None:
    nimbus = three_sites()
    weighted = chain(
        ("a", 1), ("b", 1), settings={"objective": "R=0.5,N=0.5", "pin": {"a": ["edge-1"]}}
    )
    nimbus.rounds(weighted, 1)
    nimbus.solvers.late = True  # no further solution
    nimbus.round(weighted)
    before = metrics(only_topology(nimbus))
    assert (before.get("objective"), before["R"]) == (None, 0.0)
    nimbus.solvers.improved[-1].ready = True
    nimbus.round(weighted)
    assert "objective" in metrics(only_topology(nimbus))


def test_among_many_hosts_only_links_that_a_stream_crosses_are_reported() -> None:
    names = [f"h{number}" for number in range(FEW_HOSTS + 1)]
    delays = {(a, b): 10.0 for a in names for b in names if a < b}
    nimbus = Nimbus([supervisor(it) for it in names], delays)
    pinned = chain(("a", 1), ("b", 1), settings={"pin": {"a": ["h1"], "b": ["h2"]}})
    nimbus.rounds(pinned, 2)
    found = reported(nimbus)
    assert not found.delays.all_pairs
    (link,) = found.delays.links
    assert (link.source, link.target, link.delay, link.rate) == ("h1", "h2", 0.01, 1.0)


def test_half_of_a_surrogate_pair_is_reported_as_its_escape() -> None:
    nimbus = three_sites()
    nimbus.round(chain(("source", 1), settings={"pin": {"source": ["\ud800"]}}))
    it = only_topology(nimbus)
    assert list(it.executors[0].pins) == [r"\ud800"]
    assert r"no host \ud800" in it.status


def test_how_long_tuples_wait_is_reported_with_its_age_alone_once_it_is_known() -> None:
    nimbus = running(three_sites())
    reporter = StatusReporter(nimbus.service)
    usual = reporter.report(0)
    assert (usual.waits.burstiness, usual.waits.sharing, usual.waits.fitted) == (1.0, 0.25, False)
    assert (usual.waits.burstiness_error, usual.waits.sharing_error) == (1.0, 0.25)
    assert (usual.waits.observations, usual.waits.HasField("age")) == (0, False)
    one = WaitObservation(
        "t", "p", nimbus.clock.now, 0.02, 0.001, 0.01, 0.01, 0.0, model=LATENCY_MODEL
    )
    nimbus.service._waits._learn((one,))
    running(nimbus)
    known = reporter.report(usual.revision)
    assert known.revision > usual.revision
    assert known.waits.observations == 1
    nimbus.clock.now = one.time + 7.0
    unchanged = reporter.report(known.revision)
    assert unchanged.unchanged
    assert unchanged.waits == pb.WaitFit(age=7.0)
