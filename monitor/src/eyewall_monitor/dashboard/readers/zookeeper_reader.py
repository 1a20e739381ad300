"""Reads ZooKeeper every second, and serves requests for decisions and switches."""

from __future__ import annotations

import time as _time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from eyewall_contracts.decision import DecisionRecord, day_of, is_id, time_of
from eyewall_contracts.rates import decode_rates
from eyewall_contracts.sample import Sample, decode_sample
from eyewall_contracts.stores import decision_history
from eyewall_contracts.stores.decision_history import read_each
from eyewall_contracts.stores.switch_store import SwitchesError, change_switches, read_switches
from eyewall_contracts.stores.znode_folder import ZnodeFolder
from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS, TROUBLES, ZookeeperSession
from kazoo.exceptions import NoNodeError

from eyewall_monitor.dashboard.errors import Reason, RequestError
from eyewall_monitor.dashboard.readers.reader import RepeatingThread, pause_after
from eyewall_monitor.dashboard.snapshot import ZookeeperSnapshot
from eyewall_monitor.dashboard.views.decision_summary import DecisionSummary, decision_summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.stores.decision_history import Page, Wanted
    from eyewall_contracts.switches import Switches
    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient

EVERY_SECONDS: Final = 1.0
DAY_SECONDS: Final = 86_400.0
RECORDS_AT_ONCE: Final = 200
"""Decisions that one reading takes: the rest waits for the next."""


class ZookeeperReader:
    """Reads until it is closed.

    Parameters
    ----------
    clock, steady
        Seconds since the epoch, and a clock that does not jump.
    """

    def __init__(
        self,
        servers: str,
        paths: Znodes,
        clock: Callable[[], float] = _time.time,
        steady: Callable[[], float] = _time.monotonic,
    ) -> None:
        self._servers = servers
        self._paths = paths
        self._clock = clock
        self._steady = steady
        self._session: ZookeeperSession | None = None
        self._client: KazooClient | None = None
        self._rates = ZnodeFolder(paths.all_rates, decode_rates, lambda it: it.topology)
        self._samples = ZnodeFolder(paths.samples, decode_sample, lambda it: it.host)
        self._arrivals = _Arrivals()
        self._switches: Switches | None = None
        self._decisions = _Decisions(paths)
        self._documents_due = steady()
        self._at: float | None = None
        self._error = "no answer yet"
        self._remarks: tuple[str, ...] = ()
        self._thread = RepeatingThread("ZooKeeper", self.poll, self._failed)
        self.start = self._thread.start

    def close(self) -> None:
        """Read no more."""
        self._thread.close()
        if self._session is not None:
            self._session.close()

    def read(self) -> ZookeeperSnapshot:
        """Return what was read last; never waits."""
        samples, now = self._samples.known, self._clock()
        return ZookeeperSnapshot(
            configured=True,
            servers=self._servers,
            age=None if self._at is None else self._steady() - self._at,
            samples=samples,
            sample_ages={
                host: self._arrivals.age(it, now, self._steady()) for host, it in samples.items()
            },
            rates=self._rates.known,
            switches=self._switches,
            decisions=self._decisions.summaries,
            decisions_complete=self._decisions.complete,
            error=self._error,
            remarks=self._remarks,
        )

    def page(self, count: int, wanted: Wanted, before: str | None) -> Page:
        """Read a page of the history; ContractError if `before` is not an id."""
        client = self._require_client()
        try:
            return decision_history.read_page(client, self._paths, count, wanted, before)
        except TROUBLES as error:
            raise self._away(error) from None

    def decision(self, id_: str) -> DecisionRecord | None:
        """Read one decision; None if it does not exist."""
        client = self._require_client()
        try:
            return decision_history.read_one(client, self._paths, id_)
        except TROUBLES as error:
            raise self._away(error) from None

    def change_switches(self, change: Callable[[Switches], Switches]) -> Switches:
        """Change the switches, and return them as they are now."""
        client = self._require_client()
        try:
            after = change_switches(client, self._paths, change)
        except SwitchesError as error:
            raise RequestError(Reason.NOT_NOW, str(error)) from None
        except TROUBLES as error:
            raise self._away(error) from None
        self._switches = after
        return after

    def poll(self) -> float:
        """Read once."""
        if self._session is None:
            self._session = ZookeeperSession(self._servers, self._steady)
        self._client = self._session.client()
        if self._client is None:
            self._error = "no connection"
            return EVERY_SECONDS
        try:
            more = self._read(self._client)
        except TROUBLES as error:
            self._error = str(error) or type(error).__name__
            return EVERY_SECONDS
        self._error = ""
        self._at = self._steady()
        return 0.0 if more else EVERY_SECONDS

    def _read(self, client: KazooClient) -> bool:
        """Read what has changed; return whether there is more to read at once."""
        self._read_documents(client)
        remarks = [*self._samples.refused(), *self._rates.refused()]
        try:
            self._switches = read_switches(client, self._paths)
        except SwitchesError as error:
            self._switches = None
            remarks.append(f"switches {error}")
        more = self._decisions.read(client, self._clock())
        self._remarks = tuple(remarks)
        return more

    def _read_documents(self, client: KazooClient) -> None:
        """Read reports and rates; those of a thousand hosts not every time."""
        began = self._steady()
        if began < self._documents_due:
            return
        self._samples.read(client)
        self._arrivals.note(self._samples.known, self._steady())
        self._rates.read(client)
        ended = self._steady()
        self._documents_due = ended + pause_after(ended - began)

    def _require_client(self) -> KazooClient:
        client = self._client
        if client is None or not client.connected:
            raise self._away("no connection")
        return client

    def _away(self, error: Exception | str) -> RequestError:
        message = str(error) or type(error).__name__
        return RequestError(Reason.AWAY, message, source=f"ZooKeeper {self._servers}")

    def _failed(self, error: str) -> None:
        self._error = error


