"""Spark, embedded or elsewhere."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark.sql import SparkSession

import eyewall_monitor
from eyewall_monitor.rates.source import HistorySource

if TYPE_CHECKING:
    from eyewall_monitor.rates.config import Spark

PATIENCE: Final = "60"
"""Seconds that Python and the JVM wait for each other; Spark's 15 are few on a busy machine."""
SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.metricsEnabled": "false",
    # A window's rows are few: writing them out early only costs.
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "100000",
    # Each batch is small; its state is kept in memory and its changes in the checkpoint.
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.stopTimeout": "20s",
    "spark.python.authenticate.socketTimeout": f"{PATIENCE}s",
    # A batch of a few hundred rows is not worth to be planned while it runs.
    "spark.sql.adaptive.enabled": "false",
    # Checkpoints without a sum in a separate file next to each file: without Hadoop's native
    # library, each file that is made costs a process (chmod).
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
}
EMBEDDED: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Starts in half the time and takes half the memory, and small batches leave nothing to gain.
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}


def start_session(config: Spark, app: str = "eyewall-rates") -> SparkSession:
    """Start Spark, or connect to the master; workers get this package sent."""
    local = config.master.startswith("local")
    os.environ.setdefault("PYSPARK_PYTHON", _interpreter() if local else sys.executable)
    os.environ.setdefault("SPARK_AUTH_SOCKET_TIMEOUT", PATIENCE)
    builder = SparkSession.builder.appName(app).master(config.master)
    settings = {
        **SETTINGS,
        "spark.driver.memory": config.memory,
        "spark.sql.shuffle.partitions": str(config.partitions),
        **(EMBEDDED if local else {}),
        **config.conf,
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    if not local:
        spark.sparkContext.addPyFile(_pack_code())
    spark.dataSource.register(HistorySource)
    return spark


def _interpreter() -> str:
    """Return a Python for Spark's own processes that imports what is installed.

    Spark has them import from an archive, which Python compiles again at each start: twice the CPU
    of the start, and they have ten seconds to answer.
    """
    file = Path(_temporary(), "python")
    path = shlex.quote(os.environ.get("PYTHONPATH", ""))
    file.write_text(f'#!/bin/sh\nPYTHONPATH={path} exec {shlex.quote(sys.executable)} "$@"\n')
    file.chmod(0o700)
    return str(file)


def _temporary() -> str:
    """Make a folder that lasts as long as this process."""
    folder = tempfile.mkdtemp(prefix="eyewall-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _pack_code() -> str:
    """Pack this package; workers ask for the file whenever one of them starts, until we end."""
    folder = _temporary()
    package = Path(eyewall_monitor.__file__).parent
    return shutil.make_archive(f"{folder}/eyewall_monitor", "zip", package.parent, package.name)
