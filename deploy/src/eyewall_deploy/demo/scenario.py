"""What the demo runs, all of it fixed before anything is placed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_contracts.setting_keys import PIN

from eyewall_deploy.pins import check_pins, read_pins
from eyewall_deploy.submit import check_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.failure import Failure
    from eyewall_deploy.storm.nimbus import RunningExecutor, TopologyStream
    from eyewall_deploy.wan.delay_file import EmulatedDelays

TOPOLOGY = "tag_and_count"
RAISED_BY = 0.1
"""Seconds, one way, by which the delay of a link is raised."""
_ENDS = ("source", "consumer")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One demo.

    Parameters
    ----------
    pins
        `eyewall.pin`: where source and consumer have to be. Storm's schedulers know no pins.
    seconds
        How long each placement is measured, once it runs steadily.
    repetitions
        How often each scheduler runs.
    options
        Further settings of the topology, `KEY=VALUE`.
    """

    pins: Mapping[str, tuple[str, ...]]
    seconds: float
    repetitions: int
    options: tuple[str, ...]

    def topology_options(self, events: Path) -> list[str]:
        """Return the options of the submission, the same for each scheduler."""
        pins = json.dumps({component: list(hosts) for component, hosts in self.pins.items()})
        return [f"{PIN.name}={pins}", f"measure.dir={events}", *self.options]


def make_scenario(
    cluster: Cluster, seconds: float, repetitions: int, options: Sequence[str]
) -> Scenario | Failure:
    """Return a scenario with the pins of the options, or else with those of the cluster."""
    wrong = [failure for option in options if (failure := check_option(option)) is not None]
    failure = wrong[0] if wrong else check_pins(cluster, options)
    if failure is not None:
        return failure
    others = tuple(option for option in options if option.partition("=")[0] != PIN.name)
    return Scenario(read_pins(options) or default_pins(cluster), seconds, repetitions, others)


def default_pins(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    """Return pins of source and consumer to the hosts that the cluster file labels so.

    Without these labels the source is on the first host and the consumer on the last.
    """
    labels = {label for host in cluster.hosts for label in host.labels}
    if labels.issuperset(_ENDS):
        return {component: (f"label:{component}",) for component in _ENDS}
    return {"source": (cluster.hosts[0].name,), "consumer": (cluster.hosts[-1].name,)}


def detour(
    hosts: Mapping[RunningExecutor, str], pins: Mapping[str, set[str]], delays: EmulatedDelays
) -> float:
    """Return the seconds from and to the hosts where the data comes from and has to go.

    A scheduler without pins puts the source elsewhere than at the camera: the camera's data has to
    travel to it first, and from the consumer to the display in the end. Each end counts from the
    nearest host that its pin allows; 0 if the pins are kept.
    """
    total = 0.0
    for component, allowed in pins.items():
        own = [host for executor, host in hosts.items() if executor.component == component]
        lengths = [
            min(
                delays.between(pin, host) if component == "source" else delays.between(host, pin)
                for pin in allowed
            )
            for host in own
        ]
        total += sum(lengths) / len(lengths)
    return total


def count_link_uses(
    hosts: Mapping[RunningExecutor, str], streams: Sequence[TopologyStream]
) -> dict[tuple[str, str], int]:
    """Return pairs of hosts between which tuples flow, and how many executor pairs use each."""
    used: dict[tuple[str, str], int] = {}
    for stream in streams:
        senders = [host for e, host in hosts.items() if e.component == stream.source]
        receivers = [host for e, host in hosts.items() if e.component == stream.target]
        for source in senders:
            for target in receivers:
                if source != target:
                    used[source, target] = used.get((source, target), 0) + 1
    return used


def most_used_link(
    hosts: Mapping[RunningExecutor, str], streams: Sequence[TopologyStream]
) -> tuple[str, str] | None:
    """Return the most used link, of several the first by name; None if all is on one host."""
    used = count_link_uses(hosts, streams)
    return min(used, key=lambda link: (-used[link], link), default=None)
