"""`eyewall-monitor rates`: both queries until a signal, through any absence of a store."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Final

from eyewall_contracts.redis_url import server_of
from eyewall_contracts.znodes import Znodes

from eyewall_monitor.rates import checkpoint, session, stream
from eyewall_monitor.rates.checkpoint import Made
from eyewall_monitor.rates.losses import Losses
from eyewall_monitor.rates.publisher import Publisher, ZookeeperAwayError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from eyewall_monitor.rates.config import RatesConfig
    from eyewall_monitor.rates.rates_document import Batch

LOG: Final = logging.getLogger("eyewall.rates")
LOOK_SECONDS: Final = 0.5
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
_LONGEST: Final = 300
_ZOOKEEPER_AWAY: Final = f"{ZookeeperAwayError.__name__}: "
"""As the last line of a traceback has it; the line of code that raised has no colon."""


class Trouble:
    """Says once what stops the job, and once that it is over."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._said: set[str] = set()
        self.pause = FIRST_PAUSE

    def met(self, why: str, now: float) -> None:
        """Take note that a query stopped."""
        if self._since is None:
            self._since = now
        else:
            self.pause = min(LONGEST_PAUSE, 2 * self.pause)
        if why not in self._said:
            self._said.add(why)
            LOG.warning("%s; topologies run on, their rates grow old; trying again", why)

    def over(self, now: float) -> None:
        """Take note that a batch was done."""
        if self._since is not None:
            LOG.info("rates are written again after %.0f s", now - self._since)
        self._since, self.pause = None, FIRST_PAUSE
        self._said.clear()


def made(config: RatesConfig) -> Made:
    """What the state of this configuration depends on."""
    it = config.windows
    return Made(checkpoint.VERSION, it.seconds, it.slide_seconds, it.late_seconds)


def run(config: RatesConfig, stopped: threading.Event, say: Callable[[str], None]) -> None:
    """Estimate until `stopped`; CheckpointError if there is one that this job cannot use."""
    folder = stream.checkpoints(config)
    life = checkpoint.open_checkpoint(folder, made(config))
    spark = session.start_session(config.spark)
    try:
        _silence(spark)
        say(f"eyewall rates ready on {config.spark.master} (checkpoint {folder})")
        keep_running(spark, config, life, stopped)
    finally:
        # A JVM that a signal to the whole group ended has nothing left to stop.
        with contextlib.suppress(Exception):
            spark.stop()


def _silence(spark: SparkSession) -> None:
    """Silence Spark: `Trouble` reports why a query ended.

    Spark and its bridge to Python repeat it five times, in 400 lines for each attempt.
    """
    spark.sparkContext.setLogLevel("OFF")
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def keep_running(
    spark: SparkSession, config: RatesConfig, life: str, stopped: threading.Event
) -> None:
    """Start both queries, and each again that a store's absence stopped."""
    it = config.zookeeper
    publisher = Publisher(
        it.servers,
        Znodes(it.root),
        it.timeout_seconds,
        config.windows.seconds,
        config.windows.forget_seconds,
    )
    trouble, losses = Trouble(), Losses()

    def publish(batch: Batch) -> None:
        publisher.publish(batch)
        trouble.over(time.monotonic())
        losses.take(batch)

    starts: dict[str, Callable[[], StreamingQuery]] = {
        "rates": lambda: stream.start_rates(
            stream.history(spark, config), config, life, time.time, publish
        )
    }
    if config.archive.enabled:
        starts["archive"] = lambda: stream.start_archive(
            stream.history(spark, config), config, life
        )
    running: dict[str, StreamingQuery] = {}
    try:
        while not stopped.is_set():
            for name, start in starts.items():
                if name not in running:
                    running[name] = start()
            stopped.wait(LOOK_SECONDS)
            losses.look(running["rates"].lastProgress)
            failed = {name: it for name, it in running.items() if not it.isActive}
            for name, query in failed.items():
                LOG.debug("the query %s ended: %s", name, query.exception())
                why = reason(str(query.exception() or ""), config.redis.url)
                trouble.met(why, time.monotonic())
                del running[name]
            if failed:
                stopped.wait(trouble.pause)
    finally:
        for query in running.values():
            query.stop()
        publisher.close()


def reason(error: str, redis: str) -> str:
    """Return the one line of Spark's error that a person needs."""
    lines = [line.strip() for line in error.splitlines() if line.strip()] or ["a query ended"]
    for line in lines:
        if "redis.exceptions." in line:
            why = line.partition("redis.exceptions.")[2]
            return f"{server_of(redis)}: {why}"[:_LONGEST]
        if _ZOOKEEPER_AWAY in line:
            return line.partition(_ZOOKEEPER_AWAY)[2][:_LONGEST]
    return lines[0][:_LONGEST]
