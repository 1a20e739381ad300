"""What the sidecar learned of a cluster, one record of each kind, kept in ZooKeeper by a thread.

A record is read once: only the sidecar writes it. No round waits for ZooKeeper, and while it is
away what is learned is used all the same.
"""

import logging
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.errors import ContractError
from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from msgspec import Struct

from eyewall_sidecar.stores.zookeeper_thread import ZookeeperThread

WRITE_SECONDS = 60.0
"""Between two writes."""

LOG = logging.getLogger("eyewall.knowledge")

Record = TypeVar("Record", bound=Struct)


class KnowledgeStore(Protocol[Record]):
    """Keeps what was learned."""

    def read(self) -> Record | None:
        """Return what an earlier sidecar kept; None while that is not known. Never waits."""
        ...

    def put(self, record: Record) -> None:
        """Keep a record in place of the one before; never waits and never raises."""
        ...


class NoKnowledge(Generic[Record]):
    """The store of a sidecar without a ZooKeeper: it begins with nothing."""

    def __init__(self, nothing: Record) -> None:
        """Hand out `nothing`, a record in which nothing was learned."""
        self._nothing = nothing

    def read(self) -> Record:
        """Return that nothing was kept."""
        return self._nothing

    def put(self, record: Record) -> None:
        """Drop the record."""


class ZookeeperKnowledge(Generic[Record]):
    """Reads once, and writes until it is closed."""

    def __init__(
        self,
        servers: str,
        path: str,
        codec: RecordCodec[Record],
        nothing: Record,
        steady: Callable[[], float],
    ) -> None:
        """Keep it at `path` on `servers`; `steady` is a clock that does not jump.

        `nothing` is read where nothing was kept.
        """
        self._servers = servers
        self._path = path
        self._codec = codec
        self._nothing = nothing
        self._steady = steady
        self._kept: Record | None = None
        self._waiting: Record | None = None
        self._written: float | None = None
        self._thread = ZookeeperThread(
            servers,
            steady,
            self._work,
            self._say,
            f"{codec.name} cannot be kept",
            last=self._finish,
            expected=(ContractError,),
        )

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Write what waits, as long as that takes no time, and end."""
        self._thread.close()

    def read(self) -> Record | None:
        """Return what was kept when this began; None before it was read, or if it cannot be."""
        return self._kept

    def put(self, record: Record) -> None:
        """Have a record written, in place of one that waits."""
        self._waiting = record

    def _work(self, client: KazooClient) -> None:
        """Read what is kept, or write what waits if that is due."""
        if self._kept is None:
            self._kept = self._read(client)
        self._write(client)

    def _finish(self, client: KazooClient) -> None:
        """Write what waits, due or not; never over what was not read."""
        if self._kept is not None:
            self._written = None
            self._write(client)

    def _read(self, client: KazooClient) -> Record:
        """Return what is kept; ContractError for what a later sidecar may yet understand."""
        try:
            data, _ = client.get_async(self._path).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            return self._nothing
        return self._codec.decode(data) if data else self._nothing

    def _write(self, client: KazooClient) -> None:
        record, now = self._waiting, self._steady()
        if record is None or (self._written is not None and now - self._written < WRITE_SECONDS):
            return
        data = self._codec.encode(record)
        try:
            client.set_async(self._path, data).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            client.create_async(self._path, data, makepath=True).get(timeout=ANSWER_SECONDS)
        self._written = now
        if self._waiting is record:
            self._waiting = None

    def _say(self, before: str, wrong: str) -> None:
        """Log when something goes wrong, once, and when it is good again."""
        name = self._codec.name
        if wrong and wrong != before:
            LOG.warning("%s in ZooKeeper %s, %s: %s", name, self._servers, self._path, wrong)
        if before and not wrong:
            LOG.info("%s: kept again", name)
