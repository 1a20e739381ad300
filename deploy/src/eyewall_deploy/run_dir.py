"""The folder of a running cluster: its settings, logs and data."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from eyewall_deploy.failure import Failure
from eyewall_deploy.processes.supervisord import LONGEST_SOCKET_PATH

MARK = "EYEWALL_RUN_DIR"
"""Variable in the environment of all the cluster's processes; its value is the run dir."""

_LOCK_ATTEMPTS = 20
_LOCK_PAUSE = 0.05
_SUBFOLDERS = ("conf", "data", "extlib-daemon", "log4j2", "logs")


@dataclass(frozen=True, slots=True)
class RunDir:
    """Where everything of one cluster lies."""

    path: Path

    @property
    def state(self) -> Path:
        """What was asked for at `up`; there while the cluster is."""
        return self.path / "state.json"

    @property
    def cluster_file(self) -> Path:
        """A copy of the cluster file."""
        return self.path / "cluster.toml"

    @property
    def socket(self) -> Path:
        """Where supervisord listens."""
        return self.path / "supervisor.sock"

    @property
    def supervisord(self) -> Path:
        """Supervisord's configuration."""
        return self.path / "supervisord.conf"

    @property
    def delays(self) -> Path:
        """The delay file."""
        return self.path / "delays.json"

    @property
    def links(self) -> Path:
        """The link file, where there are two kinds of links; `eyewall links` knows its name."""
        return self.path / "links.json"

    @property
    def marks(self) -> Path:
        """The mark file: which connections go over dedicated links."""
        return self.path / "marks.json"

    @property
    def traffic(self) -> Path:
        """The traffic file: what has arrived, by the kind of link."""
        return self.path / "traffic.json"

    @property
    def connections(self) -> Path:
        """The connection file: what connections were promised."""
        return self.path / "connections.json"

    @property
    def hosts(self) -> Path:
        """Names and addresses, as in /etc/hosts."""
        return self.path / "hosts"

    @property
    def shares(self) -> Path:
        """The hosts' control groups, and what of them was refused; written by the keeper."""
        return self.path / "shares.json"

    @property
    def sidecar(self) -> Path:
        """The sidecar's configuration."""
        return self.path / "conf" / "sidecar.toml"

    def monitor(self, host: str) -> Path:
        """Configuration of a host's monitor agent."""
        return self.path / "conf" / f"monitor-{host}.toml"

    def latency(self, host: str) -> Path:
        """Configuration of a host's latency agent."""
        return self.path / "conf" / f"latency-{host}.toml"

    @property
    def rates(self) -> Path:
        """Configuration of the rates job."""
        return self.path / "conf" / "rates.toml"

    @property
    def dashboard(self) -> Path:
        """Configuration of the dashboard."""
        return self.path / "conf" / "dashboard.toml"

    @property
    def log4j2(self) -> Path:
        """Logging configuration of daemons and workers."""
        return self.path / "log4j2"

    @property
    def extlib_daemon(self) -> Path:
        """Jars that daemons see and workers do not: the shim."""
        return self.path / "extlib-daemon"

    @property
    def keeper_log(self) -> Path:
        """What the keeper had to say; empty when all went well."""
        return self.path / "logs" / "keeper.log"

    def conf(self, program: str) -> Path:
        """Folder of a Storm daemon's storm.yaml."""
        return self.path / "conf" / program

    def logs(self, program: str = "") -> Path:
        """Folder of logs, of one program or of all."""
        return self.path / "logs" / program

    def metrics(self, program: str) -> Path:
        """Folder of a program's metrics, a CSV file each."""
        return self.path / "metrics" / program

    def data(self, program: str) -> Path:
        """Folder of a program's data."""
        return self.path / "data" / program

    def ready_file(self, program: str) -> Path:
        """Made by a program that can say so when it is ready."""
        return self.path / "data" / f"{program}.ready"

    @property
    def tag(self) -> str:
        """A short name that no other run dir has, for what lies outside of it."""
        return hashlib.sha256(os.fsencode(self.path)).hexdigest()[:8]

    def prepare(self) -> Failure | None:
        """Make the folder and take away what an earlier run left in it."""
        if len(os.fsencode(self.socket)) > LONGEST_SOCKET_PATH:
            return Failure(
                f"run dir {self.path}: too long a path for a unix socket in it; "
                f"{LONGEST_SOCKET_PATH - len('/supervisor.sock')} bytes are allowed (--run-dir)"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            foreign = not self._lock_file.exists() and any(self.path.iterdir())
            if foreign:
                return Failure(f"run dir {self.path}: not empty, and no run dir of Eyewall's")
            self._lock_file.touch()
            for name in _SUBFOLDERS:
                if (self.path / name).exists():
                    shutil.rmtree(self.path / name)
                (self.path / name).mkdir()
        except OSError as error:
            return Failure(f"run dir {self.path}: {error.strerror} ({error.filename})")
        return None

    def lock(self) -> int | None:
        """Take the lock that the keeper holds for its whole life; None if it is taken."""
        descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        for _ in range(_LOCK_ATTEMPTS):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:  # perhaps only by a look at it, see below
                time.sleep(_LOCK_PAUSE)
        else:
            os.close(descriptor)
            return None
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor

    def keeper(self) -> int | None:
        """Process id of the keeper, or None if none lives."""
        try:
            descriptor = os.open(self._lock_file, os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return int(os.read(descriptor, 20) or 0)
        else:
            return None
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """Take away what says that a cluster runs here."""
        self.state.unlink(missing_ok=True)
        self.socket.unlink(missing_ok=True)

    @property
    def _lock_file(self) -> Path:
        return self.path / "keeper.lock"


def default_run_dir(cluster: str) -> Path:
    """Where the cluster of this name runs unless told otherwise."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "eyewall" / cluster


def storm_home_cache() -> Path:
    """Where assembled Storm homes are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "eyewall"
