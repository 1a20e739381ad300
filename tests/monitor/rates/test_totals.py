from __future__ import annotations

import pytest
from eyewall_monitor.rates.totals import Increment, pool, total
from hypothesis import given
from hypothesis import strategies as st


def increments(first: float, *amounts: float, seconds: float = 5.0) -> list[Increment]:
    return [Increment(first + i * seconds, seconds, it, 0.0, 0) for i, it in enumerate(amounts)]


def test_tasks_that_tell_at_the_same_time_are_added_up() -> None:
    found = total({1: increments(5, 10, 20), 2: increments(5, 1, 2)})
    assert [(it.until, it.amount) for it in found] == [(5, 11), (10, 22)]


def test_tasks_that_tell_at_other_times_are_added_up_to_the_moment_both_are_known() -> None:
    # Task 2 is 2 s behind: up to 13 both are known. Of (8, 13] task 1 did 2/5 · 20 + 3/5 · 20,
    # of (3, 8] 2/5 · 10 + 3/5 · 20 = 16; task 2 did 5 in each.
    found = total({1: increments(5, 10, 20, 20), 2: increments(3, 5, 5, 5)})
    assert [it.until for it in found][-2:] == [8, 13]
    assert [it.amount for it in found][-2:] == pytest.approx([21, 25])


def test_a_slot_of_which_one_task_is_unknown_is_left_out() -> None:
    # Task 2's report of (5, 10] was lost.
    found = total({1: increments(5, 10, 10, 10), 2: [*increments(5, 3), *increments(15, 3)]})
    assert [it.until for it in found] == [5, 15]


def test_a_task_that_fell_silent_holds_the_sum_back_rather_than_falling_out_of_it() -> None:
    found = total({1: increments(5, 10, 10, 10), 2: increments(5, 3)})
    assert [(it.until, it.amount) for it in found] == [(5, 13)]


@given(st.dictionaries(st.integers(1, 6), st.floats(0, 4.9), min_size=1), st.floats(0, 1e4))
def test_even_rates_add_up_whatever_the_moments_of_the_reports(
    phases: dict[int, float], amount: float
) -> None:
    found = total({task: increments(5 + phase, *[amount] * 8) for task, phase in phases.items()})
    assert len(found) >= 6
    for it in found:
        assert it.amount / it.seconds == pytest.approx(len(phases) * amount / 5)


def test_samples_are_pooled_until_there_is_enough_to_divide_by() -> None:
    few = [Increment(5.0 * i, 5.0, 1.0, 40.0, 20) for i in range(1, 6)]
    # 40 + 40 + 40 reach 100, twice 40 do not.
    assert pool(few, 100) == [Increment(15.0, 15.0, 3.0, 120.0, 20)]
    assert pool([Increment(5, 5, 1, 0, 20)], 0) == []
