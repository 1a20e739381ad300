"""What was learned of how long tuples wait for CPU: one record for a cluster, kept by the sidecar.

It outlasts the sidecar: a restarted one begins with it.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Struct

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import Amount, Count, Name, Rows


class WaitObservation(Struct, frozen=True, array_like=True, gc=False):
    """A topology's latency at rest, and what the load model makes of its placement; seconds.

    By the model the latency is base + κ · executors + γ · hosts.
    """

    topology: Name
    """By Storm's id."""
    placement: Name
    """Names which executors ran where."""
    time: Amount
    """Since the epoch."""
    latency: Amount
    deviation: Amount
    """Standard deviation of the measured latency."""
    base: Amount
    """Work, the rest of trees, delays and crossings."""
    executors: Amount
    """Waits for executors at κ = 1."""
    hosts: Amount
    """Waits for hosts' CPU at γ = 1."""
    model: Count = 0
    """Of the load model that split it: κ and γ of another one mean something else."""


class WaitRecord(Struct, frozen=True):
    """The fit and what it was made from.

    Parameters
    ----------
    written
        Seconds since the epoch.
    burstiness, burstiness_error, sharing, sharing_error
        κ and γ of the load model, and their standard errors, for people to read: a sidecar fits
        the observations again.
    observations
        The oldest first.
    """

    written: Amount = 0.0
    burstiness: Amount = 0.0
    burstiness_error: Amount = 0.0
    sharing: Amount = 0.0
    sharing_error: Amount = 0.0
    observations: Annotated[tuple[WaitObservation, ...], Rows] = ()


CODEC: Final = RecordCodec("waits", WaitRecord)
encode_waits: Final = CODEC.encode
decode_waits: Final = CODEC.decode
