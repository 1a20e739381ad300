from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from eyewall_monitor.agent.delivery import Backlog, Delivery, StoreAwayError
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from reports import FULL

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from eyewall_contracts.sample import Sample


def report(number: int) -> Sample:
    return replace(FULL, sequence=number)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


class Store:
    """Takes reports while it is there."""

    def __init__(self, *, there: bool) -> None:
        self.there = there
        self.got: list[int] = []
        self.attempts = 0

    def send(self, it: Sample) -> None:
        self.attempts += 1
        if not self.there:
            raise StoreAwayError("refused")
        self.got.append(it.sequence)


def test_a_full_backlog_drops_the_oldest_and_counts_it() -> None:
    backlog = Backlog(2)
    for number in range(5):
        backlog.put(report(number))
    first = backlog.first()
    assert first is not None
    assert (first.sequence, len(backlog), backlog.dropped) == (3, 2, 3)


def test_a_report_that_was_dropped_on_its_way_takes_no_other_with_it() -> None:
    backlog = Backlog(1)
    backlog.put(report(0))
    on_its_way = backlog.first()
    assert on_its_way is not None
    backlog.put(report(1))
    backlog.done(on_its_way)
    left = backlog.first()
    assert left is not None
    assert left.sequence == 1


@given(st.integers(1, 5), st.integers(0, 20))
def test_what_is_put_waits_or_is_counted(most: int, put: int) -> None:
    backlog = Backlog(most)
    for number in range(put):
        backlog.put(report(number))
    assert len(backlog) + backlog.dropped == put


def test_reports_arrive_in_order() -> None:
    store = Store(there=True)
    delivery = Delivery("a store", store.send, 10, 0.01)
    delivery.start()
    for number in range(20):
        delivery.put(report(number))
        until(lambda: len(store.got) > number)  # noqa: B023 - called at once
    delivery.stop(120)
    assert store.got == list(range(20))


def test_while_a_store_is_away_the_last_reports_wait_and_then_arrive(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    store = Store(there=False)
    delivery = Delivery("a store", store.send, 3, 0.01)
    delivery.start()
    for number in range(10):
        delivery.put(report(number))
    until(lambda: store.attempts > 5)
    store.there = True
    until(lambda: len(store.got) == 3)
    delivery.stop(120)
    assert store.got == [7, 8, 9]
    assert delivery.dropped == 7
    # One line when it goes, one when it comes back; nothing for each attempt.
    assert [record.getMessage() for record in caplog.records] == [
        "a store does not take reports: refused; the last 3 are kept",
        "a store takes reports again; 2 wait, 7 were dropped since the start",
    ]


def test_handing_over_never_waits_for_the_store() -> None:
    stuck = threading.Event()

    def send(_report: Sample) -> None:
        stuck.wait(120)

    delivery = Delivery("a store", send, 2, 0.01)
    delivery.start()
    for number in range(100):
        delivery.put(report(number))
    assert delivery.dropped >= 97
    stuck.set()
    delivery.stop(5)


def test_the_end_waits_for_no_store_that_is_away() -> None:
    store = Store(there=False)
    delivery = Delivery("a store", store.send, 3, 3600.0)
    delivery.start()
    delivery.put(report(0))
    until(lambda: store.attempts > 0)
    began = time.monotonic()
    delivery.stop(240)
    assert time.monotonic() - began < 120  # not until the store is tried again


def test_at_the_end_what_waits_is_delivered() -> None:
    store = Store(there=True)
    delivery = Delivery("a store", store.send, 10, 0.01)
    for number in range(5):
        delivery.put(report(number))
    delivery.start()
    delivery.stop(120)
    assert store.got == [0, 1, 2, 3, 4]
