"""Run Storm's own tests of its scheduler against Eyewall's, by `make test-storm STORM_SOURCE=DIR`.

python tools/storm_tests.py DIR               no sidecar: all is as Storm's, but for status texts
python tools/storm_tests.py DIR --deciding    then again, with a sidecar that decides
python tools/storm_tests.py DIR --original    Storm's scheduler itself

DIR is a checkout of Storm at the tag of the version that the shim is built for. Its tests are
copied to a build folder, where they make SchedulerUnderTest in place of Storm's scheduler.
"""

import argparse
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PROJECT: Final = ROOT / "storm-scheduler" / "storm-tests"
BUILD: Final = PROJECT / "target"
SOURCES, RESOURCES, REPORTS = BUILD / "storm", BUILD / "storm-resources", BUILD / "surefire-reports"
HOSTS: Final = BUILD / "hosts.txt"
TESTS: Final = Path("storm-server/src/test/java/org/apache/storm/scheduler")
FOLDERS: Final = ("resource", "blacklist")
CLUSTERS: Final = Path("storm-server/src/test/resources/clusterconf")
ALSO_NEEDED: Final = Path("storm-client/test/jvm/org/apache/storm/testing/PerformanceTest.java")
MADE: Final = re.compile(r"new ResourceAwareScheduler\(\)")
OURS: Final = "new io.eyewall.storm.tests.SchedulerUnderTest()"
RAS: Final = "org.apache.storm.scheduler.resource.ResourceAwareScheduler"
TOO_LARGE: Final = "TestLargeCluster"
"""Reads two clusters of a hundred topologies and more, and takes minutes."""
DELAY = 0.0005
"""Seconds between any two hosts, for a sidecar that decides."""
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClassResult:
    """Results of one class of Storm's."""

    name: str
    tests: int
    skipped: int
    failures: tuple[Failure, ...]


def check(source: Path) -> None:
    """Exit where this is no checkout of Storm, or one of another version."""
    pom = source / "pom.xml"
    if not (source / TESTS).is_dir() or not pom.is_file():
        sys.exit(f"{source}: no checkout of Storm, which has {TESTS}")
    wanted = shim_version()
    found = _find(pom, r"<artifactId>storm</artifactId>\s*<version>(.*?)</version>")
    if found != wanted:
        sys.exit(f"{source}: Storm {found or 'of an unknown version'}; the shim is for {wanted}")


def shim_version() -> str:
    """Return the version of Storm that the shim is built for."""
    return _find(PROJECT.parent / "pom.xml", r"<storm\.version>(.*?)<")


def _find(file: Path, pattern: str) -> str:
    found = re.search(pattern, file.read_text(encoding="utf-8"))
    return found[1] if found else ""


