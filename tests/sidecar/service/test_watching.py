"""What those who look on see, and when it counts as another sight."""

import pytest
from desk_cluster import TOPOLOGY, running, three_sites
from eyewall_sidecar.service.overview import StepThere
from eyewall_sidecar.service.watching import FEW_HOSTS, LinkThere, Watching
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor

MS = 1e-3


def test_before_the_first_round_there_is_nothing_to_see_and_the_first_round_is_news() -> None:
    nimbus = three_sites()
    watching = Watching(nimbus.service)
    nothing = watching.view()
    assert (nothing.seen, nothing.topologies) == (None, ())
    assert watching.view().revision == nothing.revision
    running(nimbus)
    assert watching.view().revision > nothing.revision


def test_what_runs_is_valued_by_the_model() -> None:
    nimbus = running(three_sites())
    (it,) = Watching(nimbus.service).view().topologies
    assert it.worth is not None
    # 40 ms from edge to cloud, 1 ms of work in tag.
    assert it.worth.evaluation.response_time == pytest.approx(41 * MS)
    assert it.worth.value == it.worth.evaluation.response_time
    assert (it.mode, it.policy, it.objective, it.unknown) == ("auto", "odp", "R=1", "")
    assert (it.verdict, it.status.split(",")[0]) == ("keep", "placed by eyewall: odp")


def test_executors_are_where_they_run_with_their_pins() -> None:
    nimbus = running(three_sites())
    (it,) = Watching(nimbus.service).view().topologies
    source = it.executors[0]
    assert (source.name, source.component, source.host) == ("source[1-1]", "source", "edge-1")
    assert (source.supervisor, source.cores, source.pins) == ("sup-edge-1", 0.1, ("edge-1",))
    assert source.port in (6700, 6701)


def test_the_slowest_path_adds_up_to_the_response_time() -> None:
    nimbus = running(three_sites())
    (it,) = Watching(nimbus.service).view().topologies
    assert it.worth is not None
    assert sum(step.delay + step.work for step in it.slowest_path) == pytest.approx(41 * MS)
    assert it.slowest_path[0] == StepThere("source[1-1]", "edge-1", 0.0, 0.0)
    assert it.slowest_path[-1].host == "cloud-1"


def test_streams_tell_how_much_of_them_crosses_and_links_what_crosses_them() -> None:
    nimbus = running(three_sites())
    view = Watching(nimbus.service).view()
    (it,) = view.topologies
    hosts = {executor.name: executor.host for executor in it.executors}
    # Each tag gets 10 of source's 20 tuples/s.
    apart = 10.0 * sum(hosts[tag] != "edge-1" for tag in ("tag[2-2]", "tag[3-3]"))
    assert [(s.source, s.target, s.rate, s.measured) for s in it.streams] == [
        ("source", "tag", 20.0, False),
        ("tag", "sink", 20.0, False),
    ]
    assert it.streams[0].between_hosts == pytest.approx(apart)
    assert view.all_pairs
    assert len(view.links) == 3 * 2
    rates = sum(link.rate or 0.0 for link in view.links)
    assert rates == pytest.approx(sum(s.between_hosts for s in it.streams))
    delays = {(link.source, link.target): link.seconds for link in view.links}
    assert delays["edge-1", "fog-1"] == pytest.approx(15 * MS)


def test_an_unchanged_round_is_the_same_sight_whatever_its_age() -> None:
    nimbus = running(three_sites())
    watching = Watching(nimbus.service)
    before = watching.view()
    nimbus.delays.age = 7.0
    nimbus.delays.confidence = 0.9
    nimbus.rounds(TOPOLOGY, 2)
    after = watching.view()
    assert after.seen is not before.seen
    assert after.revision == before.revision
    assert after.topologies[0] is before.topologies[0]


