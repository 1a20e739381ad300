"""The Kubernetes manifests, held by Kubernetes' own schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from eyewall_latency.config import read_config as read_latency
from eyewall_monitor.agent.config import read_config as read_monitor
from eyewall_monitor.rates.config import read_config as read_rates
from eyewall_sidecar.config import read_config as read_sidecar

FOLDER = Path(__file__).parents[3] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
KUBERNETES = ("1.29", "1.34")
"""The oldest and the newest that are held."""


def documents() -> list[dict[str, Any]]:
    found = []
    for name in KUSTOMIZATION["resources"]:
        found += list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("version", KUBERNETES)
def test_they_follow_kubernetes_schemas(version: str) -> None:
    for document in documents():
        kubernetes_validate.validate(document, version, strict=True)


def test_what_pods_mount_and_run_is_said() -> None:
    config = {Path(file).stem for file in KUSTOMIZATION["configMapGenerator"][0]["files"]}
    images = {image["name"] for image in KUSTOMIZATION["images"]}
    for document in documents():
        pod = document.get("spec", {}).get("template", {}).get("spec")
        if pod is None:
            continue
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert container["image"] in images
            assert {it["name"] for it in container["volumeMounts"]} <= volumes
            assert container["name"] in config


def test_the_monitor_agent_has_no_limits_which_it_would_take_for_the_hosts() -> None:
    (daemons,) = [it for it in documents() if it["kind"] == "DaemonSet"]
    (monitor,) = [
        it for it in daemons["spec"]["template"]["spec"]["containers"] if it["name"] == "monitor"
    ]
    assert "limits" not in monitor["resources"]


def test_our_programs_can_read_their_settings(tmp_path: Path) -> None:
    config = FOLDER / "config"
    assert read_sidecar(config / "sidecar.toml").listen == "0.0.0.0:7077"
    read_rates(config / "rates.toml")
    for name, read in (("monitor.toml", read_monitor), ("latency.toml", read_latency)):
        whole = tmp_path / name
        whole.write_text(f'host = "node-1"\n{(config / name).read_text(encoding="utf-8")}')
        assert read(whole).host == "node-1"
