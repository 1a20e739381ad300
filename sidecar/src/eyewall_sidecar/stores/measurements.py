"""Rates of topologies and reports of hosts, read from ZooKeeper in a thread of their own.

No round of Nimbus's waits for ZooKeeper. While it is away, the last of everything is handed out;
its age says how old it has become.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from eyewall_contracts.rates import Rates, decode_rates
from eyewall_contracts.sample import Sample, decode_sample
from eyewall_contracts.stores.znode_folder import ZnodeFolder
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient

from eyewall_sidecar.stores.zookeeper_thread import ZookeeperThread

FIRST_LOOK_SECONDS = 2.0
"""That a start waits for the first look."""
MOST_EARLIER = 3
"""Reports of a host that are kept next to its latest: with it, those of 20 s as a rule."""


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
    earlier
        Host → reports before that, the oldest first: what looks seldom misses none of the last.
    remark
        What is wrong with the store, as a sentence for a person; empty if nothing is.
    """

    wanted: bool = False
    now: float = 0.0
    rates: Mapping[str, Rates] = field(default_factory=dict)
    hosts: Mapping[str, Sample] = field(default_factory=dict)
    earlier: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
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
        self._rates = ZnodeFolder(paths.all_rates, decode_rates, lambda it: it.topology)
        self._hosts = ZnodeFolder(paths.samples, decode_sample, lambda it: it.host)
        self._earlier: Mapping[str, tuple[Sample, ...]] = {}
        self._seen = self._as_known("not read yet")
        self._looked = threading.Event()
        self._thread = ZookeeperThread(
            servers,
            steady,
            self._look,
            self._looked_at,
            "measurements cannot be read",
            reads_only=True,
        )

    def start(self) -> None:
        """Begin to read; return after the first look, or soon if the server does not answer.

        A first round without measurements that are there would place by what is declared.
        """
        self._thread.start()
        self._looked.wait(FIRST_LOOK_SECONDS)

    def close(self) -> None:
        """Read no more."""
        self._thread.close()

    def read(self) -> Measurements:
        """Return what was last read, and what was wrong then: both of one look."""
        return replace(self._seen, now=self._clock())

    def _as_known(self, wrong: str) -> Measurements:
        remarks = [wrong, *self._rates.refused(), *self._hosts.refused()]
        said = [it for it in remarks if it]
        remark = f"measurements in ZooKeeper {self._servers}: {'; '.join(said)}" if said else ""
        return Measurements(
            wanted=True,
            rates=self._rates.known,
            hosts=self._hosts.known,
            earlier=self._earlier,
            remark=remark,
        )

    def _look(self, client: KazooClient) -> None:
        """Read what was written since."""
        self._rates.read(client)
        before = self._hosts.known
        self._hosts.read(client)
        self._earlier = _with_replaced(self._earlier, before, self._hosts.known)

    def _looked_at(self, _before: str, wrong: str) -> None:
        self._seen = self._as_known(wrong)
        self._looked.set()


def _with_replaced(
    earlier: Mapping[str, tuple[Sample, ...]],
    before: Mapping[str, Sample],
    now: Mapping[str, Sample],
) -> dict[str, tuple[Sample, ...]]:
    """Return the earlier reports of the hosts that report now, with those that were replaced."""
    found = {host: of for host, of in earlier.items() if host in now}
    for host, sample in now.items():
        replaced = before.get(host)
        if replaced is not None and replaced is not sample:
            found[host] = (*found.get(host, ()), replaced)[-MOST_EARLIER:]
    return found
