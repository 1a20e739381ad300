"""Which runs a trial has, in which order, and what each depends on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eyewall_deploy import state_file
from eyewall_deploy.failure import Failure
from eyewall_deploy.trial.records import SustainableRate, TrialRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyewall_deploy.trial.trial_file import Trial, TrialScheduler

_FIRST_KEYS = frozenset({"at", "until", "delay", "add", "cpu", "factor"})
"""Keys of events that are in the hash even where they say nothing; later ones are not."""
_PLAN_EVERY = "plan_every"
"""Likewise, of schedulers."""
_Result = TypeVar("_Result", TrialRun, SustainableRate)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run: a scheduler under a load; repetitions count from 1.

    Parameters
    ----------
    load
        None is a search of the largest.
    resolution
        Of a search: by which factor above 1 its result may be too small.
    p99_limit
        Of a search: seconds that are sustained, the same for all schedulers; None: twice its own at
        half of the rate.
    """

    load: float | None
    repetition: int
    scheduler: TrialScheduler
    resolution: float = 0.0
    p99_limit: float | None = None

    @property
    def name(self) -> str:
        """Its name in files."""
        what = "sustainable" if self.load is None else f"load-{self.load:g}"
        return f"{what}-{self.repetition}-{self.scheduler.label}"

    @property
    def description(self) -> str:
        """What it is, for people."""
        what = "sustainable rate" if self.load is None else f"load {self.load:g}"
        return f"{what}, repetition {self.repetition}, {self.scheduler.label}"


def plan_runs(trial: Trial) -> Iterator[tuple[PlannedRun, ...]]:
    """Yield all runs, those together that one start of the topologies has one after another.

    Each repetition begins with another scheduler, so none is always first.
    """
    together = [trial.loads] if trial.one_start else [(load,) for load in trial.loads]
    for loads in together:
        for repetition, scheduler in _turns(trial):
            yield tuple(PlannedRun(load, repetition, scheduler) for load in loads)


def plan_searches(
    trial: Trial, resolution: float, p99_limit: float | None = None
) -> Iterator[tuple[PlannedRun, ...]]:
    """Yield a search of the largest rate for each repetition and scheduler, in the same order."""
    for repetition, scheduler in _turns(trial):
        yield (PlannedRun(None, repetition, scheduler, resolution, p99_limit),)


def fingerprint(trial: Trial, planned: PlannedRun) -> str:
    """Return what tells a run from one of another trial: a hash of all that it depends on."""
    # Where a cluster file was read from depends on where the command is called.
    cluster = replace(trial.cluster, origin=Path(trial.cluster.origin).name)
    content = {
        "cluster": asdict(cluster),
        "cores": trial.host_cores(),
        "seconds": [trial.warm_up, trial.seconds],
        "rate": trial.rate.scale(planned.load or 1.0).points,
        "topologies": [asdict(topology) for topology in trial.topologies],
        "scheduler": {
            key: it
            for key, it in asdict(planned.scheduler).items()
            if key != _PLAN_EVERY or it is not None
        },
        "resolution": planned.resolution,
        "events": [
            {key: it for key, it in asdict(event).items() if key in _FIRST_KEYS or it is not None}
            for event in trial.events
        ],
    }
    if trial.latency_algorithm is not None:
        content["latency_algorithm"] = trial.latency_algorithm
    if planned.p99_limit is not None:
        content["p99_limit"] = planned.p99_limit
    if trial.one_start and planned.load is not None:
        content["one_start"] = trial.loads  # what ran before has warmed up the workers
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_file(output: Path, planned: PlannedRun) -> Path:
    """Return the file of a run's results."""
    return output / "runs" / f"{planned.name}.json"


def finished_runs(
    trial: Trial, runs: Sequence[PlannedRun], output: Path, kind: type[_Result]
) -> list[_Result] | None:
    """Return the results of runs, all of one start, that an earlier call has finished.

    None if one of them is missing, or is not of this very trial.
    """
    finished = []
    for planned in runs:
        try:
            result = state_file.read(run_file(output, planned), kind, "run")
        except state_file.StateFileError:
            return None
        if result.fingerprint != fingerprint(trial, planned):
            return None
        finished.append(result)
    return finished


def recorded_runs(
    trial: Trial, runs: Sequence[PlannedRun], output: Path, kind: type[_Result]
) -> list[_Result] | Failure:
    """Return all that a folder has of a trial, also what the planned runs leave out.

    Failure if it has a run of another trial, which one of this might replace.
    """
    planned = {it.name: it for it in runs}
    resolution = max((it.resolution for it in runs), default=0.0)
    p99_limit = next((it.p99_limit for it in runs), None)
    schedulers = {it.label: it for it in (*trial.declared, *trial.schedulers)}
    found: list[tuple[PlannedRun, _Result]] = []
    others = 0
    pattern = "load-*.json" if kind is TrialRun else "sustainable-*.json"
    for file in sorted((output / "runs").glob(pattern)):
        try:
            result = state_file.read(file, kind, "run")
        except state_file.StateFileError as error:
            return Failure(f"{error}; give --output, or remove it")
        scheduler = schedulers.get(result.scheduler)
        load = result.load if isinstance(result, TrialRun) else None
        own = planned.get(file.stem)
        if own is None and scheduler is not None:
            own = PlannedRun(load, result.repetition, scheduler, resolution, p99_limit)
        if own is None or result.fingerprint != fingerprint(trial, own):
            others += 1
        else:
            found.append((own, result))
    if others:
        runs_are = "1 run" if others == 1 else f"{others} runs"
        return Failure(
            f"{output} has {runs_are} of another version of this trial; give --output, or remove "
            f"{output / 'runs'}"
        )
    order = list(schedulers)
    found.sort(key=lambda it: (it[0].load or 0.0, it[0].repetition, order.index(it[1].scheduler)))
    return [result for _, result in found]


def _turns(trial: Trial) -> Iterator[tuple[int, TrialScheduler]]:
    for repetition in range(1, trial.repetitions + 1):
        first = (repetition - 1) % len(trial.schedulers)
        for scheduler in (*trial.schedulers[first:], *trial.schedulers[:first]):
            yield repetition, scheduler
