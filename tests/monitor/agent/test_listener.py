from __future__ import annotations

import socket
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from eyewall_monitor.addresses import ListenError
from eyewall_monitor.agent.listener import LONGEST_LINE, MOST_CONNECTIONS, Listener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Ear:
    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.counters: Counter[str] = Counter()
        self.listener = Listener("127.0.0.1", 0, self.heard.extend, self.counters, time.monotonic)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.listener.port))

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < end
            self.listener.poll(0.01)


@pytest.fixture
def ear() -> Iterator[Ear]:
    made = Ear()
    yield made
    made.listener.close()


def test_lines_of_several_connections_are_not_mixed(ear: Ear) -> None:
    with ear.connect() as one, ear.connect() as other:
        one.sendall(b"a ")
        other.sendall(b"b ")
        ear.listener.poll(0.05)
        one.sendall(b"1 2\n")
        other.sendall(b"3 4\n")
        ear.until(lambda: len(ear.heard) == 2)
    assert sorted(ear.heard) == [b"a 1 2", b"b 3 4"]


def test_a_line_that_its_connection_did_not_end_is_torn(ear: Ear) -> None:
    with ear.connect() as one:
        one.sendall(b"a 1 2\nb 3")
    ear.until(lambda: ear.counters["rejected: torn"] == 1)
    assert ear.heard == [b"a 1 2"]


def test_a_megabyte_without_an_end_is_dropped_and_counted_and_the_connection_goes_on(
    ear: Ear,
) -> None:
    with ear.connect() as one:
        one.settimeout(0)
        left = b"x" * 1_000_000 + b"\na 1 2\n"
        while left:
            try:
                left = left[one.send(left) :]
            except BlockingIOError:
                ear.listener.poll(0.01)
        ear.until(lambda: ear.heard == [b"a 1 2"])
    assert ear.counters["rejected: too long"] == 1
    assert LONGEST_LINE < 1_000_000


def test_a_connection_that_breaks_off_stops_nothing(ear: Ear) -> None:
    one = ear.connect()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # ends with a reset
    ear.listener.poll(0.05)
    one.close()
    with ear.connect() as other:
        other.sendall(b"a 1 2\n")
        ear.until(lambda: ear.heard == [b"a 1 2"])


def test_connections_without_end_keep_no_worker_from_being_heard(ear: Ear) -> None:
    idle = []
    for _ in range(MOST_CONNECTIONS + 10):
        idle.append(ear.connect())
        ear.listener.poll(0.01)
    with ear.connect() as one:
        one.sendall(b"a 1 2\n")
        ear.until(lambda: ear.heard == [b"a 1 2"])
    assert ear.counters["dropped: connections"] == 11
    for connection in idle:
        connection.close()


def test_an_address_that_is_taken_is_named(ear: Ear) -> None:
    with pytest.raises(ListenError, match=rf"127.0.0.1:{ear.listener.port}: Address already"):
        Listener("127.0.0.1", ear.listener.port, print, Counter(), time.monotonic)
