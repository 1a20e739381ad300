"""The cluster file: sites, hosts and the links between them.

Each table of the file is a dataclass. The annotation of a field has its key, range and unit in the
file; the value in the dataclass is in seconds, bytes, bytes/s or cores. A new key is one new field.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import (
    AfterValidator,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
)

from eyewall_deploy.failure import name_choices
from eyewall_deploy.validation import (
    Number,
    TomlError,
    Whole,
    describe_error,
    read_toml,
    toml_table,
)
from eyewall_deploy.wan.link_kinds import LeasedLine, PublicNetwork

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_CLUSTER: Final = "three-sites"
RESERVED: Final = ("control", "outer", "switch", "localhost")
NAME: Final = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
"""A name becomes a host name, a network namespace and a folder."""

_MEGABYTE: Final = 1024 * 1024
_ALLOWED_NAME: Final = "a-z, 0-9 and '-', at most 63 characters"

# The types and units of the file.
_Name = Annotated[str, Strict(), Field(pattern=NAME, description=_ALLOWED_NAME)]
# A name that begins with a digit may be read as an address: the host 10 would be 0.0.0.10.
_HostName = Annotated[
    str,
    Strict(),
    Field(
        pattern=NAME.replace("[a-z0-9]", "[a-z]", 1),
        description=f"{_ALLOWED_NAME}, the first of them a letter",
    ),
]
_Pair = Annotated[tuple[_Name, _Name], Field(description="two names")]
_Milliseconds = Annotated[
    Number,
    Field(ge=0, le=60_000, description="milliseconds, 0 to 60000"),
    AfterValidator(lambda milliseconds: milliseconds / 1000),
]
_Mbit = Annotated[
    Number,
    Field(gt=0, le=1_000_000, description="Mbit/s, above 0"),
    AfterValidator(lambda mbit: mbit * 1e6 / 8),
]


class ClusterFileError(ValueError):
    """A cluster file that cannot be used: file, key, value and what is allowed."""


@toml_table
@dataclass(frozen=True, slots=True)
class Site:
    """One `[[sites]]`."""

    name: _Name


@toml_table
@dataclass(frozen=True, slots=True)
class ClusterHost:
    """One `[[hosts]]`: a supervisor host."""

    name: _HostName
    site: _Name
    slots: Annotated[Whole, Field(ge=1, le=64, description="a whole number, 1 to 64")]
    cpu: Annotated[Number, Field(gt=0, le=1024)] = 1.0
    memory: Annotated[
        Whole,
        Field(alias="memory_mb", ge=64, le=1024 * 1024),
        AfterValidator(lambda mb: mb * _MEGABYTE),
    ] = 1024 * _MEGABYTE
    labels: tuple[_Name, ...] = ()
    availability: Annotated[Number, Field(gt=0, le=1)] = 1.0
    speed: Annotated[Number, Field(gt=0, le=16)] = 1.0
    uplink: Annotated[_Mbit | None, Field(alias="uplink_mbit")] = None
    """To the public network; None is unlimited, as for `downlink`."""
    downlink: Annotated[_Mbit | None, Field(alias="downlink_mbit")] = None


@toml_table
@dataclass(frozen=True, slots=True)
class DelayRule:
    """One `[[delays]]`: the public network between two hosts or sites, both ways or one way."""

    one_way: Annotated[_Milliseconds, Field(alias="one_way_ms")]
    between: _Pair | None = None
    source: Annotated[_Name | None, Field(alias="from")] = None
    target: Annotated[_Name | None, Field(alias="to")] = None
    deviation: Annotated[_Milliseconds, Field(alias="deviation_ms")] = 0.0
    bandwidth: Annotated[_Mbit | None, Field(alias="bandwidth_mbit")] = None

    @property
    def directions(self) -> tuple[tuple[str, str], ...]:
        """The directions that it is for, as (source, target)."""
        if self.between is None:
            return ((self.source or "", self.target or ""),)
        a, b = self.between
        return ((a, b),) if a == b else ((a, b), (b, a))


@toml_table
@dataclass(frozen=True, slots=True)
class _DedicatedTable:
    """One `[[dedicated]]`."""

    between: _Pair
    one_way: Annotated[_Milliseconds, Field(alias="one_way_ms")]
    bandwidth: Annotated[_Mbit, Field(alias="bandwidth_mbit")]
    # A megabyte on a link is 10⁶ bytes, as in Mbit/s; one of memory is 2²⁰.
    price: Annotated[
        Number,
        Field(alias="price_per_mb", ge=0, le=1_000_000),
        AfterValidator(lambda price: price / 1e6),
    ] = 0.0


@toml_table
@dataclass(frozen=True, slots=True)
class _PublicTable:
    """The `[public]` table."""

    log2_deviation: Annotated[Number, Field(ge=0, le=4)] = 1.0
    redrawn_every: Annotated[
        Number,
        Field(alias="redrawn_every_ms", ge=1, le=60_000),
        AfterValidator(lambda milliseconds: milliseconds / 1000),
    ] = 0.010


@toml_table
@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster file; the order of its hosts gives them their addresses."""

    version: Annotated[Whole, Field(ge=1, le=1, description="1")]
    name: _Name
    sites: Annotated[
        tuple[Site, ...], Field(min_length=1, description="at least one [[sites]] with a name")
    ]
    hosts: Annotated[
        tuple[ClusterHost, ...],
        Field(
            min_length=1,
            max_length=1024,
            description="at least one [[hosts]] with name, site and slots",
        ),
    ]
    delays: tuple[DelayRule, ...] = ()
    executors_per_slot: Annotated[Whole, Field(ge=1, le=1024)] = 16
    cpu_scale: Annotated[Number, Field(gt=0, le=16)] = 1.0
    dedicated_tables: Annotated[tuple[_DedicatedTable, ...], Field(alias="dedicated")] = ()
    public_table: Annotated[_PublicTable | None, Field(alias="public")] = None
    origin: Annotated[str, Field(alias="(origin)")] = ""
    """Where it was read from, for people; not a key."""

    @property
    def dedicated(self) -> tuple[LeasedLine, ...]:
        """Its dedicated links."""
        return tuple(
            LeasedLine(row.between, row.one_way, row.bandwidth, row.price)
            for row in self.dedicated_tables
        )

    @property
    def public(self) -> PublicNetwork:
        """How its public network varies; without a table it is steady."""
        table = self.public_table
        if table is None:
            return PublicNetwork()
        return PublicNetwork(table.log2_deviation, table.redrawn_every)

    @property
    def has_limited_hosts(self) -> bool:
        """Whether some up- or downlink is limited."""
        return any(host.uplink or host.downlink for host in self.hosts)

    @property
    def has_two_kinds(self) -> bool:
        """Whether hosts have more than an unlimited public network between them."""
        return bool(self.dedicated_tables) or self.has_limited_hosts

    @property
    def site_names(self) -> tuple[str, ...]:
        """Names of the sites, in the file's order."""
        return tuple(site.name for site in self.sites)

    @property
    def host_names(self) -> tuple[str, ...]:
        """Names of the hosts, in the file's order."""
        return tuple(host.name for host in self.hosts)

    def host(self, name: str) -> ClusterHost:
        """Return the host of that name; KeyError's text lists the hosts."""
        for host in self.hosts:
            if host.name == name:
                return host
        raise KeyError(f"no host {name}; {name_choices('hosts', self.host_names, name)}")

    def hosts_at(self, site: str) -> tuple[ClusterHost, ...]:
        """Return the hosts of one site, in the file's order."""
        return tuple(host for host in self.hosts if host.site == site)

    def rule(self, source: ClusterHost, target: ClusterHost) -> DelayRule | None:
        """Return the rule for a pair of hosts: the pair's own, else that of their sites."""
        for pair in ((source.name, target.name), (source.site, target.site)):
            for rule in self.delays:
                if pair in rule.directions:
                    return rule
        return None


