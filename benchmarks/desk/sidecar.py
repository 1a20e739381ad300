"""A sidecar without its solvers, which would take the cores of what is measured.

All else is as `eyewall serve` puts it together: stores, scheduling service, gRPC server.

    python -m desk.sidecar REDIS_URL ZOOKEEPER
"""

from __future__ import annotations

import secrets
import signal
import sys
import time
from contextlib import closing

from eyewall_monitor.znodes import Znodes
from eyewall_sidecar.rpc import Server
from eyewall_sidecar.service import Measuring, Outcome, Question, Recorder, Rules, SchedulingService
from eyewall_sidecar.stores import NoRecords, RedisDelays, ZookeeperMeasurements
from eyewall_sidecar.storm import Settings

DELAY_CONFIDENCE, RATE_CONFIDENCE = 0.3, 0.5
"""As shipped."""


class Unanswered:
    """A question that is looked into for ever."""

    def outcome(self, until: float) -> Outcome | None:  # noqa: ARG002
        return None

    def drop(self) -> None:
        """Nobody waits for it."""


class NoSolvers:
    """Takes questions."""

    def place(self, question: Question, time_limit: float) -> Unanswered:  # noqa: ARG002
        return Unanswered()

    def improve(self, question: Question, time_limit: float) -> Unanswered:  # noqa: ARG002
        return Unanswered()


def main() -> None:
    redis, zookeeper = sys.argv[1:]
    measurements = ZookeeperMeasurements(zookeeper, Znodes(), time.time, time.monotonic)
    delays = RedisDelays(redis, "eyewall", DELAY_CONFIDENCE, time.monotonic)
    with closing(measurements), closing(delays):
        measurements.start()
        delays.start()
        service = SchedulingService(
            Settings(),
            Rules(first_placement_seconds=1.2, improvement_seconds=10.0, seed=0,
                  minimum_gain=0.1, cool_down_seconds=30.0, frozen=False),
            delays,
            Measuring(measurements, RATE_CONFIDENCE),
            NoSolvers(),
            Recorder(NoRecords(), secrets.token_hex(4), time.time),
            time.monotonic,
        )
        server = Server(service, "127.0.0.1:0")
        server.start()
        server.set_serving(serving=True)
        print(server.port, flush=True)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
        server.stop(0.5)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main()
