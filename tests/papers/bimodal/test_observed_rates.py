"""What connections delivered lately, from counters that only grow."""

import pytest
from eyewall_papers.bimodal.link_choice import Observed, ObservedRates
from hypothesis import given
from hypothesis import strategies as st

WINDOW = 10.0


def after(*seen: tuple[float, float]) -> Observed:
    """What is known of a connection whose counter was read at these times: (time, bytes)."""
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    for as_of, total in seen:
        rates.update({"a": total}, as_of)
    return rates.of("a")


def test_a_connection_that_was_seen_once_delivered_nothing_yet() -> None:
    assert after((5.0, 700.0)) == Observed(0.0, 0.0)
    assert after((5.0, 700.0)).rate is None
    assert ObservedRates[str](WINDOW).of("never seen") == Observed(0.0, 0.0)


def test_the_rate_is_that_between_the_first_and_the_last_look() -> None:
    # 700 to 1,900 bytes in 4 s.
    assert after((5.0, 700.0), (7.0, 1_000.0), (9.0, 1_900.0)) == Observed(4.0, 1_200.0)
    assert after((5.0, 700.0), (9.0, 1_900.0)).rate == 300.0


def test_what_was_missed_before_the_window_is_not_asked_for_again() -> None:
    # At 20 s the last 10 s begin at 10 s: 100 bytes in 10 s, not the 1,000 before.
    assert after((0.0, 0.0), (10.0, 1_000.0), (20.0, 1_100.0)) == Observed(10.0, 100.0)


def test_a_look_at_the_same_file_changes_nothing() -> None:
    assert after((0.0, 0.0), (2.0, 60.0), (2.0, 60.0)) == Observed(2.0, 60.0)


@pytest.mark.parametrize("again", [(4.0, 10.0), (1.0, 90.0)])
def test_a_counter_that_began_anew_is_looked_back_on_from_there(
    again: tuple[float, float],
) -> None:
    # Fewer bytes than before, or an earlier time: the router was restarted.
    assert after((0.0, 0.0), (2.0, 60.0), again) == Observed(0.0, 0.0)


def test_a_connection_that_is_gone_is_forgotten() -> None:
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    rates.update({"a": 0.0, "b": 0.0}, 0.0)
    rates.update({"b": 50.0}, 1.0)
    rates.update({"a": 900.0, "b": 80.0}, 2.0)
    assert rates.of("a") == Observed(0.0, 0.0)
    assert rates.of("b") == Observed(2.0, 80.0)


@given(st.lists(st.tuples(st.floats(0.1, 30.0), st.floats(0.0, 1e6)), min_size=1, max_size=40))
def test_no_less_than_the_window_is_looked_back_on_and_little_more(
    steps: list[tuple[float, float]],
) -> None:
    rates: ObservedRates[str] = ObservedRates(WINDOW)
    times, totals = [0.0], [0.0]
    rates.update({"a": 0.0}, 0.0)
    for seconds, delivered in steps:
        times.append(times[-1] + seconds)
        totals.append(totals[-1] + delivered)
        rates.update({"a": totals[-1]}, times[-1])
    # The latest look that is at least a window ago, or the first one.
    old = [place for place, at in enumerate(times) if times[-1] - at >= WINDOW]
    begin = old[-1] if old else 0
    seen = rates.of("a")
    assert seen.elapsed == pytest.approx(times[-1] - times[begin])
    assert seen.delivered == pytest.approx(totals[-1] - totals[begin], abs=1e-6)