def test_a_delay_that_changes_is_another_sight() -> None:
    nimbus = running(three_sites(frozen=True))
    watching = Watching(nimbus.service)
    before = watching.view()
    nimbus.delays.milliseconds["edge-1", "cloud-1"] = 80.0
    nimbus.rounds(TOPOLOGY, 1)
    after = watching.view()
    assert after.revision > before.revision
    link = next(it for it in after.links if (it.source, it.target) == ("edge-1", "cloud-1"))
    assert link == LinkThere("edge-1", "cloud-1", 0.08, link.rate)


def test_what_else_is_told_makes_another_sight_when_it_changes() -> None:
    watching = Watching(running(three_sites()).service)
    first = watching.view("thawed").revision
    assert watching.view("thawed").revision == first
    assert watching.view("frozen").revision == first + 1


def test_only_a_topology_that_changed_is_looked_at_again() -> None:
    nimbus = three_sites()
    other = chain(("lines", 1), ("count", 1), name="lines-2-17")
    for _ in range(3):
        nimbus.round(TOPOLOGY, other)
    watching = Watching(nimbus.service)
    before = {it.state.topology.id: it for it in watching.view().topologies}
    nimbus.running.pop(other.id)
    nimbus.round(TOPOLOGY, other, obey=False)
    after = {it.state.topology.id: it for it in watching.view().topologies}
    assert after[TOPOLOGY.id] is before[TOPOLOGY.id]
    assert after[other.id].unknown == "2 of its 2 executors have no slot"
    assert after[other.id].worth is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mode": "off"}, "eyewall.mode is off"),
        ({"mode": "auto", "policy": "opd"}, "eyewall.policy"),
        ({"pin": {"a": ["edge-9"]}}, "eyewall.pin of a: no host edge-9"),
    ],
)
def test_what_cannot_be_modelled_says_why(settings: dict[str, object], said: str) -> None:
    topology = chain(("a", 1), ("b", 1), settings=settings)
    nimbus = three_sites()
    nimbus.round(topology)
    (it,) = Watching(nimbus.service).view().topologies
    assert it.worth is None
    assert said in it.unknown
    assert said in it.status


def test_what_is_not_known_well_enough_to_move_by_is_said() -> None:
    nimbus = running(three_sites())
    nimbus.delays.confidence = 0.1
    nimbus.rounds(TOPOLOGY, 1)
    (it,) = Watching(nimbus.service).view().topologies
    assert it.unknown.startswith("delays between edge-1, fog-1, cloud-1 are known only with")


def test_what_lacks_a_slot_is_not_valued() -> None:
    nimbus = three_sites()
    nimbus.solvers.late = True
    nimbus.round(TOPOLOGY)
    (it,) = Watching(nimbus.service).view().topologies
    assert (it.worth, it.unknown) == (None, "4 of its 4 executors have no slot")


def test_several_terms_have_no_value_before_an_answer_tells_what_normalises_them() -> None:
    nimbus = three_sites()
    weighted = chain(
        ("a", 1), ("b", 1), settings={"objective": "R=0.5,N=0.5", "pin": {"a": ["edge-1"]}}
    )
    nimbus.rounds(weighted, 1)
    nimbus.solvers.late = True  # nothing is answered any more
    nimbus.round(weighted)
    watching = Watching(nimbus.service)
    (before,) = watching.view().topologies
    assert before.worth is not None
    assert before.worth.value is None
    assert before.worth.evaluation.response_time == 0.0
    nimbus.solvers.improved[-1].ready = True
    nimbus.round(weighted)
    (after,) = watching.view().topologies
    assert after.worth is not None
    assert after.worth.value is not None


def test_among_many_hosts_only_links_that_a_stream_crosses_are_told_of() -> None:
    names = [f"h{number}" for number in range(FEW_HOSTS + 1)]
    delays = {(a, b): 10.0 for a in names for b in names if a < b}
    nimbus = Nimbus([supervisor(it) for it in names], delays)
    pinned = chain(("a", 1), ("b", 1), settings={"pin": {"a": ["h1"], "b": ["h2"]}})
    nimbus.rounds(pinned, 2)
    view = Watching(nimbus.service).view()
    assert not view.all_pairs
    assert view.links == (LinkThere("h1", "h2", 0.01, 1.0),)
