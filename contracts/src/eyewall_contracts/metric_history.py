"""The history of all hosts' reports in Redis: keys, entries and what bounds them.

| key | type | holds |
| --- | --- | --- |
| PREFIX:v1:history:HOST | stream | one entry for each report of that host |
| PREFIX:v1:history | sorted set | the hosts, by the time of their last report |

An entry has the fields `v`, the version, and `z`, the report (`sample`) compressed by zlib. Its id
is MILLISECONDS-NUMBER by the writer's clock, and grows even if that clock does not. A writer that
does not know whether an entry arrived writes it again under the same id, which Redis refuses if it
did: an entry is there once, and readers need not look for duplicates.

Ids are in the order of writing. The report says when something happened: after an outage, old
reports are written late.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from eyewall_contracts.codec import MOST_BYTES
from eyewall_contracts.errors import ContractError, IncompatibleVersionError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.redis_prefix import PREFIX, require_prefix
from eyewall_contracts.sample import decode_sample, encode_sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_contracts.sample import Sample

VERSION: Final = 1
KEEP_SECONDS: Final = 24 * 3600.0
"""How long an entry is kept, unless set otherwise."""
MOST_ENTRIES: Final = 20_000
"""Of one host, unless set otherwise: a day of one worker that reports every 5 s."""

_ID: Final = re.compile(rb"([0-9]{1,19})-([0-9]{1,19})")
_FAST: Final = 1
"""zlib's level: a report shrinks to a fifth, in less time than it takes to encode."""


class EntryId(NamedTuple):
    """Id of an entry; the order of ids is that of the stream."""

    milliseconds: int
    number: int

    def __str__(self) -> str:
        return f"{self.milliseconds}-{self.number}"


@dataclass(frozen=True, slots=True)
class HistoryKeys:
    """The keys of one Storm cluster."""

    prefix: str = PREFIX

    def __post_init__(self) -> None:
        require_prefix(self.prefix)

    @property
    def hosts(self) -> str:
        """The sorted set of hosts: which streams there are, without a search through all keys."""
        return f"{self.prefix}:v{VERSION}:history"

    def stream(self, host: str) -> str:
        """Return the key of a host's stream."""
        if not is_host_name(host):
            raise ContractError(f"host {host!r:.100}: it must be a host's name")
        return f"{self.hosts}:{host}"


def read_id(text: bytes | str) -> EntryId:
    """Read an id as Redis writes it."""
    found = _ID.fullmatch(text.encode() if isinstance(text, str) else text)
    if found is None:
        raise ContractError(f"history: id {text!r:.60}; it must be like 1700000000000-0")
    return EntryId(int(found[1]), int(found[2]))


def next_id(now: float, last: EntryId | None) -> EntryId:
    """Return an id after `last`, of the time `now` unless that is past."""
    wanted = EntryId(max(0, int(now * 1000)), 0)
    if last is None or wanted > last:
        return wanted
    return EntryId(last.milliseconds, last.number + 1)


def oldest_id(now: float, keep_seconds: float = KEEP_SECONDS) -> EntryId:
    """Return the id below which entries are dropped (XADD's and XTRIM's MINID)."""
    return EntryId(max(0, int((now - keep_seconds) * 1000)), 0)


def encode_entry(sample: Sample) -> dict[bytes, bytes]:
    """Fields of the entry of one report."""
    return {b"v": b"%d" % VERSION, b"z": zlib.compress(encode_sample(sample), _FAST)}


def decode_entry(fields: Mapping[bytes, bytes]) -> Sample:
    """Read an entry; ContractError names what is wrong with it."""
    version = fields.get(b"v", b"")
    if not re.fullmatch(rb"[1-9][0-9]{0,8}", version):
        raise ContractError(
            f"history entry: v is {version!r:.50}; it must be a whole number from 1 to {VERSION}"
        )
    if int(version) > VERSION:
        raise IncompatibleVersionError(
            f"history entry: version {int(version)} is incompatible with this reader, which knows "
            f"{VERSION}; update Eyewall here"
        )
    unpacker = zlib.decompressobj()
    try:
        report = unpacker.decompress(fields.get(b"z", b""), MOST_BYTES + 1)
    except zlib.error as error:
        raise ContractError(f"history entry: z: {error}") from None
    if len(report) <= MOST_BYTES and not unpacker.eof:
        raise ContractError("history entry: z is cut off")
    return decode_sample(report)
