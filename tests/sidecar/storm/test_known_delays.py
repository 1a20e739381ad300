import pytest
from delay_tables import all_delays, delay_table
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.storm import DelayTable, KnownDelaysCache
from eyewall_sidecar.storm.known_delays import ASSUMED_SECONDS
from said import codes
from storm_builders import (
    ask,
    chain,
    many_supervisors,
    supervisor,
    worker,
)


def test_a_host_whose_delay_is_unknown_is_left_out_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    asked = ask(hosts, chain(("source", 1)), delays=delay_table({("a", "b"): 10}))
    assert [it.id for it in asked.problem.nodes] == ["a", "b"]
    assert message(Code.LEFT_OUT_UNKNOWN, count=1, hosts=["c"]) in asked.assumptions


def test_a_pin_to_a_host_whose_delay_is_unknown_takes_the_largest_known_never_zero() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    topology = chain(("source", 1), ("tag", 1), settings={"pin": {"source": ["c"]}})
    asked = ask(hosts, topology, delays=delay_table({("a", "b"): 10}))
    assert asked.problem.delay("c", "a") == pytest.approx(0.010)
    assert asked.delays_assumed == (
        "delay unknown, taken as the largest known, 10 ms: a → c, b → c, c → a and 1 more"
    )


def test_where_no_known_delay_is_above_zero_an_unknown_one_is_assumed_never_zero() -> None:
    # a and b share a machine; the largest known delay, 0, would put the pin's host there, too.
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    topology = chain(("source", 1), ("tag", 1), settings={"pin": {"source": ["c"]}})
    asked = ask(hosts, topology, delays=delay_table({("a", "b"): 0}))
    assert asked.problem.delay("a", "b") == 0.0
    assert asked.problem.delay("c", "a") == ASSUMED_SECONDS > 0
    assert asked.delays_assumed == (
        f"delay unknown, assumed to be {ASSUMED_SECONDS * 1000:g} ms as none above 0 is known: "
        "a → c, b → c, c → a and 1 more"
    )


def test_a_doubted_delay_is_not_replaced_by_zero_either() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    running = (worker("a", 6700, 1), worker("c", 6700, 2))
    delays = doubted_around_c(ab=0)
    asked = ask(hosts, chain(("source", 1), ("tag", 1)), *running, moving=True, delays=delays)
    assert asked.problem.delay("c", "a") == ASSUMED_SECONDS
    assert asked.delays_assumed == (
        f"delay known {BARELY}, assumed to be {ASSUMED_SECONDS * 1000:g} ms as none above 0 is "
        "known: a → c, b → c, c → a and 1 more"
    )


@pytest.mark.parametrize(
    ("hosts", "least"),
    [
        (("a", "b"), 1.0),
        (("a", "b", "c"), 0.2),  # c's delays are doubted
        (("a", "x"), 0.0),  # x is not in the table
        (("a",), 1.0),  # there is no delay between two of them
        ((), 1.0),
    ],
)
def test_the_least_certain_delay_counts_and_one_to_an_unknown_host_for_nothing(
    hosts: tuple[str, ...], least: float
) -> None:
    assert doubted_around_c().least_confidence(hosts) == least


def test_an_empty_table_is_certain_of_no_delay() -> None:
    assert DelayTable().least_confidence(("a", "b")) == 0.0
    assert DelayTable().least_confidence(()) == 1.0  # there is none to be uncertain of


BARELY = "only with confidence 0.2 of the 0.3 wanted, 45 s old"


def doubted_around_c(ab: float = 10, ac: float = 20, bc: float = 30) -> DelayTable:
    """Delays of which those from and to c are known with a confidence of 0.2 since 45 s."""
    milliseconds = {("a", "b"): ab, ("a", "c"): ac, ("b", "c"): bc}
    return delay_table(milliseconds, doubted=[("a", "c"), ("b", "c")], age=45)


def test_for_moving_an_empty_host_whose_delay_is_doubted_is_left_out_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    asked = ask(
        hosts,
        chain(("source", 1)),
        worker("a", 6700, 1),
        moving=True,
        delays=doubted_around_c(),
    )
    assert [it.id for it in asked.problem.nodes] == ["a", "b"]
    left_out = message(Code.LEFT_OUT_DOUBTED, count=1, doubt=BARELY, hosts=["c"])
    assert left_out in asked.assumptions
    assert asked.delays_assumed == ""


def test_for_moving_a_doubted_delay_of_a_host_in_use_has_a_substitute_and_is_reported() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    topology = chain(("source", 1), ("tag", 1))
    running = (worker("a", 6700, 1), worker("c", 6700, 2))
    asked = ask(hosts, topology, *running, moving=True, delays=doubted_around_c())
    assert asked.delays_assumed == f"delay known {BARELY}: a → c, b → c, c → a and 1 more"


def test_for_placing_a_doubted_delay_is_used_and_said() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    asked = ask(hosts, chain(("source", 1)), delays=doubted_around_c())
    assert asked.problem.delay("b", "c") == pytest.approx(0.030)
    assert asked.delays_assumed == ""
    assert asked.assumptions[-1] == (
        f"delay known {BARELY}, used nevertheless: a → c, b → c, c → a and 1 more"
    )


