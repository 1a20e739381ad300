"""What a supervisor host installs is enough for its agent."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "monitor" / "pyproject.toml"
LOADED = "import sys, eyewall_monitor.agent.serve, eyewall_monitor.cli; print(*sys.modules)"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(distribution: str) -> set[str]:
    """Distributions that this one needs, extras aside."""
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:
        return set()
    return {normal(re.split(r"[^A-Za-z0-9._-]", line)[0]) for line in lines if "extra" not in line}


def test_the_agent_imports_nothing_that_it_does_not_ask_for() -> None:
    lines = tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]
    installed = {normal(re.split("[<>=]", line)[0]) for line in lines}
    while more := {name for one in installed for name in required(one)} - installed:
        installed |= more
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    owners = packages_distributions()
    loaded = {
        normal(owner)
        for module in done.stdout.split()
        for owner in owners.get(module.partition(".")[0], ())
    }
    # setuptools puts itself into every start of Python; redis takes cryptography and
    # opentelemetry, which the dashboard's FastAPI brings, where they are.
    taken = {"setuptools", "cryptography", "opentelemetry-api"}
    assert loaded - installed <= taken | {"eyewall-monitor"}
    assert {"redis", "kazoo", "pydantic"} <= loaded
