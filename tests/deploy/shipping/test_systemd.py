"""The units, held by systemd's own tools where the machine has them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "deploy" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))
MOST_EXPOSED = 2.0
"""Of 10, as `systemd-analyze security` counts; 2 is its bound of what it calls safe."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="no systemd-analyze on PATH"
)


@pytest.fixture(params=UNITS, ids=[unit.stem for unit in UNITS])
def unit(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_there_is_a_unit_for_each_part() -> None:
    parts = ("dashboard", "latency", "monitor", "rates", "sidecar")
    assert [unit.stem for unit in UNITS] == [f"eyewall-{part}" for part in parts]


@needs_systemd
def test_systemd_understands_it(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    for command in set(re.findall(r"^ExecStart=(\S+)", text, re.MULTILINE)):
        stub = tmp_path / Path(command).name
        stub.touch(0o755)
        text = text.replace(command, str(stub))
    copy = tmp_path / unit.name
    copy.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_it_may_do_little(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", str(unit)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None
    assert float(found[1]) < MOST_EXPOSED


def test_its_command_is_one_of_ours(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    commands = {
        "eyewall serve", "eyewall-monitor rates", "eyewall-monitor dashboard",
        "eyewall-monitor agent", "eyewall-latency agent",
    }  # fmt: skip
    found = re.search(r"^ExecStart=/opt/eyewall/bin/(\S+ \S+) --config ", text, re.MULTILINE)
    assert found is not None
    assert found[1] in commands


def test_stopping_it_takes_nothing_from_others_of_its_user(unit: Path) -> None:
    # RemoveIPC= takes away all that the user left, and workers are the same user's.
    text = unit.read_text(encoding="utf-8")
    assert ("DynamicUser=yes" in text) or "RemoveIPC=yes" not in text


def test_the_monitor_agent_has_no_limits_which_it_would_take_for_the_hosts() -> None:
    text = (FOLDER / "eyewall-monitor.service").read_text(encoding="utf-8")
    assert not re.search(r"^(CPUQuota|MemoryMax|MemoryHigh)=", text, re.MULTILINE)
