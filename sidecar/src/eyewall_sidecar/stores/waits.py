"""What was learned of waits for CPU, kept in ZooKeeper by a thread of its own.

It is read once: only the sidecar writes it. No round waits for ZooKeeper, and while it is away what
is learned is used all the same.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Protocol

from eyewall_contracts.errors import ContractError
from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS, TROUBLES, ZookeeperSession
from eyewall_contracts.wait_fit import WaitRecord, decode_waits, encode_waits
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

WRITE_SECONDS = 60.0
"""Between two writes."""
AGAIN_SECONDS = 1.0
"""Between two attempts while ZooKeeper is away, and two looks at what to write."""
STOP_SECONDS = 1.0

LOG = logging.getLogger("eyewall.waits")


class WaitStore(Protocol):
    """Keeps what was learned of waits."""

    def read(self) -> WaitRecord | None:
        """Return what an earlier sidecar kept; None while that is not known. Never waits."""
        ...

    def put(self, record: WaitRecord) -> None:
        """Keep a record in place of the one before; never waits and never raises."""
        ...


class NoWaits:
    """The store of a sidecar without a ZooKeeper: it begins with nothing."""

    def read(self) -> WaitRecord:
        """Return that nothing was kept."""
        return WaitRecord()

    def put(self, record: WaitRecord) -> None:
        """Drop the record."""


class ZookeeperWaits:
    """Reads once, and writes until it is closed."""

    def __init__(self, servers: str, paths: Znodes, steady: Callable[[], float]) -> None:
        """Keep it on `servers`; `steady` is a clock that does not jump."""
        self._servers = servers
        self._path = paths.waits
        self._steady = steady
        self._kept: WaitRecord | None = None
        self._waiting: WaitRecord | None = None
        self._written: float | None = None
        self._wrong = ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Write what waits, as long as that takes no time, and end."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def read(self) -> WaitRecord | None:
        """Return what was kept when this began; None before it was read, or if it cannot be."""
        return self._kept

    def put(self, record: WaitRecord) -> None:
        """Have a record written, in place of one that waits."""
        self._waiting = record

    def _run(self) -> None:
        with closing(ZookeeperSession(self._servers, self._steady)) as session:
            while not self._stopped.is_set():
                client = session.client()
                self._say("no connection" if client is None else self._work(client))
                self._stopped.wait(AGAIN_SECONDS)
            client = session.client()
            if client is not None and self._kept is not None:
                self._written = None
                self._say(self._work(client))

    def _work(self, client: KazooClient) -> str:
        """Read what is kept, or write what waits if that is due; return what is wrong."""
        try:
            if self._kept is None:
                self._kept = self._read(client)
            self._write(client)
        except (ContractError, *TROUBLES) as error:
            return str(error) or type(error).__name__
        # The edge of this thread: a surprise must not end it unnoticed.
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            if said != self._wrong:
                LOG.exception("waits cannot be kept")
            return said
        return ""

    def _read(self, client: KazooClient) -> WaitRecord:
        """Return what is kept; ContractError for what a later sidecar may yet understand."""
        try:
            data, _ = client.get_async(self._path).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            return WaitRecord()
        return decode_waits(data) if data else WaitRecord()

    def _write(self, client: KazooClient) -> None:
        record, now = self._waiting, self._steady()
        if record is None or (self._written is not None and now - self._written < WRITE_SECONDS):
            return
        data = encode_waits(record)
        try:
            client.set_async(self._path, data).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            client.create_async(self._path, data, makepath=True).get(timeout=ANSWER_SECONDS)
        self._written = now
        if self._waiting is record:
            self._waiting = None

    def _say(self, wrong: str) -> None:
        """Log when something goes wrong, once, and when it is good again."""
        if wrong and wrong != self._wrong:
            LOG.warning("waits in ZooKeeper %s, %s: %s", self._servers, self._path, wrong)
        if self._wrong and not wrong:
            LOG.info("waits are kept again")
        self._wrong = wrong
