import pytest
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm import Doubt, Doubts
from storm_builders import (
    Delays,
    all_delays,
    ask,
    chain,
    many_supervisors,
    supervisor,
    worker,
)


def test_a_host_whose_delay_is_unknown_is_left_out_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    asked = ask(hosts, chain(("source", 1)), delays=Delays({("a", "b"): 10}))
    assert [it.id for it in asked.problem.nodes] == ["a", "b"]
    assert "1 host left out, delay unknown: c" in asked.assumptions


def test_a_pin_to_a_host_whose_delay_is_unknown_takes_the_largest_known_never_zero() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    topology = chain(("source", 1), ("tag", 1), settings={"pin": {"source": ["c"]}})
    asked = ask(hosts, topology, delays=Delays({("a", "b"): 10}))
    assert asked.problem.delay("c", "a") == pytest.approx(0.010)
    assert asked.delays_assumed == (
        "delay unknown, taken as the largest known, 10 ms: a → c, b → c, c → a and 1 more"
    )


LITTLE = Doubt(confidence=0.2, wanted=0.3, age=45)
BARELY = "only with confidence 0.2 of the 0.3 wanted, 45 s old"


def between_c_and_the_others() -> Doubts:
    return {pair: LITTLE for a in "ab" for pair in ((a, "c"), ("c", a))}


def test_for_moving_an_empty_host_whose_delay_is_doubted_is_left_out_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    asked = ask(
        hosts,
        chain(("source", 1)),
        worker("a", 6700, 1),
        moving=True,
        doubts=between_c_and_the_others(),
    )
    assert [it.id for it in asked.problem.nodes] == ["a", "b"]
    assert f"1 host left out, delay known {BARELY}: c" in asked.assumptions
    assert asked.delays_assumed == ""


def test_for_moving_a_doubted_delay_from_where_something_runs_is_stood_in_for_and_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    topology = chain(("source", 1), ("tag", 1))
    running = (worker("a", 6700, 1), worker("c", 6700, 2))
    asked = ask(hosts, topology, *running, moving=True, doubts=between_c_and_the_others())
    assert asked.delays_assumed == f"delay known {BARELY}: a → c, b → c, c → a and 1 more"


def test_for_placing_a_doubted_delay_is_used_and_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    delays = Delays({("a", "b"): 10, ("a", "c"): 20, ("b", "c"): 30})
    asked = ask(hosts, chain(("source", 1)), delays=delays, doubts=between_c_and_the_others())
    assert asked.problem.delay("b", "c") == pytest.approx(0.030)
    assert asked.delays_assumed == ""
    assert asked.assumptions[-1] == (
        f"delay known {BARELY}, used nevertheless: a → c, b → c, c → a and 1 more"
    )


def test_for_placing_a_host_of_unknown_delay_is_not_said_to_be_doubted() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    doubts = {("a", "c"): LITTLE, ("c", "a"): LITTLE}  # between b and c nothing at all is known
    delays = Delays({("a", "b"): 10, ("a", "c"): 20})
    asked = ask(hosts, chain(("source", 1)), delays=delays, doubts=doubts)
    assert "1 host left out, delay unknown: c" in asked.assumptions
    assert not any("confidence" in it for it in asked.assumptions)


def test_where_all_delays_are_doubted_nothing_is_moved_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b")]
    doubts = {("a", "b"): LITTLE, ("b", "a"): LITTLE}
    topology = chain(("source", 1))
    with pytest.raises(ProblemError) as refused:
        ask(hosts, topology, worker("a", 6700, 1), moving=True, doubts=doubts)
    assert str(refused.value) == f"delays between a, b are known {BARELY}"
    assert [it.id for it in ask(hosts, topology, doubts=doubts).problem.nodes] == [
        "a",
        "b",
    ]


def test_without_any_known_delay_several_hosts_cannot_be_compared() -> None:
    with pytest.raises(ProblemError, match="no delay is known between any of a, b"):
        ask([supervisor("a"), supervisor("b")], chain(("source", 1)), delays=Delays({}))


def test_one_host_alone_needs_no_delay() -> None:
    assert [
        it.id
        for it in ask([supervisor("a")], chain(("source", 1)), delays=Delays({})).problem.nodes
    ] == ["a"]


def test_of_many_hosts_left_out_a_few_are_named_and_the_rest_counted() -> None:
    known = all_delays([f"host-{n:02}" for n in range(30)], 10)  # of the other 30: nothing
    asked = ask(many_supervisors(60), chain(("source", 1)), delays=known)
    assert len(asked.problem.nodes) == 30
    assert asked.assumptions[-1] == (
        "30 hosts left out, delay unknown: host-30, host-31, host-32 and 27 more"
    )


def test_of_many_delays_stood_in_for_a_few_are_named_and_the_rest_counted() -> None:
    # 31 hosts; one of them, a pin's, knows none of the other 30: 60 directed pairs.
    known = all_delays([f"host-{n:02}" for n in range(30)], 10)
    topology = chain(("source", 1), settings={"pin": {"source": ["host-30"]}})
    assert ask(many_supervisors(31), topology, delays=known).delays_assumed == (
        "delay unknown, taken as the largest known, 10 ms: host-00 → host-30, host-01 → host-30, "
        "host-02 → host-30 and 57 more"
    )
