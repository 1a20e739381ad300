"""The simulated cluster, and the real loop on it: what is constant is left alone."""

from dataclasses import replace

import numpy as np
import pytest
from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.service import ready_moves
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.look_back import UNCHANGED, MoveHistory, MoveTrial
from eyewall_sidecar.service.measurement import Measurement
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.storm import Assignment, Executor, Slot, Worker

from benchmarks.loop import simulated_loop
from benchmarks.loop.simulated_cases import BRIEFLY
from benchmarks.loop.simulated_cluster import SimulatedCluster
from benchmarks.loop.simulated_loop import DAMPERS, EYEWALL, Contender, without_damper
from benchmarks.loop.simulated_parts import Physics, SimulatedComponent, SimulatedHost
from benchmarks.loop.simulation import simulate

CASES = range(8)
"""Of half an hour each: what a gap piles up near saturation takes as long to be made up for.
17 s of CPU together; `python -m benchmarks loop simulation` runs 2,000."""
MOST_MOVES = 2
"""After the first minute, in all cases."""
PHYSICS = Physics(start_cpu=4.0, cold_factor=0.0, worker_cpu=0.0, send_cpu=0.0, receive_cpu=0.0)


def chain(*hosts: SimulatedHost) -> SimulatedCluster:
    """A source and a bolt of 10 ms, 5 ms apart."""
    components = (
        SimulatedComponent("source", (), (1.0,), 0.0001),
        SimulatedComponent("bolt", ("source",), (1.0,), 0.01),
    )
    delays = np.full((len(hosts), len(hosts)), 0.005)
    np.fill_diagonal(delays, 0.0)
    return SimulatedCluster(list(hosts), delays, components, PHYSICS, np.random.default_rng(1))


def on(*hosts: str) -> Assignment:
    """One worker for each of the executors."""
    return tuple(
        Worker(Slot(f"sup-{host}", 6700 + task), frozenset([Executor(task, task)]))
        for task, host in enumerate(hosts, start=1)
    )


def run(cluster: SimulatedCluster, seconds: int, rate: float) -> None:
    for _ in range(seconds):
        cluster.advance(1.0, rate)


def test_what_a_placement_carries_is_what_its_fullest_host_or_thread_has_time_for() -> None:
    # Half a core serves 50 tuples of 10 ms in a second; with a core a thread serves 100.
    cluster = chain(SimulatedHost("a", 2.0), SimulatedHost("b", 0.5))
    cluster.assign(on("a", "b"))
    assert cluster.capacity() == pytest.approx(50.0)
    cluster.assign(on("a", "a"))
    assert cluster.capacity() == pytest.approx(100.0)


def test_workers_that_tuples_wake_leave_less_for_them() -> None:
    # Each tuple crosses once: at 30/s half of 0.2 cores are used, and 0.3 serve 30 of 10 ms.
    cluster = chain(SimulatedHost("a", 2.0), SimulatedHost("b", 0.4))
    cluster.physics = replace(PHYSICS, crossing_cpu=0.2, crossing_half_rate=30.0)
    cluster.assign(on("a", "b"))
    assert cluster.capacity() == pytest.approx(30.0)
    assert cluster.worker_cpu(30.0) == pytest.approx([0.1, 0.1])


def test_all_that_is_offered_below_capacity_comes_out() -> None:
    cluster = chain(SimulatedHost("a", 2.0), SimulatedHost("b", 0.5))
    cluster.assign(on("a", "b"))
    run(cluster, 300, rate=25.0)
    delivered, latency = cluster.means(200.0, 300.0)
    assert delivered == pytest.approx(1.0, abs=0.02)
    assert 0.015 < latency < 0.1  # 10 ms of work and 5 ms of delay at least


def test_beyond_capacity_what_gets_through_is_counted_not_what_is_offered() -> None:
    cluster = chain(SimulatedHost("a", 2.0), SimulatedHost("b", 0.5))
    cluster.assign(on("a", "b"))
    run(cluster, 200, rate=100.0)
    before = cluster.received_total[1]
    run(cluster, 100, rate=100.0)
    assert cluster.received_total[1] - before == pytest.approx(5000, rel=0.02)


