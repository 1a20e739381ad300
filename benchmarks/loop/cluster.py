"""A running emulated cluster for benchmarks.

`eyewall-deploy` starts, changes and stops it, as for a user; the documents of agents and rates job
are read where the sidecar reads them.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eyewall_contracts.rates import decode_rates
from eyewall_contracts.sample import decode_sample
from eyewall_contracts.znodes import Znodes
from eyewall_deploy.delays import comparison, registry
from eyewall_deploy.deployment import read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.storm import nimbus
from eyewall_deploy.wan import delay_file
from free_ports import free_ports
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from eyewall_contracts.rates import Rates
    from eyewall_contracts.sample import Sample
    from eyewall_deploy.delays.comparison import DelaySummary
    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.storm.nimbus import RunningTopology

REPOSITORY = Path(__file__).parents[2]
DEPLOY = Path(sys.executable).with_name("eyewall-deploy")
SERVERS = ("nimbus", "ui", "sidecar", "zookeeper", "redis")
ANSWER_SECONDS = 3.0
T = TypeVar("T")


def print_progress(text: str) -> None:
    """Print progress on standard error; standard output has only tables."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def wait_for(look: Callable[[], T | None], seconds: float, what: str) -> T:
    """Return the first result of `look` that is not None; end the benchmark after `seconds`."""
    end = time.monotonic() + seconds
    while (found := look()) is None:
        if time.monotonic() > end:
            sys.exit(f"waited {seconds:g} s for {what}")
        time.sleep(1.0)
    return found


@dataclass(frozen=True, slots=True)
class SignalSnapshot:
    """The documents of agents and rates job at one moment; None, or no host, if missing."""

    at: float
    rates: Rates | None
    reports: Mapping[str, Sample]
    delays: DelaySummary | None


@dataclass(frozen=True)
class RunningCluster:
    """One running cluster."""

    deployment: Deployment

    def run(self, command: str, *arguments: str) -> str:
        """Run `eyewall-deploy COMMAND` on it."""
        return deploy(command, "--run-dir", str(self.deployment.run.path), *arguments)

    def submit(
        self, topology: str, options: Mapping[str, object], *, under: str | None = None
    ) -> None:
        """Submit a topology of the repository's, under its own name or another."""
        settings = [f"{key}={json.dumps(value)}" for key, value in options.items()]
        name = () if under is None else ("--name", under)
        self.run("submit", *name, *(word for one in settings for word in ("-o", one)), topology)

    def placed(self, name: str, executors: int, seconds: float = 120.0) -> RunningTopology:
        """Return the topology once all its executors have a slot."""

        def whole() -> RunningTopology | None:
            found = self.topology(name)
            return found if found is not None and len(found.slots) == executors else None

        return wait_for(whole, seconds, f"{name} with {executors} executors placed")

    def topology(self, name: str) -> RunningTopology | None:
        """Return Nimbus's view of the topology; None without the topology or without Nimbus."""
        try:
            view = nimbus.read_summary(self.deployment.state.nimbus)
        except nimbus.NimbusUnreachableError:
            return None
        return next((it for it in view.topologies if it.name == name), None)

    def delays(self) -> DelaySummary | None:
        """Sum up all pairs' delays, as `eyewall-deploy delays` does; None without a Redis."""
        hosts = [host.name for host in self.deployment.cluster.hosts]
        state = self.deployment.state
        found = registry.read(state.redis, self.deployment.redis_prefix, hosts)
        if isinstance(found, Failure):
            return None
        table = delay_file.read(self.deployment.run.delays)
        return comparison.summarise(comparison.compare(table, found))

    def read_signals(self, topology_id: str) -> SignalSnapshot:
        """Read every measured signal once."""
        at = time.time()
        rates, reports = self._in_zookeeper(topology_id)
        return SignalSnapshot(at, rates, reports, self.delays())

    def rates(self, topology_id: str) -> Rates | None:
        """Return the rates document of a topology."""
        return self._in_zookeeper(topology_id)[0]

    def _in_zookeeper(self, topology_id: str) -> tuple[Rates | None, dict[str, Sample]]:
        # A client for each look: a lasting one would lose its session while ZooKeeper is down.
        paths = Znodes(self.deployment.eyewall_root)
        reports = {}
        with _zookeeper(str(self.deployment.state.zookeeper)) as read:
            for host in self.deployment.cluster.hosts:
                if (data := read(paths.sample(host.name))) is not None:
                    reports[host.name] = decode_sample(data)
            document = read(paths.rates(topology_id))
            return None if document is None else decode_rates(document), reports


@contextmanager
def start_cluster(
    name: str, run_dir: Path, *more: str, dashboard: bool = False
) -> Iterator[RunningCluster]:
    """Start a shipped cluster on free ports, and stop it at the end.

    `more` are further options of `eyewall-deploy up`.
    """
    servers = (*SERVERS, "dashboard") if dashboard else SERVERS
    ports = zip(servers, free_ports(len(servers)), strict=True)
    flags = [*more] + [word for server, port in ports for word in (f"--{server}-port", str(port))]
    print_progress(f"starting {name} (about a minute)")
    try:
        if not dashboard:
            flags.append("--without-dashboard")
        deploy("up", name, "--run-dir", str(run_dir), *flags)
        deployment = read_deployment(RunDir(run_dir.resolve()))
        if isinstance(deployment, Failure):
            sys.exit(deployment.reason)
        yield RunningCluster(deployment)
    finally:
        print_progress(f"stopping {name}")
        deploy("down", "--run-dir", str(run_dir))


def deploy(command: str, *arguments: str) -> str:
    """Run `eyewall-deploy`; end the benchmark if it fails."""
    done = subprocess.run(
        [DEPLOY, command, *arguments], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    if done.returncode:
        sys.exit(f"eyewall-deploy {command}: {done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def _zookeeper(address: str) -> Iterator[Callable[[str], bytes | None]]:
    """Yield a reader of znodes; it returns None for a missing znode or without ZooKeeper."""
    quiet = logging.getLogger("benchmarks.kazoo")
    quiet.setLevel("CRITICAL")
    client = KazooClient(address, timeout=ANSWER_SECONDS, logger=quiet)

    def read(path: str) -> bytes | None:
        if not client.connected:
            return None
        try:
            data: bytes = client.get_async(path).get(timeout=ANSWER_SECONDS)[0]
        except NoNodeError:
            return None
        except (KazooException, KazooTimeoutError):
            return None
        return data

    try:
        with suppress(KazooException, KazooTimeoutError):
            client.start(timeout=ANSWER_SECONDS)
        yield read
    finally:
        client.stop()
        client.close()
