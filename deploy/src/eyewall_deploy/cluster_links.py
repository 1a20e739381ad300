"""Links of a cluster file besides its delays: dedicated ones, and what the public network is like.

Asaduzzaman et al., "Bi-modal networks" (paper 004), sections 2 and 6.1: a dedicated link is
steady and priced by the byte, the public network varies and is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eyewall_deploy.choices import choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eyewall_deploy.cluster_schema import DedicatedTable, PublicTable

_MEGABYTE: Final = 1e6
"""Of what is sent, as in Mbit/s; memory is counted by 1024."""


@dataclass(frozen=True, slots=True)
class DedicatedLink:
    """A leased line between two hosts, the same both ways."""

    a: str
    b: str
    one_way: float
    """Seconds."""
    bandwidth: float
    """Bytes/s each way."""
    price: float
    """Of one byte."""


@dataclass(frozen=True, slots=True)
class PublicNetwork:
    """How what the public network carries varies around the hosts' up- and downlinks.

    The log₂ of the ratio of transient to mean rate is normal with mean 0 (paper 004, section 6.1).
    """

    log2_deviation: float
    """Standard deviation of that log₂; 0 is steady."""
    redrawn_every: float
    """Seconds for which a drawn rate holds."""


STEADY: Final = PublicNetwork(log2_deviation=0.0, redrawn_every=0.010)


def dedicated_link(row: DedicatedTable) -> DedicatedLink:
    """Take one `[[dedicated]]` to seconds, bytes/s and a price per byte."""
    a, b = row.between
    return DedicatedLink(
        a, b, row.one_way_ms / 1000, row.bandwidth_mbit * 1e6 / 8, row.price_per_mb / _MEGABYTE
    )


def public_network(table: PublicTable | None) -> PublicNetwork:
    """Take the `[public]` table to seconds; without one the network is steady."""
    if table is None:
        return STEADY
    return PublicNetwork(table.log2_deviation, table.redrawn_every_ms / 1000)


def bytes_per_second(mbit: float | None) -> float | None:
    """Take Mbit/s to bytes/s; None is unlimited and stays so."""
    return None if mbit is None else mbit * 1e6 / 8


def leased_hosts(links: Iterable[DedicatedLink]) -> tuple[str, ...]:
    """Hosts at the ends of dedicated links, sorted."""
    return tuple(sorted({host for link in links for host in (link.a, link.b)}))


def dedicated_problems(links: Sequence[DedicatedLink], hosts: Sequence[str]) -> Iterator[str]:
    """Say what is wrong with the dedicated links of these hosts, a line each."""
    seen: set[frozenset[str]] = set()
    for index, link in enumerate(links):
        where = f"dedicated[{index}].between = [{link.a!r}, {link.b!r}]"
        for name in (link.a, link.b):
            if name not in hosts:
                yield f"{where}: no host {name}; {choices('hosts', hosts, name)}"
        if link.a == link.b:
            yield f"{where}: a host needs no link to itself; two different hosts are allowed"
        if frozenset((link.a, link.b)) in seen:
            yield f"{where}: this pair is given twice; each pair once, it serves both ways"
        seen.add(frozenset((link.a, link.b)))


def public_problems(public: PublicNetwork, *, limited: bool) -> Iterator[str]:
    """Say so where there is nothing that could vary."""
    if public.log2_deviation and not limited:
        yield (
            f"public.log2_deviation = {public.log2_deviation:g}: no host has a limited up- or "
            "downlink that it could vary; give some host uplink_mbit or downlink_mbit"
        )
