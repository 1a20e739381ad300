r"""Make dist/eyewall-VERSION.tar.gz: all that an existing cluster installs.

    python deploy/release/make.py --jar storm-scheduler/target/eyewall-storm-scheduler.jar \
        --overlap storm-scheduler/overlap/target/eyewall-storm-overlap.jar

Same sources, same bytes: times are SOURCE_DATE_EPOCH, or that of the last commit.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from page_links import relinked

REPOSITORY = Path(__file__).parents[2]
DISTRIBUTIONS = ("contracts", "latency-estimator", "monitor", "sidecar", "papers", "deploy")
COPIED = {
    "deploy/release/INSTALL.md": "INSTALL.md",
    "constraints.txt": "constraints.txt",
    "deploy/src/eyewall_deploy/storm/storm.yaml": "storm/storm.yaml",
    "deploy/src/eyewall_deploy/storm/storm-classes.txt": "storm/storm-classes.txt",
    "sidecar/examples": "examples",
    "monitor/examples": "examples",
    "latency-estimator/examples": "examples",
    "deploy/systemd": "systemd",
    "docs": "docs",
}
"""Files, and folders with all that is in them: path in the repository → path in the tarball."""
_BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
_NOT_SOURCES = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "images")


class Jars(NamedTuple):
    """What goes into Storm's homes.

    Parameters
    ----------
    scheduler
        For Nimbus.
    overlap
        For supervisor hosts: moves without a gap.
    """

    scheduler: Path
    overlap: Path


class MixedVersionsError(Exception):
    """The distributions are not all of one version."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="make.py", description=__doc__)
    parser.add_argument("--jar", type=Path, required=True, help="Nimbus's scheduler.")
    overlap = "Supervisor hosts' part of moves without a gap."
    parser.add_argument("--overlap", type=Path, required=True, help=overlap)
    parser.add_argument("--to", type=Path, default=REPOSITORY / "dist", help="Folder.")
    given = parser.parse_args()
    print(make(Jars(given.jar, given.overlap), given.to, release_time()))


def make(jars: Jars, folder: Path, time: int) -> Path:
    """Build the wheels, lay everything out and pack it; returns the tarball.

    Parameters
    ----------
    time
        Of all that is packed, in seconds since the epoch.
    """
    name = f"eyewall-{version()}"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, name)
        lay_out(root, jars, time)
        tarball = folder / f"{name}.tar.gz"
        _pack(root, tarball, time)
    return tarball


def version() -> str:
    """Return the version that all distributions share."""
    found = {
        tomllib.loads((REPOSITORY / it / "pyproject.toml").read_text())["project"]["version"]
        for it in DISTRIBUTIONS
    }
    if len(found) != 1:
        raise MixedVersionsError(f"versions are {', '.join(sorted(found))}; there must be one")
    return str(found.pop())


def release_time() -> int:
    """Return SOURCE_DATE_EPOCH, else the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    command = ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def lay_out(root: Path, jars: Jars, time: int) -> None:
    """Put all that is shipped under `root`."""
    storm = root / "storm"
    storm.mkdir(parents=True)
    shutil.copyfile(jars.scheduler, storm / "eyewall-storm-scheduler.jar")
    shutil.copyfile(jars.overlap, storm / "eyewall-storm-overlap.jar")
    build_wheels(root / "wheels", time)
    copy_files(root)
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
        for path in sorted(root.rglob("*"))
        if path.is_file()
    ]
    (root / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def copy_files(root: Path) -> None:
    """Put all that is `COPIED` under `root`, pages with links that lead to what is there."""
    known = places()
    for source, target in known.items():
        file, place = REPOSITORY / source, root / target
        if file.is_dir():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            text = relinked(file.read_text(encoding="utf-8"), source, known)
            place.write_text(text, encoding="utf-8")
        else:
            shutil.copyfile(file, place)


def places() -> dict[str, str]:
    """Return `COPIED` with each file and folder that is in its folders."""
    found = dict(COPIED)
    for folder, target in COPIED.items():
        for path in sorted((REPOSITORY / folder).rglob("*")):
            inside = path.relative_to(REPOSITORY / folder)
            found[f"{folder}/{inside}"] = f"{target}/{inside}"
    return found


def build_wheels(folder: Path, time: int) -> None:
    """Build each distribution's wheel from a copy of its sources, with what is installed here."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        for it in DISTRIBUTIONS:
            copy = Path(scratch, it)
            shutil.copytree(REPOSITORY / it, copy, ignore=_NOT_SOURCES)
            for path in copy.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
            subprocess.run(
                [sys.executable, "-c", _BUILD, str(folder)],
                cwd=copy,
                env=os.environ | {"SOURCE_DATE_EPOCH": str(time)},
                stdout=subprocess.DEVNULL,
                check=True,
            )


def _pack(root: Path, tarball: Path, time: int) -> None:
    def same_everywhere(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    with (
        tarball.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        archive.add(root, root.name, recursive=False, filter=same_everywhere)
        for path in sorted(root.rglob("*")):
            name = f"{root.name}/{path.relative_to(root)}"
            archive.add(path, name, recursive=False, filter=same_everywhere)


if __name__ == "__main__":
    main()
