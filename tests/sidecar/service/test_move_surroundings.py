"""What hosts and delays did since a move is no fault of the move."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from eyewall_sidecar.model import LinkMatrix, LoadModel, Node, PlacementProblem
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.look_back import (
    UNCHANGED,
    MoveHistory,
    MoveTrial,
    SlowedLink,
    Surroundings,
    find_slowed_links,
    find_surroundings,
    judge_move,
)
from eyewall_sidecar.service.measurement import Measurement
from eyewall_sidecar.service.performance import Performance
from small_problems import chain_of

FREE = LoadModel(
    worker_cpu=0.0, polling_cpu=0.0, send_cpu=0.0, receive_cpu=0.0, crossing_seconds=0.0
)


def chain(
    *,
    delay: float = 0.01,
    cores: tuple[float | None, float] = (1.0, 1.0),
    demand: float = 0.0,
    speedups: tuple[float, float] = (1.0, 1.0),
) -> PlacementProblem:
    """a and b, of 10 ms each, run on n1; only b needs CPU."""
    drawn = chain_of([10], [2, 2], delays={("n1", "n2"): delay})
    return replace(
        drawn,
        operators=tuple(
            replace(it, execution_time=0.01, demand=demand if it.id == "b" else 0.0)
            for it in drawn.operators
        ),
        nodes=tuple(
            Node(f"n{place}", cpu=1.0, cores=it, speedup=speedup)
            for place, (it, speedup) in enumerate(zip(cores, speedups, strict=True), start=1)
        ),
        current={"a": "n1", "b": "n1"},
        load=FREE,
    )


def moved(problem: PlacementProblem) -> MoveTrial:
    """b goes to n2."""
    return MoveTrial((), at_rest(0.03), problem=problem, target={"a": "n1", "b": "n2"})


def at_rest(latency: float, throughput: float = 100.0, *, waiting: float = 0.0) -> Performance:
    latencies = MeasuredLatency(latency, latency)
    return Performance(measurements=(Measurement(throughput, 1.0, 0.5, latencies, waiting),) * 6)


@pytest.mark.parametrize(
    ("now", "delay"),
    [
        (chain(), 0.0),
        # With a third of its cores n1 works at a third of its speed: 30 ms for b where it was 10.
        (chain(cores=(1 / 3, 1.0)), 0.02),
        (chain(speedups=(1 / 3, 1.0)), 0.02),
        # b is on n2: 30 ms instead of 10.
        (chain(cores=(1.0, 1 / 3)), 0.02),
        # But other guests, and the link, may be slow because b is there.
        (chain(speedups=(1.0, 1 / 3)), 0.0),
        (chain(delay=0.07), 0.0),
        # What is faster than it was excuses nothing.
        (chain(speedups=(2.0, 1.0)), 0.0),
        # What was declared then and is measured now cannot be compared.
        (chain(cores=(None, 1.0)), 0.0),
    ],
)
def test_latency_is_excused_by_hosts_that_became_slower_for_reasons_of_their_own(
    now: PlacementProblem, delay: float
) -> None:
    found = find_surroundings(moved(chain()), now)
    assert found.delay == pytest.approx(delay, abs=1e-9)
    assert found.throughput == 1.0


def test_a_link_that_the_topology_came_to_use_may_count_as_well() -> None:
    now = chain(delay=0.07)
    assert find_surroundings(moved(chain()), now, used_links=True).delay == pytest.approx(0.06)


def test_the_links_that_are_crossed_and_slowed_are_remembered() -> None:
    # a on n1, b on n2, c on n3. n1 → n2 takes 60 ms more, n2 → n3 0.9, which may be noise.
    def spread(first: float, second: float, third: float = 0.01) -> PlacementProblem:
        delays = {("n1", "n2"): first, ("n2", "n3"): second, ("n1", "n3"): third}
        return chain_of([10, 10], [3, 3, 3], delays=delays)

    target = {"a": "n1", "b": "n2", "c": "n3"}
    trial = MoveTrial((), at_rest(0.03), problem=spread(0.01, 0.01), target=target)
    both = (SlowedLink(("n1", "n2"), 0.01, 0.07), SlowedLink(("n2", "n1"), 0.01, 0.07))
    assert find_slowed_links(trial, spread(0.07, 0.0109, third=0.5)) == both
    assert len(find_slowed_links(trial, spread(0.07, 0.0111))) == 4
    slow = replace(trial, problem=spread(0.05, 0.05))
    assert find_slowed_links(slow, spread(0.054, 0.054)) == ()  # by less than a tenth


SLOWED = SlowedLink(("n1", "n2"), 0.01, 0.07)


def reviewed(
    history: MoveHistory, now: float, delay: float = 0.06, b_on: str = "n1"
) -> MoveHistory:
    """By today's delay between n1 and n2; a is on n1."""
    return history.reviewed(replace(chain(delay=delay), current={"a": "n1", "b": b_on}), now)


