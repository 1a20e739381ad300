"""The job on a real Spark, from a real Redis."""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_contracts.rates import Rates, decode_rates
from eyewall_contracts.znodes import Znodes
from eyewall_monitor.rates import job, session, stream
from eyewall_monitor.rates.config import (
    Archive,
    Batches,
    RatesConfig,
    RatesRedis,
    RatesZooKeeper,
    Spark,
)
from eyewall_monitor.rates.recomputation import ArchiveError, recompute
from histories import T0, Host, reports, write
from kazoo.client import KazooClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eyewall_monitor.rates.rates_document import Batch
    from pyspark.sql import SparkSession
    from real_stores import Server
    from redis import Redis as Store

PATIENCE = 300.0
QUICK = Spark(memory="512m")

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    it = session.start_session(QUICK)
    it.sparkContext.setLogLevel("OFF")
    yield it
    it.stop()


@pytest.fixture
def config(redis: Server, zookeeper: Server, tmp_path: Path) -> RatesConfig:
    return RatesConfig(
        redis=RatesRedis(url=f"redis://{redis.address}"),
        zookeeper=RatesZooKeeper(
            servers=zookeeper.address, root=f"/{tmp_path.name}", timeout_seconds=20.0
        ),
        batches=Batches(every_seconds=0.05, most_reports=16, checkpoints=str(tmp_path / "c")),
        archive=Archive(folder=str(tmp_path / "archive"), every_seconds=0.05),
        spark=QUICK,
    )


def run_rates(spark: SparkSession, config: RatesConfig, publish: Callable[[Batch], None]) -> None:
    """Take all there is, and stop."""
    rows = stream.history(spark, config)
    query = stream.start_rates(rows, config, "run", lambda: T0, publish)
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def run_archive(spark: SparkSession, config: RatesConfig) -> None:
    query = stream.start_archive(stream.history(spark, config), config, "run")
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def test_rates_are_exact_across_a_restart_and_the_archive_gives_the_same(
    spark: SparkSession, config: RatesConfig, store: Store
) -> None:
    # Host a: 100 tuples/s, tenfold from 120 s on. Host b: steady 50, with one report dropped; Redis
    # took none of its reports of (60, 180] before 200 s. Those up to 140 s came 60 s late or more:
    # 16 of 5 rows (a spout's 2 and a bolt's 3).
    a = Host("a", lambda t: 100 if t < T0 + 120 else 1000, (1,), (2,), cost=0.0005)
    b = Host("b", lambda _: 50, (3,), (4,))
    write(store, reports(a, T0, T0 + 60))
    early_b = reports(b, T0, T0 + 60)
    write(store, [*early_b[:3], *early_b[4:]])

    seen: list[Batch] = []

    def break_off(batch: Batch) -> None:
        seen.append(batch)
        raise RuntimeError("the disk is full")

    with pytest.raises(Exception, match="the disk is full"):
        run_rates(spark, config, break_off)
    again: list[Batch] = []
    run_rates(spark, config, again.append)
    # The batch that was not finished is done again, with the same figures.
    assert again[0].number == seen[0].number
    assert again[0].topologies == seen[0].topologies
    assert again[0].hosts_lost == {("b", "missing"): 1}
    number = again[-1].number

    write(store, reports(a, T0 + 60, T0 + 180))
    write(store, reports(b, T0 + 60, T0 + 180), written=T0 + 200)
    run_rates(spark, config, again.append)
    assert [it.number for it in again][-1] > number
    streamed = again[-1].topologies["line-1-1700000000"]
    assert max(it.late for it in again) == 80

    # At 180 s: a's bolt takes 1,000/s, b's 50; a's spout costs 0.1 ms a tuple, its bolt 0.5 ms,
    # b's as much; a bolt gives two out for one.
    (flow,) = streamed.streams
    assert flow.rate.value == pytest.approx(1050, rel=0.01)
    # Of three windows that hold the sample of 180 s, the one from 140 s on has most: a's 9 samples
    # of 140 … 180, of b those of 145 … 180; both together are known for 8.
    assert [it.rate.samples for it in streamed.inputs] == [9, 8]
    assert flow.rate.samples == 8
    assert [it.rate.value for it in streamed.inputs] == pytest.approx([1000, 50], rel=0.01)
    bolt = next(it for it in streamed.emissions if it.component == "bolt")
    assert bolt.selectivity is not None
    assert bolt.selectivity.value == pytest.approx(2, rel=0.01)
    costs = {it.component: it.cost.value for it in streamed.costs}
    assert costs == pytest.approx({"bolt": 0.0005, "spout": 0.0001}, rel=0.05)

    run_archive(spark, config)
    rows = 2 * 36 * 5 - 5  # two hosts, 36 reports of 5 rows each, but for the one that was dropped
    period = recompute(spark, config, T0 - 60, T0 + 300, late_too=False)
    assert (period.rows, period.late, period.lost) == (rows, 80, 1)
    archived = {row for it in period.windows for of in it.figures for row in of}
    # Every figure of every batch whose windows were complete is there, to the last bit.
    assert set(chain.from_iterable(streamed)) <= archived

    with_late = recompute(spark, config, T0 - 60, T0 + 300)
    before = {it.start: it for it in period.windows if it.figures.streams}
    after = {it.start: it for it in with_late.windows if it.figures.streams}
    changed = {
        round(start - T0) for start in before if before[start].figures != after[start].figures
    }
    # Windows with a report of 65 … 140: the first ends at 80, the last begins with 140 itself.
    assert changed == {20, 40, 60, 80, 100, 120, 140}

    # Archived again, from the beginning, under another checkpoint of the same run: nothing doubles.
    other = config.model_copy(
        update={
            "batches": config.batches.model_copy(
                update={"checkpoints": f"{config.batches.checkpoints}2"}
            )
        }
    )
    run_archive(spark, other)
    assert recompute(spark, config, T0 - 60, T0 + 300).rows == rows