def copy(source: Path) -> int:
    """Copy the tests, and return in how many places they make a scheduler."""
    for folder in (SOURCES, RESOURCES):
        shutil.rmtree(folder, ignore_errors=True)
    package = SOURCES / "org/apache/storm"
    for name in FOLDERS:
        shutil.copytree(source / TESTS / name, package / "scheduler" / name)
    made = 0
    for file in SOURCES.rglob("*.java"):
        text, count = MADE.subn(OURS, file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")
        made += count
    (package / "testing").mkdir(parents=True)
    shutil.copy(source / ALSO_NEEDED, package / "testing")
    shutil.copytree(source / CLUSTERS, RESOURCES / CLUSTERS.name)
    if not made:
        sys.exit(f"{source}: no test makes a scheduler as `{MADE.pattern}`; is it Storm?")
    return made


def run(options: Sequence[str], *, large: bool) -> list[ClassResult]:
    """Run them and return the results; exits where they cannot be run at all."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    log = BUILD / "run.log"
    version = f"-Dstorm.version={shim_version()}"
    command = ["mvn", "-B", "-ntp", "-q", "-f", str(PROJECT / "pom.xml"), version, *options, "test"]
    if not large:
        command.append(f"-Dtest=Test*,*Test,!{TOO_LARGE}")
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"the tests could not be run; see {log}")
    found = list(results(REPORTS))
    wanted = {file.stem for file in SOURCES.rglob("*.java") if is_test_class(file, large=large)}
    if missing := sorted(wanted - {it.name.rpartition(".")[2] for it in found}):
        sys.exit(f"no results of {', '.join(missing)}; see {log}")
    return found


def is_test_class(file: Path, *, large: bool) -> bool:
    """Whether JUnit finds tests in a file, by its name and what is in it."""
    named = file.stem.startswith("Test") or file.stem.endswith("Test")
    is_left_out = file.stem == TOO_LARGE and not large
    return named and not is_left_out and "@Test" in file.read_text(encoding="utf-8")


def results(reports: Path) -> Iterator[ClassResult]:
    """Read JUnit's reports."""
    for file in sorted(reports.glob("TEST-*.xml")):
        suite = ElementTree.parse(file).getroot()  # noqa: S314 - our own
        failures = tuple(
            Failure(case.get("name", ""), problem.get("message") or problem.get("type") or "")
            for case in suite.iter("testcase")
            for problem in (*case.findall("failure"), *case.findall("error"))
        )
        yield ClassResult(
            suite.get("name", "").removeprefix("org.apache.storm.scheduler."),
            int(suite.get("tests", 0)),
            int(suite.get("skipped", 0)),
            failures,
        )


@contextmanager
def deciding_sidecar(hosts: Sequence[str]) -> Iterator[str]:
    """Yield the address of a sidecar of this checkout, which knows delays between these hosts."""
    delays = [[0.0 if one == other else DELAY for other in hosts] for one in hosts]
    declared = {
        "version": 1,
        "unit": "s",
        "kind": "one_way",
        "source": "all alike, for Storm's tests",
        "as_of": time.time(),
        "hosts": list(hosts),
        "delay": delays,
    }
    (BUILD / "delays.json").write_text(json.dumps(declared), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    config = BUILD / "sidecar.toml"
    lines = (f'listen = "{address}"', "[delays]", f'file = "{BUILD / "delays.json"}"')
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    serve = [str(Path(sys.executable).with_name("eyewall")), "serve", "--config", str(config)]
    with (
        (BUILD / "sidecar.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(serve, stdout=log, stderr=subprocess.STDOUT) as sidecar,
    ):
        try:
            _wait_for(address, sidecar)
            yield address
        finally:
            sidecar.terminate()


def _wait_for(address: str, sidecar: subprocess.Popen[bytes]) -> None:
    host, port = address.split(":")
    until = time.monotonic() + START_SECONDS
    while sidecar.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    sys.exit(f"the sidecar did not start; see {BUILD / 'sidecar.log'}")


def show(title: str, found: Sequence[ClassResult]) -> None:
    """Print a line for each class and each test that failed."""
    print(title)
    for it in found:
        passed = it.tests - it.skipped - len(it.failures)
        print(f"  {it.name:<80} {passed:>3} passed, {len(it.failures)} failed")
        for failure in it.failures:
            print(f"      {failure.name}: {' '.join(failure.reason.split())[:160]}")
    tests, failed = sum(it.tests for it in found), sum(len(it.failures) for it in found)
    print(f"  {tests - failed - sum(it.skipped for it in found)} of {tests} passed")


def main() -> None:
    """Run and show them; fails if any failed without a sidecar that decides."""
    parser = argparse.ArgumentParser(description="Run Storm's own scheduler tests against ours.")
    parser.add_argument("source", type=Path, help="a checkout of Storm")
    parser.add_argument("--deciding", action="store_true", help="again, with a sidecar")
    parser.add_argument("--original", action="store_true", help="Storm's scheduler instead of ours")
    parser.add_argument("--large", action="store_true", help=f"{TOO_LARGE} too: minutes")
    parser.add_argument("--json", action="store_true", help="results as JSON")
    asked = parser.parse_args()
    if asked.deciding and asked.original:
        parser.error("--deciding is about our scheduler, --original about Storm's")
    check(asked.source)
    made = copy(asked.source)
    HOSTS.unlink(missing_ok=True)
    options = [f"-Deyewall.scheduler={RAS}"] if asked.original else []
    title = "Storm's scheduler" if asked.original else "without a sidecar"
    found = {title: run(options, large=asked.large)}
    first = found[title]
    if asked.deciding:
        hosts = sorted(set(HOSTS.read_text(encoding="utf-8").split()))
        with deciding_sidecar(hosts) as address:
            deciding = run([f"-Deyewall.sidecar={address}"], large=asked.large)
        found["with a sidecar that decides"] = deciding
    if asked.json:
        print(json.dumps({name: list(map(asdict, it)) for name, it in found.items()}, indent=2))
    else:
        for name, it in found.items():
            show(name, it)
        print(f"a scheduler is made in {made} places")
    sys.exit(any(it.failures for it in first))


if __name__ == "__main__":
    main()
