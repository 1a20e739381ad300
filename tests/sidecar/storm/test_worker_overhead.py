"""What a worker uses in no executor, and what of it the tuples that cross its border cost."""

import pytest
from eyewall_contracts.sample import Sample, ThreadGroup, WorkerSample
from eyewall_sidecar.storm.worker_overhead import (
    HALF_RATE,
    USUAL_COST,
    CrossingCost,
    ObservedWorker,
    Overheads,
    fit_crossing_cost,
    keep_cost,
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


def overhead(cost: CrossingCost, rate: float) -> float:
    return cost.worker + cost.crossing * rate / (rate + HALF_RATE) + cost.per_tuple * rate


def test_without_measurements_the_costs_are_the_usual_ones() -> None:
    assert tuple(fit_crossing_cost([])) == pytest.approx(tuple(USUAL_COST))


def test_workers_of_different_traffic_tell_the_costs_apart() -> None:
    real = CrossingCost(worker=0.05, crossing=0.1, per_tuple=1e-5)
    observed = [
        ObservedWorker(overhead(real, rate), tuples=rate, bursts=rate)
        for rate in 5 * (0.0, 50.0, 300.0, 5000.0, 30000.0)
    ]
    assert tuple(fit_crossing_cost(observed)) == pytest.approx(tuple(real), rel=0.1)


def test_one_worker_alone_divides_its_overhead_by_how_much_each_part_usually_varies() -> None:
    # With 500 bursts of two tuples a second 0.015 + 0.04 + 0.005 are usual, and these parts vary by
    # 0.015, 0.04 and 0.02: 0.06 more is shared out by the squares of that.
    fitted = fit_crossing_cost([ObservedWorker(0.12, tuples=1000.0, bursts=500.0)])
    worker, crossing, per_tuple = (it - usual for it, usual in zip(fitted, USUAL_COST, strict=True))
    assert crossing / 2 / worker == pytest.approx(0.04**2 / 0.015**2)
    assert per_tuple * 1000.0 / worker == pytest.approx(0.02**2 / 0.015**2)
    assert worker + crossing / 2 + per_tuple * 1000.0 == pytest.approx(0.06, rel=0.1)


def test_a_worker_that_nothing_crosses_says_nothing_of_crossings() -> None:
    fitted = fit_crossing_cost([ObservedWorker(0.03, 0.0, 0.0)] * 5)
    assert fitted.worker == pytest.approx(0.03, rel=0.2)
    assert (fitted.crossing, fitted.per_tuple) == pytest.approx(
        (USUAL_COST.crossing, USUAL_COST.per_tuple)
    )


def test_what_workers_say_nothing_of_stays_as_it_was_fitted_before() -> None:
    # After a move to one worker nothing crosses any more; what crossings cost is not forgotten.
    before = CrossingCost(worker=0.05, crossing=0.2, per_tuple=1e-5)
    fitted = fit_crossing_cost([ObservedWorker(0.02, 0.0, 0.0)] * 5, before)
    assert fitted.worker == pytest.approx(0.02, rel=0.3)
    assert (fitted.crossing, fitted.per_tuple) == pytest.approx((0.2, 1e-5))


def test_what_is_kept_of_a_fit_is_within_four_times_the_usual_costs() -> None:
    # A collection of garbage made one of two workers use 3 cores.
    odd = fit_crossing_cost([ObservedWorker(0.1, 400.0, 200.0), ObservedWorker(3.0, 400.0, 200.0)])
    assert odd.crossing > 4 * USUAL_COST.crossing
    kept = keep_cost(odd)
    assert kept.crossing == 4 * USUAL_COST.crossing
    assert keep_cost(USUAL_COST) == USUAL_COST
    assert keep_cost(CrossingCost(0.0, 0.0, 0.0)) == pytest.approx([it / 4 for it in USUAL_COST])


def test_costs_are_never_negative() -> None:
    for observed in (
        [(0.2, 0.0), (0.2, 10.0), (0.01, 5000.0)],
        [(0.0, 0.0), (0.5, 1000.0), (1.0, 2000.0)],
    ):
        fitted = fit_crossing_cost(ObservedWorker(it, rate, rate) for it, rate in observed)
        assert min(fitted) >= 0.0
