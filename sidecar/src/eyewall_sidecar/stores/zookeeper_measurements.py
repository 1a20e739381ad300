"""Rates of topologies and reports of hosts, read from ZooKeeper beside the rounds.

A thread of its own keeps up with what is written, so that no round of Nimbus's waits for ZooKeeper.
While it is away the last of everything is handed out; ages tell how old it has become.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Generic, TypeVar

from eyewall_monitor import rate_document, sample, znodes
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from eyewall_sidecar.stores.measurements import Measurements
from eyewall_sidecar.stores.zookeeper_session import ANSWER_SECONDS, TROUBLES, ZookeeperSession

READ_SECONDS = 1.0
"""Between two looks at what was written; both documents are written every few seconds."""
STOP_SECONDS = 1.0
"""For ending the session: a ZooKeeper that hangs must not keep anyone from ending."""

LOG = logging.getLogger("eyewall.measurements")

Content = TypeVar("Content")


class ZookeeperMeasurements:
    """Reads until it is closed."""

    def __init__(
        self,
        servers: str,
        paths: znodes.Znodes,
        clock: Callable[[], float],
        steady: Callable[[], float],
    ) -> None:
        """Read from `servers`; `clock` tells seconds since the epoch, `steady` does not jump."""
        self._servers = servers
        self._paths = paths
        self._clock = clock
        self._steady = steady
        self._rates = _Folder(paths.all_rates, rate_document.decode, lambda it: it.topology)
        self._hosts = _Folder(paths.samples, sample.decode, lambda it: it.host)
        self._wrong = "not read yet"
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep_reading, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> None:
        """Read no more."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def read(self) -> Measurements:
        """Return what was last read, and what is wrong now."""
        wrong = [self._wrong, *self._rates.refused(), *self._hosts.refused()]
        said = [it for it in wrong if it]
        remark = f"measurements in ZooKeeper {self._servers}: {'; '.join(said)}" if said else ""
        return Measurements(
            wanted=True,
            now=self._clock(),
            rates=self._rates.known,
            hosts=self._hosts.known,
            remark=remark,
        )

    def _keep_reading(self) -> None:
        with closing(ZookeeperSession(self._servers, self._steady, reads_only=True)) as session:
            while not self._stopped.wait(READ_SECONDS):
                client = session.client()
                self._wrong = "no connection" if client is None else self._read(client)

    def _read(self, client: KazooClient) -> str:
        """Read what was written since; return what is wrong, or nothing."""
        try:
            self._rates.read(client)
            self._hosts.read(client)
        except TROUBLES as error:
            return str(error) or type(error).__name__
        # The edge of this thread: a surprise must not end it unnoticed.
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            if said != self._wrong:
                LOG.exception("measurements cannot be read")
            return said
        return ""


class _Folder(Generic[Content]):
    """The documents below one znode; those that have not changed are not read again."""

    def __init__(
        self, path: str, decode: Callable[[bytes], Content], owner: Callable[[Content], str]
    ) -> None:
        """Read below `path`; `owner` tells what a document says that it is of: its znode's name."""
        self._path = path
        self._decode = decode
        self._owner = owner
        self._written: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self.known: dict[str, Content] = {}

    def refused(self) -> Iterator[str]:
        """Say of one document that cannot be used what is wrong with it, and how many there are."""
        refused = self._refused
        if refused:
            first = min(refused)  # the same one as long as it is refused
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            yield f"{self._path}/{first}: {refused[first]}{more}"

    def read(self, client: KazooClient) -> None:
        """Read what was written since."""
        try:
            names = client.get_children_async(self._path).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            names = []
        looks = [(name, client.exists_async(f"{self._path}/{name}")) for name in names]
        stats = [(name, look.get(timeout=ANSWER_SECONDS)) for name, look in looks]
        same = {it for it, stat in stats if stat and stat.mzxid == self._written.get(it)}
        known = {it: content for it, content in self.known.items() if it in same}
        refused = {it: why for it, why in self._refused.items() if it in same}
        written = {it: at for it, at in self._written.items() if it in same}
        answers = [
            (name, client.get_async(f"{self._path}/{name}"))
            for name, stat in stats
            if stat and name not in same
        ]
        for name, answer in answers:
            with suppress(NoNodeError):
                data, stat = answer.get(timeout=ANSWER_SECONDS)
                written[name] = stat.mzxid
                try:
                    content = self._decode(data or b"")  # a znode without any has None
                except ValueError as error:
                    refused[name] = str(error)
                    continue
                if (owner := self._owner(content)) == name:
                    known[name] = content
                else:
                    refused[name] = f"says that it is of {owner}"
        self.known, self._refused, self._written = known, refused, written