class _Arrivals:
    """When reports arrived: a host's wrong clock does not make its report older or younger."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, float | None]] = {}
        self._first = True

    def note(self, samples: dict[str, Sample], steady: float) -> None:
        """Note which reports are new; when those of the first reading arrived is unknown."""
        self._seen = {
            host: before
            if (before := self._seen.get(host)) and before[0] == it.time
            else (it.time, None if self._first else steady)
            for host, it in samples.items()
        }
        self._first = False

    def age(self, report: Sample, now: float, steady: float) -> float:
        """Return seconds since a report arrived; by its own time if its arrival is unknown."""
        at = self._seen.get(report.host, (0.0, None))[1]
        return report.age(now) if at is None else max(0.0, steady - at)


class _Decisions:
    """The decisions of the last day; each record is read once."""

    def __init__(self, paths: Znodes) -> None:
        self._paths = paths
        self._changed: dict[str, int] = {}
        self._ids: dict[str, list[str]] = {}
        self._known: dict[str, DecisionSummary | None] = {}
        self.summaries: tuple[DecisionSummary, ...] = ()
        self.complete = False

    def read(self, client: KazooClient, now: float) -> bool:
        """Read new decisions, newest first; return whether there are more."""
        oldest = now - DAY_SECONDS
        days = [day_of(now), day_of(oldest)]
        for day in days:
            self._list(client, day)
        self._ids = {day: self._ids.get(day, []) for day in days}
        wanted = sorted(
            (it for ids in self._ids.values() for it in ids if time_of(it) >= oldest), reverse=True
        )
        before = self._known
        kept = {it: before[it] for it in wanted if it in before}
        missing = [it for it in wanted if it not in kept]
        some = missing[:RECORDS_AT_ONCE]
        for id_, record in zip(some, read_each(client, self._paths, some), strict=True):
            kept[id_] = decision_summary(record) if isinstance(record, DecisionRecord) else None
        self.complete = len(missing) <= RECORDS_AT_ONCE
        if missing or len(kept) != len(before):
            found = (kept[it] for it in sorted(kept, reverse=True))
            self.summaries = tuple(it for it in found if it is not None)
        self._known = kept
        return not self.complete

    def _list(self, client: KazooClient, day: str) -> None:
        """List a day's ids if they have changed."""
        path = self._paths.decisions_of(day)
        stat = client.exists_async(path).get(timeout=ANSWER_SECONDS)
        if stat is None:
            self._changed.pop(day, None)
            self._ids.pop(day, None)
            return
        if self._changed.get(day) == stat.pzxid and day in self._ids:
            return
        with suppress(NoNodeError):
            names = client.get_children_async(path).get(timeout=ANSWER_SECONDS)
            self._ids[day] = [it for it in names if is_id(it)]
            self._changed[day] = stat.pzxid
