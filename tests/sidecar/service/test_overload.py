"""What it costs a topology that it is given more than it carries."""

import pytest
from eyewall_sidecar.objectives.load_prediction import LoadPrediction
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.overload import (
    LULL,
    Overload,
    Strain,
    find_strain,
    update_overload,
)
from eyewall_sidecar.service.performance import FEWEST, Measurement, Performance

WAITS_2 = Strain(latency=2.5, least=0.5)


def performance(*latencies: float | None, waiting: float = 0.0) -> Performance:
    """What was measured of 100 tuples/s."""
    measured = (MeasuredLatency(it, it) for it in latencies)
    return Performance(
        measurements=tuple(Measurement(100.0, 0.1, 0.5, it, waiting) for it in measured)
    )


def predicted(relief: float, *, saturated: bool) -> LoadPrediction:
    return LoadPrediction((1.0, 1.0), relief, relief, saturated)


def lateness(*strains: Strain | None) -> float:
    """After rounds that are 5 s apart."""
    overload: Overload | None = None
    for number, strain in enumerate(strains):
        overload = update_overload(overload, strain, 5.0 * number)
    assert overload is not None
    return overload.lateness


def test_tuples_are_late_by_what_they_take_longer_than_usual() -> None:
    # 2 s for 5 s, and again.
    assert lateness(WAITS_2, WAITS_2, WAITS_2) == pytest.approx(20.0)
    quicker = Strain(latency=0.4, least=0.5)
    assert lateness(quicker, quicker) == 0.0


def test_without_acks_tuples_wait_since_the_last_one() -> None:
    # 2 s, then 7, then 12.
    silent = Strain(latency=None, least=0.5)
    assert lateness(WAITS_2, WAITS_2, silent, silent) == pytest.approx(5 * (2 + 7 + 12))


def test_what_spouts_hold_back_waits_longer_and_longer() -> None:
    # A fifth of what comes in 5 s is a second more to wait for each time.
    held = Strain(latency=2.5, least=0.5, held_back=0.2)
    assert lateness(WAITS_2, held, held) == pytest.approx(5 * (3 + 4))


def test_a_short_lull_ends_no_overload_and_costs_nothing() -> None:
    before = Overload(100.0, 112.0, lateness=7.0)
    assert update_overload(before, None, 112.0 + LULL) == before


def test_after_a_longer_one_the_next_overload_is_another() -> None:
    before, after = Overload(100.0, 112.0, lateness=7.0), 112.1 + LULL
    assert update_overload(before, None, after) is None
    again = update_overload(before, Strain(None, None), after)
    assert again == Overload(after, after)


def test_what_was_usual_before_is_what_counts_however_long_it_lasts() -> None:
    # After a minute nothing is measured any more of before.
    long_since = Strain(latency=2.5, least=2.5)
    assert lateness(WAITS_2, long_since, long_since) == pytest.approx(20.0)


def test_an_overload_is_seen_by_queues_or_by_the_load_model() -> None:
    calm = performance(*[0.1] * FEWEST)
    assert find_strain(calm, None) is None
    assert find_strain(calm, predicted(2.0, saturated=False)) is None
    assert find_strain(calm, predicted(2.0, saturated=True)) == Strain(0.1, 0.1)
    # 11 tuples that wait are 0.11 s of 100/s: the first sign of an overload.
    assert find_strain(performance(0.1, 0.9, waiting=11.0), None) == Strain(0.9, 0.1)


def test_where_queues_and_latency_stay_the_same_spouts_hold_tuples_back() -> None:
    # A quarter more would be carried elsewhere: of what comes a fifth waits.
    full = performance(*[3.0] * FEWEST, waiting=300.0)
    strain = find_strain(full, predicted(1.25, saturated=True))
    assert strain is not None
    assert strain.held_back == pytest.approx(0.2)


def test_where_latency_grows_nothing_is_held_back() -> None:
    growing = performance(*(1.0 + it for it in range(FEWEST)), waiting=300.0)
    strain = find_strain(growing, predicted(1.25, saturated=True))
    assert strain == Strain(6.0, 1.0)


def test_what_is_not_measured_yet_is_not_known_to_wait() -> None:
    assert find_strain(Performance(), predicted(2.0, saturated=True)) == Strain(None, None)
