"""The JVM that runs Storm: which one it is, and the class archives by which it starts sooner.

A worker loads some six thousand classes before its first tuple. From an archive (class data
sharing, JEP 350) they are mapped into memory, read and verified already.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eyewall_deploy.run_dir import storm_home_cache

if TYPE_CHECKING:
    from collections.abc import Callable

DAEMON_JARS: Final = "lib"
WORKER_JARS: Final = "lib-worker"

_CLASSES: Final = "storm-classes.txt"
"""What Storm's daemons and a worker load; `tools/storm_classes.py` writes it."""
_DUMP: Final = ("-Xshare:dump", "-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=error:stderr")


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
    archive = _archive(home, java, jars)
    return (f"-XX:SharedArchiveFile={archive}",) if archive.is_file() else ()


def make_archives(home: Path, java: str, show: Callable[[str], None]) -> None:
    """Make the archives of a home and a JVM, unless that was tried before.

    Where the JVM cannot make one, processes start without it, as they would anywhere else.

    Parameters
    ----------
    show
        Is called with a few words on the progress.
    """
    folder = _archive(home, java, DAEMON_JARS).parent
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder.parent) as scratch:
        made = Path(scratch) / "archives"
        made.mkdir()
        classes = Path(scratch) / _CLASSES
        classes.write_bytes(_class_list())
        for jars in (DAEMON_JARS, WORKER_JARS):
            show(f"class archive of {jars}")
            archive = made / f"{jars}.jsa"
            command = [java, *_DUMP, f"-XX:SharedClassListFile={classes}"]
            command += [f"-XX:SharedArchiveFile={archive}", "-cp", f"{home}/{jars}/*"]
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode != 0:
                archive.unlink(missing_ok=True)
        try:
            made.rename(folder)
        except OSError:  # another process was faster
            return


def _archive(home: Path, java: str, jars: str) -> Path:
    """Where an archive is; it is valid for these very jars and this JVM only."""
    runtime = Path(java).resolve().parent.parent / "lib" / "modules"
    files = [runtime, *sorted(home.glob("lib/*.jar")), *sorted(home.glob("lib-*/*.jar"))]
    key = hashlib.sha256(_class_list())
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            continue
        key.update(f"{file} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return storm_home_cache() / "class-archives" / key.hexdigest()[:16] / f"{jars}.jsa"


@functools.cache
def _class_list() -> bytes:
    return resources.files(__package__).joinpath(_CLASSES).read_bytes()
