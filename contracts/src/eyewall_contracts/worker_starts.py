"""How long workers took to start: one record for a cluster, kept by the sidecar.

It outlasts the sidecar: a restarted one begins with it.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Struct

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import Amount, Count, Name, Rows


class TopologyStarts(Struct, frozen=True, array_like=True, gc=False):
    """What the starts of one topology's workers on one host took; seconds.

    Parameters
    ----------
    topology
        By Storm's id.
    host
        Where they started.
    time
        Of the last one, by the host's clock, since the epoch.
    last, mean
        From the assignment to the first tuples.
    count
        Of starts.
    multilang
        Whether processes of other languages start with the worker.
    """

    topology: Name
    host: Name
    time: Amount
    last: Amount
    mean: Amount
    count: Count = 1
    multilang: bool = False


class WorkerStartRecord(Struct, frozen=True):
    """What starts took.

    Parameters
    ----------
    written
        Time of the last start in it, by its host's clock, in seconds since the epoch.
    starts
        Those that were learned last come last.
    """

    written: Amount = 0.0
    starts: Annotated[tuple[TopologyStarts, ...], Rows] = ()


CODEC: Final = RecordCodec("worker starts", WorkerStartRecord)
encode_worker_starts: Final = CODEC.encode
decode_worker_starts: Final = CODEC.decode
