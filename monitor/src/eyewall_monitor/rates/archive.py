"""The raw history as Parquet, in folders day=…/hour=…/part=…, all by event time in UTC.

A batch writes into parts that carry its run and number, and replaces them if it is done again: a
row is there once. Folders of old days can be deleted or moved like any other.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from eyewall_monitor.rates.source import SCHEMA

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

_PARTS: Final = ("day", "hour", "part")


def place(folder: str) -> str:
    """Return the folder as Spark takes it: ~ is the user's own."""
    return str(Path(folder).expanduser()) if folder.startswith("~") else folder


def write(rows: DataFrame, folder: str, run: str, number: int) -> None:
    """Add a batch's rows."""
    (
        rows.withColumn("day", f.date_format("time", "yyyy-MM-dd"))
        .withColumn("hour", f.date_format("time", "HH"))
        .withColumn("part", f.lit(f"{run}-{number}"))
        .coalesce(1)
        .write.mode("overwrite")
        .option("partitionOverwriteMode", "dynamic")
        .partitionBy(*_PARTS)
        .parquet(folder)
    )


def read(spark: SparkSession, folder: str, start: datetime, end: datetime) -> DataFrame:
    """Rows of a period: from `start`, up to but without `end`."""
    days = f.col("day").between(f"{start:%Y-%m-%d}", f"{end:%Y-%m-%d}")
    columns = [re.split(r"\s+", it.strip())[0] for it in SCHEMA.split(",")]
    return (
        spark.read.schema(f"{SCHEMA}, day string, hour string, part string")
        .parquet(folder)
        .where(days & (f.col("time") >= f.lit(start)) & (f.col("time") < f.lit(end)))
        .select(*columns)
    )
