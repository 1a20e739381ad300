from __future__ import annotations

import logging
from typing import Any

import pytest
from eyewall_monitor.rates.job import Trouble
from eyewall_monitor.rates.losses import Losses
from eyewall_monitor.rates.rates_document import Batch


def batch(number: int, missing: int = 0, late: int = 0) -> Batch:
    return Batch("r", number, 1.0, {}, {("a", "missing"): missing} if missing else {}, late)


def progress(number: int, dropped: int) -> dict[str, Any]:
    return {"batchId": number, "stateOperators": [{"numRowsDroppedByWatermark": dropped}]}


@pytest.fixture(autouse=True)
def _level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "eyewall.rates")


def test_what_several_windows_count_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    for it in (batch(0), batch(1, 3), batch(2, 3, 5), batch(3, 4, 5), batch(4)):
        losses.take(it)
    assert caplog.messages == [
        "history of a: 3 reports missing",
        "5 samples came too late to be used",
        "history of a: 4 reports missing",
    ]


def test_what_spark_left_out_is_said_once_for_each_batch(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    for it in (None, progress(0, 0), progress(1, 2), progress(1, 2)):
        losses.look(it)
    assert caplog.messages == ["2 groups of rows are behind all others: is a host's clock?"]


def test_trouble_is_said_once_and_so_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    trouble = Trouble()
    trouble.over(0.0)
    pauses = []
    for now in (10.0, 11.0, 13.0):
        trouble.met("Redis is away", now)
        pauses.append(trouble.pause)
    trouble.over(20.0)
    trouble.over(21.0)
    assert pauses == [1.0, 2.0, 4.0]
    assert caplog.messages == [
        "Redis is away; topologies run on, their rates grow old; trying again",
        "rates are written again after 10 s",
    ]
