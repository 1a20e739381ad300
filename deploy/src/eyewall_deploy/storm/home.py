"""A Storm home: the folder with Storm's jars, the user's own or one made from Maven Central."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import deque
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from eyewall_deploy.failure import Failure
from eyewall_deploy.folder_lock import locked
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.jvm import find_java, make_archives

if TYPE_CHECKING:
    from collections.abc import Callable

STORM_VERSION = "2.8.3"
"""The newest version that Maven Central has completely (2.8.4 lacks its parent pom)."""
TESTED_VERSIONS = ("2.8.0", "2.8.1", "2.8.2", STORM_VERSION)
"""With which the Java parts are built and tested by `make test-storm-versions`."""

_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_POMS = ("pom.xml", "lib.xml", "lib-worker.xml")
_LINES_SHOWN = 15


@dataclass(frozen=True, slots=True)
class StormHome:
    """A folder laid out like Storm's distribution; it is only read.

    Parameters
    ----------
    path
        Holds `lib` (daemons) and `lib-worker` (workers), perhaps `extlib`, `lib-webapp`, `public`.
    version
        Storm's version, from the name of its server jar.
    """

    path: Path
    version: str

    @property
    def has_ui(self) -> bool:
        """Whether Storm UI can run: only full distributions have it."""
        return (self.path / "public").is_dir() and any(self.path.glob("lib-webapp/*.jar"))

    def daemon_class_path(self, conf: Path, extlib_daemon: Path) -> str:
        """Return the class path of a daemon; both folders are outside the home.

        The jars come first, as `bin/storm` has it: a class archive is valid for a class path that
        begins with its own.
        """
        jars = ["lib", "extlib", "extlib-daemon"] + ["lib-webapp"] * self.has_ui
        folders = [f"{self.path}/{folder}/*" for folder in jars]
        return ":".join([*folders, f"{extlib_daemon}/*", str(conf)])


def open_storm_home(path: Path) -> StormHome | Failure:
    """Return the Storm home in a folder."""
    if not path.is_dir():
        return Failure(f"Storm home {path}: no such folder")
    servers = sorted(path.glob("lib/storm-server-*.jar"))
    missing = [] if servers else ["lib/storm-server-VERSION.jar"]
    if not any(path.glob("lib-worker/storm-client-*.jar")):
        missing.append("lib-worker/storm-client-VERSION.jar")
    if missing:
        return Failure(
            f"Storm home {path}: {' and '.join(missing)} missing; expected the top folder of "
            "Storm's binary distribution. Without --storm-home one is made from Maven Central"
        )
    return StormHome(path.resolve(), servers[-1].stem.removeprefix("storm-server-"))


def assemble_storm_home(cache: Path, show: Callable[[str], None]) -> StormHome | Failure:
    """Return the home in `cache`; make it first if it is not there yet.

    It appears under its name only when it is complete. Other processes that want it wait for it.

    Parameters
    ----------
    cache
        The folder that holds homes, one per version.
    show
        Is called with a few words on the progress.
    """
    target = cache / f"storm-{STORM_VERSION}"
    if target.is_dir():
        return open_storm_home(target)
    maven = shutil.which("mvn")
    if maven is None:
        return Failure(
            "no mvn on PATH: Maven fetches Storm's jars; install it or name a Storm "
            "distribution with --storm-home"
        )
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache), tempfile.TemporaryDirectory(prefix=".assembly-", dir=cache) as scratch:
        if target.is_dir():  # another process was faster
            return open_storm_home(target)
        home = Path(scratch) / "home"
        failure = _fetch(maven, Path(scratch) / "poms", home, show)
        if failure is not None:
            return failure
        (home / "RELEASE").write_text(f"{STORM_VERSION}\n", encoding="utf-8")
        home.rename(target)
    return open_storm_home(target)


def _fetch(maven: str, poms: Path, home: Path, show: Callable[[str], None]) -> Failure | None:
    poms.mkdir()
    for name in _POMS:
        text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
        (poms / name).write_text(text, encoding="utf-8")
    command = [maven, "-B", "-f", str(poms / "pom.xml")]
    command += [f"-Dstorm.version={STORM_VERSION}", f"-Dhome={home}", _GOAL]
    last: deque[str] = deque(maxlen=_LINES_SHOWN)
    fetched = 0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout or ():
            if "Downloaded from" in line:
                fetched += 1
            elif "Downloading from" not in line and "Progress (" not in line:
                last.append(line.rstrip())
            show(f"{fetched} files fetched")
    if running.returncode != 0:
        return Failure("Maven could not fetch Storm's jars:\n  " + "\n  ".join(last))
    return None


if __name__ == "__main__":  # `make setup` runs it before any package is installed
    assembled = assemble_storm_home(storm_home_cache(), lambda text: print(text, flush=True))
    if isinstance(assembled, Failure):
        sys.exit(assembled.reason)
    java = find_java()
    if java is not None:
        make_archives(assembled.path, java, lambda text: print(text, flush=True))
