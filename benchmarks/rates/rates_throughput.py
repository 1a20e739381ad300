"""Rows per second of the rates job beside Spark's built-in rate source, in one run.

Both go through the same windows, the same estimator and the same sink; only the source differs:
one unpacks and checks reports from a Redis, the other makes its rows up. In turns, so that a
neighbour's load meets both.

    python -m benchmarks rates [--tasks 200] [--hosts 4] [--turns 3]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import redis
from pyspark.sql import functions as f

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from eyewall_monitor.rates import session, stream
from eyewall_monitor.rates.config import Archive, Batches, Config, Redis, Spark
from histories import PERIOD, T0, Host, reports, write
from real_stores import redis_server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_OF_A_TASK = 3
"""Taken in, given out, CPU."""
PARTITIONS = 2
"""Of both: what is measured are two busy cores."""
WARM_UP = 2
"""Batches that are not counted."""


@dataclass(frozen=True)
class Measured:
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
    given = parser.parse_args()
    server = redis_server()
    server.start()
    with ExitStack() as stack:
        stack.callback(server.stop)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store = redis.Redis(port=server.port)
        filled(store, given.hosts, given.tasks, given.reports)
        settings = Spark(partitions=PARTITIONS)
        spark = session.started(settings)
        spark.sparkContext.setLogLevel("ERROR")
        ours: list[Measured] = []
        built_in: list[Measured] = []
        try:
            for turn in range(given.turns):
                config = Config(
                    redis=Redis(url=f"redis://{server.address}"),
                    batches=Batches(
                        every_seconds=0.001,
                        most_reports=given.most,
                        checkpoints=f"{folder}/history-{turn}",
                    ),
                    archive=Archive(enabled=False),
                    spark=settings,
                )
                total = given.reports * given.hosts * given.tasks * ROWS_OF_A_TASK
                ours.append(measured(stream.history(spark, config), config, total))
                show("history in Redis", ours[-1])
                config = config.model_copy(
                    update={
                        "batches": config.batches.model_copy(
                            update={"checkpoints": f"{folder}/rate-{turn}"}
                        )
                    }
                )
                tasks = given.hosts * given.tasks
                made = made_up(spark, tasks, given.most * tasks * ROWS_OF_A_TASK)
                built_in.append(measured(made, config, total))
                show("built-in rate source", built_in[-1])
        finally:
            spark.stop()
    one, other = median(it.rate for it in ours), median(it.rate for it in built_in)
    print(f"\nmedian: {one:,.0f} against {other:,.0f} rows/s: {one / other:.2f} (wanted: 0.5)")


def filled(store: redis.Redis, hosts: int, tasks: int, count: int) -> None:
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


def made_up(spark: SparkSession, tasks: int, per_batch: int) -> DataFrame:
    """Rows of the same shape, as many in a window and in a batch, from Spark's rate source."""
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


def measured(rows: DataFrame, config: Config, total: int) -> Measured:
    """Run until so many rows were taken; what is counted begins after the warm-up."""
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
    return Measured(sum(it[0] for it in counted), sum(it[1] for it in counted) / 1000)


def show(name: str, it: Measured) -> None:
    print(f"{name:22} {it.rows:>9,} rows {it.seconds:6.1f} s {it.rate:>9,.0f} rows/s", flush=True)


if __name__ == "__main__":
    main()
