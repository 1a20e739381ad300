"""Keeps a host's latest report in ZooKeeper, for as long as the agent lives."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NodeExistsError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.retry import KazooRetry

from eyewall_monitor.agent.delivery import StoreAwayError
from eyewall_monitor.sample import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_monitor.sample import Sample

_ANSWER_SECONDS = 5.0
_SESSION_SECONDS = 10.0
"""How long a report stays after its agent was killed."""
_LOST_SECONDS = 2 * _SESSION_SECONDS
_LONGEST_PAUSE = 3.0


class SampleWriter:
    """Writes one ephemeral znode; connects by itself, again and again."""

    def __init__(self, servers: str, path: str, steady: Callable[[], float]) -> None:
        self._servers = servers
        self._path = path
        self._steady = steady
        self._client = self._begin()

    def _begin(self) -> KazooClient:
        quiet = logging.getLogger("eyewall.monitor.kazoo")
        quiet.setLevel(logging.CRITICAL)  # Delivery says what is wrong
        self._away_since: float | None = None
        client = KazooClient(
            self._servers,
            timeout=_SESSION_SECONDS,
            connection_retry=KazooRetry(max_tries=-1, max_delay=_LONGEST_PAUSE),
            logger=quiet,
        )
        client.start_async()
        return client

    def send(self, report: Sample) -> None:
        """Put a report in place of the one before."""
        if not self._client.connected:
            self._give_up_in_time()
            raise StoreAwayError("no connection")
        self._away_since = None
        data = encode(report)
        try:
            self._put(data)
        except (KazooException, KazooTimeoutError, OSError) as error:
            raise StoreAwayError(str(error) or type(error).__name__) from None

    def close(self) -> None:
        """End the session, and with it the znode."""
        self._client.stop()
        self._client.close()

    def _give_up_in_time(self) -> None:
        """Begin anew once the session is lost for certain.

        A ZooKeeper that came back without its data refuses all who knew more than it does.
        """
        now = self._steady()
        if self._away_since is None:
            self._away_since = now
        elif now - self._away_since > _LOST_SECONDS:
            self.close()
            self._client = self._begin()

    def _put(self, data: bytes) -> None:
        session = self._client.client_id
        own = session[0] if session else None
        try:
            _, stat = self._client.get_async(self._path).get(timeout=_ANSWER_SECONDS)
            if stat.ephemeralOwner == own:
                self._client.set_async(self._path, data).get(timeout=_ANSWER_SECONDS)
                return
            # Of an agent that was killed: it would vanish with that one's session.
            self._client.delete_async(self._path).get(timeout=_ANSWER_SECONDS)
        except NoNodeError:
            pass
        try:
            made = self._client.create_async(self._path, data, ephemeral=True, makepath=True)
            made.get(timeout=_ANSWER_SECONDS)
        except NodeExistsError:
            raise StoreAwayError("another agent writes reports of this host") from None