def test_for_placing_a_host_of_unknown_delay_is_not_said_to_be_doubted() -> None:
    hosts = [supervisor("a"), supervisor("b"), supervisor("c")]
    # Between b and c nothing at all is known.
    delays = delay_table({("a", "b"): 10, ("a", "c"): 20}, doubted=[("a", "c")], age=45)
    asked = ask(hosts, chain(("source", 1)), delays=delays)
    assert message(Code.LEFT_OUT_UNKNOWN, count=1, hosts=["c"]) in asked.assumptions
    assert Code.LEFT_OUT_DOUBTED not in [it for said in asked.assumptions for it in codes(said)]


def test_where_all_delays_are_doubted_nothing_is_moved_and_that_is_said() -> None:
    hosts = [supervisor("a"), supervisor("b")]
    delays = delay_table({("a", "b"): 10}, doubted=[("a", "b")], age=45)
    topology = chain(("source", 1))
    with pytest.raises(ProblemError) as refused:
        ask(hosts, topology, worker("a", 6700, 1), moving=True, delays=delays)
    assert str(refused.value) == f"delays between a, b are known {BARELY}"
    assert [it.id for it in ask(hosts, topology, delays=delays).problem.nodes] == [
        "a",
        "b",
    ]


def test_without_any_known_delay_several_hosts_cannot_be_compared() -> None:
    with pytest.raises(ProblemError, match="no delay is known between any of a, b"):
        ask([supervisor("a"), supervisor("b")], chain(("source", 1)), delays=delay_table({}))


def test_one_host_alone_needs_no_delay() -> None:
    assert [
        it.id
        for it in ask([supervisor("a")], chain(("source", 1)), delays=delay_table({})).problem.nodes
    ] == ["a"]


def test_of_many_hosts_left_out_a_few_are_named_and_the_rest_counted() -> None:
    known = all_delays([f"host-{n:02}" for n in range(30)], 10)  # of the other 30: nothing
    asked = ask(many_supervisors(60), chain(("source", 1)), delays=known)
    assert len(asked.problem.nodes) == 30
    assert str(asked.assumptions[-1]) == (
        "30 hosts left out, delay unknown: host-30, host-31, host-32 and 27 more"
    )


def test_of_many_delays_with_a_substitute_a_few_are_named_and_the_rest_counted() -> None:
    # 31 hosts; one of them, a pin's, knows none of the other 30: 60 directed pairs.
    known = all_delays([f"host-{n:02}" for n in range(30)], 10)
    topology = chain(("source", 1), settings={"pin": {"source": ["host-30"]}})
    assert ask(many_supervisors(31), topology, delays=known).delays_assumed == (
        "delay unknown, taken as the largest known, 10 ms: host-00 → host-30, host-01 → host-30, "
        "host-02 → host-30 and 57 more"
    )


@pytest.mark.parametrize(
    ("confidences", "ages", "said"),
    [
        ((0.2, 0.2), (45.2, 45.2), "0.2 of the 0.3 wanted, 45 s old"),
        ((0.05, 0.2), (45, 80), "0.05 to 0.2 of the 0.3 wanted, 45 to 80 s old"),
        # What is just too little does not read as if it were enough.
        ((0.2999, 0.2999), (1, 1), "0.29 of the 0.3 wanted, 1 s old"),
    ],
)
def test_a_doubt_is_worded_from_the_least_to_the_most(
    confidences: tuple[float, float], ages: tuple[float, float], said: str
) -> None:
    known = delay_table({("a", "b"): 10, ("c", "d"): 20}, doubted=[("a", "b"), ("c", "d")])
    for number, (row, column) in enumerate(((0, 1), (2, 3))):
        for at in ((row, column), (column, row)):
            known.confidence[at], known.ages[at] = confidences[number], ages[number]
    with pytest.raises(ProblemError, match=f"are known only with confidence {said}"):
        KnownDelaysCache().get(known, ("a", "b", "c", "d"), (), trusted=True)


def test_hosts_that_no_table_has_are_unknown_to_each_other_and_not_to_themselves() -> None:
    # x and y are not in the table: both are left out, and a and b remain.
    table = delay_table({("a", "b"): 10})
    known = KnownDelaysCache().get(table, ("x", "b", "y", "a"), (), trusted=True)
    assert (known.hosts, known.left_out) == (("b", "a"), ("x", "y"))
    assert known.seconds.tolist() == [[0.0, 0.01], [0.01, 0.0]]


def test_of_hosts_with_gaps_the_one_with_the_most_goes_first_then_the_one_nothing_needs() -> None:
    # Unknown: a-b, a-c (so a has two gaps) and d-e (one each). a goes, and e or d: d is needed.
    pairs = [("a", "d"), ("a", "e"), ("b", "c"), ("b", "d"), ("b", "e"), ("c", "d"), ("c", "e")]
    table = delay_table(dict.fromkeys(pairs, 10.0))
    known = KnownDelaysCache().get(table, ("a", "b", "c", "d", "e"), {"d"}, trusted=True)
    assert known.left_out == ("a", "e")


def test_equal_tables_share_what_is_known_and_another_table_does_not() -> None:
    cache = KnownDelaysCache()
    hosts = ("a", "b")
    first = cache.get(delay_table({("a", "b"): 10}), hosts, (), trusted=True)
    assert cache.get(delay_table({("a", "b"): 10}, age=9), hosts, (), trusted=True) is first
    assert cache.get(delay_table({("a", "b"): 11}), hosts, (), trusted=True) is not first
