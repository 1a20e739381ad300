"""A real Storm cluster over an emulated network, one for all tests that need it."""

from __future__ import annotations

import os
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.wan.emulator import check_namespaces
from free_ports import free_ports
from loop_times import LINES
from running_cluster import PATIENCE, PINS, Cluster, Running

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS_TO_COME_UP = 300
LEASED_LINE = """
[[dedicated]]
between = ["edge-1", "cloud-1"]
one_way_ms = 10.0
bandwidth_mbit = 8.0
"""
"""Joined to three-sites: only a topology that was promised a rate comes to use it."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LINES:
        terminalreporter.section("from a change in the world to what followed it")
        for line in LINES:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    refusal = check_namespaces()
    if refusal is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(refusal.reason)
        pytest.skip(refusal.reason)
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    three_sites = resources.files("eyewall_deploy") / "clusters" / "three-sites.toml"
    file = tmp_path_factory.mktemp("cluster-file") / "three-sites.toml"
    file.write_text(three_sites.read_text(encoding="utf-8") + LEASED_LINE, encoding="utf-8")
    names = ("nimbus", "ui", "sidecar", "dashboard", "zookeeper", "redis")
    ports = zip(names, free_ports(len(names)), strict=True)
    patient = pytest.MonkeyPatch()
    for it in (
        "eyewall_sidecar.zookeeper.PATIENCE",
        "eyewall_sidecar.cli.switch_desk.HELD_SECONDS",
        "eyewall_sidecar.cli.switch_desk.ANSWER_SECONDS",
        "eyewall_contracts.stores.switch_store.ANSWER_SECONDS",
        "eyewall_contracts.stores.decision_history.ANSWER_SECONDS",
    ):
        patient.setattr(it, PATIENCE)
    try:
        cluster.run(
            "up",
            str(file),
            "--mode",
            "namespaces",
            "--overlap",
            *(argument for name, port in ports for argument in (f"--{name}-port", str(port))),
            timeout=SECONDS_TO_COME_UP,
        )
        yield cluster
    finally:
        patient.undo()
        cluster.run("down")


@pytest.fixture(scope="session")
def tag_and_count(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """Placed by Eyewall: 1 + 5 × 2 + 1 executors and an acker."""
    running = Running("tag_and_count", 13, tmp_path_factory.mktemp("events"))
    cluster.submit(
        "tag_and_count",
        {
            "eyewall.pin": PINS,
            "measure.dir": str(running.events_dir),
            "topology.workers": 4,
            # A move is priced by it: a busy machine starts workers slowly.
            "topology.message.timeout.secs": 5,
        },
    )
    return running


@pytest.fixture(scope="module")
def nothing_moves(cluster: Cluster) -> Iterator[None]:
    with cluster.frozen():
        yield
