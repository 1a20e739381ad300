"""Why an executor runs where it runs, and what other hosts would mean for it."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from desk_cluster import DELAYS, TOPOLOGY, running, three_sites
from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import evaluate
from eyewall_sidecar.service.answers import answer
from eyewall_sidecar.service.candidate_move import MoveConditions
from eyewall_sidecar.service.explanations import (
    MOST_ALTERNATIVES,
    Alternative,
    Explanation,
    Neighbour,
    explain,
)
from eyewall_sidecar.service.lookup import UnavailableError, UnknownNameError
from eyewall_sidecar.service.obstacles import Obstacle
from eyewall_sidecar.storm import SharedMemory, Topology
from obedient_nimbus import Nimbus
from said import codes, values
from storm_builders import MEGABYTE, chain, supervisor, worker

FROZEN = message(Code.FROZEN_BY_OPERATORS)
HEARD = ("edge-1", "fog-1", "cloud-1", "lonely-1")


def explained(
    nimbus: Nimbus,
    executor: str,
    host: str = "",
    heard: Collection[str] = HEARD,
) -> Explanation:
    """Of the first topology that there is."""
    return explain(nimbus.overview(), executor, host, heard)


def answered(nimbus: Nimbus, executor: str, host: str = "", **conditions: Any) -> Message:
    limits = nimbus.service.settings.moves
    found = explained(nimbus, executor, host)
    return answer(found, limits, MoveConditions(**conditions))


def on(found: Explanation, host: str) -> Alternative:
    return next(it for it in found.alternatives if it.host == host)


def obstacle(found: Explanation, host: str) -> Obstacle:
    """What forbids a host."""
    forbidden = on(found, host).obstacle
    assert forbidden is not None
    return forbidden


def placed(nimbus: Nimbus, topology: Topology, *workers: object, rounds: int = 1) -> Nimbus:
    """Let a topology run exactly so, as another scheduler placed it, and be looked at."""
    nimbus.running[topology.id] = workers  # type: ignore[assignment]
    nimbus.solvers.late = True  # nothing better is found
    nimbus.rounds(topology, rounds)
    return nimbus


CHAIN = chain(("a", 1), ("b", 1), ("c", 1), settings={"rate.hint": {"a": 20}})
"""a[1-1] → b[2-2] → c[3-3], 20 tuples/s."""


def on_edge_and_cloud(nimbus: Nimbus | None = None, topology: Topology = CHAIN) -> Nimbus:
    """a and b on edge-1, c on cloud-1: R is 40 ms, 20 tuples/s cross."""
    workers = worker("edge-1", 6700, 1, 2), worker("cloud-1", 6700, 3)
    return placed(nimbus or three_sites(), topology, *workers)


def test_each_host_is_valued_as_if_the_executor_alone_were_there() -> None:
    nimbus = on_edge_and_cloud()
    found = explained(nimbus, "b")
    problem = found.problem.problem
    assert len(found.alternatives) == 3
    for it in found.alternatives:
        moved = {**(problem.current or {}), "b[2-2]": it.host}
        worth = evaluate(problem, moved, Objective.parse("R=1"), {})
        assert it.value == pytest.approx(worth.value)
        assert it.metrics[Term.N] == pytest.approx(worth.metrics[Term.N])
        assert it.response_time_added == pytest.approx(worth.metrics[Term.R] - 0.04)
        # What crosses: 20 from a, and 20 to c unless it is there; 20 do now.
        assert it.between_hosts_added == pytest.approx(worth.metrics[Term.T] - 20)


def test_possible_hosts_come_best_first_and_impossible_ones_last() -> None:
    # c next to b saves 40 ms, on fog-1 it saves 25 ms; host-9 has no slots.
    nimbus = three_sites()
    nimbus.hosts.append(supervisor("host-9", slots=0))
    nimbus.delays.milliseconds |= {("host-9", it): 1.0 for it in ("edge-1", "fog-1", "cloud-1")}
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert [it.host for it in found.alternatives] == ["edge-1", "fog-1", "cloud-1", "host-9"]
    assert [it.current for it in found.alternatives] == [False, False, True, False]


def test_neighbours_are_those_it_exchanges_tuples_with() -> None:
    found = explained(on_edge_and_cloud(), "b")
    shown = [(it.executor, it.host, it.upstream, it.rate, it.delay) for it in found.neighbours]
    assert shown == [
        ("a[1-1]", "edge-1", True, 20.0, 0.0),
        ("c[3-3]", "cloud-1", False, 20.0, 0.04),
    ]
    assert found.on_slowest_path


def test_why_names_what_comes_from_there_and_what_would_be_next_best() -> None:
    topology = chain(
        ("a", 1),
        ("b", 1),
        ("c", 1),
        settings={"rate.hint": {"a": 20}, "pin": {"a": ["edge-1"], "c": ["edge-1"]}},
    )
    nimbus = placed(three_sites(), topology, worker("edge-1", 6700, 1, 2, 3))
    # To the fog and back: 2 · 15 ms; to the cloud and back: 2 · 40 ms.
    why = answered(nimbus, "b")
    assert codes(why) == [Code.RUNS_NEXT_BEST, Code.RUNS, Code.NEIGHBOUR_THERE]
    assert values(why, Code.NEIGHBOUR_THERE)["flow"] == "20 tuples/s come from a[1-1]"
    next_best = values(why, Code.RUNS_NEXT_BEST)
    assert (next_best["host"], next_best["worth"]) == ("fog-1", "R 30 ms (+30 ms)")
    worse = values(answered(nimbus, "b", "cloud-1"), Code.WOULD_BE_WORSE)
    assert worse["changes"] == "R would be 80 ms (+80 ms) and 40 tuples/s more would cross hosts"


def test_what_is_away_is_as_far_as_what_is_told_of() -> None:
    # b sends 8 + 8 tuples/s to the cloud, 50 ms away; 10 come from there, in 5 ms.
    there = (
        Neighbour("a[1-1]", "cloud-1", upstream=True, rate=10, delay=0.005, system=False),
        Neighbour("x[5-5]", "cloud-1", upstream=False, rate=8, delay=0.05, system=False),
        Neighbour("x[6-6]", "cloud-1", upstream=False, rate=8, delay=0.05, system=False),
        Neighbour("x[7-7]", "cloud-1", upstream=False, rate=0, delay=0.05, system=False),
    )
    found = replace(explained(on_edge_and_cloud(), "c"), host="edge-1", neighbours=there)
    away = values(answer(found, MoveLimits(), MoveConditions()), Code.NEIGHBOUR_AWAY)
    flow = "16 tuples/s go to x[5-5] and 1 more"
    assert away == {"flow": flow, "host": "cloud-1", "delay": "50 ms"}


def test_a_pin_is_all_the_reason_there_is() -> None:
    nimbus = running(three_sites())
    pinned = message(Code.PINNED, component="source", pins=("edge-1",))
    why = {"executor": "source[1-1]", "reason": pinned}
    assert answered(nimbus, "source") == message(Code.RUNS, host="edge-1", **why)
    assert answered(nimbus, "source", "fog-1") == message(Code.CANNOT_GO, host="fog-1", **why)


def test_what_is_already_there_is_said_to_be() -> None:
    nimbus = on_edge_and_cloud()
    assert codes(answered(nimbus, "b", "edge-1")) == [Code.RUNS_ALREADY, Code.NEIGHBOUR_THERE]


def test_a_host_that_is_as_good_gains_nothing() -> None:
    # b on cloud-1 instead: 40 ms from a then, and the same 20 tuples/s cross.
    said = values(answered(on_edge_and_cloud(), "b", "cloud-1"), Code.WOULD_GAIN_NOTHING)
    assert (said["worth"], said["crossing"]) == ("R 40 ms", "")


@pytest.mark.parametrize(
    ("limits", "conditions", "hold"),
    [
        ({"minimum_gain": 1.0}, {}, message(Code.GAIN_TOO_SMALL, minimum=1.0)),
        ({}, {"cooling_seconds": 12.0}, message(Code.COOLING, seconds=12.0)),
        ({}, {"cooling_seconds": 12.0, "frozen": FROZEN}, FROZEN),
        ({}, {}, message(Code.STILL_SEARCHING)),
    ],
)
def test_a_better_host_says_what_holds_the_move_back(
    limits: dict[str, float], conditions: dict[str, object], hold: Message
) -> None:
    # On fog-1 c is 15 ms from b: 25 of 40 ms are gained, 62.5 %.
    nimbus = on_edge_and_cloud(three_sites(**limits))
    better = values(answered(nimbus, "c", "fog-1", **conditions), Code.WOULD_BE_BETTER)
    assert (better["worth"], better["hold"]) == ("R 15 ms (−25 ms)", hold)


def test_a_better_host_that_the_budget_holds_back_says_so() -> None:
    # c leaves cloud-1 for a worker that is not there yet: one starts, none may.
    nimbus = three_sites(workers_per_round=0)
    nimbus.running[CHAIN.id] = worker("edge-1", 6700, 1, 2), worker("cloud-1", 6700, 3)
    nimbus.rounds(CHAIN, 3)
    said = answered(nimbus, "c", "edge-1")
    assert Code.WHOLE_TOPOLOGY in codes(said)
    assert values(said, Code.ROUND_BUDGET) == {"workers": 1, "started": 0, "limit": 0}


def test_under_observe_nothing_is_moved_however_good() -> None:
    topology = replace(CHAIN, settings={**(CHAIN.settings or {}), "eyewall.mode": '"observe"'})
    said = answered(on_edge_and_cloud(three_sites(), topology), "c", "fog-1")
    assert codes(said) == [Code.WOULD_BE_BETTER, Code.MODE_OBSERVE]


def test_what_is_not_known_well_enough_is_said_with_the_answer() -> None:
    nimbus = on_edge_and_cloud()
    nimbus.delays.confidence = 0.1
    nimbus.rounds(CHAIN, 1)
    with pytest.raises(
        UnavailableError, match="chain-1 cannot be explained: delays between edge-1"
    ):
        explained(nimbus, "c")
    nimbus = on_edge_and_cloud()
    del nimbus.delays.milliseconds["edge-1", "cloud-1"]
    nimbus.rounds(CHAIN, 1)
    said = answered(nimbus, "c", "fog-1")
    assert codes(said) == [Code.NOT_CERTAIN, Code.WOULD_BE_BETTER, Code.UNKNOWN]
    assert "delay unknown, taken as the largest known, 25 ms" in str(said)


def test_cores_that_are_missing_are_counted() -> None:
    # 1 core there, 0.9 placed by b: with c's 0.9 it is 1.8.
    topology = chain(("a", 1), ("b", 1), ("c", 1), cpu=0.9)
    hosts = [supervisor("edge-1", cpu=1.0), supervisor("fog-1"), supervisor("cloud-1", cpu=2.0)]
    nimbus = placed(
        Nimbus(hosts, DELAYS),
        topology,
        worker("fog-1", 6700, 1),
        worker("edge-1", 6700, 2),
        worker("cloud-1", 6700, 3),
    )
    name, reason = obstacle(explained(nimbus, "c"), "edge-1")
    figures = {"needed": pytest.approx(1.8), "limit": 1.0, "source": "declared", "headroom": ""}
    assert (name, values(reason, Code.CPU_FULL)) == ("cpu", figures)
    assert codes(answered(nimbus, "c", "edge-1")) == [Code.CANNOT_GO, Code.CPU_FULL]


def test_memory_that_is_missing_is_counted() -> None:
    # 4096 MB on each host, of which each executor takes 3000.
    topology = chain(("a", 1), ("b", 1), heap_megabytes=3000)
    nimbus = placed(three_sites(), topology, worker("edge-1", 6700, 1), worker("fog-1", 6700, 2))
    name, reason = obstacle(explained(nimbus, "b"), "edge-1")
    figures = {"needed": 6000.0, "limit": 4096.0, "headroom": ""}
    assert (name, values(reason, Code.MEMORY_FULL)) == ("memory", figures)


def test_places_that_are_taken_are_counted() -> None:
    # One slot with room for 4 executors on edge-1, and 4 are there.
    topology = chain(("a", 5))
    hosts = [supervisor("edge-1", slots=1), supervisor("fog-1"), supervisor("cloud-1")]
    nimbus = placed(
        Nimbus(hosts, DELAYS),
        topology,
        worker("edge-1", 6700, 1, 2, 3, 4),
        worker("fog-1", 6700, 5),
    )
    taken = message(Code.PLACES_TAKEN, taken=4.0, limit=4)
    assert obstacle(explained(nimbus, "5"), "edge-1") == ("operators", taken)


def both_on_edge(topology: Topology) -> Nimbus:
    """CHAIN-like on edge-1 and cloud-1, another topology on both slots of fog-1."""
    nimbus = three_sites()
    busy = chain(("x", 1), ("y", 1), name="busy-1")
    nimbus.running[topology.id] = (worker("edge-1", 6700, 1, 2), worker("cloud-1", 6700, 3))
    nimbus.running[busy.id] = (worker("fog-1", 6700, 1), worker("fog-1", 6701, 2))
    nimbus.solvers.late = True
    nimbus.round(topology, busy)
    return nimbus


def test_a_host_without_a_free_slot_is_not_left_out_silently() -> None:
    nimbus = both_on_edge(CHAIN)
    taken = message(Code.SLOTS_TAKEN, slots=2)
    assert obstacle(explained(nimbus, "c"), "fog-1") == ("slots", taken)


def test_with_eckers_score_another_topologys_host_is_closed() -> None:
    topology = replace(
        CHAIN,
        settings={
            **(CHAIN.settings or {}),
            "eyewall.policy": '"hybrid"',
            "eyewall.objective": '"ecker"',
        },
    )
    nimbus = both_on_edge(topology)
    found = explained(nimbus, "c")
    assert obstacle(found, "fog-1").constraint == "closed"
    # Next to b on edge-1 no stream and no tuple leaves the host, and one supervisor is enough.
    best = on(found, "edge-1")
    assert (best.value or 0) < (on(found, "cloud-1").value or 0)
    assert "ecker" in str(answered(nimbus, "c", "edge-1"))


def test_a_host_without_the_least_cpu_of_a_worker_says_so() -> None:
    # It has free slots, and 0.2 of the 0.3 cores that a worker counts.
    nimbus = three_sites()
    nimbus.hosts[1] = replace(nimbus.hosts[1], cpu_cores=0.2)
    nimbus.least_worker_cores = 0.3
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert obstacle(found, "fog-1") == ("cpu", message(Code.NO_CPU_FOR_A_WORKER, least=0.3))


def test_a_greylisted_host_says_so() -> None:
    nimbus = three_sites()
    nimbus.hosts[1] = replace(nimbus.hosts[1], greylisted=True)
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert obstacle(found, "fog-1") == ("greylisted", message(Code.GREYLISTED))


def test_a_host_without_memory_for_what_an_executor_shares_says_so() -> None:
    # c and its table need 4,223 of 4,096 MB, but it runs where it runs.
    table = SharedMemory("table", frozenset({"c"}), on_heap_bytes=4095 * MEGABYTE)
    sharing = replace(CHAIN, shared_memory=(table,))
    here = worker("edge-1", 6700, 1, 2), worker("cloud-1", 6700, 3)
    found = explained(placed(three_sites(), sharing, *here), "c")
    full = message(Code.NO_MEMORY_TO_SHARE, component="c")
    assert obstacle(found, "fog-1") == ("memory", full)


def test_a_blacklisted_host_says_so() -> None:
    nimbus = three_sites()
    nimbus.hosts[1] = replace(nimbus.hosts[1], ports=())
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert obstacle(found, "fog-1") == ("blacklisted", message(Code.BLACKLISTED))


def test_a_worker_whose_slot_was_withdrawn_stays() -> None:
    nimbus = on_edge_and_cloud()
    nimbus.hosts[2] = replace(nimbus.hosts[2], ports=(6701,))
    nimbus.rounds(CHAIN, 1)
    withdrawn = message(Code.WITHDRAWN_SLOT)
    assert values(answered(nimbus, "c"), Code.RUNS)["reason"] == withdrawn
    assert obstacle(explained(nimbus, "c"), "fog-1") == ("withdrawn slot", withdrawn)


def test_a_host_that_says_nonsense_of_itself_is_told_with_it() -> None:
    nimbus = three_sites()
    nimbus.hosts[1] = supervisor("fog-1", speed="fast")
    name, reason = obstacle(explained(on_edge_and_cloud(nimbus), "c"), "fog-1")
    assert (name, reason.code) == ("traits", Code.BAD_TRAITS)
    assert "speed is 'fast'" in str(reason)


def test_a_host_whose_delay_is_unknown_or_doubted_is_told_with_it() -> None:
    nimbus = three_sites()
    for pair in (("edge-1", "fog-1"), ("fog-1", "cloud-1")):
        del nimbus.delays.milliseconds[pair]
    unknown = message(Code.DELAYS_UNKNOWN, hosts=["edge-1", "cloud-1"])
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert obstacle(found, "fog-1") == ("delay unknown", unknown)


def test_a_host_without_a_supervisor_is_told_from_one_that_nobody_knows() -> None:
    nimbus = on_edge_and_cloud()
    assert codes(answered(nimbus, "c", "lonely-1")) == [Code.CANNOT_GO, Code.NO_SUPERVISOR]
    with pytest.raises(UnknownNameError) as refused:
        explained(nimbus, "c", "cloud-9")
    hosts = ["cloud-1", "edge-1", "fog-1"]
    assert refused.value.reason == message(Code.NO_HOST, name="cloud-9", known=hosts)
    assert refused.value.nearest == ("cloud-1",)


def test_of_several_supervisors_on_a_host_the_best_one_counts() -> None:
    # fog-1 has one supervisor whose only slot is taken and one that is free.
    nimbus = three_sites()
    nimbus.hosts.append(supervisor("fog-1", name="sup-second"))
    nimbus.hosts[1] = replace(nimbus.hosts[1], ports=())
    found = explained(on_edge_and_cloud(nimbus), "c")
    assert [it.host for it in found.alternatives].count("fog-1") == 1
    assert on(found, "fog-1").possible
    assert on(found, "fog-1").response_time_added == pytest.approx(-0.025)


def test_several_terms_are_told_one_by_one() -> None:
    topology = chain(
        ("a", 1),
        ("b", 1),
        settings={
            "rate.hint": {"a": 20},
            "objective": "R=0.5,N=0.5",
            "pin": {"a": ["edge-1"]},
        },
    )
    nimbus = placed(three_sites(), topology, worker("edge-1", 6700, 1, 2))
    # No solution has shown yet what normalises the terms: the objective has an order, no value.
    found = explained(nimbus, "b")
    assert [it.host for it in found.alternatives] == ["edge-1", "fog-1", "cloud-1"]
    assert on(found, "fog-1").value is None
    # 15 ms · 20/s = 0.3 tuples under way.
    assert values(answered(nimbus, "b", "fog-1"), Code.WOULD_BE_WORSE)["changes"] == (
        "R would be 15 ms (+15 ms), N would be 0.3 tuples (+0.3 tuples), "
        "20 tuples/s more would cross hosts"
    )


def test_among_very_many_hosts_the_best_are_told_and_the_one_that_was_asked_for() -> None:
    names = [f"h{number:02}" for number in range(MOST_ALTERNATIVES + 10)]
    delays = {(a, b): 10.0 for a in names for b in names if a < b}
    topology = chain(("a", 1), ("b", 1))
    nimbus = placed(
        Nimbus([supervisor(it) for it in names], delays),
        topology,
        worker("h00", 6700, 1),
        worker("h00", 6701, 2),
    )
    found = explained(nimbus, "b", names[-1])
    assert len(found.alternatives) == MOST_ALTERNATIVES + 1
    assert found.alternatives[-1].host == names[-1]
    assert found.left_out == 9


def test_what_does_not_run_whole_cannot_be_explained() -> None:
    nimbus = three_sites()
    nimbus.solvers.late = True
    nimbus.round(TOPOLOGY)
    with pytest.raises(UnavailableError) as refused:
        explained(nimbus, "source")
    missing = values(refused.value.reason, Code.MISSING_EXECUTORS)
    assert missing == {"missing": 4, "executors": 4}


def test_what_eyewall_leaves_alone_says_why_it_cannot_be_explained() -> None:
    topology = chain(("a", 1), settings={"mode": "off"})
    with pytest.raises(
        UnavailableError, match=r"chain-1 cannot be explained: eyewall\.mode is off"
    ):
        explained(placed(three_sites(), topology, worker("edge-1", 6700, 1)), "a")
