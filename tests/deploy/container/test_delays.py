"""The delays of a host's container, in a network namespace of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CLUSTER = Path(__file__).parents[3] / "deploy" / "compose" / "cluster.toml"
DELAYS = f"""
import subprocess, sys, threading
from pathlib import Path
from eyewall_deploy.container.delays import follow

for command in ("ip tuntap add eth0 mode tap", "ip link set eth0 up"):
    subprocess.run(command.split(), check=True)
said = threading.Event()
def say(text):
    print(text, flush=True)
    said.set()
arguments = (Path({str(CLUSTER)!r}), "edge-1", "eth0", say)
threading.Thread(target=follow, args=arguments, daemon=True).start()
assert said.wait(10)
print(subprocess.run("tc qdisc show dev eth0", shell=True, capture_output=True, text=True).stdout)
"""


@pytest.mark.namespaces
@pytest.mark.usefixtures("namespaces_allowed")
def test_delays_are_in_force_or_it_is_said_what_the_kernel_lacks() -> None:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", DELAYS],
        capture_output=True,
        text=True,
        check=True,
    )
    if "no delays between hosts" in done.stdout:
        assert "needs the module sch_netem" in done.stdout
        assert "netem" not in done.stdout.splitlines()[-1]
    else:
        # edge-1 to edge-2: 2 ms; to both hosts of fog 15 ms; to both of cloud 40 ms.
        assert [done.stdout.count(f"delay {ms}ms") for ms in ("2", "15", "40")] == [1, 2, 2]
