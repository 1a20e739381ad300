"""The two streaming queries: rates, and the archive of what they are made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from eyewall_monitor.rates import archive
from eyewall_monitor.rates.rates_document import Batch, batch_of
from eyewall_monitor.rates.rows import RowKind
from eyewall_monitor.rates.source import NAME
from eyewall_monitor.rates.windows import fullest, group_by_window, groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from eyewall_monitor.rates.config import RatesConfig

SLACK_SECONDS: Final = 60.0
"""By how much the clocks of hosts may differ, beyond what is late by its own host's."""


def history(spark: SparkSession, config: RatesConfig) -> DataFrame:
    """Return the rows of all reports, as they come."""
    return (
        spark.readStream.format(NAME)
        .option("redis", config.redis.url)
        .option("prefix", config.redis.prefix)
        .option("late", str(config.windows.late_seconds))
        .option("most", str(config.batches.most_reports))
        .option("partitions", str(config.spark.partitions))
        .load()
    )


def counted_if_late(rows: DataFrame) -> DataFrame:
    """Rows as the windows take them: what is late counts as late, when it came, and no more."""
    late = f.col("late")
    kept = [
        it
        for it in rows.columns
        if it not in ("time", "kind", "topology", "component", "source", "stream")
    ]
    return rows.select(
        f.when(late, f.col("written")).otherwise(f.col("time")).alias("time"),
        f.when(late, f.lit(RowKind.LATE.value)).otherwise(f.col("kind")).alias("kind"),
        *(
            f.when(late, f.lit("")).otherwise(f.col(name)).alias(name)
            for name in ("topology", "component", "source", "stream")
        ),
        *kept,
    )


def start_rates(
    rows: DataFrame,
    config: RatesConfig,
    run: str,
    now: Callable[[], float],
    publish: Callable[[Batch], None],
) -> StreamingQuery:
    """Begin to estimate; `publish` gets each batch's figures, again if the batch is done again."""

    def each(changed: DataFrame, number: int) -> None:
        found = fullest(groups(changed))
        if found:
            publish(batch_of(run, number, now(), found))

    it = config.windows
    watermark = f"{it.late_seconds + SLACK_SECONDS:g} seconds"
    windows = group_by_window(
        counted_if_late(rows).withWatermark("time", watermark), it.seconds, it.slide_seconds
    )
    return (
        windows.writeStream.queryName("rates")
        .outputMode("update")
        .option("checkpointLocation", f"{checkpoints(config)}/rates")
        .trigger(processingTime=f"{config.batches.every_seconds:g} seconds")
        .foreachBatch(each)
        .start()
    )


def start_archive(rows: DataFrame, config: RatesConfig, run: str) -> StreamingQuery:
    """Begin to write the raw history down."""
    folder = archive.place(config.archive.folder)

    def each(batch: DataFrame, number: int) -> None:
        archive.write(batch, folder, run, number)

    return (
        rows.writeStream.queryName("archive")
        .option("checkpointLocation", f"{checkpoints(config)}/archive")
        .trigger(processingTime=f"{config.archive.every_seconds:g} seconds")
        .foreachBatch(each)
        .start()
    )


def checkpoints(config: RatesConfig) -> Path:
    """Return the folder of both queries."""
    return Path(config.batches.checkpoints).expanduser()
