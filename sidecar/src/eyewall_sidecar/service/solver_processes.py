"""Solving in processes of their own: a solve never holds the interpreter lock of who answers.

Lanes of one spawned process each. A process that died or hangs is replaced.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eyewall_sidecar.heuristic.alternatives import with_alternatives
from eyewall_sidecar.model import Solution
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.policies.catalogue import OWN
from eyewall_sidecar.policies.compile_ahead import compile_ahead
from eyewall_sidecar.policies.invocation import invoke_policy
from eyewall_sidecar.service.fewest_moves import with_fewest_moves
from eyewall_sidecar.service.least_traffic import with_least_traffic
from eyewall_sidecar.service.solving import Failed, Job, Question, SolverTask

HANGING_AFTER = 10.0
"""Seconds beyond its time limit after which a solve is taken to hang."""
POLICY_SHARE = 0.9
"""Of the time limit, what the policy may use; the rest is for what the objective leaves open."""
WARM_WITHIN = 600.0
"""Seconds that a process may take to start; the first one on a machine compiles for a minute."""

Asking = TypeVar("Asking")
Found = TypeVar("Found")


def solve(
    question: Question, time_limit: float, clock: Callable[[], float] = time.monotonic
) -> Solution:
    """Answer in this process; what is not done when the time limit is over is left undone."""
    ends_at = clock() + time_limit

    def late() -> bool:
        return clock() >= ends_at

    problem, objective = question.problem, question.objective
    share, seed = time_limit * POLICY_SHARE, question.seed
    found = invoke_policy(question.policy, problem, objective, time_limit=share, seed=seed)
    if objective.ecker:
        problem = with_headroom(problem)
    fewest = with_fewest_moves(problem, objective, found, question.interchangeable, late)
    tidied = with_least_traffic(problem, objective, fewest, late)
    return tidied if late() else with_alternatives(question.problem, objective, tidied)


def solve_task(task: SolverTask[Found], time_limit: float) -> Found:
    """Let a task solve itself, in this process."""
    return task.solve(time_limit)


class SolverProcesses:
    """The `Solvers` of `eyewall serve`."""

    def __init__(
        self,
        hanging_after: float = HANGING_AFTER,
        clock: Callable[[], float] = time.monotonic,
        policy: str = "odp",
    ) -> None:
        """Start two processes with this policy loaded; `warm` waits until they are ready.

        Other lanes are started with their first question: one for plans, one for each lane of
        tasks, and one for each policy of another distribution, which may hang and die alone.
        """
        self._placing = _Lane(hanging_after, clock, policy)
        self._improving = _Lane(hanging_after, clock, policy)
        self._hanging_after = hanging_after
        self._clock = clock
        self._policy = policy
        self._on_demand: dict[str, _Lane] = {}
        self._one_starts = threading.Lock()

    def warm(self) -> None:
        """Wait until both processes have all that the default policy needs compiled and loaded."""
        for lane in (self._placing, self._improving):
            lane.warm()

    def place(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask for executors that have no slot."""
        return self._lane_of(question, self._placing).submit(solve, question, time_limit)

    def improve(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask for a better placement of executors that run."""
        return self._lane_of(question, self._improving).submit(solve, question, time_limit)

    def plan(self, question: Question, time_limit: float) -> Job[Solution]:
        """Ask what somebody wants to know; may be asked, and waited for, by several threads."""
        plans = self._lane("plans", self._hanging_after, self._policy)
        return self._lane_of(question, plans).submit(solve, question, time_limit)

    def run(self, task: SolverTask[Found], time_limit: float) -> Job[Found]:
        """Solve a task in the process of its lane; likewise."""
        lane = self._lane(f"task {task.lane}", task.grace, self._policy)
        return lane.submit(solve_task, task, time_limit)

    def process_ids(self) -> tuple[int, int]:
        """Return the ids of the placing and the improving process."""
        return self._placing.process_id(), self._improving.process_id()

    def close(self) -> None:
        """End all processes at once, whatever they do."""
        with self._one_starts:
            for lane in (self._placing, self._improving, *self._on_demand.values()):
                lane.close()

    def _lane_of(self, question: Question, usual: "_Lane") -> "_Lane":
        """Return the usual lane for the sidecar's own policies, the policy's own for others."""
        if question.policy in OWN:
            return usual
        return self._lane(f"policy {question.policy}", self._hanging_after, question.policy)

    def _lane(self, name: str, hanging_after: float, policy: str) -> "_Lane":
        """Return the lane of this name; it is started with its first question."""
        with self._one_starts:
            if name not in self._on_demand:
                self._on_demand[name] = _Lane(hanging_after, self._clock, policy)
            return self._on_demand[name]


class _Lane:
    """One process, and the questions that wait for it."""

    def __init__(self, hanging_after: float, clock: Callable[[], float], policy: str) -> None:
        self.clock = clock
        self._policy = policy
        self._hanging_after = hanging_after
        self._lock = threading.RLock()  # those who wait for plans are several
        self._start()

    def _start(self) -> None:
        self._waiting: deque[tuple[Future[Any], float]] = deque()
        self._head_since = 0.0
        self._executor = ProcessPoolExecutor(
            max_workers=1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(os.getpid(),),
        )
        self._first: Future[int] = self._executor.submit(_prepare, self._policy)

    def warm(self) -> None:
        self._first.result(WARM_WITHIN)

    def process_id(self) -> int:
        return self._first.result(WARM_WITHIN)

    def submit(
        self, answer: Callable[[Asking, float], Found], question: Asking, time_limit: float
    ) -> "_Solving[Found]":
        with self._lock:
            try:
                future = self._executor.submit(answer, question, time_limit)
            except BrokenProcessPool:
                self.replace(self._executor)
                future = self._executor.submit(answer, question, time_limit)
            self._drop_answered()
            if not self._waiting:
                self._head_since = self.clock() + (0.0 if self._first.done() else WARM_WITHIN)
            self._waiting.append((future, time_limit))
            return _Solving(self, self._executor, future)

    def hangs(self) -> bool:
        """Whether the question that has the process has had it for longer than it may."""
        with self._lock:
            self._drop_answered()
            if not self._waiting:
                return False
            if self._first.done():
                self._head_since = min(self._head_since, self.clock())
            _, time_limit = self._waiting[0]
            return self.clock() >= self._head_since + time_limit + self._hanging_after

    def _drop_answered(self) -> None:
        """Count the time of the next question from when the one before it is seen to be done."""
        while self._waiting and self._waiting[0][0].done():
            self._waiting.popleft()
            self._head_since = self.clock()

    def replace(self, broken: ProcessPoolExecutor) -> None:
        """Put a new process in the place of one that died or hangs, if nobody did yet."""
        with self._lock:
            if broken is self._executor:
                self._end()
                self._start()

    def close(self) -> None:
        self._end()

    def _end(self) -> None:
        before = self._executor
        alive = self._first.done() and self._first.exception() is None
        process = self._first.result() if alive else None
        before.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid == process:
                child.kill()
                child.join(1)


@dataclass(frozen=True, slots=True)
class _Solving(Generic[Found]):
    """A question that a lane works on or will."""

    lane: _Lane
    executor: ProcessPoolExecutor
    future: Future[Found]

    def outcome(self, until: float) -> Found | Failed | None:
        try:
            return self.future.result(max(0.0, until - self.lane.clock()))
        except TimeoutError:
            if not self.lane.hangs():
                return None
            self.lane.replace(self.executor)
            return Failed("the solver process hung and was replaced")
        except (BrokenProcessPool, CancelledError):
            self.lane.replace(self.executor)
            return Failed("the solver process died and was replaced")
        except Exception as error:  # noqa: BLE001 - whatever a policy raised in its process
            return Failed(f"the policy failed: {type(error).__name__}: {error}")

    def drop(self) -> None:
        self.future.cancel()


def _begin(parent: int) -> None:
    """Prepare a solver process: Ctrl-C is its parent's to handle, and it dies with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _prepare(policy: str) -> int:
    """Load what an own policy has compiled, or compile it; return the process's id.

    A policy of another distribution may hang: it is called for questions alone, which have limits.
    """
    if policy in OWN:
        compile_ahead(policy)
    return os.getpid()
