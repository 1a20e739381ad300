"""What the demo runs, all of it fixed before anything is placed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.pins import KEY, pins_in, wrong_pin
from eyewall_deploy.submit import wrong_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.measure.nimbus import Executor
    from eyewall_deploy.wan.delay_file import DelayTable

TOPOLOGY = "tag_and_count"
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
        How often all schedulers have their turn.
    options
        Further settings of the topology, `KEY=VALUE`.
    """

    pins: Mapping[str, tuple[str, ...]]
    seconds: float
    repetitions: int
    options: tuple[str, ...]

    def topology_options(self, events: Path) -> list[str]:
        """What the topology is submitted with, whoever schedules it."""
        pins = json.dumps({component: list(hosts) for component, hosts in self.pins.items()})
        return [f"{KEY}={pins}", f"measure.dir={events}", *self.options]


def scenario_for(
    cluster: Cluster, seconds: float, repetitions: int, options: Sequence[str]
) -> Scenario | Failure:
    """Pins are those of the options, where they have any, else those of the cluster."""
    wrong = next(filter(None, map(wrong_option, options)), None) or wrong_pin(cluster, options)
    if wrong is not None:
        return Failure(wrong)
    others = tuple(option for option in options if option.partition("=")[0] != KEY)
    return Scenario(pins_in(options) or pins_for(cluster), seconds, repetitions, others)


def pins_for(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    """Source and consumer are pinned to the hosts that the cluster file labels so.

    A cluster without those labels has its source on the first host and its consumer on the last.
    """
    labels = {label for host in cluster.hosts for label in host.labels}
    if labels.issuperset(_ENDS):
        return {component: (f"label:{component}",) for component in _ENDS}
    return {"source": (cluster.hosts[0].name,), "consumer": (cluster.hosts[-1].name,)}


def detour(
    hosts: Mapping[Executor, str], pins: Mapping[str, set[str]], delays: DelayTable
) -> float:
    """Seconds from and to the places where the data really comes from and has to go.

    A scheduler that knows no pins puts the source elsewhere than at the camera: what the camera
    sees has to travel to it first, and from the consumer to the display in the end. Each end counts
    by the nearest host that its pin allows; 0 where the pins are kept.
    """
    place = {host: index for index, host in enumerate(delays.hosts)}
    total = 0.0
    for component, allowed in pins.items():
        where = [place[host] for e, host in hosts.items() if e.component == component]
        ways = [
            min(
                delays.delay[place[pin]][at]
                if component == "source"
                else delays.delay[at][place[pin]]
                for pin in allowed
            )
            for at in where
        ]
        total += sum(ways) / len(ways)
    return total
