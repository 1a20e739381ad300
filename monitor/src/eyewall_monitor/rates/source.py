"""The history in Redis as a streaming source of Spark's.

Exact within what Redis keeps: each entry is in one batch, and a batch that is read again has the
same rows. Entries that are gone before they were read show in the reports' own numbers, and come
as rows of their own (`Kind.LOST`): a hole in the history is data, not silence.
"""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import redis
from eyewall_contracts.errors import ContractError, IncompatibleVersionError
from eyewall_contracts.field_types import HOST_NAME
from eyewall_contracts.metric_history import EntryId, HistoryKeys, decode_entry, read_id
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from eyewall_monitor.rates import offsets
from eyewall_monitor.rates.offsets import BEGIN, Offset, Span, StreamPosition
from eyewall_monitor.rates.rows import AHEAD_SECONDS, MeasurementRow, lost, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    Fields = dict[bytes, bytes]
    Entry = tuple[EntryId, Fields]

NAME: Final = "eyewall-history"
SCHEMA: Final = (
    "time timestamp, written timestamp, late boolean, kind string, topology string, "
    "component string, source string, stream string, task int, host string, port int, "
    "seconds double, amount double, base double, extra double, step int"
)
"""The fields of `Row`."""
ARROW_SCHEMA: Final = pa.schema(
    [
        *((name, pa.timestamp("us", tz="UTC")) for name in ("time", "written")),
        ("late", pa.bool_()),
        *((name, pa.string()) for name in ("kind", "topology", "component", "source", "stream")),
        ("task", pa.int32()),
        ("host", pa.string()),
        ("port", pa.int32()),
        *((name, pa.float64()) for name in ("seconds", "amount", "base", "extra")),
        ("step", pa.int32()),
    ]
)
ROWS_PER_BATCH: Final = 20_000
"""Of Arrow's."""
ENTRIES_PER_READ: Final = 50
TIMEOUT: Final = 10.0
_MICRO: Final = 1_000_000


class HistorySource(DataSource):
    """The histories of all hosts of one Storm cluster.

    Options: `redis` (URL), `prefix`, `late` (seconds), `most` (entries of one host in a batch),
    `partitions`.
    """

    @classmethod
    def name(cls) -> str:
        """Return what Spark knows it by."""
        return NAME

    def schema(self) -> str:
        """Return the fields of a row."""
        return SCHEMA

    def streamReader(self, schema: StructType) -> HistoryStreamReader:  # noqa: N802, ARG002 - Spark's name
        """Return the reader."""
        return HistoryStreamReader(self.options)


@dataclasses.dataclass
class HostSpans(InputPartition):
    """What one task of Spark's reads."""

    spans: list[Span]
    planned: float


