"""The store that hosts share; here also one in memory, for simulations and tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eyewall_contracts.latency import HostCoordinate, RttRecord


@dataclass(frozen=True, slots=True)
class RegistryView:
    """The registry as one host reads it.

    Parameters
    ----------
    now
        The registry's time.
    hosts
        Every host that reported within the expiry, the reader included.
    reports
        Results of others' probes to the reader, by prober.
    """

    now: float = 0.0
    hosts: Mapping[str, HostCoordinate] = field(default_factory=dict)
    reports: Mapping[str, RttRecord] = field(default_factory=dict)


class MemoryRegistry:
    """A registry for hosts of one process, on a clock that its owner moves."""

    def __init__(self, expiry_seconds: float) -> None:
        """Start empty; a host is dead after `expiry_seconds` without a report."""
        self.now = 0.0
        self._expiry = expiry_seconds
        self._hosts: dict[str, HostCoordinate] = {}
        self._reports: dict[str, dict[str, RttRecord]] = {}

    def read(self, host: str) -> RegistryView:
        """Return the registry as `host` reads it now."""
        oldest = self.now - self._expiry
        alive = {name: record for name, record in self._hosts.items() if record.at >= oldest}
        reports = self._reports.get(host, {})
        return RegistryView(self.now, alive, {it: reports[it] for it in reports if it in alive})

    def write(self, host: str, record: HostCoordinate, rtts: Mapping[str, RttRecord]) -> None:
        """Store the record of `host`."""
        self._hosts[host] = record
        for target, rtt in rtts.items():
            self._reports.setdefault(target, {})[host] = rtt
