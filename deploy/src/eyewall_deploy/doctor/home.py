"""Checks on Nimbus's Storm home: its version, the scheduler's jar, and whether its class loads."""

from __future__ import annotations

import subprocess
import zipfile
from typing import TYPE_CHECKING

from eyewall_deploy.doctor.check_result import CheckResult, advice, fine, stops_nimbus
from eyewall_deploy.failure import Failure
from eyewall_deploy.state import SchedulerChoice
from eyewall_deploy.storm.home import TESTED_VERSIONS, open_storm_home
from eyewall_deploy.storm.jvm import find_java
from eyewall_deploy.storm.settings import (
    ISOLATION,
    OVERLAP_ISOLATION,
    OVERLAP_JAR,
    SCHEDULER_CLASSES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLASS = SCHEDULER_CLASSES[SchedulerChoice.EYEWALL]
_JAR = "eyewall-storm-scheduler.jar"
_GRPC_SERVICE = "grpc.ManagedChannelProvider"
"""How the names of the entries end by which gRPC, relocated or not, finds its transport."""
_SECONDS = 60


def check_home(path: Path) -> Iterator[CheckResult]:
    """Look at a Storm home with the jar in it, before Nimbus is started from there."""
    home = open_storm_home(path)
    if isinstance(home, Failure):
        yield stops_nimbus("Storm home", home.reason, "name Nimbus's own with --storm-home")
        return
    yield check_version("Storm home", home.version)
    yield from _check_jar(path)


def check_version(check: str, version: str) -> CheckResult:
    """Compare Storm's version with those that Eyewall is tested with."""
    if version in TESTED_VERSIONS:
        return fine(check, f"Storm {version}, which Eyewall is tested with")
    tested = f"{', '.join(TESTED_VERSIONS[:-1])} and {TESTED_VERSIONS[-1]}"
    return advice(
        check,
        f"Storm {version}",
        f"Eyewall is tested with {tested}; try it on a test cluster first",
    )


def check_isolation(home: Path, plugin: object) -> Iterator[CheckResult]:
    """Find the jar of Eyewall's isolation plugin, if this is what storm.yaml names.

    Every daemon looks for that class as it reads its settings, and ends without it.
    """
    check = "isolation plugin"
    if plugin != OVERLAP_ISOLATION:
        return
    folders = [home / name for name in ("lib", "extlib", "extlib-daemon")]
    there = [jar for it in folders for jar in _with_class(it, OVERLAP_ISOLATION)]
    if there:
        yield fine(check, str(there[0]))
        return
    yield stops_nimbus(
        check,
        f"{ISOLATION} is {plugin}, and no jar in {folders[-1]} holds it",
        f"copy {OVERLAP_JAR} there, or leave that setting to supervisor hosts",
    )


def _check_jar(home: Path) -> Iterator[CheckResult]:
    check = "scheduler's jar"
    folder = home / "extlib-daemon"
    there = _with_class(folder, CLASS)
    for other in ("extlib", "lib", "lib-worker"):
        for jar in _with_class(home / other, CLASS):
            yield advice(check, f"{jar} is also in {other}/", f"keep it in {folder} only")
    if not there:
        yield stops_nimbus(
            check,
            f"no jar in {folder} holds {CLASS}",
            f"copy {_JAR} there on each Nimbus host before storm.scheduler names the class",
        )
        return
    if len(there) > 1:
        names = ", ".join(jar.name for jar in there)
        yield advice(check, f"{folder} holds it {len(there)} times: {names}", "keep the newest")
    elif not any(name.endswith(_GRPC_SERVICE) for name in _entries(there[0])):
        yield stops_nimbus(
            check, f"{there[0]} lacks gRPC", f"take {_JAR}, not the one from before shading"
        )
        return
    else:
        yield fine(check, str(there[0]))
    yield _check_class(home)


def _with_class(folder: Path, name: str) -> list[Path]:
    entry = name.replace(".", "/") + ".class"
    return [jar for jar in sorted(folder.glob("*.jar")) if entry in _entries(jar)]


def _entries(jar: Path) -> list[str]:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return []


def _check_class(home: Path) -> CheckResult:
    """Let a JVM load the class as Nimbus would.

    It is asked to run the class, which has no `main`: that it says so means that the class and
    its superclass were found and linked. This needs no compiler, only a JRE.
    """
    check = "scheduler's class"
    java = find_java()
    if java is None:
        return stops_nimbus(check, "no java in JAVA_HOME or on PATH", "install Java 17 or later")
    class_path = f"{home}/lib/*:{home}/extlib/*:{home}/extlib-daemon/*"
    english = ("-Duser.language=en", "-Duser.country=US")
    try:
        trial = subprocess.run(
            [java, *english, "-cp", class_path, CLASS],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return stops_nimbus(check, f"{java} did not answer in {_SECONDS} s", "try it by hand")
    said = trial.stdout + trial.stderr
    if "Main method not found" in said:
        return fine(check, f"{CLASS} loads")
    reason = " ".join(said.split()) or f"java ended with {trial.returncode}"
    return stops_nimbus(
        check,
        f"{CLASS} does not load: {reason}",
        f"is {_JAR} complete (the shaded one), and Java 17 or later?",
    )