def test_a_move_stops_the_output_until_the_worker_has_had_the_cpu_that_its_start_takes() -> None:
    # 4 CPU-seconds and a tenth more for its executor: about 9 s on half a core, 2 s after the
    # assignment, give or take a fifth or so.
    cluster = chain(SimulatedHost("a", 2.0), SimulatedHost("b", 0.5))
    cluster.assign(on("a", "a"))
    run(cluster, 100, rate=25.0)
    cluster.assign(on("a", "b"))
    run(cluster, 60, rate=25.0)
    assert 6 <= cluster.lost_seconds(100.0, 160.0) <= 20
    assert cluster.moves == [100.0]


def test_a_source_that_starts_first_emits_nothing_before_its_tuples_have_where_to_go() -> None:
    # 4.4 CPU-seconds take about 3 s on a, and 44 s on b, where the last bolt is. What is offered
    # until then is emitted once, and nothing is lost and emitted again.
    hosts = [SimulatedHost("a", 2.0), SimulatedHost("b", 0.1)]
    components = (
        SimulatedComponent("source", (), (1.0,), 0.0001),
        SimulatedComponent("bolt", ("source",), (1.0,), 0.001),
        SimulatedComponent("sink", ("bolt",), (1.0,), 0.01),
    )
    cluster = SimulatedCluster(
        hosts, np.zeros((2, 2)), components, PHYSICS, np.random.default_rng(1)
    )
    cluster.assign(on("a", "a", "b"))
    run(cluster, 30, rate=5.0)
    assert cluster.emitted_total[0] == 0
    run(cluster, 270, rate=5.0)
    delivered, _ = cluster.means(0.0, 300.0)
    assert delivered == pytest.approx(1.0, abs=0.02)
    assert cluster.received_total[2] == pytest.approx(cluster.emitted_total[0])


def test_what_is_placed_as_ras_places_it_and_stays_does_as_under_ras() -> None:
    # RAS's own placement as a contender's, in rounds that keep it: not one random number differs.
    watched = Contender("ras that is watched", "ras", "R=1", limits=MoveLimits(frozen=True))
    outcome = simulate(36, "constant", watched, 600.0)
    assert (outcome.result.throughput, outcome.result.latency) == (
        outcome.ras.throughput,
        outcome.ras.latency,
    )


def test_under_constant_load_no_case_is_below_ras_and_hardly_any_moves_late() -> None:
    outcomes = [simulate(it, "constant", EYEWALL, 1800.0) for it in CASES]
    late = {it.seed: it.late_moves for it in outcomes}
    assert [it.seed for it in outcomes if it.is_below_ras] == []
    assert {seed: moves for seed, moves in late.items() if moves > 1} == {}
    assert sum(late.values()) <= MOST_MOVES


def test_a_host_that_is_slow_for_a_minute_is_waited_for_and_one_that_stays_slow_is_left() -> None:
    # From second 240 on; without patience both are left at 250, and tuples take twice as long as
    # under RAS where that was for a minute.
    (lasting,) = simulate(15, "slowed host", EYEWALL, 420.0).result.moves
    assert lasting > 300.0
    assert simulate(15, BRIEFLY, EYEWALL, 420.0).result.moves == ()
    hasty = simulate(15, BRIEFLY, without_damper(EYEWALL, "patience"), 420.0)
    assert hasty.late_moves == 1
    assert hasty.is_below_ras
    assert hasty.times_longer > 1.5


def test_without_looking_back_no_move_counts_as_worse() -> None:
    was, worse = (
        Performance(
            measurements=(Measurement(100.0, 1.0, 0.5, MeasuredLatency(latency, latency)),) * 6
        )
        for latency in (0.01, 0.1)
    )
    trial = MoveTrial((), was)
    assert vars(ready_moves)["judge_move"](trial, worse, UNCHANGED).worse
    with simulated_loop._absence("looking-back"):
        assert not vars(ready_moves)["judge_move"](trial, worse, UNCHANGED).worse


def test_without_holding_still_a_setback_holds_nothing_back() -> None:
    assert MoveHistory().with_setback(10.0).still_until == 610.0
    with simulated_loop._absence("holding-still"):
        after = MoveHistory().with_setback(10.0)
    assert (after.setbacks, after.still_until) == (1, 10.0)


@pytest.mark.parametrize("damper", DAMPERS)
def test_every_damper_can_be_left_out(damper: str) -> None:
    # What a patch replaces has to be where it looks for it.
    outcome = simulate(0, "constant", without_damper(EYEWALL, damper), 30.0)
    assert outcome.result.capacity > 0
