"""Simulations of section 6, one after the other or on several processes, kept in a file.

Each line of the file is one simulation. What is there is not run again: an experiment that was
stopped, or that ran out of its time, goes on where it was, and both experiments share simulations.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import inf
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from time import monotonic

from numpy.random import default_rng

from eyewall_papers.bimodal.compiled_negotiation import balanced_mapper
from eyewall_papers.bimodal.simulation import SimulationResult, simulate
from eyewall_papers.bimodal.variability import WindowMean, draw_by_window
from eyewall_papers.experiments.paper_004.platforms import (
    HOUR,
    MEAN_VOLUME,
    PRICE,
    dedicated_only,
    public_only,
    random_platform,
    workload,
)
from eyewall_papers.experiments.report import at_least, progress_bar

INTERVAL = 60.0
"""Seconds between re-allocations; the paper names none."""
LINKS_OF_A_TREE = 99
HOPS = 3
"""The longest dedicated path that the richest task pays for."""
PER_HOURS = (20.0, 40.0, 60.0, 90.0, 120.0)
DEFAULT_PER_HOUR = 60.0


class PlatformSetting(StrEnum):
    """What links a platform has, and whether they are re-allocated."""

    BOTH = "both kinds"
    FIXED = "both kinds, not re-allocated"
    DEDICATED = "dedicated only"
    PUBLIC = "public only"


@dataclass(frozen=True, slots=True)
class PlatformCase:
    """One simulation.

    Parameters
    ----------
    per_hour
        Arrivals in an hour.
    links
        Dedicated links.
    hops
        The longest dedicated path that the richest task pays for.
    tasks
        How many arrive.
    number, setting
        Which network, and what of it is used.
    """

    per_hour: float
    links: int
    hops: int
    tasks: int
    number: int
    setting: PlatformSetting


@dataclass(frozen=True, slots=True)
class PlatformMeasures:
    """The results of a simulation.

    Parameters
    ----------
    acceptance, server_utilisation, link_utilisation
        From 0 to 1.
    throughput
        Tasks of the mean volume in an hour.
    deviation, elongation
        Means over accepted tasks; None if none was.
    """

    acceptance: float
    throughput: float
    server_utilisation: float
    link_utilisation: float
    deviation: float | None
    elongation: float | None


PlatformResults = dict[PlatformCase, PlatformMeasures]


def simulate_case(case: PlatformCase, seed: int, draw: WindowMean) -> SimulationResult:
    """Simulate a case; settings of one network have the same servers, links and tasks."""
    whole = random_platform(case.links, default_rng((seed, case.number, case.links)))
    tasks = workload(
        whole, case.tasks, case.per_hour, case.hops, default_rng((seed, case.number, 1))
    )
    network = {PlatformSetting.DEDICATED: dedicated_only, PlatformSetting.PUBLIC: public_only}.get(
        case.setting, lambda it: it
    )(whole)
    return simulate(
        network,
        tasks,
        balanced_mapper(network),
        draw,
        default_rng((seed, case.number, 2)),
        interval=INTERVAL if case.setting is PlatformSetting.BOTH else inf,
        price=PRICE,
    )


def measure_platform(case: PlatformCase, seed: int) -> PlatformMeasures:
    """Simulate a case by the means of windows."""
    found = simulate_case(case, seed, draw_by_window)
    return PlatformMeasures(
        found.acceptance,
        found.throughput * HOUR / MEAN_VOLUME,
        found.server_utilisation,
        found.link_utilisation,
        fmean(run.deviation for run in found.runs) if found.runs else None,
        fmean(run.elongation for run in found.runs) if found.runs else None,
    )


def add_platform_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--networks", type=at_least(1), default=100, help="for each point")
    parser.add_argument("--tasks", type=at_least(1), default=500, help="for each network")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--processes", type=at_least(1), default=1)
    parser.add_argument("--budget", type=float, default=120.0, help="minutes")
    parser.add_argument("--results", type=Path, default=Path("reproduction-004.jsonl"))


def run_cases(cases: Sequence[PlatformCase], options: argparse.Namespace) -> PlatformResults:
    """Simulate the cases that the file lacks, until the time is up; return all results."""
    found = _read(options.results, options.seed)
    missing = [case for case in cases if case not in found]
    ends = monotonic() + 60.0 * options.budget
    with options.results.open("a", encoding="utf-8") as kept, progress_bar() as bar:
        shown = bar.add_task("simulations", total=len(cases), completed=len(cases) - len(missing))
        for case, measures in _simulated(missing, options.seed, ends, options.processes):
            found[case] = measures
            line = {"seed": options.seed} | asdict(case) | asdict(measures)
            kept.write(json.dumps(line) + "\n")
            kept.flush()
            bar.advance(shown)
    return {case: found[case] for case in cases if case in found}


def _simulated(
    cases: Sequence[PlatformCase], seed: int, ends: float, processes: int
) -> Iterator[tuple[PlatformCase, PlatformMeasures]]:
    """Yield cases as they are done; none is begun when the time is up."""
    waiting = iter(cases)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        running: dict[Future[PlatformMeasures], PlatformCase] = {}
        while True:
            while len(running) < processes and monotonic() < ends:
                case = next(waiting, None)
                if case is None:
                    break
                running[pool.submit(measure_platform, case, seed)] = case
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def _read(file: Path, seed: int) -> PlatformResults:
    found: PlatformResults = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        values = json.loads(line)
        if values.pop("seed") != seed:
            continue
        setting = PlatformSetting(values.pop("setting"))
        names = [name for name in PlatformCase.__slots__ if name != "setting"]
        case = PlatformCase(**{name: values.pop(name) for name in names}, setting=setting)
        found[case] = PlatformMeasures(**values)
    return found
