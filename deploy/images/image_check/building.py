"""Builds what docker-compose.yml builds, by buildah, on the stand-in base images."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[3]
STORAGE = ("--storage-driver", "vfs")
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_SHARED = {_CERTIFICATES: f"{_CERTIFICATES}:ro"}
_SHARED_WITH_MAVEN = {
    "/etc/ssl/certs/java/cacerts": "/etc/ssl/certs/java/cacerts:ro",
    "~/.m2/repository": "/root/.m2/repository",
}
"""What builds take from the machine: whom its network trusts, and what Maven fetched before. On the
right are paths in the image that is built, in which root runs Maven."""


@dataclass(frozen=True, slots=True)
class Built:
    """An image, named after its Containerfile's folder."""

    name: str
    image: str
    seconds: float
    megabytes: float


def import_bases(roots: Mapping[str, Path]) -> dict[str, str]:
    """Make images of the roots; returns them by the build argument that names each."""
    arguments = {}
    for name, root in roots.items():
        image = f"localhost/stand-in-{name}"
        if not _buildah("images", "--quiet", "--filter", f"reference={image}"):
            _import(image, root, _environment(name))
        arguments[f"{name.upper()}_IMAGE"] = image
    return arguments


def _environment(name: str) -> dict[str, str]:
    if name != "storm":
        return {}
    path = "/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {
        "STORM_CONF_DIR": "/conf",
        "STORM_DATA_DIR": "/data",
        "STORM_LOG_DIR": "/logs",
        "JAVA_HOME": "/opt/java/openjdk",
        "PATH": f"{path}:/apache-storm/bin",
    }


def _import(image: str, root: Path, environment: Mapping[str, str]) -> None:
    container = _buildah("from", "scratch")
    # Not by `buildah add`, which gives everything to root.
    subprocess.run(["cp", "-a", f"{root}/.", _buildah("mount", container)], check=True)
    _buildah("umount", container)
    for key, value in environment.items():
        _buildah("config", "--env", f"{key}={value}", container)
    _buildah("commit", "--quiet", "--rm", container, image)


def build_all(bases: Mapping[str, str], only: frozenset[str]) -> Iterator[Built]:
    """Build the image of each Containerfile, or of those named."""
    for file in sorted(REPOSITORY.glob("deploy/images/*/Containerfile")):
        name = file.parent.name
        if not only or name in only:
            yield _build(name, file, bases)


def _build(name: str, file: Path, bases: Mapping[str, str]) -> Built:
    image = f"localhost/eyewall-{name}"
    text = file.read_text(encoding="utf-8")
    given = [f"{key}={value}" for key, value in bases.items() if f"ARG {key}=" in text]
    options = [part for argument in given for part in ("--build-arg", argument)]
    shared = _SHARED | (_SHARED_WITH_MAVEN if "ARG MAVEN_IMAGE=" in text else {})
    for here, there in shared.items():
        if (path := Path(here).expanduser()).exists():
            options += ["--volume", f"{path}:{there}"]
    begin = time.monotonic()
    _buildah(
        *("bud", "--quiet", "--isolation", "chroot", "--layers=false", "--format", "docker"),
        *(*options, "--ignorefile", str(REPOSITORY / ".dockerignore")),
        *("--file", str(file), "--tag", image, str(REPOSITORY)),
    )
    seconds = time.monotonic() - begin
    size = json.loads(_buildah("images", "--json", "--filter", f"reference={image}"))[0]["size"]
    return Built(name, image, seconds, _megabytes(size))


def _megabytes(size: str) -> float:
    number, unit = size.split()
    return float(number) * {"KB": 1e-3, "MB": 1.0, "GB": 1e3}[unit]


def config(image: str) -> Mapping[str, Any]:
    """What an image's processes begin with: Env, User, Entrypoint, Cmd, WorkingDir."""
    inspected: dict[str, Any] = json.loads(_buildah("inspect", "--type", "image", image))
    found: Mapping[str, Any] = inspected["OCIv1"]["config"]
    return found


def mounted(image: str) -> tuple[str, Path]:
    """Give an image's root a place of its own; `remove` takes it away."""
    container = _buildah("from", "--pull-never", image)
    return container, Path(_buildah("mount", container))


def remove(container: str) -> None:
    """Take a root away that `mounted` made."""
    _buildah("rm", container)


def _buildah(*arguments: str) -> str:
    done = subprocess.run(
        ["buildah", *STORAGE, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip()
