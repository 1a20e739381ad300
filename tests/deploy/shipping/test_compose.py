"""docker-compose.yml, as far as it can be held without a Docker engine."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

import jsonschema
import pytest
import yaml
from compose_settings import CONTAINERS, FILE, compose_settings
from deployments import make_deployment
from eyewall_deploy import cluster_file
from eyewall_deploy.lifecycle.programs import programs
from eyewall_deploy.storm.settings import recommended_settings
from eyewall_deploy.wan.addresses import addresses
from eyewall_latency.config import read_config as read_latency
from eyewall_monitor.agent.config import read_config as read_monitor
from eyewall_monitor.rates.config import read_config as read_rates
from eyewall_sidecar.config import read_config as read_sidecar
from image_check.compose import services, settings

REPOSITORY = Path(__file__).parents[3]
GIVEN = REPOSITORY / "deploy" / "compose"
CLUSTER = cluster_file.load(GIVEN / "cluster.toml")
HOSTS = [host.name for host in CLUSTER.hosts]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    text = (REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(Template(text).substitute(settings()))
    return read


def test_it_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    vendored = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((vendored / "compose-spec.json").read_text(encoding="utf-8"))
    jsonschema.validate(compose, schema)


def test_every_setting_in_dot_env_is_used() -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8")
    assert [name for name in settings() if f"${{{name}}}" not in text] == ["COMPOSE_PROJECT_NAME"]


def test_every_service_tells_its_health_restarts_and_has_limits(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["restart"] == "unless-stopped", name
        assert {"cpus", "mem_limit"} <= service.keys(), name


def test_ports_are_open_on_this_machine_alone(compose: dict[str, Any]) -> None:
    published = {n: s["ports"] for n, s in compose["services"].items() if "ports" in s}
    assert set(published) == {"nimbus", "ui", "dashboard"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_only_hosts_keep_capabilities(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert ("NET_ADMIN" in service.get("cap_add", [])) == (name in HOSTS), name


def test_build_arguments_are_those_of_its_containerfile(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if "build" in service:
            text = (REPOSITORY / service["build"]["dockerfile"]).read_text(encoding="utf-8")
            found = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
            assert service["build"]["args"] == found, name  # .env has the same defaults


def test_what_is_mounted_is_there(compose: dict[str, Any]) -> None:
    named = set(compose["volumes"])
    for service in services().values():
        assert all(path.exists() for path in service.files.values())
    for name, service in compose["services"].items():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source.startswith("./") or source in named, name


def test_its_parts_start_in_the_order_of_the_emulated_cluster(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    # There a host's supervisor and agents are three programs, here one container.
    plan = make_deployment(tmp_path)
    order: list[str] = []
    for program in programs(plan):
        name = program.name
        for kind in ("supervisor-", "monitor-", "latency-"):
            name = name.removeprefix(kind)
        if name not in order and name not in ("router", "forwarder"):
            order.append(name)
    for name, service in compose["services"].items():
        for before in service.get("depends_on", {}):
            if name in order:
                assert order.index(before) < order.index(name), f"{name} waits for {before}"
        conditions = {it["condition"] for it in service.get("depends_on", {}).values()}
        assert conditions <= {"service_healthy"}
    assert set(order) <= compose["services"].keys()


def test_hosts_are_those_of_the_cluster_file_with_their_addresses(compose: dict[str, Any]) -> None:
    at = addresses(HOSTS)
    for host in CLUSTER.hosts:
        service = compose["services"][host.name]
        assert service["networks"]["storm"]["ipv4_address"] == at[host.name]
        assert service["environment"]["EYEWALL_HOST"] == service["hostname"] == host.name
        assert service["cpus"] == host.cpu * host.speed
        assert service["mem_limit"] == f"{host.memory // 2**30}g"


def test_the_cluster_is_the_demos() -> None:
    shipped = cluster_file.load("three-sites")
    assert (CLUSTER.hosts, CLUSTER.delays) == (shipped.hosts, shipped.delays)


def test_storms_settings_are_generated_from_the_shipped_ones() -> None:
    assert FILE.read_text(encoding="utf-8") == compose_settings(), "run `make settings`"
    given, shipped = yaml.safe_load(compose_settings()), recommended_settings()
    assert given.keys() == shipped.keys() | CONTAINERS.keys()
    assert all(given[key] == shipped[key] for key in shipped.keys() - CONTAINERS.keys())


def test_nimbus_has_no_setting_of_a_plugin_that_only_hosts_have() -> None:
    # A daemon ends if it does not find the class.
    assert "storm.resource.isolation.plugin" not in yaml.safe_load(compose_settings())


def test_our_programs_can_read_their_settings(tmp_path: Path) -> None:
    sidecar = read_sidecar(GIVEN / "sidecar.toml")
    assert sidecar.delays.redis == "redis://redis:6379/0"
    assert read_rates(GIVEN / "rates.toml").zookeeper.servers == "zookeeper:2181"
    for name, read in (("monitor.toml", read_monitor), ("latency.toml", read_latency)):
        whole = tmp_path / name
        whole.write_text(f'host = "edge-1"\n{(GIVEN / name).read_text(encoding="utf-8")}')
        assert read(whole).host == "edge-1"