_TABLES: Final[dict[str, type]] = {
    "sites": Site,
    "hosts": ClusterHost,
    "delays": DelayRule,
    "dedicated": _DedicatedTable,
    "public": _PublicTable,
}


def shipped_clusters() -> tuple[str, ...]:
    """Return the names of the clusters that come with this package."""
    folder = resources.files("eyewall_deploy") / "clusters"
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".toml")))


def read_text(path_or_name: str | Path) -> tuple[str, str]:
    """Return a cluster file's text and where it is from; see `load`."""
    path = Path(path_or_name)
    try:
        if path.is_file():
            return path.read_text(encoding="utf-8"), str(path)
        problem = "a folder, not a file" if path.is_dir() else "no such file"
    except UnicodeDecodeError as error:
        raise ClusterFileError(f"{path}: not UTF-8: {error}") from None
    except OSError as error:
        raise ClusterFileError(f"{path}: {error.strerror}") from None
    name, shipped = str(path_or_name), shipped_clusters()
    if name in shipped:
        file = resources.files("eyewall_deploy") / "clusters" / f"{name}.toml"
        return file.read_text(encoding="utf-8"), f"{name}.toml"
    raise ClusterFileError(
        f"cluster {name}: {problem}, and {name_choices('shipped clusters', shipped, name)}"
    )


