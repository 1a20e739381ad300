"""Links: packets in order, never early, no faster than the bandwidth; no clock and no devices."""

from __future__ import annotations

from random import Random

import pytest
from eyewall_deploy.wan.link import SMALLEST_QUEUE, DueQueue, Wire
from hypothesis import given
from hypothesis import strategies as st

Link = tuple[float, float, float | None]
"""Delay, its deviation, and bandwidth."""
links = st.tuples(
    st.floats(0, 1), st.sampled_from([0.0, 0.001, 0.1]), st.none() | st.floats(1e3, 1e9)
)
packets = st.lists(st.tuples(st.floats(0, 0.1), st.integers(20, 65_536)), max_size=60)
"""(seconds since the packet before, bytes)"""


def sent(link: Link, gaps: list[tuple[float, int]]) -> list[tuple[float, int, float]]:
    """Time in, bytes and time due of each packet that was not dropped."""
    wire, now, out = Wire(Random(0), *link), 0.0, []
    for gap, size in gaps:
        now += gap
        due = wire.accept(size, now)
        if due is not None:
            out.append((now, size, due))
    return out


@given(links, packets)
def test_packets_leave_in_the_order_in_which_they_came(
    link: Link, gaps: list[tuple[float, int]]
) -> None:
    dues = [due for _, _, due in sent(link, gaps)]
    assert dues == sorted(dues)


@given(links, packets)
def test_no_packet_leaves_before_it_came(link: Link, gaps: list[tuple[float, int]]) -> None:
    assert all(due >= now for now, _, due in sent(link, gaps))


@given(st.floats(0, 1), st.none() | st.floats(1e3, 1e9), packets)
def test_without_deviation_no_packet_is_earlier_than_the_delay_and_its_transmission(
    delay: float, bandwidth: float | None, gaps: list[tuple[float, int]]
) -> None:
    for now, size, due in sent((delay, 0.0, bandwidth), gaps):
        transmission = size / bandwidth if bandwidth else 0.0
        assert due >= now + delay + transmission - 1e-9


@given(st.floats(0, 1), st.floats(1e3, 1e9), packets)
def test_in_any_stretch_no_more_bytes_arrive_than_the_bandwidth_lets_through(
    delay: float, bandwidth: float, gaps: list[tuple[float, int]]
) -> None:
    out = sent((delay, 0.0, bandwidth), gaps)
    for first in range(len(out)):
        carried = 0
        for last in range(first + 1, len(out)):
            carried += out[last][1]
            assert carried <= bandwidth * (out[last][2] - out[first][2]) * (1 + 1e-6) + 1e-3


@given(st.floats(0, 1), st.sampled_from([0.0, 0.01]), packets)
def test_without_a_bandwidth_nothing_is_dropped(
    delay: float, deviation: float, gaps: list[tuple[float, int]]
) -> None:
    assert len(sent((delay, deviation, None), gaps)) == len(gaps)


def test_a_full_queue_drops_what_comes_and_takes_more_once_it_has_drained() -> None:
    # 1 MB/s: the queue is the least one, 262,144 bytes. At time 0 packets of 65,536 bytes are
    # taken while at most that much waits: waiting 0, 64k, 128k, 192k, 256k → 5 taken, then none.
    wire = Wire(Random(0), bandwidth=1e6)
    taken = [wire.accept(65_536, 0.0) for _ in range(8)]
    assert SMALLEST_QUEUE == 4 * 65_536
    assert [due is not None for due in taken] == [True] * 5 + [False] * 3
    assert taken[4] == pytest.approx(5 * 0.065536)
    # After 0.1 s 100,000 bytes have left: 5 · 65,536 - 100,000 = 227,680 wait, which is less.
    assert wire.accept(65_536, 0.1) is not None


def test_the_deviation_is_the_one_asked_for() -> None:
    # Packets 1 s apart do not hold each other up; 4,000 draws give σ to about 1.1 %.
    out = sent((0.03, 0.003, None), [(1.0, 100)] * 4000)
    delays = [due - now for now, _, due in out]
    mean = sum(delays) / len(delays)
    assert mean == pytest.approx(0.03, rel=0.01)
    assert (sum((d - mean) ** 2 for d in delays) / len(delays)) ** 0.5 == pytest.approx(
        0.003, rel=0.05
    )


def test_a_smaller_delay_does_not_let_later_packets_overtake() -> None:
    wire = Wire(Random(0), delay=0.1)
    assert wire.accept(100, 0.0) == 0.1
    wire.change(delay=0.01)
    assert wire.accept(100, 0.05) == 0.1  # not 0.06
    assert wire.accept(100, 0.2) == pytest.approx(0.21)


@given(st.lists(st.floats(0, 10)), st.lists(st.floats(0, 10)))
def test_the_queue_gives_out_everything_once_in_order_and_nothing_early(
    dues: list[float], looks: list[float]
) -> None:
    queue: DueQueue[int] = DueQueue()
    for item, due in enumerate(dues):
        queue.put(due, item)
    taken: list[int] = []
    for now in [*sorted(looks), 10.0]:
        due_now = list(queue.take_due(now))
        assert all(dues[item] <= now for item in due_now)
        taken += due_now
        following = queue.next_due()
        assert following is None or following > now
    assert taken == sorted(range(len(dues)), key=lambda item: dues[item])
    assert len(queue) == 0
