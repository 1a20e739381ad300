"""Delays that the latency agents measured, from Redis, read in the background.

A round takes what was read last and waits for nothing. While Redis is away, what was read last
grows older: confidence falls with age as the agents' contract says, until it is unknown.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from eyewall_contracts.latency import VERSION
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.stores.delay_reader import DelayReader, DelayReading, StoppedError
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_contracts.stores.redis_client import ANSWER_SECONDS, RedisAwayError

from eyewall_sidecar.stores.held_delays import HeldDelays
from eyewall_sidecar.storm import DelayTable

EVERY = 1.0
"""Seconds from reading to reading, at least."""
BUSY_SHARE = 0.1
"""Of a core that reading may take: among very many hosts it is done less often."""
AGE_STEPS = (10, 30, 60, 120)
"""Seconds; a remark names the age of the last reading in these steps: it would differ in every
round."""

LOG = logging.getLogger("eyewall.delays")


class RedisDelays:
    """Reads from `start` to `close`; between them `read` hands out what was read last."""

    source = "redis"

    def __init__(
        self, url: str, prefix: str, minimum_confidence: float, clock: Callable[[], float]
    ) -> None:
        """Read below `prefix`; `clock` only ever goes forward, by seconds."""
        self._store = LatencyStore(url, prefix)
        self._reader = DelayReader(self._store)
        self._prefix = prefix
        self._held = HeldDelays(minimum_confidence)
        self._clock = clock
        self._where = server_of(url)
        self._last: tuple[DelayReading, float] | None = None
        self._published = (DelayTable(remark=f"{self._where}: not read yet"), clock())
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="redis-delays", daemon=True)

    def start(self) -> None:
        """Begin to read, in a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """Stop reading; what is under way ends within its time limit."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(2 * ANSWER_SECONDS)
        self._store.close()

    def read(self) -> DelayTable:
        """Return what was read last, with its age now; never waits."""
        table, at = self._published
        return replace(table, age=table.age + max(0.0, self._clock() - at))

    def _run(self) -> None:
        while not self._stop.is_set():
            began, worked = self._clock(), time.thread_time()
            try:
                self._refresh()
            except StoppedError:
                return
            # The edge of this thread: a surprise must not end it unnoticed.
            except Exception as error:
                LOG.exception("delays cannot be read")
                self._publish(DelayTable(), f"{self._where}: {type(error).__name__}: {error}")
            worked = time.thread_time() - worked
            rest = max(EVERY - (self._clock() - began), worked / BUSY_SHARE - worked)
            self._stop.wait(rest)

    def _refresh(self) -> None:
        try:
            reading = self._reader.read(self._stop.is_set)
        except RedisAwayError as error:
            self._publish_last(str(error))
            return
        self._last = (reading, self._clock())
        self._publish(self._held.table(reading, reading.now), self._remark(reading))

    def _publish_last(self, wrong: str) -> None:
        """Hand out what was read last, as old as it is by now."""
        if self._last is None:
            self._publish(DelayTable(), f"{self._where}: {wrong}")
            return
        reading, at = self._last
        table = self._held.table(reading, reading.now + self._clock() - at)
        self._publish(table, f"{self._where}: {wrong}; {_aged(table)}")

    def _publish(self, table: DelayTable, remark: str) -> None:
        self._published = (replace(table, remark=remark), self._clock())

    def _remark(self, reading: DelayReading) -> str:
        said = []
        if reading.newer_version is not None:
            said.append(
                f"version {reading.newer_version} of the latency contract is written there, "
                f"{VERSION} is read here"
            )
        if count := len(reading.left_out):
            values = f"{count} {'value' if count == 1 else 'values'} left out"
            said.append(f"{values}, of which the first is {reading.left_out[0]}")
        if not reading.hosts:
            said.append(f"no host has said anything of itself yet (prefix {self._prefix})")
        return f"{self._where}: {'; '.join(said)}" if said else ""


def _aged(table: DelayTable) -> str:
    """Say how old the delays are, in words that change only now and then."""
    if np.isnan(table.seconds).sum() == table.seconds.size - len(table.hosts):
        return "delays are too old to be used"
    passed = [step for step in AGE_STEPS if table.age >= step]
    return f"delays are over {passed[-1]} s old" if passed else "delays are seconds old"
