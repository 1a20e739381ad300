"""The link whose delay is raised: one that the placement uses, and can do without."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_deploy.measure.nimbus import Executor, Stream
    from eyewall_deploy.wan.delay_file import DelayTable

RAISED_BY = 0.1
"""Seconds, one way."""


def used_links(
    hosts: Mapping[Executor, str], streams: Sequence[Stream]
) -> dict[tuple[str, str], int]:
    """Pairs of hosts between which tuples go, and how many pairs of executors use each."""
    used: dict[tuple[str, str], int] = {}
    for stream in streams:
        senders = [host for e, host in hosts.items() if e.component == stream.source]
        receivers = [host for e, host in hosts.items() if e.component == stream.target]
        for source in senders:
            for target in receivers:
                if source != target:
                    used[source, target] = used.get((source, target), 0) + 1
    return used


def link_to_raise(
    hosts: Mapping[Executor, str], streams: Sequence[Stream]
) -> tuple[str, str] | None:
    """The most used link, by name where several are; None if all runs on one host."""
    used = used_links(hosts, streams)
    return min(used, key=lambda link: (-used[link], link), default=None)


def delay_between(delays: DelayTable, link: tuple[str, str]) -> float:
    """One-way delay in seconds, in the link's own direction."""
    source, target = link
    return delays.delay[delays.hosts.index(source)][delays.hosts.index(target)]
