"""The source against a real Redis; Spark itself is not needed to read."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_contracts.metric_history import HistoryKeys
from eyewall_monitor.rates import source
from eyewall_monitor.rates.rows import RowKind
from eyewall_monitor.rates.source import HistoryStreamReader
from histories import PERIOD, T0, Host, reports, write
from pyspark.sql.streaming.datasource import ReadAllAvailable

if TYPE_CHECKING:
    from real_stores import Server
    from redis import Redis

ALL = ReadAllAvailable()
NOW = T0 + 3600


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyewall_monitor.rates.source.time.time", lambda: NOW)


def a_reader(redis: Server, most: int = 100) -> HistoryStreamReader:
    options = {"redis": f"redis://{redis.address}", "prefix": "eyewall", "late": "60"}
    return HistoryStreamReader({**options, "most": str(most), "partitions": "2"})


def read(
    reader: HistoryStreamReader, start: dict[str, Any], end: dict[str, Any]
) -> list[dict[str, Any]]:
    found = []
    for partition in reader.partitions(start, end):
        for batch in reader.read(partition):
            found += batch.to_pylist()
    return sorted(found, key=lambda row: (row["host"], row["time"], row["kind"], row["task"]))


def taken(found: list[dict[str, Any]], host: str) -> list[float]:
    """Times, since T0, of what a host's bolt took in."""
    return [
        row["time"].timestamp() - T0
        for row in found
        if row["host"] == host and row["kind"] == RowKind.RECEIVED
    ]


def lost(found: list[dict[str, Any]]) -> list[tuple[str, str, float]]:
    return [(it["host"], it["stream"], it["amount"]) for it in found if it["kind"] == RowKind.LOST]


def everything(reader: HistoryStreamReader) -> list[dict[str, Any]]:
    """Read batch by batch until nothing is left."""
    found, start = [], reader.initialOffset()
    while (end := reader.latestOffset(start, ALL)) != start:
        found += read(reader, start, end)
        start = end
    return found


def test_each_report_is_in_one_batch_and_new_hosts_appear(redis: Server, store: Redis) -> None:
    reader = a_reader(redis)
    first = reader.initialOffset()
    assert reader.latestOffset(first, ALL) == first
    a, b = Host("a", lambda _: 100), Host("b", lambda _: 100, spouts=(3,), bolts=(4,))
    write(store, reports(a, T0, T0 + 10))
    second = reader.latestOffset(first, ALL)
    assert taken(read(reader, first, second), "a") == [5, 10]
    write(store, reports(a, T0 + 10, T0 + 15))
    write(store, reports(b, T0, T0 + 15))
    third = reader.latestOffset(second, ALL)
    found = read(reader, second, third)
    assert (taken(found, "a"), taken(found, "b")) == ([15], [5, 10, 15])
    assert lost(found) == []
    assert reader.latestOffset(third, ALL) == third


def test_a_batch_that_is_read_again_has_the_same_rows(redis: Server, store: Redis) -> None:
    reader = a_reader(redis)
    host = Host("a", lambda _: 100)
    write(store, reports(host, T0, T0 + 20))
    start = reader.initialOffset()
    end = reader.latestOffset(start, ALL)
    once = read(reader, start, end)
    write(store, reports(host, T0 + 20, T0 + 40))
    assert read(reader, start, end) == once


def test_batches_are_bounded_and_end_at_the_same_moment_for_all_hosts(
    redis: Server, store: Redis
) -> None:
    # a reports every 5 s, b began after 20 s; at most 3 of each: (0, 15], (15, 30], (30, 40].
    write(store, reports(Host("a", lambda _: 100), T0, T0 + 40))
    write(store, reports(Host("b", lambda _: 100), T0 + 20, T0 + 40))
    reader = a_reader(redis, most=3)
    start, ends = reader.initialOffset(), []
    while (end := reader.latestOffset(start, ALL)) != start:
        found = read(reader, start, end)
        ends.append((taken(found, "a"), taken(found, "b")))
        start = end
    assert ends == [([5, 10, 15], []), ([20, 25, 30], [25, 30]), ([35, 40], [35, 40])]


def test_what_retention_took_before_it_was_read_is_counted(redis: Server, store: Redis) -> None:
    reader = a_reader(redis)
    host = Host("a", lambda _: 100)
    write(store, reports(host, T0, T0 + 10))
    start = reader.latestOffset(reader.initialOffset(), ALL)
    write(store, reports(host, T0 + 10, T0 + 40))
    # Of 15 … 40 only 35 and 40 are left: four reports are gone.
    store.xtrim(HistoryKeys().stream("a"), maxlen=2, approximate=False)
    end = reader.latestOffset(start, ALL)
    found = read(reader, start, end)
    assert (taken(found, "a"), lost(found)) == ([35, 40], [("a", "missing", 4)])


def test_what_retention_took_after_it_was_read_is_no_loss(redis: Server, store: Redis) -> None:
    reader = a_reader(redis)
    host = Host("a", lambda _: 100)
    write(store, reports(host, T0, T0 + 10))
    start = reader.latestOffset(reader.initialOffset(), ALL)
    store.xtrim(HistoryKeys().stream("a"), maxlen=0, approximate=False)
    write(store, reports(host, T0 + 10, T0 + 15))
    found = read(reader, start, reader.latestOffset(start, ALL))
    assert (taken(found, "a"), lost(found)) == ([15], [])


