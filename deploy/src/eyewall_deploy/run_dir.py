"""The folder of a running cluster: its settings, logs and data."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eyewall_deploy.failure import Failure

MARK: Final = "EYEWALL_RUN_DIR"
"""Variable in the environment of all the cluster's processes; its value is the run dir."""

_LONGEST_SOCKET_PATH = 107
"""Bytes that Linux has room for in the address of a unix socket."""
_LOCK_ATTEMPTS = 20
_LOCK_PAUSE = 0.05
_SUBFOLDERS = ("conf", "data", "extlib-daemon", "log4j2", "logs")


class _Entry:
    """A file or folder of the run dir."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, run: RunDir, _owner: type[RunDir]) -> Path:
        return run.path / self._name


@dataclass(frozen=True, slots=True)
class RunDir:
    """Where everything of one cluster is."""

    path: Path

    state = _Entry("state.json")  # what `up` decided; exists while the cluster does
    cluster_file = _Entry("cluster.toml")  # a copy
    socket = _Entry("supervisor.sock")  # where supervisord listens
    supervisord = _Entry("supervisord.conf")
    control_groups = _Entry("control-groups.json")  # written by the keeper
    hosts = _Entry("hosts")  # names and addresses, as in /etc/hosts
    delays = _Entry("delays.json")
    # Where there are two kinds of links; `eyewall links` knows these names.
    links = _Entry("links.json")
    marks = _Entry("marks.json")
    traffic = _Entry("traffic.json")
    connections = _Entry("connections.json")
    sidecar = _Entry("conf/sidecar.toml")
    rates = _Entry("conf/rates.toml")
    dashboard = _Entry("conf/dashboard.toml")
    log4j2 = _Entry("log4j2")  # logging configuration of daemons and workers
    extlib_daemon = _Entry("extlib-daemon")  # jars that daemons see and workers do not: the shim
    keeper_log = _Entry("logs/keeper.log")  # empty when all went well
    _lock_file = _Entry("keeper.lock")

    def monitor(self, host: str) -> Path:
        """Return the configuration of a host's monitor agent."""
        return self.path / "conf" / f"monitor-{host}.toml"

    def latency(self, host: str) -> Path:
        """Return the configuration of a host's latency agent."""
        return self.path / "conf" / f"latency-{host}.toml"

    def conf(self, program: str) -> Path:
        """Return the folder of a Storm daemon's storm.yaml."""
        return self.path / "conf" / program

    def logs(self, program: str = "") -> Path:
        """Return the folder of the logs of one program, or of all."""
        return self.path / "logs" / program

    def output(self, program: str) -> Path:
        """Return the file of a program's standard output and error."""
        return self.path / "logs" / f"{program}.out"

    def metrics(self, program: str) -> Path:
        """Return the folder of a program's metrics, a CSV file each."""
        return self.path / "metrics" / program

    def data(self, program: str) -> Path:
        """Return the folder of a program's data."""
        return self.path / "data" / program

    def ready_file(self, program: str) -> Path:
        """Return the file that a program creates when it is ready."""
        return self.path / "data" / f"{program}.ready"

    @property
    def tag(self) -> str:
        """A short name that no other run dir has, for things outside of it."""
        return hashlib.sha256(os.fsencode(self.path)).hexdigest()[:8]

    @property
    def group_name(self) -> str:
        """Name of the cluster's control groups, which two clusters of one name do not share."""
        return f"{self.path.name}-{self.tag}"

    @property
    def end_notice(self) -> Failure:
        """The answer where a cluster has ended, or is ending, during a command."""
        return Failure(f"the cluster has ended; its logs are in {self.logs()}")

    def prepare(self) -> Failure | None:
        """Make the folder and remove what an earlier run left in it."""
        if len(os.fsencode(self.socket)) > _LONGEST_SOCKET_PATH:
            return Failure(
                f"run dir {self.path}: too long a path for a unix socket in it; "
                f"{_LONGEST_SOCKET_PATH - len('/supervisor.sock')} bytes are allowed (--run-dir)"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self._lock_file.exists() and any(self.path.iterdir()):
                return Failure(f"run dir {self.path}: not empty, and not a run dir of Eyewall's")
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
            except BlockingIOError:  # perhaps only for a moment, by `keeper`
                time.sleep(_LOCK_PAUSE)
        else:
            os.close(descriptor)
            return None
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor

    def keeper(self) -> int | None:
        """Return the process id of the keeper; None if none lives."""
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
        """Remove what says that a cluster runs here."""
        self.state.unlink(missing_ok=True)
        self.socket.unlink(missing_ok=True)


def default_run_dir(cluster: str) -> RunDir:
    """Return the run dir of the cluster of this name, unless the user chooses another one."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return RunDir((Path(state) / "eyewall" / cluster).resolve())


def storm_home_cache() -> Path:
    """Return the folder of assembled Storm homes."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "eyewall"