@pytest.mark.parametrize(
    ("delay", "b_on", "later", "setbacks"),
    [
        (0.06, "n1", 300.0, 1),
        (0.06, "n1", 299.0, 2),  # it may not have been measured since
        (0.06, "n1", 601.0, 2),  # too late to say what it was then
        (0.02, "n1", 300.0, 2),  # nearer to 10 ms than to 70: without the topology it is fast
        (0.06, "n2", 300.0, 2),  # they cross it
    ],
)
def test_a_move_is_not_to_blame_for_links_that_stay_slow_without_the_topology(
    delay: float, b_on: str, later: float, setbacks: int
) -> None:
    before = MoveHistory().with_setback(-9000.0).with_setback(1000.0, (SLOWED,))
    after = reviewed(before, 1000.0 + later, delay, b_on)
    assert after.setbacks == setbacks
    assert (after.still_until > 1000.0 + later) is (setbacks == 2)


def test_a_link_that_is_crossed_in_the_other_direction_may_be_slow_for_that() -> None:
    slowed = SlowedLink(("n2", "n1"), 0.01, 0.07)
    before = MoveHistory().with_setback(0.0, (slowed,))
    assert reviewed(before, 300.0, b_on="n2").setbacks == 1
    assert reviewed(before, 300.0).setbacks == 0


def test_among_many_hosts_nothing_is_known_of_one_link() -> None:
    many = tuple(Node(f"n{it}", cores=1.0) for it in range(1, 102))
    links = LinkMatrix.from_delays(tuple(it.id for it in many), np.full((101, 101), 0.06))
    now = replace(chain(), nodes=many, links=links, current={"a": "n1", "b": "n1"})
    assert MoveHistory().with_setback(0.0, (SLOWED,)).reviewed(now, 300.0).setbacks == 1


def test_within_an_hour_a_second_setback_stands() -> None:
    acquitted = reviewed(MoveHistory().with_setback(0.0, (SLOWED,)), 300.0)
    again = acquitted.with_setback(3000.0, (SLOWED,))
    assert reviewed(again, 3300.0).setbacks == 1
    later = acquitted.with_setback(4000.0, (SLOWED,))
    assert reviewed(later, 4300.0).setbacks == 0


def test_links_that_are_fast_again_are_not_looked_at_twice() -> None:
    blamed = reviewed(MoveHistory().with_setback(0.0, (SLOWED,)), 310.0, delay=0.02)
    assert reviewed(blamed, 320.0) == blamed
    assert blamed.setbacks == 1


def test_a_link_of_which_nothing_is_known_any_more_excuses_nothing() -> None:
    now = replace(chain(), nodes=(Node("n1", cores=1.0),), links={}, current={"a": "n1", "b": "n1"})
    assert MoveHistory().with_setback(0.0, (SLOWED,)).reviewed(now, 310.0).setbacks == 1


def test_declared_cores_of_then_are_not_compared_with_measured_ones_of_now() -> None:
    # Eight declared cores, of which processes use one, and a third of a measured one.
    def declared(problem: PlacementProblem) -> PlacementProblem:
        operators = tuple(replace(it, demand=None) for it in problem.operators)
        nodes = tuple(replace(it, cores=8.0, background=1.0) for it in problem.nodes)
        return replace(problem, operators=operators, nodes=nodes)

    now = chain(cores=(1 / 3, 1 / 3), demand=0.3)
    assert find_surroundings(moved(declared(chain())), now) == UNCHANGED