class HistoryStreamReader(DataSourceStreamReader):
    """Reads batches that end at the same moment for all hosts."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._url = options["redis"]
        self._keys = HistoryKeys(options["prefix"])
        self._late = float(options["late"])
        self._most = int(options["most"])
        self._partitions = int(options["partitions"])

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Begin with the oldest entry that there is."""
        return offsets.NOWHERE.to_json()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802, ARG002 - Spark's name; the bound is an option of ours
        """Return where the next batch ends; `start` itself if there is nothing new."""
        before = Offset.from_json(start)
        with self._connect() as store:
            ends = self._ends(store, before)
        if not ends:
            return start
        return Offset({**before.hosts, **ends}, time.time()).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[HostSpans]:
        """Deal the hosts out among Spark's tasks."""
        until = Offset.from_json(end)
        wanted = offsets.spans(Offset.from_json(start), until)
        dealt = [wanted[i :: self._partitions] for i in range(self._partitions)]
        return [HostSpans(spans, until.planned) for spans in dealt if spans]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some hosts."""
        assert isinstance(partition, HostSpans)  # noqa: S101 - see partitions
        found: list[MeasurementRow] = []
        with self._connect() as store:
            for span in partition.spans:
                for row in read_span(
                    self._entries(store, span), span, partition.planned, self._late
                ):
                    found.append(row)
                    if len(found) >= ROWS_PER_BATCH:
                        yield record_batch(found)
                        found = []
        if found:
            yield record_batch(found)

    def _connect(self) -> redis.Redis:
        return redis.Redis.from_url(
            self._url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT
        )

    def _ends(self, store: redis.Redis, before: Offset) -> dict[str, StreamPosition]:
        """Where the next batch ends for each host that has anything new."""
        hosts = _hosts(store, self._keys)
        after: dict[str, EntryId] = {}
        for host, entries in _each(hosts, self._keys, store, newest):
            known = before.hosts.get(host, BEGIN).id
            last = entries[-1][0] if entries else known
            if last != known:
                after[host] = known if last > known else offsets.START
        pending: dict[str, dict[EntryId, Fields]] = {}
        for host, entries in _each(
            list(after),
            self._keys,
            store,
            lambda pipe, key, host: pipe.xrange(key, min=f"({after[host]}", count=self._most),
        ):
            pending[host] = dict(entries)
        ends = offsets.common_end({host: list(of) for host, of in pending.items()}, self._most)
        return {host: _position(id_, pending[host][id_]) for host, id_ in ends.items()}

    def _entries(self, store: redis.Redis, span: Span) -> Iterator[Entry]:
        key, after = self._keys.stream(span.host), span.after
        while True:
            found = _read(
                store.xrange(key, min=f"({after}", max=str(span.end.id), count=ENTRIES_PER_READ)
            )
            yield from found
            if len(found) < ENTRIES_PER_READ:
                return
            after = found[-1][0]


def read_span(
    entries: Iterator[Entry], span: Span, planned: float, late_after: float
) -> Iterator[MeasurementRow]:
    """Rows of a host's entries, and what is missing among them."""
    last, read = span.start, BEGIN.id
    for id_, fields in entries:
        read = id_
        at = min(id_.milliseconds / 1000, planned)
        try:
            sample = decode_entry(fields)
        except ContractError as error:
            why = "later version" if isinstance(error, IncompatibleVersionError) else "unreadable"
            yield lost(at, at, span.host, 1, why)
            last = dataclasses.replace(last, sequence=last.sequence + 1)
            continue
        missing = last.missing_before(sample.run, sample.sequence)
        if missing:
            yield lost(at, at, span.host, missing, "missing")
        last = StreamPosition(id_, sample.run, sample.sequence)
        if sample.time > planned + AHEAD_SECONDS:
            yield lost(planned, planned, span.host, 1, "ahead of the clock")
            continue
        yield from rows(sample, at, late_after)
    if read != span.end.id:
        # Taken away between the planning and the reading of this batch.
        at = min(span.end.id.milliseconds / 1000, planned)
        missing = max(1, last.missing_before(span.end.run, span.end.sequence) + 1)
        yield lost(at, at, span.host, missing, "missing")


def record_batch(found: list[MeasurementRow]) -> pa.RecordBatch:
    """Rows as Arrow has them."""
    columns = list(zip(*found, strict=True))
    for place in (0, 1):
        columns[place] = tuple(int(it * _MICRO) for it in columns[place])
    arrays = [
        pa.array(column, type=field.type)
        for column, field in zip(columns, ARROW_SCHEMA, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW_SCHEMA)


def newest(pipe: Any, key: str, _host: str) -> None:
    """Ask for a stream's last entry."""
    pipe.xrevrange(key, count=1)


def _each(
    hosts: list[str], keys: HistoryKeys, store: redis.Redis, ask: Callable[[Any, str, str], None]
) -> Iterator[tuple[str, list[Entry]]]:
    """What Redis answers about each host's stream, asked in one go."""
    if not hosts:
        return
    pipe = store.pipeline(transaction=False)
    for host in hosts:
        ask(pipe, keys.stream(host), host)
    for host, found in zip(hosts, pipe.execute(), strict=True):
        yield host, _read(found)


def _read(found: Any) -> list[Entry]:
    return [(read_id(id_), fields or {}) for id_, fields in found or ()]


def _hosts(store: redis.Redis, keys: HistoryKeys) -> list[str]:
    found: Any = store.zrange(keys.hosts, 0, -1)
    hosts = (host.decode("utf-8", "replace") for host in found)
    return [host for host in hosts if HOST_NAME.fullmatch(host)]


def _position(id_: EntryId, fields: Fields) -> StreamPosition:
    """Return where an entry is; of one that cannot be read, only its id is known."""
    try:
        sample = decode_entry(fields)
    except ContractError:
        return StreamPosition(id_)
    return StreamPosition(id_, sample.run, sample.sequence)