def test_what_went_between_the_planning_of_a_batch_and_its_reading_is_counted(
    redis: Server, store: Redis
) -> None:
    reader = a_reader(redis)
    host = Host("a", lambda _: 100)
    write(store, reports(host, T0, T0 + 10))
    start = reader.latestOffset(reader.initialOffset(), ALL)
    write(store, reports(host, T0 + 10, T0 + 25))
    end = reader.latestOffset(start, ALL)
    store.xtrim(HistoryKeys().stream("a"), maxlen=0, approximate=False)
    assert lost(read(reader, start, end)) == [("a", "missing", 3)]


def test_a_redis_that_forgot_all_is_read_on_from_and_its_loss_counted(
    redis: Server, store: Redis
) -> None:
    reader = a_reader(redis)
    host = Host("a", lambda _: 100)
    write(store, reports(host, T0, T0 + 10))
    start = reader.latestOffset(reader.initialOffset(), ALL)
    write(store, reports(host, T0 + 10, T0 + 20))
    redis.stop()
    redis.start()
    assert reader.latestOffset(start, ALL) == start
    write(store, reports(host, T0 + 20, T0 + 30))
    found = read(reader, start, reader.latestOffset(start, ALL))
    assert (taken(found, "a"), lost(found)) == ([25, 30], [("a", "missing", 2)])


def test_ids_that_go_back_are_another_history_which_is_read_from_its_beginning(
    redis: Server, store: Redis
) -> None:
    reader = a_reader(redis)
    write(store, reports(Host("a", lambda _: 100), T0 + 100, T0 + 120))
    start = reader.latestOffset(reader.initialOffset(), ALL)
    redis.stop()
    redis.start()
    # The host came back with an older clock, and its agent with another life; its first is gone.
    host = Host("a", lambda _: 100, run="run-2")
    write(store, reports(host, T0, T0 + 15)[1:])
    end = reader.latestOffset(start, ALL)
    found = read(reader, start, end)
    assert (taken(found, "a"), lost(found)) == ([10, 15], [("a", "missing", 1)])
    assert reader.latestOffset(end, ALL) == end


def test_a_report_the_agent_dropped_is_counted(redis: Server, store: Redis) -> None:
    made = reports(Host("a", lambda _: 100), T0, T0 + 30)
    write(store, [*made[:2], *made[3:]])
    assert lost(everything(a_reader(redis))) == [("a", "missing", 1)]
    assert lost(everything(a_reader(redis, most=2))) == [("a", "missing", 1)]


def test_what_cannot_be_read_is_counted_and_the_rest_is_read(redis: Server, store: Redis) -> None:
    made = reports(Host("a", lambda _: 100), T0, T0 + 20)
    key = HistoryKeys().stream("a")
    write(store, made[:1])
    bad: list[dict[Any, Any]] = [{b"v": b"1", b"z": b"\xff"}, {b"v": b"2", b"z": b"x"}]
    for i, fields in enumerate(bad):
        store.xadd(key, fields, id=f"{int((T0 + 11 + i) * 1000)}-0")
    write(store, made[3:])
    expected = [("a", "unreadable", 1), ("a", "later version", 1)]
    assert sorted(lost(everything(a_reader(redis)))) == sorted(expected)
    assert sorted(lost(everything(a_reader(redis, most=2)))) == sorted(expected)


def test_a_clock_that_is_ahead_is_counted_and_does_not_stop_the_others(
    redis: Server, store: Redis
) -> None:
    ahead = NOW + 24 * 3600
    a, b = Host("a", lambda _: 100), Host("b", lambda _: 100)
    write(store, reports(a, ahead, ahead + 10))
    write(store, reports(b, T0, T0 + 10))
    found = everything(a_reader(redis))
    assert lost(found) == [("a", "ahead of the clock", 1)] * 2
    assert taken(found, "b") == [5, 10]
    # The clock was set right: ids go on from where they were, times are believed again.
    a = dataclasses.replace(a, sequence=2)
    write(store, reports(a, NOW - 10, NOW))
    assert taken(everything(a_reader(redis)), "a") == [NOW - T0 - 5, NOW - T0]


def test_samples_written_long_after_they_were_taken_are_late(redis: Server, store: Redis) -> None:
    write(store, reports(Host("a", lambda _: 100), T0, T0 + 20), written=T0 + 70)
    found = [row for row in everything(a_reader(redis)) if row["kind"] == RowKind.RECEIVED]
    # Late by 60 s or more at T0 + 70: those of 5 and 10.
    assert [row["late"] for row in found] == [True, True, False, False]


def test_names_that_are_no_hosts_are_passed_over(redis: Server, store: Redis) -> None:
    store.zadd(HistoryKeys().hosts, {"a b": 1, "\xff": 1, "gone": 1})
    reader = a_reader(redis)
    assert reader.latestOffset(reader.initialOffset(), ALL) == reader.initialOffset()


def test_a_history_longer_than_one_answer_is_read_whole(redis: Server, store: Redis) -> None:
    count = source.ENTRIES_PER_READ * 2
    write(store, reports(Host("a", lambda _: 100), T0, T0 + count * PERIOD))
    assert len(taken(everything(a_reader(redis, most=1000)), "a")) == count
