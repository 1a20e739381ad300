"""Paper 002, section 6.1.3: the test driver, on a cluster that is up.

`eyewall-deploy up ecker11`, `eyewall-deploy scheduler ras`, then this: it submits one of table 1's
topologies with a source and a sink that talk to the driver over a socket, sends the paper's stages
(5,000 events at a low rate, 10,000 at a higher one, 5,000 at the low one again; after each it waits
until all are processed), writes the results as JSON, and ends the topology. Rates are not the
paper's: they are the loads of `002-trials`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from eyewall_deploy.jar_submission import find_topologies_jar
from eyewall_deploy.trial.trial_file import LOAD_CLASS

from eyewall_papers.experiments.paper_002.driver import (
    EventDriver,
    Stage,
    StageResult,
    StageTimeoutError,
)
from eyewall_papers.experiments.paper_002.reproduce import read_topologies
from eyewall_papers.experiments.paper_002.trial_files import QUIET, load_arguments, load_rate
from eyewall_papers.experiments.report import at_least

EVENTS = (5_000, 10_000, 5_000)
HIGH = 0.8
"""The load of the second stage."""
MOST_LOAD = 1_000.0
START_PATIENCE = 180.0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topology", type=read_topologies, help="as T-R1")
    parser.add_argument("--cluster", default="ecker11", help="the cluster that is up")
    parser.add_argument("--low", type=_load, default=QUIET, help="load of the outer stages")
    parser.add_argument("--high", type=_load, default=HIGH, help="load of the stage between them")
    parser.add_argument("--scale", type=at_least(1), default=1, help="divides the events")
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="a setting"
    )
    parser.add_argument("--output", type=Path, help="a file for the results, as JSON")


def run(options: argparse.Namespace) -> None:
    if len(options.topology) != 1:
        raise SystemExit(f"{','.join(options.topology)}: drive one topology at a time")
    (topology,) = options.topology
    if options.output is not None:
        try:
            options.output.touch()
        except OSError as error:
            raise SystemExit(f"--output {options.output}: {error.strerror}") from None
    rate = load_rate(topology)
    stages = [
        Stage(rate * load, events // options.scale)
        for load, events in zip((options.low, options.high, options.low), EVENTS, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "driver.sock"
        try:
            results = asyncio.run(drive(topology, stages, socket, options.cluster, options.option))
        except StageTimeoutError as error:
            raise SystemExit(f"{topology}: {error}") from None
    answer = {
        "version": 1,
        "unit": "s",
        "topology": topology,
        "cluster": options.cluster,
        "options": options.option,
        "stages": [asdict(it) for it in results],
    }
    if options.output is not None:
        options.output.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    else:
        print(json.dumps(answer))


def _load(text: str) -> float:
    try:
        load = float(text)
    except ValueError:
        load = 0.0
    if not 0 < load <= MOST_LOAD:
        raise argparse.ArgumentTypeError(f"{text}: a load is above 0 and up to {MOST_LOAD:g}")
    return load


async def drive(
    topology: str, stages: Sequence[Stage], socket: Path, cluster: str, settings: Sequence[str]
) -> list[StageResult]:
    """Submit a topology, run the stages one after another, and end it."""
    driver = EventDriver()
    name = topology.lower()
    async with driver.listen(socket):
        await asyncio.to_thread(_submit, topology, name, socket, cluster, settings)
        try:
            await _wait_for_source(driver)
            results = []
            for stage in stages:
                print(f"{topology}: {stage.events} events at {stage.rate:.3g}/s", file=sys.stderr)
                results.append(await driver.run(stage))
            return results
        finally:
            await asyncio.to_thread(_deploy, "kill", name, "--cluster", cluster)


async def _wait_for_source(driver: EventDriver) -> None:
    try:
        await asyncio.wait_for(driver.has_source.wait(), START_PATIENCE)
    except TimeoutError:
        raise StageTimeoutError(f"no source has connected after {START_PATIENCE:g} s") from None


def _submit(topology: str, name: str, socket: Path, cluster: str, settings: Sequence[str]) -> None:
    jar = find_topologies_jar()
    if jar is None:
        raise SystemExit("the load topologies' jar is missing: `make setup` builds it")
    arguments = {"shape": "graph", **load_arguments(topology), "driver": str(socket)}
    options = [part for it in settings for part in ("-o", it)]
    target = ["--jar", str(jar), "--class", LOAD_CLASS, "--name", name, "--cluster", cluster]
    pairs = [part for key, it in arguments.items() for part in (f"--{key}", str(it))]
    _deploy("submit", *target, *options, "--", *pairs)


def _deploy(*arguments: str) -> None:
    command = [str(Path(sys.executable).with_name("eyewall-deploy")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip() or done.stdout.strip())
