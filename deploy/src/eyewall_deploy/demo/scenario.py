"""What the demo runs, all of it fixed before anything is placed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyewall_deploy.cluster_file import Cluster

TOPOLOGY = "tag_and_count"
_LABEL_OF = {"source": "camera", "consumer": "display"}


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
        return [f"eyewall.pin={pins}", f"measure.dir={events}", *self.options]


def pins_for(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    """The source where a host is labelled `camera`, the consumer where one is a `display`.

    A cluster without those labels has its source on the first host and its consumer on the last.
    """
    labels = {label for host in cluster.hosts for label in host.labels}
    if labels >= set(_LABEL_OF.values()):
        return {component: (f"label:{label}",) for component, label in _LABEL_OF.items()}
    return {"source": (cluster.hosts[0].name,), "consumer": (cluster.hosts[-1].name,)}
