"""Submits a topology of a streamparse project through streamparse's own `sparse submit`.

The project is not changed: the jar and a configuration with this cluster's Nimbus are temporary.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.pins import check_pins
from eyewall_deploy.storm.nimbus import connect, topology_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.endpoint import Endpoint

DEFAULT_PROJECT = Path("topologies")

_NIMBUS_TIMEOUT_MS = 60_000
_LONGEST_SHOWN = 80
_NAME_REFUSED = "is an invalid name for a Storm topology"
_NO_WORKERS = "Field TOPOLOGY_WORKERS must be a Positive Number"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]*(Error|Exception): ")
_THRIFT_MESSAGE = re.compile(r"\b\w+Exception\(.*?(?:msg|message)=(['\"])(?P<text>.*?)\1\)?")


@dataclass(frozen=True, slots=True)
class Project:
    """A streamparse project: its folder, that of its topologies, and how they run."""

    folder: Path
    specs: str
    environment: Mapping[str, Any]
    serializer: str | None

    @property
    def topologies(self) -> list[str]:
        """Names of its topologies, sorted."""
        files = (self.folder / self.specs).glob("*.py")
        return sorted(path.stem for path in files if path.stem != "__init__")


def submit(
    topology: str,
    options: Sequence[str] = (),
    *,
    nimbus: Endpoint,
    cluster: Cluster,
    project: Path | None = None,
    run_as: str | None = None,
) -> str | Failure:
    """Submit `topology` of the project to this Nimbus; return the name under which it runs.

    Parameters
    ----------
    topology
        Name of a file in the project's folder of topologies, without `.py`.
    options
        `KEY=VALUE` each, as after streamparse's `-o`: the value is YAML, so JSON too.
    cluster
        What may be pinned to.
    project
        Folder of the streamparse project; None is `./topologies`.
    run_as
        Name for the running topology; None is its own.
    """
    found = find_project(project or DEFAULT_PROJECT)
    if isinstance(found, Failure):
        return found
    if topology not in found.topologies:
        choices = name_choices("topologies", found.topologies or ["none"], topology)
        return Failure(f"{topology}: no such topology in {found.folder}; {choices}")
    failures = [failure for option in options if (failure := check_option(option)) is not None]
    failure = failures[0] if failures else check_pins(cluster, options)
    if failure is not None:
        return failure
    name = run_as or topology
    with tempfile.TemporaryDirectory(prefix="eyewall-submit-") as scratch:
        jar = Path(scratch, "topology.jar")
        build_jar(found.folder, jar)
        config = Path(scratch, "config.json")
        config.write_text(json.dumps(streamparse_config(found, nimbus)), encoding="utf-8")
        ended = subprocess.run(
            [
                *(sys.executable, "-W", "ignore", "-m", "streamparse.cli.sparse", "submit"),
                *("--config", str(config), "--local_jar_path", str(jar)),
                *("--name", topology, "--override_name", name),
                *("--timeout", str(_NIMBUS_TIMEOUT_MS)),
                *(part for option in options for part in ("-o", option)),
            ],
            cwd=found.folder,
            env=os.environ | {"LEIN_ROOT": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    if ended.returncode == 0:
        return name
    reason = explain_output(ended.stdout, nimbus)
    if _NAME_REFUSED in reason and _runs(name, nimbus):
        reason = "a topology of that name runs already; kill it first, or choose another --name"
    return Failure(f"{name}: {reason}")


def find_project(folder: Path) -> Project | Failure:
    """Read the project in `folder`."""
    file = folder / "config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
        specs, environments = config["topology_specs"], dict(config["envs"])
    except OSError:
        return Failure(
            f"{folder}: no streamparse project there (no config.json); "
            "run in a folder that has ./topologies, or name one with --project FOLDER"
        )
    except ValueError as error:
        return Failure(f"{file}: not JSON: {error}")
    except (KeyError, TypeError):
        return Failure(f"{file}: a streamparse project has `topology_specs` and `envs`")
    if not (folder / "src").is_dir():
        return Failure(f"{folder}: a streamparse project has its components in src/; there is none")
    if len(environments) != 1:
        return Failure(
            f"{file}: {len(environments)} environments ({', '.join(environments)}); "
            "allowed is one, because the cluster is given"
        )
    (environment,) = environments.values()
    return Project(folder.resolve(), specs, environment, config.get("serializer"))


def check_option(option: str) -> Failure | None:
    """Return why streamparse and Storm cannot read an option; None if they can."""
    key, equals, value = option.partition("=")
    if not equals or not key:
        return Failure(f"-o {option}: an option is KEY=VALUE, the value YAML or JSON")
    try:
        json.dumps(YAML(typ="safe", pure=True).load(value), allow_nan=False)
    except YAMLError as error:
        what = " ".join(str(error).split()[:12])
        return Failure(f"-o {key}: {_shown(value)} is neither YAML nor JSON ({what} …)")
    except (TypeError, ValueError, RecursionError) as error:
        return Failure(
            f"-o {key}: {_shown(value)} cannot be sent to Storm as JSON ({error}); quote it"
        )
    return None


def _shown(value: str) -> str:
    """Keep a long value from flooding the one line that names it."""
    return repr(value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…")


def build_jar(project: Path, jar: Path) -> None:
    """Write the project's src/ as the jar's resources/.

    The same files give the same bytes: sorted, all of 1980, without owners or compiled Python.
    """
    source = project / "src"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(source.rglob("*")):
            parts = path.relative_to(source).parts
            hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
            if path.is_file() and not hidden:
                entry = zipfile.ZipInfo("/".join(("resources", *parts)))
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())


def streamparse_config(project: Project, nimbus: Endpoint) -> dict[str, Any]:
    """Return the project's configuration with this Nimbus, without SSH and virtualenv."""
    own = {"nimbus": str(nimbus), "use_ssh_for_nimbus": False, "use_virtualenv": False}
    config: dict[str, Any] = {
        "topology_specs": project.specs,
        "envs": {"cluster": {"workers": [], **project.environment, **own}},
    }
    if project.serializer is not None:
        config["serializer"] = project.serializer
    return config


def explain_output(output: str, nimbus: Endpoint) -> str:
    """Return one line that says why streamparse failed, from what it printed."""
    lines = [line.strip() for line in _COLOURS.sub("", output).splitlines() if line.strip()]
    last = lines[-1] if lines else "streamparse ended without output"
    if "TTransportException" in last or "ConnectionRefusedError" in last:
        return f"no Nimbus answers at {nimbus}; is the cluster up?"
    message = _THRIFT_MESSAGE.search(last)
    if message is not None and message["text"] == _NO_WORKERS:
        return (
            "Nimbus refused it: topology.workers is not above 0; unless set, it is the number of "
            "registered supervisors: does one run?"
        )
    if message is not None:
        return f"Nimbus refused it: {message['text']}"
    return _EXCEPTION.sub("", last).removeprefix("error: ")


def _runs(name: str, nimbus: Endpoint) -> bool:
    with connect(nimbus) as client:
        return name in topology_names(client)
