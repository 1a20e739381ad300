"""Solving in other processes: a solve never holds the interpreter lock of a thread that answers.

A lane is one process and the tasks that wait for it. A process that dies or hangs is replaced.
They are forked from one that has loaded what they need, and has no threads. Those for policies of
other distributions are spawned, and all that start after one has died: what it was forked from may
have died with it, and who starts that waits for it.
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
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext
from typing import Any, Generic, Protocol, TypeVar

from eyewall_sidecar.heuristic.alternatives import with_alternatives
from eyewall_sidecar.heuristic.tie_breaks import with_fewest_moves, with_least_traffic
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import PlacementProblem, Solution
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.objectives.ecker import with_headroom
from eyewall_sidecar.plugins import described
from eyewall_sidecar.policies.catalogue import OWN
from eyewall_sidecar.policies.compile_ahead import compile_ahead
from eyewall_sidecar.policies.invocation import invoke_policy
from eyewall_sidecar.service.lookup import UnavailableError

GRACE_SECONDS = 10.0
"""Beyond its time limit, after which a solve is considered hung."""
POLICY_SHARE = 0.9
"""Of the time limit, what the policy may use; the rest is for breaking ties."""
START_SECONDS = 600.0
"""That a process may take to start; the first one on a machine compiles for a minute."""
POLL_SECONDS = 0.5
"""Between two checks whether anybody still waits for a result."""
FORK, SPAWN = "forkserver", "spawn"
"""How processes start."""
PRELOADED = "eyewall_sidecar.service.solver_preload"

PLACING = "placing"
IMPROVING = "improving"
PLANNING = "planning"
FOREIGN = "foreign policy"
"""How lanes of other distributions' policies begin."""

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class SolverTask(Protocol[Result_co]):
    """A task that is pickled and solves itself in another process."""

    @property
    def lane(self) -> str:
        """The process that solves it; tasks of one lane wait for each other."""
        ...

    @property
    def grace(self) -> float:
        """Seconds beyond its time limit after which its process is considered hung."""
        ...

    def solve(self, time_limit: float) -> Result_co:
        """Return the result within so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class PlacementTask:
    """A placement problem for a policy; a `SolverTask`.

    Parameters
    ----------
    problem, objective, policy, seed
        They determine the result.
    interchangeable
        Groups of operators of which each could do the others' work.
    purpose
        PLACING, IMPROVING or PLANNING: it names the lane of the sidecar's own policies.
    grace
        As of any task.
    """

    problem: PlacementProblem
    objective: Objective
    policy: str
    seed: int
    interchangeable: tuple[tuple[str, ...], ...] = ()
    purpose: str = IMPROVING
    grace: float = GRACE_SECONDS

    @property
    def lane(self) -> str:
        """The process: a policy of another distribution has one alone, to hang or die in."""
        return self.purpose if self.policy in OWN else f"{FOREIGN} {self.policy}"

    def solve(self, time_limit: float, clock: Callable[[], float] = time.monotonic) -> Solution:
        """Solve in this process; ties are broken as far as the time limit allows."""
        began = clock()
        ends_at = began + time_limit

        def is_late() -> bool:
            return clock() >= ends_at

        problem, objective = self.problem, self.objective
        share, seed = time_limit * POLICY_SHARE, self.seed
        found = invoke_policy(self.policy, problem, objective, time_limit=share, seed=seed)
        if objective.ecker:
            problem = with_headroom(problem)
        found = with_fewest_moves(problem, objective, found, self.interchangeable, is_late)
        found = with_least_traffic(problem, objective, found, is_late)
        if not is_late():
            found = with_alternatives(self.problem, objective, found)
        return replace(found, seconds=max(found.seconds, clock() - began))


@dataclass(frozen=True, slots=True)
class SolverFailure:
    """The solver failed: there is no result, and nothing is learned of the problem.

    `began`: whether it may have worked on the task; it has not where what came before it hung.
    """

    reason: Message
    began: bool = True


class Job(Protocol[Result_co]):
    """A task under way."""

    def result(self, until: float) -> Result_co | SolverFailure | None:
        """Wait for the result until then, on the service's clock; None if it is not there."""
        ...

    def cancel(self) -> None:
        """Drop the task: nobody waits for its result any more."""
        ...


class Solvers(Protocol):
    """What solves tasks."""

    def run(self, task: SolverTask[Result], time_limit: float) -> Job[Result]:
        """Begin to solve a task, once its lane has solved those before it."""
        ...


