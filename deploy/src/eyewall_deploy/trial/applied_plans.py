"""Topologies that follow their policy in a trial: its plans are applied, whatever they gain."""

from __future__ import annotations

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.failure import Failure
from eyewall_deploy.lifecycle.programs import sidecar_command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from eyewall_deploy.deployment import Deployment
    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.trial.trial_file import Trial, TrialScheduler

STALE: Final = 4
"""Exit code of `eyewall apply` where something has moved since: the next plan knows of it."""
_APPLIED_WITHIN: Final = 45.0
"""Seconds that `eyewall apply` waits; then it says why the plan is queued still."""
_TIMEOUT: Final = 60.0

Ended = subprocess.CompletedProcess[str]


def follow_policy(
    deployment: Deployment, trial: Trial, scheduler: TrialScheduler
) -> AppliedPlans | None:
    """Return the plans that a scheduler of a trial makes; None if it makes none."""
    sidecar, program = deployment.state.sidecar, sidecar_command()
    if scheduler.plan_every is None or sidecar is None or program is None:
        return None
    names = [it.name for it in trial.topologies]
    # A thread for them: a plan takes seconds, in which the run is to be watched.
    thread = ThreadPoolExecutor(max_workers=1)
    run = partial(run_command, program, sidecar)
    return AppliedPlans(names, scheduler.plan_every, lambda command: thread.submit(run, command))


def run_command(program: Path, sidecar: Endpoint, arguments: Sequence[str]) -> Ended:
    """Run a command of the sidecar's; one that takes too long has exit code 1."""
    command = [str(program), *arguments, f"--sidecar={sidecar}", "--json"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return Ended(command, 1, "", f"no answer within {_TIMEOUT:g} s")
    except OSError as error:
        return Ended(command, 1, "", f"{error}")


class AppliedPlans:
    """Each topology's plan is applied, at the first `go_on` and again and again until `end`.

    Parameters
    ----------
    topologies
        Their names; one command at a time is under way.
    every
        Seconds from one plan of a topology to the next; `go_on` is called more often.
    begin
        Begins a command of the sidecar's.
    clock
        Returns the time in seconds.
    """

    def __init__(
        self,
        topologies: Sequence[str],
        every: float,
        begin: Callable[[Sequence[str]], Future[Ended]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._topologies = tuple(topologies)
        self._every = every
        self._begin = begin
        self._clock = clock
        self._due = 0.0
        self._waiting: list[tuple[str, str]] = []
        self._current: tuple[tuple[str, str], Future[Ended]] | None = None

    def go_on(self) -> Failure | None:
        """Begin what is due; return why a plan was not made or not applied, once."""
        failure = None
        if self._current is not None and self._current[1].done():
            (kind, subject), ended = self._current
            self._current = None
            failure = self._take(kind, subject, ended.result())
        if self._current is not None:
            return failure
        if not self._waiting and (now := self._clock()) >= self._due:
            self._waiting = [("plan", it) for it in self._topologies]
            self._due = now + self._every
        if self._waiting:
            command = self._waiting.pop(0)
            more = (f"--timeout={_APPLIED_WITHIN:g}",) if command[0] == "apply" else ()
            self._current = command, self._begin((*command, *more))
        return failure

    def end(self) -> None:
        """Make no more plans; what was applied stays, and what is under way ends by itself."""
        self._current, self._waiting, self._due = None, [], inf

    def _take(self, kind: str, subject: str, ended: Ended) -> Failure | None:
        """Have a plan that moves something applied; return what went wrong."""
        if kind == "apply":
            if ended.returncode in (0, STALE):
                return None
        elif ended.returncode == 0:
            plan: dict[str, Any] = json.loads(ended.stdout)
            if plan["moves"]:
                self._waiting.insert(0, ("apply", plan["id"]))
            return None
        said = ended.stderr.strip() or ended.stdout.strip()
        return Failure(f"eyewall {kind} {subject}: {said}")
