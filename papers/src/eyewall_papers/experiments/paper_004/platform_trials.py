"""Simulations of section 6, one after the other or on several processes, kept in a file.

Each line of the file is one simulation. What is there is not run again: an experiment that was
stopped, or that ran out of its time, goes on where it was, and both experiments share simulations.
"""

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

from eyewall_papers.bimodal.balanced_mapper import balanced_mapper
from eyewall_papers.bimodal.simulated import Simulated
from eyewall_papers.bimodal.simulation import simulate
from eyewall_papers.bimodal.variability import WindowMean, drawn_by_window
from eyewall_papers.experiments.paper_004.platforms import (
    HOUR,
    MEAN_VOLUME,
    PRICE,
    dedicated_only,
    public_only,
    random_platform,
    workload,
)
from eyewall_papers.experiments.progress import progress_bar

INTERVAL = 60.0
"""Seconds between re-allocations; the paper names none."""


class Setting(StrEnum):
    """What links a platform has, and whether they are re-allocated."""

    BOTH = "both kinds"
    FIXED = "both kinds, not re-allocated"
    DEDICATED = "dedicated only"
    PUBLIC = "public only"


@dataclass(frozen=True, slots=True)
class Case:
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
    setting: Setting


@dataclass(frozen=True, slots=True)
class Measures:
    """What a simulation came to.

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


Found = dict[Case, Measures]


def simulated(case: Case, seed: int, draw: WindowMean) -> Simulated:
    """Simulate a case; settings of one network have the same servers, links and tasks."""
    whole = random_platform(case.links, default_rng((seed, case.number, case.links)))
    tasks = workload(
        whole, case.tasks, case.per_hour, case.hops, default_rng((seed, case.number, 1))
    )
    network = {Setting.DEDICATED: dedicated_only, Setting.PUBLIC: public_only}.get(
        case.setting, lambda it: it
    )(whole)
    return simulate(
        network,
        tasks,
        balanced_mapper(network),
        draw,
        default_rng((seed, case.number, 2)),
        interval=INTERVAL if case.setting is Setting.BOTH else inf,
        price=PRICE,
    )


def measured(case: Case, seed: int) -> Measures:
    """Simulate a case by the means of windows."""
    found = simulated(case, seed, drawn_by_window)
    return Measures(
        found.acceptance,
        found.throughput * HOUR / MEAN_VOLUME,
        found.server_utilisation,
        found.link_utilisation,
        fmean(run.deviation for run in found.runs) if found.runs else None,
        fmean(run.elongation for run in found.runs) if found.runs else None,
    )


def run_cases(
    cases: Sequence[Case], file: Path, *, seed: int, minutes: float, processes: int
) -> Found:
    """Simulate what the file does not have, until the time is up; return all that there is."""
    found = _kept(file, seed)
    missing = [case for case in cases if case not in found]
    ends = monotonic() + 60.0 * minutes
    with file.open("a", encoding="utf-8") as kept, progress_bar() as bar:
        shown = bar.add_task("simulations", total=len(cases), completed=len(cases) - len(missing))
        for case, measures in _simulated(missing, seed, ends, processes):
            found[case] = measures
            line = {"seed": seed} | asdict(case) | asdict(measures)
            kept.write(json.dumps(line) + "\n")
            kept.flush()
            bar.advance(shown)
    return {case: found[case] for case in cases if case in found}


def _simulated(
    cases: Sequence[Case], seed: int, ends: float, processes: int
) -> Iterator[tuple[Case, Measures]]:
    """Yield cases as they are done; none is begun when the time is up."""
    waiting = iter(cases)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        running: dict[Future[Measures], Case] = {}
        while True:
            while len(running) < processes and monotonic() < ends:
                case = next(waiting, None)
                if case is None:
                    break
                running[pool.submit(measured, case, seed)] = case
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def _kept(file: Path, seed: int) -> Found:
    found: Found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        values = json.loads(line)
        if values.pop("seed") != seed:
            continue
        setting = Setting(values.pop("setting"))
        names = [name for name in Case.__slots__ if name != "setting"]
        case = Case(**{name: values.pop(name) for name in names}, setting=setting)
        found[case] = Measures(**values)
    return found