def load(path_or_name: str | Path) -> Cluster:
    """Read a cluster file, given by path or, if there is no such file, by a shipped cluster's name.

    Raises
    ------
    ClusterFileError
        With one line that names the file, the key, its value and what is allowed.
    """
    return parse(*read_text(path_or_name))


def parse(text: str, origin: str) -> Cluster:
    """Check a cluster file's text; `origin` names it in errors and in the delay file."""
    try:
        cluster = _adapter().validate_python(read_toml(text) | {"(origin)": origin})
    except TomlError as error:
        raise ClusterFileError(f"{origin}: {error}") from None
    except ValidationError as error:
        raise ClusterFileError(f"{origin}: {describe_error(error, Cluster, _TABLES)}") from None
    for problem in _problems(cluster):
        raise ClusterFileError(f"{origin}: {problem}")
    return cluster


@cache
def _adapter() -> TypeAdapter[Cluster]:
    return TypeAdapter(Cluster)


def _problems(cluster: Cluster) -> Iterator[str]:
    """Yield what is wrong with a cluster of which each table is right."""
    sites, hosts = cluster.site_names, cluster.host_names
    for what, names in (("sites", sites), ("hosts", hosts)):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{what}: name = {name!r} is given {count} times; each name once"
    for name in (*sites, *hosts):
        if name in RESERVED:
            yield f"name = {name!r}: reserved; any name but {', '.join(RESERVED)}"
    for name in set(sites) & set(hosts):
        yield f"name = {name!r} is both a site and a host; give them different names"
    for index, host in enumerate(cluster.hosts):
        if host.site not in sites:
            choices = name_choices("sites", sites, host.site)
            yield f"hosts[{index}] ({host.name}).site = {host.site!r}: no such site; {choices}"
    yield from _delay_problems(cluster)
    yield from _dedicated_problems(cluster)
    public = cluster.public
    if public.log2_deviation and not cluster.has_limited_hosts:
        yield (
            f"public.log2_deviation = {public.log2_deviation:g}: no host has a limited up- or "
            "downlink that could vary; give some host uplink_mbit or downlink_mbit"
        )


def _delay_problems(cluster: Cluster) -> Iterator[str]:
    sites, hosts = cluster.site_names, cluster.host_names
    places = (*sites, *hosts)
    for index, rule in enumerate(cluster.delays):
        ends = (rule.between, rule.source, rule.target)
        if [end is None for end in ends] not in ([False, True, True], [True, False, False]):
            yield f"delays[{index}]: give either between = [a, b] or from = a and to = b"
            continue
        (source, target), *_ = rule.directions
        pair = f"delays: {source!r} to {target!r}"
        for name in (source, target):
            if name not in places:
                yield f"{pair}: no site or host {name}; {name_choices('they', places, name)}"
        if (source in hosts) != (target in hosts):
            yield f"{pair}: one is a host and one a site; two hosts or two sites are allowed"
        if source in hosts and source == target:
            yield f"{pair}: a host has no delay to itself; two different hosts are allowed"
    directions = Counter(pair for rule in cluster.delays for pair in rule.directions)
    for (source, target), count in directions.items():
        if count > 1:
            yield f"delays: {source!r} to {target!r} is given {count} times; each direction once"
    for first in cluster.hosts:
        for second in cluster.hosts:
            if first != second and cluster.rule(first, second) is None:
                yield (
                    f"delays: none from {first.name} to {second.name}; add a [[delays]] with "
                    f"between = [{first.site!r}, {second.site!r}] and one_way_ms"
                )


def _dedicated_problems(cluster: Cluster) -> Iterator[str]:
    hosts = cluster.host_names
    seen: set[frozenset[str]] = set()
    for index, link in enumerate(cluster.dedicated_tables):
        where = f"dedicated[{index}].between = {list(link.between)}"
        for name in link.between:
            if name not in hosts:
                yield f"{where}: no host {name}; {name_choices('hosts', hosts, name)}"
        pair = frozenset(link.between)
        if len(pair) == 1:
            yield f"{where}: a host needs no link to itself; two different hosts are allowed"
        if pair in seen:
            yield f"{where}: this pair is given twice; each pair once, it serves both ways"
        seen.add(pair)
