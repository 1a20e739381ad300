"""A connection to ZooKeeper that outlives whatever happens to ZooKeeper."""

import logging
from collections.abc import Callable
from contextlib import suppress

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.retry import KazooRetry

ANSWER_SECONDS = 5.0
"""Longest wait for an answer."""
SESSION_SECONDS = 10.0
"""How long a session, and what lives as long as it, outlives a process that was killed."""
LOST_SECONDS = 2 * SESSION_SECONDS
"""Without a connection for so long a new session begins: a ZooKeeper that came back without its
data refuses clients that saw a later state."""
LONGEST_PAUSE = 3.0
"""Seconds between two attempts to connect."""

TROUBLES = (KazooException, KazooTimeoutError, OSError)
"""What requests to ZooKeeper raise."""


class ZookeeperSession:
    """Keeps connecting until it is closed; used by one thread."""

    def __init__(
        self, servers: str, steady: Callable[[], float], *, reads_only: bool = False
    ) -> None:
        """Begin to connect, and wait for that a little.

        `steady` is a clock that does not jump; a session that `reads_only` also accepts a server
        that has lost its quorum.
        """
        self._servers = servers
        self._reads_only = reads_only
        self._steady = steady
        self._away_since: float | None = None
        self._client = self._connect()

    def client(self) -> KazooClient | None:
        """Return the client if it is connected."""
        if self._client.connected:
            self._away_since = None
            return self._client
        now = self._steady()
        if self._away_since is None:
            self._away_since = now
        elif now - self._away_since > LOST_SECONDS:
            self.close()
            self._client, self._away_since = self._connect(), None
        return None

    def close(self) -> None:
        """End the session."""
        with suppress(*TROUBLES):
            self._client.stop()
            self._client.close()

    def _connect(self) -> KazooClient:
        quiet = logging.getLogger("eyewall.zookeeper.kazoo")
        quiet.setLevel(logging.CRITICAL)  # its callers report errors
        client = KazooClient(
            self._servers,
            timeout=SESSION_SECONDS,
            connection_retry=KazooRetry(max_tries=-1, max_delay=LONGEST_PAUSE),
            logger=quiet,
            read_only=self._reads_only,
        )
        client.start_async().wait(ANSWER_SECONDS)
        return client
