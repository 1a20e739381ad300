"""What the job says of a query that ended."""

from __future__ import annotations

import pytest
from eyewall_monitor.rates.job import reason

AWAY = """[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function
    raise ZookeeperAwayError(f"ZooKeeper at {self._hosts} does not answer") from None
eyewall_monitor.rates.publisher.ZookeeperAwayError: ZooKeeper at 10.83.0.1:2181 does not answer
\tat org.apache.spark.api.python.PythonRunner.run
"""
REFUSED = """[STREAM_FAILED] Query terminated with exception: Job aborted
    raise ConnectionError(self._error_message(e))
redis.exceptions.ConnectionError: Error 111 connecting to 10.83.0.1:6379.
"""


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (AWAY, "ZooKeeper at 10.83.0.1:2181 does not answer"),
        (
            REFUSED,
            "redis://store:6379/0: ConnectionError: Error 111 connecting to 10.83.0.1:6379.",
        ),
        ("\n  something else\n  at somewhere\n", "something else"),
        ("", "a query ended"),
    ],
)
def test_the_reason_of_a_querys_end_is_one_line(error: str, why: str) -> None:
    assert reason(error, "redis://:secret@store:6379/0") == why
