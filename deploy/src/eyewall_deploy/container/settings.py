"""What the programs in a host's container read: the cluster's settings, and the host's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import yaml

from eyewall_deploy.storm.settings import SLOT_PORT, declared, without_scheduler

if TYPE_CHECKING:
    from pathlib import Path

    from eyewall_deploy.cluster_file import Host

AGENTS: Final = ("monitor.toml", "latency.toml")


def write_settings(host: Host, given: Path, conf: Path, run: Path) -> None:
    """Write a host's settings.

    Parameters
    ----------
    given
        Folder with storm.yaml and the agents' settings as all hosts have them.
    conf
        Where its storm.yaml goes: Storm's STORM_CONF_DIR.
    run
        Where the agents' settings go.
    """
    text = (given / "storm.yaml").read_text(encoding="utf-8")
    storm = storm_settings(host, yaml.safe_load(text))
    (conf / "storm.yaml").write_text(yaml.safe_dump(storm), encoding="utf-8")
    run.mkdir(parents=True, exist_ok=True)
    for name in AGENTS:
        text = (given / name).read_text(encoding="utf-8")
        (run / name).write_text(agent_settings(host, text), encoding="utf-8")


def storm_settings(host: Host, given: dict[str, Any]) -> dict[str, Any]:
    """Add what a host is to the cluster's settings, and leave out what Nimbus alone reads."""
    slots = [SLOT_PORT + number for number in range(host.slots)]
    return without_scheduler(given) | declared(host) | {"supervisor.slots.ports": slots}


def agent_settings(host: Host, given: str) -> str:
    """Put the host's name before an agent's settings, which begin without any table."""
    return f"host = {json.dumps(host.name)}\n{given}"
