"""Build and test the Java parts in Nimbus, workers and supervisors with each tested Storm.

python tools/storm_versions.py            all of TESTED_VERSIONS
python tools/storm_versions.py 2.8.0      these

Each is built in a folder of its own, so that the jars of the checkout stay as they are.
"""

import argparse
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Final

from eyewall_deploy.storm.home import TESTED_VERSIONS

ROOT: Final = Path(__file__).parents[1]
BUILD: Final = ROOT / "build" / "storm-versions"
COPIED: Final = ("storm-scheduler", "contracts/proto", "tests/contracts")
PARTS: Final = ("storm-scheduler", "storm-scheduler/overlap")
MOST_LINES: Final = 15


def run(version: str) -> bool:
    """Build and test all parts; whether all tests passed."""
    folder = BUILD / version
    shutil.rmtree(folder, ignore_errors=True)
    for name in COPIED:
        ignored = shutil.ignore_patterns("target", "__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    good = True
    for part in PARTS:
        log = folder / f"{part.replace('/', '-')}.log"
        pom = str(folder / part / "pom.xml")
        command = ["mvn", "-B", "-ntp", "-q", "-f", pom, f"-Dstorm.version={version}", "test"]
        with log.open("w", encoding="utf-8") as output:
            done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
        tests, failed = counts(folder / part / "target" / "surefire-reports")
        good &= done.returncode == 0 and tests > 0
        print(f"Storm {version}  {part:<24} {tests - failed} of {tests} passed", flush=True)
        if done.returncode:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            errors = [it for it in lines if "ERROR" in it][:MOST_LINES]
            print("".join(f"    {it}\n" for it in errors), end="")
    return good


def counts(reports: Path) -> tuple[int, int]:
    """Return how many tests ran, and how many failed."""
    tests = failed = 0
    for file in reports.glob("TEST-*.xml"):
        suite = ElementTree.parse(file).getroot()  # noqa: S314 - our own
        tests += int(suite.get("tests", 0)) - int(suite.get("skipped", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return tests, failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Test the Java parts with versions of Storm.")
    parser.add_argument("versions", nargs="*", default=TESTED_VERSIONS, metavar="VERSION")
    passed = [run(it) for it in parser.parse_args().versions]
    sys.exit(not all(passed))