def test_without_an_archive_that_is_said(spark: SparkSession, config: RatesConfig) -> None:
    with pytest.raises(ArchiveError, match=r"archive .*: "):
        recompute(spark, config, T0, T0 + 60)


def test_stores_that_go_and_come_back_are_waited_for(
    spark: SparkSession,
    config: RatesConfig,
    store: Store,
    redis: Server,
    zookeeper: Server,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job, "LONGEST_PAUSE", 1.0)
    caplog.set_level("INFO", "eyewall.rates")
    host = Host("a", lambda _: 100)
    begin = time.time() // 5 * 5 - 60
    write(store, reports(host, begin, begin + 30))
    paths = Znodes(config.zookeeper.root)
    stopped = threading.Event()
    config = config.model_copy(update={"archive": Archive(enabled=False)})
    thread = threading.Thread(target=job.keep_running, args=(spark, config, "life", stopped))
    thread.start()
    try:
        until(lambda: latest(zookeeper, paths) == begin + 30)
        redis.stop()
        until(lambda: "redis://" in said(caplog))
        redis.start()
        write(store, reports(host, begin + 30, begin + 45))
        until(lambda: latest(zookeeper, paths) == begin + 45)
        zookeeper.stop()
        write(store, reports(host, begin + 45, begin + 50))
        until(lambda: "ZooKeeper at" in said(caplog))
        zookeeper.start()
        until(lambda: latest(zookeeper, paths) == begin + 50)
    finally:
        stopped.set()
        thread.join(120)
    assert not thread.is_alive()
    for absence in said(caplog).split("rates are written again after"):
        lines = [it for it in absence.splitlines() if it.endswith("trying again")]
        assert len(lines) == len(set(lines))  # once in each
    # A process of Spark's that took too long to start on a busy machine makes one more.
    assert said(caplog).count("rates are written again after") >= 2


def test_the_second_sample_of_a_step_is_in_zookeeper_and_the_first_could_be_a_spike(
    spark: SparkSession, config: RatesConfig, store: Store, zookeeper: Server
) -> None:
    begin = time.time() - 50
    step = begin + 40
    host = Host("a", lambda t: 100 if t < step else 500, step=20)
    write(store, reports(host, begin, step))
    paths = Znodes(config.zookeeper.root)
    stopped = threading.Event()
    config = config.model_copy(update={"archive": Archive(enabled=False)})
    thread = threading.Thread(target=job.keep_running, args=(spark, config, "life", stopped))
    thread.start()
    seen: list[float] = []
    try:
        until(lambda: latest(zookeeper, paths) == pytest.approx(step, abs=0.01))
        for i in range(2):
            end = step + 5 * (i + 1)
            write(store, reports(host, end - 5, end))
            until(lambda end=end: latest(zookeeper, paths) == pytest.approx(end, abs=0.01))  # type: ignore[misc]
            seen.append(rate(zookeeper, paths))
    finally:
        stopped.set()
        thread.join(120)
    # It moves 100 by less than a third of 400.
    assert seen[0] < 100 + 400 / 3
    assert seen[1] == pytest.approx(500, abs=20 / 5)


def said(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(it.getMessage() for it in caplog.records)


def rates(zookeeper: Server, paths: Znodes) -> Rates | None:
    client = KazooClient(zookeeper.address)
    try:
        client.start(timeout=120)
        path = paths.rates("line-1-1700000000")
        return decode_rates(client.get(path)[0]) if client.exists(path) else None
    finally:
        client.stop()
        client.close()


def latest(zookeeper: Server, paths: Znodes) -> float | None:
    found = rates(zookeeper, paths)
    return max(it.rate.until for it in found.streams) if found else None


def rate(zookeeper: Server, paths: Znodes) -> float:
    found = rates(zookeeper, paths)
    assert found is not None
    return found.streams[0].rate.value


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)
