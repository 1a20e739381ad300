"""What is known of the world beside Nimbus's own state."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.storm.delays import KnownDelays
from eyewall_sidecar.storm.doubts import DelayBetween, Doubts
from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.measured import MeasuredTopology


@dataclass(frozen=True, slots=True)
class Signals:
    """All that a problem depends on beside the cluster, the topology and its settings.

    Parameters
    ----------
    delay
        One way between two hosts, in seconds.
    doubts
        Which delays are known with too little confidence to move anything by.
    measured
        Rates and costs of the topology; None where nothing is measured at all, so that what is
        declared or assumed has to do.
    loads
        Host → its load, as far as it is known.
    known
        What earlier problems of the same kind found for the same delays and doubts.
    """

    delay: DelayBetween
    doubts: Doubts = field(default_factory=dict)
    measured: MeasuredTopology | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)
    known: tuple[KnownDelays, ...] = ()
