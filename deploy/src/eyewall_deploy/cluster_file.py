"""The cluster file: sites, hosts and the delays between them, read and checked.

Inside: seconds, bytes, bytes/s and cores; the file's own units (ms, MB, Mbit/s) end here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import ValidationError

from eyewall_deploy.choices import choices
from eyewall_deploy.cluster_links import (
    STEADY,
    DedicatedLink,
    PublicNetwork,
    bytes_per_second,
    dedicated_link,
    dedicated_problems,
    public_network,
    public_problems,
)
from eyewall_deploy.cluster_schema import ClusterTable
from eyewall_deploy.cluster_schema_errors import first_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eyewall_deploy.cluster_schema import DelayTable, HostTable

RESERVED: Final = ("control", "outer", "switch", "localhost")
_MEGABYTE: Final = 1024 * 1024
_Named = TypeVar("_Named", str, tuple[str, str])


class ClusterFileError(ValueError):
    """A cluster file that cannot be used: file, key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Host:
    """One supervisor host."""

    name: str
    site: str
    slots: int
    cpu: float
    """Cores."""
    memory: int
    """Bytes."""
    labels: tuple[str, ...]
    availability: float
    speed: float
    uplink: float | None = None
    """Bytes/s that go from it to the public network; None is unlimited."""
    downlink: float | None = None
    """Bytes/s that come to it from the public network; None is unlimited."""


@dataclass(frozen=True, slots=True)
class DelayRule:
    """Delay and bandwidth of the public network from one host (or site) to another."""

    source: str
    target: str
    one_way: float
    """Seconds."""
    deviation: float
    """Seconds."""
    bandwidth: float | None
    """Bytes/s; None is unlimited."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster as its file describes it; the order of hosts gives them their addresses."""

    name: str
    sites: tuple[str, ...]
    hosts: tuple[Host, ...]
    rules: tuple[DelayRule, ...]
    executors_per_slot: int
    cpu_scale: float
    source: str
    """Where it was read from, for people."""
    dedicated: tuple[DedicatedLink, ...] = ()
    public: PublicNetwork = STEADY

    @property
    def has_two_kinds(self) -> bool:
        """Whether hosts have more than an unlimited public network between them."""
        return bool(self.dedicated) or self.has_limited_hosts

    @property
    def has_limited_hosts(self) -> bool:
        """Whether the public network carries less than everything, to or from some host."""
        return any(host.uplink or host.downlink for host in self.hosts)

    def host(self, name: str) -> Host:
        """Return the host of that name; KeyError's text lists the hosts."""
        for host in self.hosts:
            if host.name == name:
                return host
        raise KeyError(f"no host {name}; {choices('hosts', [h.name for h in self.hosts], name)}")

    def hosts_at(self, site: str) -> tuple[Host, ...]:
        """Hosts of one site, in the file's order."""
        return tuple(host for host in self.hosts if host.site == site)

    def rule(self, source: Host, target: Host) -> DelayRule | None:
        """Find the rule for a pair of hosts: the pair's own, else that of their sites."""
        for pair in ((source.name, target.name), (source.site, target.site)):
            for rule in self.rules:
                if (rule.source, rule.target) == pair:
                    return rule
        return None


def shipped() -> tuple[str, ...]:
    """Names of the clusters that come with this package."""
    folder = resources.files("eyewall_deploy") / "clusters"
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".toml")))


def load(path_or_name: str | Path) -> Cluster:
    """Read a cluster file, given by path or, if no such file exists, by a shipped cluster's name.

    Raises
    ------
    ClusterFileError
        With one line that names the file, the key, its value and what is allowed.
    """
    path = Path(path_or_name)
    try:
        if path.is_file():
            return parse(path.read_text(encoding="utf-8"), str(path))
        found = "a folder, not a file" if path.is_dir() else "no such file"
    except UnicodeDecodeError as error:
        raise ClusterFileError(f"{path}: not UTF-8: {error}") from None
    except OSError as error:
        raise ClusterFileError(f"{path}: {error.strerror}") from None
    name = str(path_or_name)
    if name in shipped():
        file = resources.files("eyewall_deploy") / "clusters" / f"{name}.toml"
        return parse(file.read_text(encoding="utf-8"), f"{name}.toml")
    raise ClusterFileError(
        f"cluster {name}: {found}, and {choices('shipped clusters', shipped(), name)}"
    )


