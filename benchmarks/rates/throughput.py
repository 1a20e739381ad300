"""Rows per second of the rates job compared with Spark's built-in rate source, in one run.

Both use the same windows, the same estimator and the same sink; only the source differs: one
decodes and checks reports from a Redis, the other generates its rows. They alternate, so that other
load on the machine affects both.

    python -m benchmarks rates [--tasks 200] [--hosts 4] [--turns 3]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import redis
from eyewall_monitor.rates import session, stream
from eyewall_monitor.rates.config import Archive, Batches, RatesConfig, RatesRedis, Spark
from histories import PERIOD, T0, Host, reports, write
from pyspark.sql import functions as f
from real_stores import redis_server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_OF_A_TASK = 3
"""Received, emitted, CPU."""
PARTITIONS = 2
"""Partitions of both sources: the measurement keeps two cores busy."""
WARM_UP = 2
"""Batches excluded from the result."""


@dataclass(frozen=True)
class Throughput:
    rows: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.rows / self.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=200, help="of one host")
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--reports", type=int, default=240, help="of one host in a turn")
    parser.add_argument("--most", type=int, default=20, help="reports of one host in a batch")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    server = redis_server()
    server.start()
    with ExitStack() as stack:
        stack.callback(server.stop)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store = redis.Redis(port=server.port)
        fill_history(store, options.hosts, options.tasks, options.reports)
        settings = Spark(partitions=PARTITIONS)
        spark = session.start_session(settings)
        spark.sparkContext.setLogLevel("ERROR")
        ours: list[Throughput] = []
        built_in: list[Throughput] = []
        try:
            for turn in range(options.turns):
                config = RatesConfig(
                    redis=RatesRedis(url=f"redis://{server.address}"),
                    batches=Batches(
                        every_seconds=0.001,
                        most_reports=options.most,
                        checkpoints=f"{folder}/history-{turn}",
                    ),
                    archive=Archive(enabled=False),
                    spark=settings,
                )
                total = options.reports * options.hosts * options.tasks * ROWS_OF_A_TASK
                ours.append(measure(stream.history(spark, config), config, total))
                show("history in Redis", ours[-1])
                config = config.model_copy(
                    update={
                        "batches": config.batches.model_copy(
                            update={"checkpoints": f"{folder}/rate-{turn}"}
                        )
                    }
                )
                tasks = options.hosts * options.tasks
                source = rate_source(spark, tasks, options.most * tasks * ROWS_OF_A_TASK)
                built_in.append(measure(source, config, total))
                show("built-in rate source", built_in[-1])
        finally:
            spark.stop()
    one, other = median(it.rate for it in ours), median(it.rate for it in built_in)
    print(f"\nmedian: {one:,.0f} against {other:,.0f} rows/s: {one / other:.2f} (wanted: 0.5)")


def fill_history(store: redis.Redis, hosts: int, tasks: int, count: int) -> None:
    for number in range(hosts):
        first = number * tasks
        host = Host(
            f"host-{number}",
            lambda _: 500.0,
            spouts=(),
            bolts=tuple(range(first, first + tasks)),
            topology="bench-1-1700000000",
            step=20,
        )
        write(store, reports(host, T0, T0 + count * PERIOD))


def rate_source(spark: SparkSession, tasks: int, per_batch: int) -> DataFrame:
    """Return rows of the same shape and number in a window and a batch, by Spark's rate source."""
    row = f.col("value")
    of_round = tasks * ROWS_OF_A_TASK
    kind = (row % ROWS_OF_A_TASK).cast("int")
    at = (f.lit(T0) + PERIOD + f.floor(row / of_round) * PERIOD).cast("timestamp")
    count = f.lit(2500.0)
    return (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", per_batch)
        .option("numPartitions", PARTITIONS)
        .load()
        .select(
            at.alias("time"),
            at.alias("written"),
            f.expr("false").alias("late"),
            f.element_at(f.array(*map(f.lit, ("received", "emitted", "cpu"))), kind + 1).alias(
                "kind"
            ),
            f.lit("bench-1-1700000000").alias("topology"),
            f.lit("bolt").alias("component"),
            f.when(kind == 0, "spout").otherwise("").alias("source"),
            f.when(kind == 2, "").otherwise("default").alias("stream"),
            (f.floor(row / ROWS_OF_A_TASK) % tasks).cast("int").alias("task"),
            f.lit("host-0").alias("host"),
            f.lit(6700).alias("port"),
            f.lit(PERIOD).alias("seconds"),
            count.alias("amount"),
            count.alias("base"),
            f.lit(1.0).alias("extra"),
            f.lit(20).alias("step"),
        )
    )


def measure(rows: DataFrame, config: RatesConfig, total: int) -> Throughput:
    """Run until `total` rows are processed; return rows and seconds after the warm-up."""
    query = stream.start_rates(rows, config, "bench", time.time, lambda _: None)
    seen: dict[int, tuple[int, float]] = {}
    try:
        while sum(it[0] for it in seen.values()) < total:
            failure = query.exception()
            if failure is not None:
                raise failure
            time.sleep(0.05)
            for it in query.recentProgress:
                if it["numInputRows"]:
                    seen[it["batchId"]] = it["numInputRows"], it["durationMs"]["triggerExecution"]
    finally:
        query.stop()
    counted = [seen[number] for number in sorted(seen)[WARM_UP:]]
    return Throughput(sum(it[0] for it in counted), sum(it[1] for it in counted) / 1000)


def show(name: str, it: Throughput) -> None:
    print(f"{name:22} {it.rows:>9,} rows {it.seconds:6.1f} s {it.rate:>9,.0f} rows/s", flush=True)


if __name__ == "__main__":
    main()
