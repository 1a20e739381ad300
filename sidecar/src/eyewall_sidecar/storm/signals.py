"""What is known of the world in addition to Nimbus's own state."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eyewall_sidecar.storm.delay_table import DelayTable
from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.known_delays import KnownDelaysCache
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology


@dataclass(frozen=True, slots=True)
class Signals:
    """All that a problem depends on in addition to cluster, topology and settings.

    Parameters
    ----------
    delays
        Between hosts, one way.
    measured
        Rates and costs of the topology; None where nothing is measured at all, so that what is
        declared or assumed has to do.
    loads
        Host → its load, as far as it is known.
    known_delays
        Shared by the problems of all topologies.
    """

    delays: DelayTable
    measured: MeasuredTopology | None = None
    loads: Mapping[str, HostLoad] = field(default_factory=dict)
    known_delays: KnownDelaysCache = field(default_factory=KnownDelaysCache)
