"""What deploy/kubernetes says of the agents, as far as it can be done without a cluster.

Their containers report no health: an agent is healthy once Redis has something of it.
"""

import tomllib
from typing import Any

import yaml
from eyewall_contracts.latency import LatencyKeys
from eyewall_contracts.metric_history import HistoryKeys

from image_check.building import REPOSITORY
from image_check.compose import Service

FOLDER = REPOSITORY / "deploy" / "kubernetes"
NODE = "node-1"
_KEYS = {"latency": LatencyKeys().host(NODE), "monitor": HistoryKeys().stream(NODE)}
_HEALTH = """\
import sys, redis
_, url, key = sys.argv
sys.exit(None if redis.Redis.from_url(url).exists(key) else f"no {key} in Redis")
"""
_PATIENCE = 60.0


def agents() -> dict[str, Service]:
    """Read the containers of agents.yaml."""
    manifest = yaml.safe_load((FOLDER / "agents.yaml").read_text(encoding="utf-8"))
    pod = manifest["spec"]["template"]["spec"]
    made = (_service(container) for container in pod["containers"])
    return {service.name: service for service in made}


def _service(container: dict[str, Any]) -> Service:
    name = container["name"]
    config = tomllib.loads((FOLDER / "config" / f"{name}.toml").read_text(encoding="utf-8"))
    (mounted,) = (it["mountPath"] for it in container["volumeMounts"] if it["name"] == "config")
    return Service(
        name=f"agents-{name}",
        containerfile=container["image"].removeprefix("eyewall-"),
        command=(*container["command"], *container["args"]),
        environment={"NODE": NODE},
        files={mounted: FOLDER / "config"},
        after=("zookeeper", "redis"),
        health=("python3", "-c", _HEALTH, config["redis"]["url"], _KEYS[name]),
        patience=_PATIENCE,
    )
