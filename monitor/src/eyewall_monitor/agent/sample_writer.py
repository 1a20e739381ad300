"""Keeps a host's latest report in ZooKeeper, for as long as the agent lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.sample import encode_sample
from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS, TROUBLES, ZookeeperSession
from kazoo.exceptions import NodeExistsError, NoNodeError

from eyewall_monitor.agent.delivery import StoreAwayError

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.sample import Sample
    from kazoo.client import KazooClient


class SampleWriter:
    """Writes one ephemeral znode; connects by itself, again and again."""

    def __init__(self, servers: str, path: str, steady: Callable[[], float]) -> None:
        self._servers = servers
        self._path = path
        self._steady = steady
        self._session: ZookeeperSession | None = None

    def send(self, report: Sample) -> None:
        """Put a report in place of the one before."""
        if self._session is None:  # only here: it waits a little, which the agent must not
            self._session = ZookeeperSession(self._servers, self._steady)
        client = self._session.client()
        if client is None:
            raise StoreAwayError("no connection")
        try:
            self._put(client, encode_sample(report))
        except TROUBLES as error:
            raise StoreAwayError(str(error) or type(error).__name__) from None

    def close(self) -> None:
        """End the session, and with it the znode."""
        if self._session is not None:
            self._session.close()

    def _put(self, client: KazooClient, data: bytes) -> None:
        session = client.client_id
        own = session[0] if session else None
        try:
            _, stat = client.get_async(self._path).get(timeout=ANSWER_SECONDS)
            if stat.ephemeralOwner == own:
                client.set_async(self._path, data).get(timeout=ANSWER_SECONDS)
                return
            # Of an agent that was killed: it would vanish with that one's session.
            client.delete_async(self._path).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            pass
        try:
            made = client.create_async(self._path, data, ephemeral=True, makepath=True)
            made.get(timeout=ANSWER_SECONDS)
        except NodeExistsError:
            raise StoreAwayError("another agent writes reports of this host") from None
