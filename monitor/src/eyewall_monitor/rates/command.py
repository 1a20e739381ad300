"""What `eyewall-monitor rates` does, put together here and nowhere else."""

from __future__ import annotations

import logging
import signal
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from eyewall_contracts.config_file import ConfigError

from eyewall_monitor.rates import job, recomputation, session
from eyewall_monitor.rates.checkpoint import CheckpointError
from eyewall_monitor.rates.config import RatesConfig, read_config
from eyewall_monitor.rates.recomputation import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

LOG: Final = logging.getLogger("eyewall.rates")


class RatesCommandError(Exception):
    """Why the command cannot do what was asked; one sentence."""


def run_stream(config: Path | None, master: str | None, say: Callable[[str], None]) -> None:
    """Estimate from the history as it comes, until SIGTERM or SIGINT."""
    stopped = threading.Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        LOG.info("stopping on %s", signal.Signals(number).name)
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        job.run(_config(config, master), stopped, say)
    except CheckpointError as error:
        raise RatesCommandError(str(error)) from None


def run_batch(
    config: Path | None, master: str | None, start: str, end: str, say: Callable[[str], None]
) -> None:
    """Recompute a period from the archive."""
    found = _config(config, master)
    period = _time("--from", start), _time("--to", end)
    if period[0] >= period[1]:
        raise RatesCommandError(f"--from {start} is not before --to {end}")
    spark = session.start_session(found.spark, "eyewall-rates-batch")
    try:
        spark.sparkContext.setLogLevel("ERROR")
        for line in recomputation.lines(recomputation.recompute(spark, found, *period)):
            say(line)
    except ArchiveError as error:
        raise RatesCommandError(str(error)) from None
    finally:
        spark.stop()


def _config(file: Path | None, master: str | None) -> RatesConfig:
    try:
        config = read_config(file)
    except ConfigError as error:
        raise RatesCommandError(str(error)) from None
    if master is None:
        return config
    return config.model_copy(update={"spark": config.spark.model_copy(update={"master": master})})


def _time(option: str, text: str) -> float:
    """Read a time: 2026-01-31T12:00, in UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RatesCommandError(
            f"{option} {text}: it must be a time like 2026-01-31T12:00"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
