"""The recommended settings: the shipped storm.yaml itself, so that there is one list only."""

from __future__ import annotations

from importlib import resources
from typing import Any, cast

import yaml

TIMING = (
    "task.refresh.poll.secs",
    "supervisor.monitor.frequency.secs",
    "supervisor.worker.shutdown.sleep.secs",
    "storm.messaging.netty.min_wait_ms",
    "storm.messaging.netty.max_wait_ms",
)
"""Settings that shorten a move; without them Storm's own hold."""

STOCK_WORKER = {
    "worker.childopts": "-Xmx%HEAP-MEM%m",
    "topology.worker.logwriter.childopts": "-Xmx16m",
    "eyewall.push.assignments": False,
}
"""Workers as Storm starts them (heap aside, so that a small machine holds them), and no push."""


def recommended(*, stock_timing: bool = False) -> dict[str, Any]:
    """Settings of the shipped storm.yaml, or the same with Storm's own timing."""
    text = resources.files(__package__).joinpath("storm.yaml").read_text(encoding="utf-8")
    settings = cast("dict[str, Any]", yaml.safe_load(text))
    if not stock_timing:
        return settings
    kept = {key: value for key, value in settings.items() if key not in TIMING}
    return kept | STOCK_WORKER
