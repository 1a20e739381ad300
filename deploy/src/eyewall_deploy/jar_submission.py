"""Submits a topology of a jar as `storm jar` does: its main class runs with Storm's submitter.

Nimbus's address is in a temporary storm.yaml, so it does not become part of the topology's
configuration; further settings reach the class as those of `storm jar -c` do.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import yaml
from ruamel.yaml import YAML

from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.lifecycle.host_command import host_command
from eyewall_deploy.pins import check_pins
from eyewall_deploy.storm.jvm import WORKER_JARS, archive_options
from eyewall_deploy.storm.nimbus import NimbusUnreachableError, connect, topology_names
from eyewall_deploy.storm.settings import java_network_options
from eyewall_deploy.submit import check_option
from eyewall_deploy.wan.addresses import CONTROL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_deploy.cluster_file import Cluster
    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.endpoint import Endpoint

NAME_SETTING = "topology.name"
_TOPOLOGIES_JAR = Path("topologies", "java", "target", "eyewall-topologies.jar")
_PATIENCE = 300.0
_CHOICES = 5


@dataclass(frozen=True, slots=True)
class StormClient:
    """What runs a main class, and which Nimbus it submits to.

    Parameters
    ----------
    home
        A folder laid out like Storm's distribution.
    nimbus
        As the main class reaches it. It asks Nimbus for the leader's host and port, and has to
        reach these too.
    options
        Further options of the JVM.
    enter
        The command that runs another command in Nimbus's network; empty for this one.
    """

    java: str
    home: Path
    nimbus: Endpoint
    options: tuple[str, ...] = ()
    enter: tuple[str, ...] = ()


def cluster_client(deployment: Deployment) -> StormClient | Failure:
    """Return what submits to a running cluster from its control namespace."""
    enter = host_command(deployment, CONTROL, ())
    if isinstance(enter, Failure):
        return enter
    state = deployment.state
    network = java_network_options(deployment)
    return StormClient(
        state.java, deployment.home.path, deployment.inner.nimbus, network, tuple(enter)
    )


def find_topologies_jar() -> Path | None:
    """Return the jar of the load topologies that this source checkout has built."""
    for folder in Path(__file__).resolve().parents:
        if (folder / _TOPOLOGIES_JAR).is_file():
            return folder / _TOPOLOGIES_JAR
    return None


def check_class(jar: Path, main_class: str) -> Failure | None:
    """Return why a jar has no such class; None if it has."""
    try:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
    except FileNotFoundError:
        return Failure(f"jar {jar}: no such file")
    except (OSError, zipfile.BadZipFile) as error:
        return Failure(f"jar {jar}: not a jar: {error}")
    classes = [name[:-6].replace("/", ".") for name in names if name.endswith(".class")]
    if main_class in classes:
        return None
    own = [name for name in classes if "$" not in name and not name.endswith("-info")]
    near = get_close_matches(main_class, own, n=_CHOICES, cutoff=0) or ["none"]
    choices = name_choices("the nearest of its classes", near, main_class)
    return Failure(f"jar {jar}: no class {main_class}; {choices}")


def submit_jar(
    jar: Path,
    main_class: str,
    arguments: Sequence[str] = (),
    options: Sequence[str] = (),
    *,
    nimbus: Endpoint,
    cluster: Cluster,
    client: StormClient,
    run_as: str | None = None,
) -> str | Failure:
    """Run the main class of a jar, which submits; return the name under which it runs.

    Parameters
    ----------
    arguments
        Of the main class.
    options
        Settings of the topology, `KEY=VALUE` each; the value is YAML.
    nimbus
        As this process reaches it, to see which topologies run.
    cluster
        What may be pinned to.
    run_as
        Name for the running topology, given as the setting `topology.name`; None is its own.
    """
    failure = (
        check_class(jar, main_class)
        or next(filter(None, map(check_option, options)), None)
        or check_pins(cluster, options)
    )
    if failure is not None:
        return failure
    try:
        with connect(nimbus) as thrift:
            before = topology_names(thrift)
        if run_as in before:
            return Failure(
                f"{run_as}: a topology of that name runs already; kill it first, or choose "
                "another --name"
            )
        named = options if run_as is None else [*options, f"{NAME_SETTING}={run_as}"]
        failure = _run_class(jar.resolve(), main_class, arguments, named, client)
        if failure is not None:
            return failure
        with connect(nimbus) as thrift:
            fresh = [name for name in topology_names(thrift) if name not in before]
    except NimbusUnreachableError as error:
        return Failure(str(error))
    if not fresh:
        return Failure(f"{main_class} of {jar} ended without submitting a topology")
    if run_as is not None and run_as not in fresh:
        return Failure(
            f"{fresh[0]} runs, not {run_as}: {main_class} does not use the setting {NAME_SETTING}; "
            "give the name in its own arguments"
        )
    return run_as or fresh[0]


def storm_options(options: Sequence[str]) -> str:
    """Return options as Storm's property `storm.options`: JSON values, URL-encoded, with commas."""
    reader = YAML(typ="safe", pure=True)
    pairs = (option.partition("=") for option in options)
    return ",".join(
        quote_plus(f"{key}={json.dumps(reader.load(value))}") for key, _, value in pairs
    )


def _run_class(
    jar: Path,
    main_class: str,
    arguments: Sequence[str],
    options: Sequence[str],
    client: StormClient,
) -> Failure | None:
    with tempfile.TemporaryDirectory(prefix="eyewall-submit-") as scratch:
        nimbus = client.nimbus
        settings = {"nimbus.seeds": [nimbus.host], "nimbus.thrift.port": nimbus.port}
        Path(scratch, "storm.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        jars = (f"{client.home}/{folder}/*" for folder in (WORKER_JARS, "extlib"))
        try:
            ended = subprocess.run(
                [
                    *client.enter,
                    client.java,
                    *archive_options(client.home, client.java, WORKER_JARS),
                    "-XX:TieredStopAtLevel=1",
                    *client.options,
                    f"-Dstorm.home={client.home}",
                    "-Dstorm.conf.file=",
                    f"-Dstorm.options={storm_options(options)}",
                    f"-Dstorm.jar={jar}",
                    *("-cp", ":".join([*jars, scratch, str(jar)])),
                    main_class,
                    *arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=_PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return Failure(f"{main_class} of {jar}: did not end within {_PATIENCE:.0f} s")
    if ended.returncode == 0:
        return None
    return Failure(f"{main_class} of {jar}: {explain_end(ended.stdout, ended.returncode)}")


def explain_end(output: str, code: int) -> str:
    """Return one line that says why a main class failed, from what it printed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    reported = [line for line in lines if not line.startswith(("at ", "...", "SLF4J"))]
    causes = [line for line in reported if line.startswith(("Exception in thread", "Caused by"))]
    last = (causes or reported or ["no output"])[-1]
    return f"{last.removeprefix('Caused by: ')} (exit code {code})"
