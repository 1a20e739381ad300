"""What a worker uses in no executor, and what of it the tuples that cross its border cost."""

import pytest
from eyewall_contracts.sample import Sample, ThreadGroup, WorkerSample
from eyewall_sidecar.storm.worker_overhead import (
    USUAL_TUPLE,
    USUAL_WORKER,
    Overheads,
    fit_crossing_cost,
    update_overheads,
)

START = 1000.0
KEY = ("count-1", 6700)


def report(
    cpu: float | None, of_threads: float, *, age: float = 60.0, worker: str = "w1"
) -> Sample:
    """Five seconds of a worker that is `age` seconds old when they end."""
    threads = (ThreadGroup((1,), 1, of_threads),)
    it = WorkerSample("count-1", 6700, worker, START, START + age, 5.0, cpu=cpu, threads=threads)
    return Sample("a", "run", 0, START + age, 5.0, workers=(it,))


def updated(*samples: Sample) -> Overheads:
    found: Overheads = {}
    for it in samples:
        found = update_overheads(found, it)
    return found


def test_the_overhead_is_what_no_executor_used() -> None:
    # 1.0 − 0.6 CPU-seconds in 5 s.
    assert updated(report(1.0, 0.6))[KEY].held == pytest.approx(0.08)


def test_a_worker_that_translates_its_code_is_not_measured() -> None:
    # At 34 s the report's 5 s began at 29 s.
    assert updated(report(4.0, 0.6, age=34.0)) == {}
    assert KEY in updated(report(4.0, 0.6, age=35.0))


def test_a_worker_whose_cpu_is_unknown_keeps_what_was_known() -> None:
    assert updated(report(None, 0.6)) == {}
    assert updated(report(1.0, 0.6), report(None, 0.6))[KEY].held == pytest.approx(0.08)


def test_a_small_difference_changes_nothing_and_a_large_one_does() -> None:
    # 0.08 is held within 0.012; smoothed by 0.3: 0.08 + 0.3 · 0.02 and 0.08 + 0.3 · 0.1.
    assert updated(report(1.0, 0.6), report(1.1, 0.6))[KEY].held == pytest.approx(0.08)
    assert updated(report(1.0, 0.6), report(1.5, 0.6))[KEY].held == pytest.approx(0.11)


def test_a_process_that_took_the_slot_starts_from_nothing() -> None:
    both = updated(report(1.0, 0.6), report(1.5, 0.6, worker="w2"))
    assert both[KEY].held == pytest.approx(0.18)


def test_without_measurements_the_costs_are_the_usual_ones() -> None:
    assert fit_crossing_cost([]) == pytest.approx((USUAL_WORKER, USUAL_TUPLE))


def test_workers_of_different_traffic_tell_the_two_costs_apart() -> None:
    # 0.05 cores each and 100 µs a tuple: 0.05 + 0.01 · (0, 1, 5, 20).
    observed = [(0.05 + 1e-4 * rate, rate) for rate in (0.0, 100.0, 500.0, 2000.0)]
    assert fit_crossing_cost(observed) == pytest.approx((0.05, 1e-4), rel=0.05)


def test_one_worker_alone_divides_its_overhead_as_usual() -> None:
    # 0.03 + 500 · 60 µs = 0.06 is usual; 0.12 is twice as much of each.
    fitted = fit_crossing_cost([(0.12, 500.0)])
    assert fitted.worker + 500.0 * fitted.per_tuple == pytest.approx(0.12, rel=0.05)
    assert fitted.worker / USUAL_WORKER == pytest.approx(fitted.per_tuple / USUAL_TUPLE)


def test_costs_are_never_negative() -> None:
    falling = fit_crossing_cost([(0.2, 0.0), (0.2, 10.0), (0.01, 5000.0)])
    assert min(falling) >= 0.0
    assert min(fit_crossing_cost([(0.0, 0.0), (0.5, 1000.0), (1.0, 2000.0)])) >= 0.0
