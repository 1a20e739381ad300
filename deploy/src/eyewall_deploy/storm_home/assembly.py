"""Puts a Storm home together from the jars that Maven Central has; Storm UI is not among them."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from eyewall_deploy.failure import Failure
from eyewall_deploy.storm_home.layout import StormHome, open_storm_home

STORM_VERSION = "2.8.3"
"""The newest version that Maven Central has completely (2.8.4 lacks its parent pom)."""

_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_POMS = ("pom.xml", "lib.xml", "lib-worker.xml")
_LINES_SHOWN = 15


def assembled(cache: Path, progress: Callable[[str], None]) -> StormHome | Failure:
    """The home under `cache`, put together first if it is not there yet.

    It appears under its name only when complete, so a break-off leaves no half a home. Whoever
    else wants it meanwhile waits for it.

    Parameters
    ----------
    cache
        The folder that holds homes, one per version.
    progress
        Told in a few words what is going on.
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
    with _alone_in(cache), tempfile.TemporaryDirectory(prefix=".assembly-", dir=cache) as scratch:
        if target.is_dir():  # another was quicker
            return open_storm_home(target)
        home = Path(scratch) / "home"
        failure = _fetch(maven, Path(scratch) / "poms", home, progress)
        if failure is not None:
            return failure
        (home / "RELEASE").write_text(f"{STORM_VERSION}\n", encoding="utf-8")
        home.rename(target)
    return open_storm_home(target)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in here; the kernel lets the next in, however one ends."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _fetch(maven: str, poms: Path, home: Path, progress: Callable[[str], None]) -> Failure | None:
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
    ) as maven_run:
        for line in maven_run.stdout or ():
            if "Downloaded from" in line:
                fetched += 1
            elif "Downloading from" not in line and "Progress (" not in line:
                last.append(line.rstrip())
            progress(f"{fetched} files fetched")
    if maven_run.returncode != 0:
        return Failure("Maven could not fetch Storm's jars:\n  " + "\n  ".join(last))
    return None
