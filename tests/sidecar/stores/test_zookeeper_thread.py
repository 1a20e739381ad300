"""Turns of work with a real ZooKeeper."""

import logging
import threading
import time
from collections.abc import Callable

import pytest
from eyewall_sidecar.stores.zookeeper_thread import ZookeeperThread
from kazoo.client import KazooClient
from real_stores import Server

PATIENCE = 60.0
FAILS = "nothing can be done"
NO_MORE = 3600.0
"""A pause that lasts longer than the test."""


class Turns:
    """Counts them; the first ones fail with `failures`."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.count = 0
        self.reports: list[tuple[str, str]] = []
        self.good = threading.Event()

    def take(self, _client: KazooClient) -> None:
        self.count += 1
        if self.failures:
            raise self.failures.pop(0)

    def report(self, before: str, wrong: str) -> None:
        self.reports.append((before, wrong))
        if not wrong:
            self.good.set()


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [it.getMessage() for it in caplog.records if it.name == "eyewall.zookeeper"]


def until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_surprise_is_logged_once_and_ends_nothing(
    zookeeper: Server, caplog: pytest.LogCaptureFixture
) -> None:
    turns = Turns(ZeroDivisionError("x"), ZeroDivisionError("x"))
    thread = ZookeeperThread(
        zookeeper.address, time.monotonic, turns.take, turns.report, FAILS, pause=NO_MORE
    )
    with caplog.at_level(logging.ERROR, "eyewall.zookeeper"):
        thread.start()
        assert turns.good.wait(PATIENCE)
    thread.close()
    wrong = "ZeroDivisionError: x"
    assert turns.reports[-2:] == [(wrong, wrong), (wrong, "")]
    assert logged(caplog) == [FAILS]


def test_what_is_expected_is_reported_by_its_sentence_and_not_logged(
    zookeeper: Server, caplog: pytest.LogCaptureFixture
) -> None:
    turns = Turns(LookupError("nonsense there"))
    thread = ZookeeperThread(
        zookeeper.address,
        time.monotonic,
        turns.take,
        turns.report,
        FAILS,
        pause=NO_MORE,
        expected=(LookupError,),
    )
    with caplog.at_level(logging.ERROR, "eyewall.zookeeper"):
        thread.start()
        assert turns.good.wait(PATIENCE)
    thread.close()
    assert turns.reports[-1] == ("nonsense there", "")
    assert logged(caplog) == []


def test_it_is_woken_from_a_long_pause_and_takes_a_last_turn_when_it_is_closed(
    zookeeper: Server,
) -> None:
    turns, last = Turns(), Turns()
    thread = ZookeeperThread(
        zookeeper.address,
        time.monotonic,
        turns.take,
        turns.report,
        FAILS,
        last=last.take,
        pause=NO_MORE,
    )
    thread.start()
    assert turns.good.wait(PATIENCE)
    thread.wake()
    until(lambda: turns.count == 2)
    assert last.count == 0
    thread.close()
    until(lambda: last.count == 1)
    assert turns.count == 2


def test_one_that_was_never_started_is_closed(zookeeper: Server) -> None:
    turns = Turns()
    ZookeeperThread(zookeeper.address, time.monotonic, turns.take, turns.report, FAILS).close()
    assert turns.count == 0
