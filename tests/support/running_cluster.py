"""A running cluster as its user sees it: through the command line and the event files."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from commands_here import run_here
from eyewall_contracts.rates import decode_rates
from eyewall_contracts.znodes import Znodes
from eyewall_deploy.cli import app as deploy_app
from eyewall_deploy.deployment import read_deployment
from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.status import read_status, running_topologies
from eyewall_deploy.measure.tuple_events import TupleEvents, read_events
from eyewall_deploy.run_dir import RunDir
from eyewall_deploy.storm.nimbus import NimbusUnreachableError, read_summary
from eyewall_sidecar.cli.app import app as eyewall_app
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from eyewall_contracts.rates import Rates
    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.lifecycle.status import ClusterStatus

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = Path(sys.executable).with_name("eyewall-deploy")
PROGRAMS = {"up", "submit", "down"}
"""Commands that start programs or end them: as processes of their own, as people run them."""
T = TypeVar("T")
IDLE_MILLISECONDS = 10
IDLE_OPTIONS = {
    f"topology.{kind}.wait.progressive.level3.sleep.millis": IDLE_MILLISECONDS
    for kind in ("spout", "bolt", "backpressure")
}
"""How long an idle thread sleeps. A millisecond, Storm's own, takes a third of two cores for the
topologies of these tests, half of that to ask spouts of another language for their next tuple."""
PATIENCE = 300.0
"""Seconds that anything may take on a machine that others use."""


@dataclass(frozen=True)
class Cluster:
    """The running cluster, seen as its user sees it: through the command line."""

    run_dir: Path

    def try_run(
        self, *arguments: str, timeout: float = PATIENCE
    ) -> subprocess.CompletedProcess[str]:
        command, *rest = arguments
        if command not in PROGRAMS:
            return run_here(deploy_app, command, "--run-dir", str(self.run_dir), *rest)
        return subprocess.run(
            [DEPLOY, command, "--run-dir", self.run_dir, *rest],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            cwd=REPOSITORY,
        )

    def run(self, *arguments: str, timeout: float = PATIENCE) -> str:
        done = self.try_run(*arguments, timeout=timeout)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def start_on(self, host: str, *command: str) -> subprocess.Popen[str]:
        """Start a command in a host's network, and return once it has written its first line."""
        started = subprocess.Popen(
            [DEPLOY, "exec", "--run-dir", self.run_dir, host, "--", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert started.stdout is not None
        assert started.stdout.readline(), f"{command} ended without a word"
        return started

    def status(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(self.run("status", "--json"))
        return found

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """Where each server answers, for as long as the cluster is up."""
        found: Mapping[str, str] = self.status()["addresses"]
        return found

    @cached_property
    def _deployment(self) -> Deployment:
        deployment = read_deployment(RunDir(self.run_dir))
        assert not isinstance(deployment, Failure), deployment
        return deployment

    def look(self) -> ClusterStatus:
        """What `eyewall-deploy status` shows, without the second that a command takes to start."""
        seen = read_status(self._deployment)
        assert not isinstance(seen, Failure), seen
        return seen

    def topology(self, name: str) -> Mapping[str, Any] | None:
        try:
            found = running_topologies(read_summary(self._deployment.state.nimbus))
        except NimbusUnreachableError:
            return None
        return next((asdict(it) for it in found if it.name == name), None)

    def placed(self, name: str, executors: int, seconds: float = PATIENCE) -> Mapping[str, Any]:
        """The topology once all of its executors have a slot."""

        def whole() -> Mapping[str, Any] | None:
            topology = self.topology(name)
            return topology if topology and len(topology["executors"]) == executors else None

        return wait_for(whole, seconds, f"{name} with {executors} executors placed")

    def submit(self, name: str, options: Mapping[str, object], *, under: str | None = None) -> None:
        every = IDLE_OPTIONS | dict(options)
        settings = [f"{key}={json.dumps(value)}" for key, value in every.items()]
        self.run(
            "submit",
            *(["--name", under] if under else []),
            *(argument for setting in settings for argument in ("-o", setting)),
            name,
        )

    def history(self, topology: str = "", *more: str) -> list[dict[str, Any]]:
        """Decisions (on one topology), newest first, as `eyewall history --json` prints them."""
        which = ["--topology", topology] if topology else []
        zookeeper = ["--zookeeper", self.addresses["zookeeper"]]
        printed = self._eyewall("history", *zookeeper, *which, *more, "--json")
        return [json.loads(line) for line in printed.splitlines()]

    def last_decisions(self, topology: str) -> str:
        """The last ten decisions on one topology, a line each, for a failure's message."""
        try:
            decisions = self.history(topology)[:10]
        except (AssertionError, subprocess.SubprocessError) as error:
            return f"no decisions: {error}"
        return "\n".join(f"{it['at']} {it['said']}" for it in decisions)

    def known(self) -> Mapping[str, Any]:
        """What the sidecar knows, as `eyewall status --json` prints it."""
        printed = self._eyewall("status", "--sidecar", self.addresses["sidecar"], "--json")
        found: Mapping[str, Any] = json.loads(printed)
        return found

    def forecast(self, topology: str, rate: str) -> Mapping[str, Any]:
        """What the sidecar expects of it, as `eyewall what-if --json` prints it."""
        where = ["--sidecar", self.addresses["sidecar"], "--json"]
        found: Mapping[str, Any] = json.loads(
            self._eyewall("what-if", topology, "--rate", rate, *where)
        )
        return found

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Nothing that runs is moved: what a worker has counted since its last report is lost when
        it is stopped.
        """
        where = ["--sidecar", self.addresses["sidecar"]]
        where += ["--zookeeper", self.addresses["zookeeper"]]
        self._eyewall("freeze", *where)
        try:
            yield
        finally:
            self._eyewall("unfreeze", *where)

    def rates_age(self, topology: str) -> float | None:
        """Seconds since the topology's rates were estimated, as the sidecar knows them."""
        found = (it for it in self.known()["topologies"] if it["name"] == topology)
        age: float | None = next(found).get("rates_age")
        return age

    @contextmanager
    def drained(self, host: str, *, wait: float = 0.8 * PATIENCE) -> Iterator[None]:
        """The host is empty, if it is waited for, and nothing is placed there."""
        where = ["--sidecar", self.addresses["sidecar"]]
        where += ["--zookeeper", self.addresses["zookeeper"]]
        self._eyewall("drain", host, "--wait", str(wait), *where)
        try:
            yield
        finally:
            self._eyewall("undrain", host, *where)

    @staticmethod
    def _eyewall(*arguments: str) -> str:
        done = run_here(eyewall_app, *arguments)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def rates(self, topology: str) -> Rates | None:
        """What ZooKeeper says of the flows of the topology with this id; None if nothing yet."""
        client = KazooClient(self.addresses["zookeeper"])
        client.start(timeout=120)
        try:
            return decode_rates(client.get(Znodes().rates(topology))[0])
        except NoNodeError:
            return None
        finally:
            client.stop()
            client.close()

    def znodes(self, path: str) -> list[str]:
        """The children of a znode; none if it is not there."""
        client = KazooClient(self.addresses["zookeeper"])
        client.start(timeout=120)
        try:
            return sorted(client.get_children(path))
        except NoNodeError:
            return []
        finally:
            client.stop()
            client.close()

    def pid(self, program: str) -> int:
        return next(it.pid for it in self.look().programs if it.name == program)

    def log(self, program: str) -> str:
        return self.run("logs", "--lines", "4000", program)


def wait_for(
    look: Callable[[], T | None],
    seconds: float,
    what: str,
    pause: float = 0.25,
    *,
    otherwise: Callable[[], str] = str,
) -> T:
    """Return what `look` finds as soon as it finds something; a failure says `otherwise()`."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:.0f} s in vain for: {what}\n{otherwise()}")
        time.sleep(pause)


def assignment(topology: Mapping[str, Any]) -> set[tuple[str, tuple[int, ...], str, int]]:
    return {
        (e["component"], tuple(e["tasks"]), e["host"], e["port"]) for e in topology["executors"]
    }


def hosts_of(topology: Mapping[str, Any], component: str) -> set[str]:
    return {e["host"] for e in topology["executors"] if e["component"] == component}


@dataclass(frozen=True)
class Running:
    """Tag-and-Count on the cluster, every tuple of it written down."""

    name: str
    executors: int
    events_dir: Path

    def events(self) -> TupleEvents:
        return read_events(self.events_dir)


PINS = {"source": ["edge-1"], "consumer": ["edge-2"]}
