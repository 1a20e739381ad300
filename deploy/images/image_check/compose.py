"""What docker-compose.yml says of a service, as far as it can be done without an engine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import yaml

from image_check.building import REPOSITORY


@dataclass(frozen=True, slots=True)
class Service:
    """One service.

    Parameters
    ----------
    containerfile
        Name of its image's folder; None for an image that is not built here.
    files
        What is mounted from the repository: path in the container → path here.
    health
        The command of its health check.
    patience
        Seconds until it has to be healthy.
    """

    name: str
    containerfile: str | None
    command: tuple[str, ...] | None
    environment: Mapping[str, str]
    files: Mapping[str, Path]
    after: tuple[str, ...]
    health: tuple[str, ...]
    patience: float


def services() -> dict[str, Service]:
    """Read them, in the order of their start: each after those that it depends on."""
    text = (REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8")
    raw = yaml.safe_load(Template(text).substitute(settings()))["services"]
    made: dict[str, Service] = {}
    while len(made) < len(raw):
        for name, entry in raw.items():
            if name not in made and made.keys() >= entry.get("depends_on", {}).keys():
                made[name] = _service(name, entry)
    return made


def settings() -> dict[str, str]:
    """Read .env."""
    lines = (REPOSITORY / ".env").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {key: value for key, _, value in pairs}


def _service(name: str, entry: Mapping[str, Any]) -> Service:
    file = entry.get("build", {}).get("dockerfile")
    check = entry["healthcheck"]
    kind, *health = check["test"]
    assert kind == "CMD"  # noqa: S101 - a test holds it
    return Service(
        name=name,
        containerfile=Path(file).parent.name if file else None,
        command=tuple(entry["command"]) if "command" in entry else None,
        environment=entry.get("environment", {}),
        files=dict(_files(entry.get("volumes", []))),
        after=tuple(entry.get("depends_on", {})),
        health=tuple(health),
        patience=float(check.get("start_period", "0s").removesuffix("s")) + 60.0,
    )


def _files(volumes: list[str]) -> Iterator[tuple[str, Path]]:
    for volume in volumes:
        source, target, *_ = volume.split(":")
        if source.startswith("./"):
            yield target, REPOSITORY / source
