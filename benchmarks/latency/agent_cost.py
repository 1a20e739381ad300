"""Memory and CPU of one latency agent in a cluster of many, installed by itself.

    python -m benchmarks latency-cost [--hosts 11 100 490] [--seconds 60]

Installs eyewall-latency and its contracts into a fresh environment (which proves that it needs no
numpy) and starts a Redis. A thread writes and renews the records of all other hosts, with their
RTTs to the agent's host. After a warm-up the agent is measured: resident memory, and CPU seconds
per second.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random

import psutil
from eyewall_contracts.latency import HostCoordinate, RttRecord
from eyewall_contracts.redis_prefix import PREFIX
from eyewall_contracts.stores.latency_store import LatencyStore
from eyewall_latency.redis_registry import RedisRegistry
from free_ports import free_port
from real_stores import redis_server

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "contracts", ROOT / "latency-estimator")
RENEW_SECONDS = 1.0
SHARE_THAT_MOVES = 0.1
WARM_UP = 20.0


def create_environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    subprocess.run([*pip, "install", "-q", *SOURCES], check=True)
    subprocess.run([python, "-m", "compileall", "-q", folder / "lib"], check=False)
    check = subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False)
    if check.returncode == 0:
        sys.exit("numpy came with eyewall-latency")
    return python


def play_other_hosts(redis: str, count: int, listen: int, stop: threading.Event) -> None:
    """Write the records of all other hosts as often as settled agents do.

    In a second a tenth of them move, and two of them (each probes one host in a round) have probed
    the agent's host.
    """
    rng = Random(0)
    places = [tuple(rng.gauss(0, 0.05) for _ in range(8)) for _ in range(count - 1)]
    store = LatencyStore(redis, PREFIX)
    registry = RedisRegistry(store, expiry_seconds=60, rtt_seconds=1_800)
    coordinates: dict[int, HostCoordinate] = {}
    first = True
    while not stop.is_set():
        now = registry.read("agent").now
        reporting = set(range(count - 1)) if first else set(rng.sample(range(count - 1), 2))
        for index, place in enumerate(places):
            if index not in coordinates or rng.random() < SHARE_THAT_MOVES:
                position = tuple(axis + rng.gauss(0, 1e-3) for axis in place)
                coordinates[index] = HostCoordinate("127.0.0.1", listen, position, now, error=0.1)
            rtt = RttRecord(abs(rng.gauss(0.1, 0.01)), 0.001, now)
            registry.write(
                f"host-{index}", coordinates[index], {"agent": rtt} if index in reporting else {}
            )
        first = False
        stop.wait(RENEW_SECONDS)
    registry.close()


def measure(python: Path, folder: Path, hosts: int, seconds: float) -> tuple[float, float]:
    """Return resident MB, and percent of a core."""
    server, listen = redis_server(), free_port()
    server.start()
    redis = f"redis://{server.address}"
    config = folder / "latency.toml"
    config.write_text(
        f"host = 'agent'\n[redis]\nurl = '{redis}'\n[probe]\nlisten = '127.0.0.1:{listen}'\n"
    )
    stop = threading.Event()
    neighbours = threading.Thread(target=play_other_hosts, args=(redis, hosts, listen, stop))
    neighbours.start()
    agent = subprocess.Popen(
        [python, "-m", "eyewall_latency.cli", "agent", "--config", config],
        stdout=subprocess.DEVNULL,
    )
    try:
        time.sleep(WARM_UP)
        process = psutil.Process(agent.pid)
        before, began = process.cpu_times(), time.monotonic()
        time.sleep(seconds)
        after, ended = process.cpu_times(), time.monotonic()
        used = after.user + after.system - before.user - before.system
        return process.memory_info().rss / 2**20, 100 * used / (ended - began)
    finally:
        agent.terminate()
        agent.wait()
        stop.set()
        neighbours.join()
        server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[11, 100, 490])
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = create_environment(folder / "light")
        print("| hosts | resident, MB | of a core |\n| --- | --- | --- |")
        for hosts in options.hosts:
            resident, percent = measure(python, folder, hosts, options.seconds)
            print(f"| {hosts} | {resident:.1f} | {percent:.2f} % |", flush=True)


if __name__ == "__main__":
    main()
