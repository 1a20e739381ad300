"""A host that operators drain: everything leaves it, and nothing is placed there."""

from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.service.decision import Keep
from eyewall_sidecar.service.explanations import explain
from eyewall_sidecar.service.obstacles import Obstacle
from eyewall_sidecar.storm import Topology
from obedient_nimbus import Nimbus, is_placed, reason
from pinned_chain import ends_pinned, three_hosts
from said import codes, values
from storm_builders import chain, cluster, state, supervisor, worker

FREE = chain(("source", 1), ("tag", 1))


def placed_on_b(topology: Topology = FREE, **limits: float | bool) -> Nimbus:
    """Three hosts, with all of the topology on b, where nothing gains by a move."""
    nimbus = three_hosts(minimum_gain=1.0, **limits)
    nimbus.running[topology.id] = (worker("b", 6700, 1, 2),)
    nimbus.rounds(topology, 3)
    return nimbus


def hosts(nimbus: Nimbus, topology: Topology = FREE) -> set[str]:
    return {it.slot.supervisor.removeprefix("sup-") for it in nimbus.running[topology.id]}


def test_what_runs_on_a_drained_host_leaves_it_whatever_that_gains() -> None:
    nimbus = placed_on_b()
    assert hosts(nimbus) == {"b"}
    nimbus.switches.turn(drained=["b"])
    _, moved = nimbus.rounds(FREE, 2)
    assert is_placed(moved)
    assert values(moved.status, Code.DRAINED) == {"host": "b"}
    assert "b" not in hosts(nimbus)


def test_a_search_that_has_just_ended_does_not_keep_it_there() -> None:
    # The first round after the switch finds that the last solution, b, no longer fits, and searches
    # at once although a search took 6 s a moment ago; the second one moves.
    nimbus = three_hosts(minimum_gain=1.0)
    nimbus.solvers.seconds = 6.0
    nimbus.running[FREE.id] = (worker("b", 6700, 1, 2),)
    nimbus.rounds(FREE, 3)
    nimbus.switches.turn(drained=["b"])
    searched = len(nimbus.solvers.improved)
    nimbus.rounds(FREE, 2)
    assert len(nimbus.solvers.improved) > searched
    assert "b" not in hosts(nimbus)


def test_nothing_is_placed_on_a_drained_host() -> None:
    nimbus = three_hosts()
    nimbus.switches.turn(drained=["a", "c"])
    nimbus.round(FREE)
    assert hosts(nimbus) == {"b"}


def test_what_has_no_slot_is_placed_elsewhere_and_the_rest_follows() -> None:
    nimbus = three_hosts()
    nimbus.running[FREE.id] = (worker("b", 6700, 1),)
    nimbus.switches.turn(drained=["b"])
    nimbus.round(FREE)
    assert nimbus.host_of(FREE, 2) != "b"
    nimbus.rounds(FREE, 2)
    assert "b" not in hosts(nimbus)


def test_nothing_comes_back_before_the_host_is_used_again() -> None:
    nimbus = placed_on_b()
    nimbus.switches.turn(drained=["b"])
    nimbus.rounds(FREE, 5)
    left = nimbus.running[FREE.id]
    nimbus.switches.turn()
    nimbus.rounds(FREE, 5)
    assert nimbus.running[FREE.id] == left  # 1.0 is gained by no move
    other = chain(("x", 1), name="other-1", settings={"pin": {"x": ["b"]}})
    nimbus.round(FREE, other)
    assert hosts(nimbus, other) == {"b"}


def test_where_the_other_hosts_have_no_room_it_runs_on_and_its_status_says_why() -> None:
    topology = ends_pinned()
    nimbus = three_hosts()
    nimbus.rounds(topology, 3)
    before = nimbus.running[topology.id]
    pinned = nimbus.host_of(topology, 1)
    nimbus.switches.turn(drained=[pinned])
    later = nimbus.rounds(topology, 3)
    assert nimbus.running[topology.id] == before
    assert later[-1].verdict == Keep()
    assert Code.NO_PLACEMENT in codes(later[-1].status)


def test_a_frozen_topology_stays_on_a_drained_host() -> None:
    nimbus = placed_on_b()
    nimbus.switches.turn(FREE.id, drained=["b"])
    *_, last = nimbus.rounds(FREE, 3)
    assert hosts(nimbus) == {"b"}
    assert Code.TOPOLOGY_FROZEN in codes(last.status)


def test_why_not_says_that_a_host_is_drained() -> None:
    nimbus = placed_on_b()
    nimbus.switches.turn(drained=["c"])
    nimbus.round(FREE)
    found = explain(nimbus.overview(), "tag", "c", reporting=())
    (other,) = (it for it in found.alternatives if it.host == "c")
    assert other.obstacle == Obstacle("drained", message(Code.DRAINED, host="c"))


def test_a_drained_supervisor_offers_no_slot() -> None:
    nimbus = Nimbus([supervisor("a", 2), supervisor("b", 2)], {("a", "b"): 1.0})
    nimbus.switches.turn(drained=["a", "b"])
    decision = nimbus.round(FREE)[FREE.id]
    assert not is_placed(decision)


def test_a_blacklisted_host_is_not_left_again_and_again() -> None:
    # What runs in slots that are not offered stays in them, whatever else may move for that.
    nimbus = placed_on_b()
    nimbus.hosts[1] = supervisor("b", slots=0)
    nimbus.switches.turn(drained=["b"])
    nimbus.rounds(FREE, 4)
    assert hosts(nimbus) == {"b"}
    request = nimbus.service.last_round().records[FREE.id].request
    assert request is not None
    assert request.drained_host == ""


def test_a_host_whose_delays_are_unknown_is_left() -> None:
    nimbus = placed_on_b()
    del nimbus.delays.milliseconds["a", "b"]
    del nimbus.delays.milliseconds["b", "c"]
    nimbus.rounds(FREE, 3)
    assert hosts(nimbus) == {"b"}
    nimbus.switches.turn(drained=["b"])
    nimbus.rounds(FREE, 3)
    assert "b" not in hosts(nimbus)


def test_leaving_a_drained_host_is_not_looked_back_on() -> None:
    nimbus = placed_on_b()
    nimbus.switches.turn(drained=["b"])
    nimbus.rounds(FREE, 3)
    assert "b" not in hosts(nimbus)
    assert nimbus.service.last_round().records[FREE.id].trial is None


def test_a_pin_to_a_drained_host_says_so() -> None:
    topology = chain(("x", 1), settings={"pin": {"x": ["b"]}})
    nimbus = three_hosts()
    nimbus.switches.turn(drained=["b"])
    decision = nimbus.round(topology)[topology.id]
    assert "b: drained" in str(reason(decision))


def test_while_a_host_is_drained_a_state_that_stays_the_same_is_one_object() -> None:
    # As without drained hosts: each topology's problem is then known to be what it was.
    nimbus, topology = three_hosts(), ends_pinned()
    nimbus.round(topology)
    nimbus.switches.turn(drained=["c"])
    seen = cluster(nimbus.hosts, state(topology, *nimbus.running[topology.id]))
    states = []
    for _ in range(2):
        nimbus.service.decide(seen, nimbus.clock.now + 2)
        states.append(nimbus.service.last_round().observation.state)
    assert states[0] is states[1]
    assert [it.host for it in states[0].supervisors if it.drained] == ["c"]
