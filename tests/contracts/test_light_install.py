"""What a supervisor host installs is enough for its agents."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"grpcio", "protobuf", "numpy", "pandas", "pyarrow", "pyspark", "fastapi", "numba"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(distribution: str) -> set[str]:
    """Distributions that this one needs, extras aside."""
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:
        return set()
    return {normal(re.split(r"[^A-Za-z0-9._-]", line)[0]) for line in lines if "extra" not in line}


@pytest.mark.parametrize(
    ("distribution", "modules"),
    [
        ("monitor", "eyewall_monitor.agent.serve, eyewall_monitor.cli"),
        ("latency-estimator", "eyewall_latency.serve, eyewall_latency.cli"),
        ("contracts", "eyewall_contracts.metric_history, eyewall_contracts.stores.latency_store"),
    ],
)
def test_an_agent_imports_nothing_that_it_does_not_ask_for(distribution: str, modules: str) -> None:
    project = tomllib.loads((ROOT / distribution / "pyproject.toml").read_text())["project"]
    installed = {normal(re.split("[<>=]", line)[0]) for line in project["dependencies"]}
    while more := {name for one in installed for name in required(one)} - installed:
        installed |= more
    assert not installed & HEAVY
    code = f"import sys, {modules}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    owners = packages_distributions()
    loaded = {
        normal(owner)
        for module in done.stdout.split()
        for owner in owners.get(module.partition(".")[0], ())
    }
    # setuptools puts itself into every start of Python; redis takes cryptography, opentelemetry,
    # which the dashboard's FastAPI brings, and the sidecar's hiredis where they are.
    where_they_are = {
        *("setuptools", "cryptography", "opentelemetry-api", "typing-extensions", "hiredis"),
    }
    assert loaded - installed <= where_they_are | {project["name"]}
    assert {"redis", "msgspec"} <= loaded