def parse(text: str, source: str) -> Cluster:
    """Check a cluster file's text; `source` names it in errors and in the delay file."""
    try:
        table = ClusterTable.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ClusterFileError(f"{source}: not TOML: {error}") from None
    except ValidationError as error:
        raise ClusterFileError(f"{source}: {first_error(error)}") from None
    cluster = Cluster(
        name=table.name,
        sites=tuple(site.name for site in table.sites),
        hosts=tuple(_host(host) for host in table.hosts),
        rules=tuple(rule for i, row in enumerate(table.delays) for rule in _rules(row, i, source)),
        executors_per_slot=table.executors_per_slot,
        cpu_scale=table.cpu_scale,
        source=source,
        dedicated=tuple(map(dedicated_link, table.dedicated)),
        public=public_network(table.public),
    )
    for problem in _problems(cluster):
        raise ClusterFileError(f"{source}: {problem}")
    return cluster


def _host(row: HostTable) -> Host:
    return Host(
        name=row.name,
        site=row.site,
        slots=row.slots,
        cpu=row.cpu,
        memory=row.memory_mb * _MEGABYTE,
        labels=tuple(row.labels),
        availability=row.availability,
        speed=row.speed,
        uplink=bytes_per_second(row.uplink_mbit),
        downlink=bytes_per_second(row.downlink_mbit),
    )


def _rules(row: DelayTable, index: int, source: str) -> Iterator[DelayRule]:
    if (row.between is None) == (row.source is None and row.target is None) or (
        (row.source is None) != (row.target is None)
    ):
        raise ClusterFileError(
            f"{source}: delays[{index}]: say either between = [a, b] or from = a and to = b"
        )
    if row.between is not None:
        a, b = row.between
        pairs = {(a, b): None, (b, a): None}  # a dict: once where a is b, and in order
    else:
        pairs = {(row.source or "", row.target or ""): None}
    for start, end in pairs:
        yield DelayRule(
            source=start,
            target=end,
            one_way=row.one_way_ms / 1000,
            deviation=row.deviation_ms / 1000,
            bandwidth=bytes_per_second(row.bandwidth_mbit),
        )


def _problems(cluster: Cluster) -> Iterator[str]:
    hosts = [host.name for host in cluster.hosts]
    for what, names in (("sites", cluster.sites), ("hosts", hosts)):
        for name in _repeated(names):
            yield f"{what}: name = {name!r} is given twice; each name once"
    for name in [*cluster.sites, *hosts]:
        if name in RESERVED:
            yield f"name = {name!r}: reserved; any name but {', '.join(RESERVED)}"
    for name in set(cluster.sites) & set(hosts):
        yield f"name = {name!r} is both a site and a host; give them different names"
    for index, host in enumerate(cluster.hosts):
        if host.site not in cluster.sites:
            yield (
                f"hosts[{index}] ({host.name}).site = {host.site!r}: no such site; "
                f"{choices('sites', cluster.sites, host.site)}"
            )
    yield from _rule_problems(cluster, hosts)
    yield from dedicated_problems(cluster.dedicated, hosts)
    yield from public_problems(cluster.public, limited=cluster.has_limited_hosts)
    for source in cluster.hosts:
        for target in cluster.hosts:
            if source != target and cluster.rule(source, target) is None:
                yield (
                    f"delays: none from {source.name} to {target.name}; add a [[delays]] with "
                    f"between = [{source.site!r}, {target.site!r}] and one_way_ms"
                )


def _rule_problems(cluster: Cluster, hosts: Sequence[str]) -> Iterator[str]:
    places = [*cluster.sites, *hosts]
    for rule in cluster.rules:
        pair = f"delays: {rule.source!r} to {rule.target!r}"
        for name in (rule.source, rule.target):
            if name not in places:
                yield f"{pair}: no site or host {name}; {choices('they', places, name)}"
        if (rule.source in hosts) != (rule.target in hosts):
            yield f"{pair}: one is a host and one a site; two hosts or two sites are allowed"
        if rule.source in hosts and rule.source == rule.target:
            yield f"{pair}: a host has no delay to itself; two different hosts are allowed"
    for first, second in _repeated([(rule.source, rule.target) for rule in cluster.rules]):
        yield f"delays: {first!r} to {second!r} is given twice; each direction once"


def _repeated(names: Iterable[_Named]) -> Iterator[_Named]:
    seen: set[_Named] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