def test_latency_is_excused_by_a_link_that_the_topology_no_longer_crosses() -> None:
    # It was on both nodes, and is on n2 now: its old way would take 60 ms more.
    split = replace(chain(), current={"a": "n1", "b": "n2"})
    trial = MoveTrial((), at_rest(0.03), problem=split, target={"a": "n2", "b": "n2"})
    assert find_surroundings(trial, chain(delay=0.07)).delay == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("now", "delay"),
    [
        # c came to n2, and may be why other guests take more there, and why b's tuples are late.
        ({"speedups": (1.0, 1 / 3, 1.0)}, 0.0),
        ({"delays": {("n1", "n2"): 0.07}}, 0.0),
        # It left n3, and the link to it: 20 ms more of work, and 60 of the way.
        ({"speedups": (1.0, 1.0, 1 / 3)}, 0.02),
        ({"delays": {("n2", "n3"): 0.07}}, 0.06),
        # a was on n1 all the time, with nothing else: what it takes comes before it emits.
        ({"speedups": (1 / 3, 1.0, 1.0)}, 0.0),
    ],
)
def test_what_a_part_that_moved_may_have_caused_excuses_nothing(
    now: dict[str, Any], delay: float
) -> None:
    def problem(
        speedups: Sequence[float] = (1.0, 1.0, 1.0),
        delays: Mapping[tuple[str, str], float] | None = None,
    ) -> PlacementProblem:
        drawn = chain_of([10, 10], [3, 3, 3], delays=delays)
        return replace(
            drawn,
            operators=tuple(replace(it, execution_time=0.01, demand=0.0) for it in drawn.operators),
            nodes=tuple(
                Node(f"n{place}", cores=1.0, speedup=it) for place, it in enumerate(speedups, 1)
            ),
            current={"a": "n1", "b": "n2", "c": "n3"},
            load=FREE,
        )

    target = {"a": "n1", "b": "n2", "c": "n2"}
    trial = MoveTrial((), at_rest(0.03), problem=problem(), target=target)
    assert find_surroundings(trial, problem(**now)).delay == pytest.approx(delay, abs=1e-9)


def test_throughput_is_excused_by_a_host_that_cannot_carry_the_load_any_more() -> None:
    # b needs 0.4 cores, and 0.2 are left of n2.
    found = find_surroundings(moved(chain(demand=0.4)), chain(demand=0.4, cores=(1.0, 0.2)))
    assert found.throughput == pytest.approx(0.5)
    # It carried no more than that before: nothing is excused.
    slow = chain(demand=0.4, cores=(1.0, 0.2))
    assert find_surroundings(moved(slow), slow).throughput == 1.0


def test_the_origin_may_carry_less_than_it_did() -> None:
    # b needs 0.4 cores, and others leave 0.2 where it was.
    found = find_surroundings(moved(chain(demand=0.4)), chain(demand=0.4, cores=(0.2, 1.0)))
    assert found.origin == pytest.approx(0.5)
    # That was no reason to leave, so it is none to stay away.
    slow = chain(demand=0.4, cores=(0.2, 1.0))
    assert find_surroundings(moved(slow), slow).origin == 1.0


def test_executors_that_need_more_where_they_are_excuse_nothing() -> None:
    now = chain()
    slower = tuple(replace(it, execution_time=0.025, demand=0.3) for it in now.operators)
    assert find_surroundings(moved(now), replace(now, operators=slower)) == UNCHANGED


def test_a_host_that_is_gone_counts_as_it_was() -> None:
    now = replace(chain(), nodes=(Node("n2", cores=1.0),), links={}, current={"b": "n2"})
    assert find_surroundings(moved(chain()), now) == UNCHANGED


@pytest.mark.parametrize(
    ("latency", "surroundings", "worse"),
    [
        (0.08, UNCHANGED, True),
        (0.08, Surroundings(delay=0.06), False),  # 90 ms are to be expected
        (0.12, Surroundings(delay=0.06), True),
    ],
)
def test_latency_is_held_against_what_it_was_and_what_is_excused(
    latency: float, surroundings: Surroundings, worse: bool
) -> None:
    assert judge_move(moved(chain()), at_rest(latency), surroundings).worse is worse


@pytest.mark.parametrize(("excused", "worse"), [(1.0, True), (0.5, False)])
def test_throughput_is_held_against_the_part_that_is_carried(excused: float, worse: bool) -> None:
    # Half of the 100 tuples/s, and a second's tuples in queues; latency is no worse.
    after = at_rest(0.03, 50.0, waiting=50.0)
    assert judge_move(moved(chain()), after, Surroundings(0.0, excused)).worse is worse


def test_the_report_says_what_was_excused() -> None:
    report = str(judge_move(moved(chain()), at_rest(0.08), Surroundings(0.06, 0.5)).report)
    assert report.endswith(
        "; what hosts and delays did since is no fault of the move: 60 ms more, 50% carried"
    )
    quiet = str(judge_move(moved(chain()), at_rest(0.08), Surroundings(0.0001)).report)
    assert quiet.endswith("(was 0.5 cores)")
