"""The JVM that runs Storm: which one it is, and the class archives by which it starts sooner.

A worker loads some six thousand classes before its first tuple. From an archive (class data
sharing, JEP 310) they are mapped into memory, read and verified already.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eyewall_deploy.folder_lock import locked
from eyewall_deploy.run_dir import storm_home_cache

if TYPE_CHECKING:
    from collections.abc import Callable

DAEMON_JARS: Final = "lib"
WORKER_JARS: Final = "lib-worker"

_CLASSES: Final = "storm-classes.txt"
"""What Storm's daemons and a worker load; `tools/storm_classes.py` writes it."""
_DUMP: Final = ("-Xshare:dump", "-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=error:stderr")

_LONGEST_DUMP: Final = 300.0
"""Seconds; a busy machine of two cores took 90."""
_KEPT_SECONDS: Final = 30 * 86_400.0
_SCRATCH: Final = ".making-"
_SPACE: Final = re.compile(r"\s")


def find_java() -> str | None:
    """Return the JVM that Storm itself would take: JAVA_HOME's, else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        return str(java) if java.is_file() else None
    return shutil.which("java")


def archive_options(home: Path, java: str, jars: str) -> tuple[str, ...]:
    """Return the JVM options by which a process maps its archive; none where there is none.

    Parameters
    ----------
    home
        The folder of Storm.
    jars
        The folder of the home that its class path begins with.
    """
    folder = _archive_folder(home, java)
    archive = folder / f"{jars}.jsa" if folder is not None else None
    if archive is None or not archive.is_file() or _SPACE.search(str(archive)):
        return ()  # Storm splits a worker's options at white space
    return (f"-XX:SharedArchiveFile={archive}",)


def make_archives(home: Path, java: str, show: Callable[[str], None]) -> None:
    """Make the archives of a home and a JVM, unless that was done before.

    Where there is none, processes start without it, as they would anywhere else. A JVM that
    refuses is not asked again.

    Parameters
    ----------
    show
        Is called with a few words on the progress.
    """
    folder = _archive_folder(home, java)
    if folder is None:
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder.parent):
            if folder.is_dir():
                with suppress(OSError):  # it may be read-only
                    os.utime(folder)
                return
            with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder.parent) as scratch:
                _dump(home, java, Path(scratch), show).rename(folder)
            _remove_old(folder.parent)
    except (OSError, subprocess.SubprocessError) as error:
        show(f"no class archives: {error}")


def _dump(home: Path, java: str, scratch: Path, show: Callable[[str], None]) -> Path:
    """Return a folder with the archives that the JVM made.

    CalledProcessError if it was killed, TimeoutExpired if it took too long: neither is its answer.
    """
    made = scratch / "archives"
    made.mkdir()
    classes = scratch / _CLASSES
    classes.write_bytes(_class_list())
    for jars in (DAEMON_JARS, WORKER_JARS):
        show(f"class archive of {jars}")
        archive = made / f"{jars}.jsa"
        command = [java, *_DUMP, f"-XX:SharedClassListFile={classes}"]
        command += [f"-XX:SharedArchiveFile={archive}", "-cp", f"{home}/{jars}/*"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LONGEST_DUMP
        )
        if done.returncode < 0:
            done.check_returncode()
        if done.returncode > 0:
            archive.unlink(missing_ok=True)
            show(f"no class archive of {jars}: {(done.stderr.splitlines() or ['?'])[-1]}")
    return made


def _remove_old(folder: Path) -> None:
    """Remove what no cluster has used for a month, and what a killed process left."""
    for other in folder.iterdir():
        unused = time.time() - other.stat().st_mtime
        if unused > _KEPT_SECONDS or other.name.startswith(_SCRATCH):
            shutil.rmtree(other, ignore_errors=True)


def _archive_folder(home: Path, java: str) -> Path | None:
    """Where the archives of these very jars and this JVM are; None for an unknown JVM.

    A `java` that is a script may start any JVM.
    """
    runtime = Path(java).resolve().parent.parent / "lib" / "modules"
    key = hashlib.sha256(_class_list())
    try:
        for file in (runtime, *sorted(home.glob("lib/*.jar")), *sorted(home.glob("lib-*/*.jar"))):
            stat = file.stat()
            key.update(f"{file} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    except OSError:
        return None
    return storm_home_cache().absolute() / "class-archives" / key.hexdigest()[:16]


@functools.cache
def _class_list() -> bytes:
    return resources.files(__package__).joinpath(_CLASSES).read_bytes()
