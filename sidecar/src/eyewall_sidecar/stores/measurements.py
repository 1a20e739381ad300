"""Rates of topologies and reports of hosts, read from ZooKeeper in a thread of their own.

No round of Nimbus's waits for ZooKeeper. While it is away, the last of everything is handed out;
its age says how old it has become.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Protocol

from eyewall_contracts.rates import Rates, decode_rates
from eyewall_contracts.sample import Sample, decode_sample
from eyewall_contracts.stores.znode_folder import ZnodeFolder
from eyewall_contracts.stores.zookeeper_session import TROUBLES, ZookeeperSession
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient

READ_SECONDS = 1.0
"""Between two looks at what was written; both documents are written every few seconds."""
FIRST_LOOK_SECONDS = 2.0
"""That a start waits for the first look."""
STOP_SECONDS = 1.0
"""For ending the session: a ZooKeeper that hangs must not keep anyone from ending."""

LOG = logging.getLogger("eyewall.measurements")


@dataclass(frozen=True, slots=True)
class Measurements:
    """What a store knew when it was read; each document and report has its own age.

    Parameters
    ----------
    wanted
        Whether anything is measured here at all.
    now
        Seconds since the epoch, by the clock of the ages.
    rates
        Storm's id of a topology → its rates and costs.
    hosts
        Host → its latest report.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    """

    wanted: bool = False
    now: float = 0.0
    rates: Mapping[str, Rates] = field(default_factory=dict)
    hosts: Mapping[str, Sample] = field(default_factory=dict)
    remark: str = ""


class MeasurementStore(Protocol):
    """Where measurements come from."""

    def read(self) -> Measurements:
        """Return what is known now. Never raises: what is wrong is the value's `remark`."""
        ...


class NoMeasurements:
    """The store of a sidecar without a ZooKeeper."""

    def read(self) -> Measurements:
        """Return that nothing is measured."""
        return Measurements()


class ZookeeperMeasurements:
    """Reads until it is closed."""

    def __init__(
        self,
        servers: str,
        paths: Znodes,
        clock: Callable[[], float],
        steady: Callable[[], float],
    ) -> None:
        """Read from `servers`; `clock` returns seconds since the epoch, `steady` does not jump."""
        self._servers = servers
        self._paths = paths
        self._clock = clock
        self._steady = steady
        self._rates = ZnodeFolder(paths.all_rates, decode_rates, lambda it: it.topology)
        self._hosts = ZnodeFolder(paths.samples, decode_sample, lambda it: it.host)
        self._wrong = "not read yet"
        self._seen = self._as_known()
        self._looked = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep_reading, daemon=True)

    def start(self) -> None:
        """Begin to read; return after the first look, or soon if the server does not answer.

        A first round without measurements that are there would place by what is declared.
        """
        self._thread.start()
        self._looked.wait(FIRST_LOOK_SECONDS)

    def close(self) -> None:
        """Read no more."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)

    def read(self) -> Measurements:
        """Return what was last read, and what was wrong then: both of one look."""
        return replace(self._seen, now=self._clock())

    def _as_known(self) -> Measurements:
        wrong = [self._wrong, *self._rates.refused(), *self._hosts.refused()]
        said = [it for it in wrong if it]
        remark = f"measurements in ZooKeeper {self._servers}: {'; '.join(said)}" if said else ""
        return Measurements(
            wanted=True, rates=self._rates.known, hosts=self._hosts.known, remark=remark
        )

    def _keep_reading(self) -> None:
        with closing(ZookeeperSession(self._servers, self._steady, reads_only=True)) as session:
            while not self._stopped.is_set():
                client = session.client()
                self._wrong = "no connection" if client is None else self._read(client)
                self._seen = self._as_known()
                self._looked.set()
                self._stopped.wait(READ_SECONDS)

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
