"""What workers and crossing tuples cost: one record for a cluster, kept by the sidecar.

It outlasts the sidecar: a restarted one begins with it.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Struct

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import Amount, Name, Rows


class TopologyCrossingCost(Struct, frozen=True, array_like=True, gc=False):
    """What the assignments of one topology taught until now; the load model names its terms.

    Parameters
    ----------
    topology
        By its own name: a topology that is submitted again has another id.
    time
        Of the last assignment that taught anything, seconds since the epoch.
    worker, crossing
        Cores of a worker, and those that it uses in addition once tuples cross it all the time.
    half_rate
        Bursts/s that make a worker use half of `crossing`.
    per_tuple
        CPU-seconds for each tuple that enters or leaves a worker.
    """

    topology: Name
    time: Amount
    worker: Amount
    crossing: Amount
    half_rate: Amount
    per_tuple: Amount


class CrossingCostRecord(Struct, frozen=True):
    """The costs of a cluster's topologies.

    Parameters
    ----------
    written
        Seconds since the epoch.
    topologies
        The one that was learned last comes last.
    """

    written: Amount = 0.0
    topologies: Annotated[tuple[TopologyCrossingCost, ...], Rows] = ()


CODEC: Final = RecordCodec("crossing costs", CrossingCostRecord)
encode_crossing_costs: Final = CODEC.encode
decode_crossing_costs: Final = CODEC.decode