class SolverPool:
    """The `Solvers` of `eyewall serve`; any thread may use it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, policy: str = "odp") -> None:
        """Start the processes for placing and improving, with this policy loaded.

        `warm` waits until they are ready. Any other lane starts with its first task.
        """
        self._clock = clock
        self._policy = policy
        self._lanes = {name: _Lane(clock, policy, FORK) for name in (PLACING, IMPROVING)}
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Wait until all processes have what the policy needs compiled and loaded."""
        for lane in self._lanes.values():
            lane.warm()

    def run(self, task: SolverTask[Result], time_limit: float) -> Job[Result]:
        """Begin to solve a task, once its lane has solved those before it."""
        with self._lock:
            if task.lane not in self._lanes:
                foreign = task.lane.startswith(FOREIGN)
                method = SPAWN if foreign or self._has_died() else FORK
                loaded = "" if foreign else self._policy
                self._lanes[task.lane] = _Lane(self._clock, loaded, method)
            lane = self._lanes[task.lane]
        return lane.submit(task, time_limit)

    def process_id(self, lane: str) -> int:
        """Return the id of a lane's process; waits until it has started."""
        return self._lanes[lane].process_id()

    def close(self) -> None:
        """End all processes that have started at once, whatever they do."""
        with self._lock:
            for lane in self._lanes.values():
                lane.close()

    def _has_died(self) -> bool:
        return any(
            it.method == SPAWN for at, it in self._lanes.items() if at in (PLACING, IMPROVING)
        )


def wait_for(
    job: Job[Result], now: Callable[[], float], is_awaited: Callable[[], bool]
) -> Result | SolverFailure:
    """Wait for a result; UnavailableError once nobody else does."""
    while (result := job.result(now() + POLL_SECONDS)) is None:
        if not is_awaited():
            job.cancel()
            raise UnavailableError(message(Code.NOBODY_WAITS))
    return result


class _Lane:
    """One process, and the tasks that wait for it."""

    def __init__(self, clock: Callable[[], float], policy: str, method: str) -> None:
        self.clock = clock
        self.method = method
        self._policy = policy
        self._lock = threading.RLock()  # several threads may wait for plans
        self._start()

    def _start(self) -> None:
        self._waiting: deque[tuple[Future[Any], float]] = deque()
        self._head_since = 0.0
        try:
            self._launch()
        except (OSError, EOFError, multiprocessing.AuthenticationError):
            # What they are forked from has been killed, or cannot be reached in the folder for
            # temporary files.
            self.method = SPAWN
            self._launch()

    def _launch(self) -> None:
        context = multiprocessing.get_context(self.method)
        if isinstance(context, ForkServerContext):
            context.set_forkserver_preload([PRELOADED])
        self._executor = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_begin)
        self._first: Future[int] = self._executor.submit(_prepare, self._policy)

    def warm(self) -> None:
        self._first.result(START_SECONDS)

    def process_id(self) -> int:
        return self._first.result(START_SECONDS)

    def submit(self, task: SolverTask[Result], time_limit: float) -> "_PoolJob[Result]":
        with self._lock:
            try:
                future = self._executor.submit(task.solve, time_limit)
            except BrokenProcessPool:
                self.replace(self._executor, died=True)
                future = self._executor.submit(task.solve, time_limit)
            self._drop_finished()
            if not self._waiting:
                self._head_since = self.clock() + (0.0 if self._first.done() else START_SECONDS)
            self._waiting.append((future, time_limit + task.grace))
            return _PoolJob(self, self._executor, future)

    def hangs(self) -> bool:
        """Whether the task that has the process has had it for longer than it may."""
        with self._lock:
            self._drop_finished()
            if not self._waiting:
                return False
            if self._first.done():
                self._head_since = min(self._head_since, self.clock())
            _, allowed = self._waiting[0]
            return self.clock() >= self._head_since + allowed

    def _drop_finished(self) -> None:
        """Count the time of the next task from when the one before it is seen to be done."""
        while self._waiting and self._waiting[0][0].done():
            self._waiting.popleft()
            self._head_since = self.clock()

    def replace(self, broken: ProcessPoolExecutor, *, died: bool) -> None:
        """Replace a process that died or hangs, unless another thread did."""
        with self._lock:
            if broken is self._executor:
                self._end()
                self.method = SPAWN if died else self.method
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
class _PoolJob(Generic[Result]):
    """A task that a lane works on or will."""

    lane: _Lane
    executor: ProcessPoolExecutor
    future: Future[Result]

    def result(self, until: float) -> Result | SolverFailure | None:
        try:
            return self.future.result(max(0.0, until - self.lane.clock()))
        except TimeoutError:
            if not self.lane.hangs():
                return None
            self.lane.replace(self.executor, died=False)
            return SolverFailure(message(Code.SOLVER_HUNG))
        except BrokenProcessPool:
            self.lane.replace(self.executor, died=True)
            return SolverFailure(message(Code.SOLVER_DIED))
        except CancelledError:
            return SolverFailure(message(Code.SOLVER_HUNG), began=False)
        except Exception as error:  # noqa: BLE001 - anything a policy raised in its process
            return SolverFailure(message(Code.POLICY_FAILED, error=described(error)))

    def cancel(self) -> None:
        self.future.cancel()


def _begin() -> None:
    """Prepare a solver process: the sidecar handles Ctrl-C, and it dies with the sidecar.

    What it was forked from lives as long as any solver process does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    sidecar = multiprocessing.parent_process()
    while os.getppid() == parent and sidecar is not None and sidecar.is_alive():
        time.sleep(1)
    os._exit(1)


def _prepare(policy: str) -> int:
    """Load what an own policy has compiled, or compile it; return the process's id.

    A policy of another distribution may hang: it is called for tasks alone, which have limits.
    """
    if policy in OWN:
        compile_ahead(policy)
    return os.getpid()
