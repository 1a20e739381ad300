"""How far the history was read, host by host, and what turns out to be missing from it.

A batch ends at the same moment for all hosts, as far as their ids are times: after an outage of
the job what it missed comes back in the order in which it happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.metric_history import EntryId, read_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START: Final = EntryId(0, 0)


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """The last report of a host that was read."""

    id: EntryId
    run: str = ""
    """Of the report; empty: not known."""
    sequence: int = -1

    def missing_before(self, run: str, sequence: int) -> int:
        """How many reports are missing between this one and the next that there is."""
        if not self.run:
            return 0
        if run == self.run:
            return max(0, sequence - self.sequence - 1)
        return sequence

    def to_json(self) -> dict[str, Any]:
        """For Spark's log of offsets."""
        return {"id": str(self.id), "run": self.run, "sequence": self.sequence}


BEGIN: Final = StreamPosition(START)


@dataclass(frozen=True, slots=True)
class Offset:
    """Where a batch ends."""

    hosts: Mapping[str, StreamPosition]
    planned: float
    """Seconds since the epoch by the reader's clock: what is later than that has a wrong clock.
    Part of the offset, so that a batch that is read again finds the same."""

    def to_json(self) -> dict[str, Any]:
        """For Spark's log of offsets, which compares the text."""
        hosts = {host: self.hosts[host].to_json() for host in sorted(self.hosts)}
        return {"hosts": hosts, "planned": self.planned}

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Offset:
        """Read what `to_json` made."""
        hosts = {
            host: StreamPosition(read_id(it["id"]), it["run"], it["sequence"])
            for host, it in content["hosts"].items()
        }
        return Offset(hosts, content["planned"])


NOWHERE: Final = Offset({}, 0.0)


@dataclass(frozen=True, slots=True)
class Span:
    """What a batch reads of one host: entries after `start`, up to and with `end`."""

    host: str
    start: StreamPosition
    end: StreamPosition

    @property
    def begins_again(self) -> bool:
        """Whether the history is another one, that begins before where the last was read to."""
        return self.end.id < self.start.id

    @property
    def after(self) -> EntryId:
        """Read from the entry after this one."""
        return START if self.begins_again else self.start.id


def spans(start: Offset, end: Offset) -> list[Span]:
    """What a batch reads, host by host."""
    return [
        Span(host, start.hosts.get(host, BEGIN), position)
        for host, position in sorted(end.hosts.items())
        if position != start.hosts.get(host, BEGIN)
    ]


def common_end(pending: Mapping[str, Sequence[EntryId]], most: int) -> dict[str, EntryId]:
    """Up to which entry of each host a batch reads.

    Parameters
    ----------
    pending
        Ids of each host's next entries, at most `most` of them.
    most
        Hosts that have as many may have more: no other is read beyond the moment at which the
        first of them breaks off.
    """
    full = [ids[-1].milliseconds for ids in pending.values() if len(ids) >= most]
    until = min(full, default=None)
    ends = {}
    for host, ids in pending.items():
        taken = [it for it in ids if until is None or it.milliseconds <= until]
        if taken:
            ends[host] = taken[-1]
    return ends
