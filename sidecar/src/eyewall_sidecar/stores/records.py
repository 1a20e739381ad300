"""Records of decisions, written to ZooKeeper in a thread of their own, and pruned there.

No round waits for ZooKeeper. Records queue up while it is away; once there are too many, the oldest
are dropped, and the log says so. What is kept is bounded in days and in records of one day, so that
no znode ever has more children than ZooKeeper lists in one answer.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from eyewall_contracts.decision import DecisionRecord, day_of, encode_decision, is_id
from eyewall_contracts.errors import ContractError
from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS, TROUBLES
from eyewall_contracts.znodes import Znodes, is_day
from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError, NoNodeError, NotEmptyError

from eyewall_sidecar.stores.zookeeper_thread import ZookeeperThread

KEEP_DAYS = 30
"""Days of which decisions are kept, today's included."""
MOST_OF_A_DAY = 4_000
"""Decisions of one day that are kept; then the day's oldest are dropped."""
PRUNE_SECONDS = 300.0
"""Between two looks at what is too old or too much."""
BACKLOG = 1_000
"""Records that wait for ZooKeeper."""
AT_ONCE = 200
"""Znodes that one round trip deletes."""

LOG = logging.getLogger("eyewall.records")


class RecordStore(Protocol):
    """Keeps what was decided, for people to read."""

    def put(self, record: DecisionRecord) -> None:
        """Take a record; never waits and never raises."""
        ...


class NoRecords:
    """The store of a sidecar without a ZooKeeper."""

    def put(self, record: DecisionRecord) -> None:
        """Drop the record: the log has its line."""


class ZookeeperRecords:
    """Writes until it is closed."""

    def __init__(
        self,
        servers: str,
        paths: Znodes,
        clock: Callable[[], float],
        steady: Callable[[], float],
    ) -> None:
        """Write to `servers`; `clock` returns seconds since the epoch, `steady` does not jump."""
        self._servers = servers
        self._paths = paths
        self._clock = clock
        self._steady = steady
        self._waiting: deque[DecisionRecord] = deque()
        self._lock = threading.Lock()
        self._dropped = 0
        self._pruned: float | None = None
        self._thread = ZookeeperThread(
            servers,
            steady,
            self._work,
            self._say,
            "decisions cannot be written",
            last=self._work,
            pause=PRUNE_SECONDS,
        )

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, record: DecisionRecord) -> None:
        """Take a record; never waits and never raises."""
        with self._lock:
            if len(self._waiting) == BACKLOG:
                self._waiting.popleft()
                self._dropped += 1
            self._waiting.append(record)
        self._thread.wake()

    def close(self) -> None:
        """Write what waits, as long as that takes no time, and end."""
        self._thread.close()
        if self._waiting:
            LOG.warning("decisions that are not written any more: %d", len(self._waiting))

    def _work(self, client: KazooClient) -> None:
        """Write what waits, and prune now and then."""
        self._write_all(client)
        now = self._steady()
        if self._pruned is None or now - self._pruned >= PRUNE_SECONDS:
            self._prune(client)
            self._pruned = now

    def _write_all(self, client: KazooClient) -> None:
        """Write what waits."""
        while self._waiting:
            record = self._waiting.popleft()
            try:
                self._write(client, record)
            except TROUBLES:
                self._back(record)
                raise

    def _back(self, record: DecisionRecord) -> None:
        """Have a record wait again, before all others; it is the oldest, if there are too many."""
        with self._lock:
            if len(self._waiting) == BACKLOG:
                self._dropped += 1
            else:
                self._waiting.appendleft(record)

    def _write(self, client: KazooClient, record: DecisionRecord) -> None:
        path = f"{self._paths.decisions_of(day_of(record.time))}/{record.id}"
        try:
            data = encode_decision(record)
        except ContractError as error:
            LOG.warning("a decision on %s is not written: %s", record.topology, error)
            return
        with suppress(NodeExistsError):  # the answer to the last attempt got lost
            client.create_async(path, data, makepath=True).get(timeout=ANSWER_SECONDS)

    def _prune(self, client: KazooClient) -> None:
        oldest = day_of(self._clock() - (KEEP_DAYS - 1) * 86_400.0)
        try:
            days = client.get_children_async(self._paths.decisions).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            return
        for day in sorted(days):
            if not is_day(day):
                continue  # somebody else's, as is what has no id among a day's decisions
            with suppress(NoNodeError):
                parent = self._paths.decisions_of(day)
                kept = 0 if day < oldest else MOST_OF_A_DAY
                names = client.get_children_async(parent).get(timeout=ANSWER_SECONDS)
                ids = sorted(it for it in names if is_id(it))
                self._delete(client, parent, ids[: max(0, len(ids) - kept)])
                if not kept:
                    with suppress(NotEmptyError):
                        client.delete_async(parent).get(timeout=ANSWER_SECONDS)

    def _delete(self, client: KazooClient, parent: str, names: Sequence[str]) -> None:
        for start in range(0, len(names), AT_ONCE):
            if self._thread.stopped:
                return
            asked = [client.delete_async(f"{parent}/{it}") for it in names[start : start + AT_ONCE]]
            for answer in asked:
                with suppress(NoNodeError, NotEmptyError):
                    answer.get(timeout=ANSWER_SECONDS)
            self._write_all(client)  # a hundred thousand are not deleted in a moment

    def _say(self, before: str, wrong: str) -> None:
        """Log when ZooKeeper goes and when it is back, and what was lost, whatever the reason."""
        if wrong and not before:
            LOG.warning(
                "decisions in ZooKeeper %s: %s; up to %d wait", self._servers, wrong, BACKLOG
            )
        if before and not wrong:
            LOG.info("decisions are written again")
        with self._lock:
            dropped, self._dropped = (0, self._dropped) if wrong else (self._dropped, 0)
        if dropped:
            LOG.warning("decisions that were dropped as too many waited: %d", dropped)
