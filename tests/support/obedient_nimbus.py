"""A Nimbus that obeys: runs a scheduling service round by round, with faults on demand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, TypeVar

from eyewall_contracts.decision import DecisionRecord
from eyewall_contracts.rates import Rates
from eyewall_contracts.sample import Sample
from eyewall_contracts.switches import Switches
from eyewall_sidecar.model import Solution
from eyewall_sidecar.service import (
    Decision,
    Decline,
    Failed,
    Job,
    Measuring,
    Outcome,
    Place,
    Planning,
    Question,
    Recorder,
    Rules,
    SchedulingService,
    ServiceContext,
    SolverTask,
)
from eyewall_sidecar.service.solver_processes import solve, solve_task
from eyewall_sidecar.stores import DelayTable, HeldSwitches, Measurements
from eyewall_sidecar.storm import (
    Assignment,
    Executor,
    Settings,
    Supervisor,
    Topology,
)
from storm_builders import cluster, state


@dataclass
class Clock:
    """Time stands still unless somebody moves it."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


Asking = TypeVar("Asking")
Found = TypeVar("Found")


@dataclass
class Answered(Generic[Asking, Found]):
    """Solves really and at once, but shows the answer only when told to."""

    asked: Asking
    limit: float
    solve: Callable[[Asking, float], Found]
    ready: bool
    answer: Found | Failed | None = None
    dropped: bool = False

    def outcome(self, until: float) -> Found | Failed | None:
        if not self.ready:
            return None
        return self.answer or self.solve(self.asked, 10)

    def drop(self) -> None:
        self.dropped = True


@dataclass
class ScriptedSolvers:
    """Real answers with faults on demand: late ones, failures, whatever `answer` holds."""

    late: bool = False
    answer: Outcome | None = None
    breaks_on: str = ""
    task_answer: Any = None
    placed: list[Answered[Question, Solution]] = field(default_factory=list)
    improved: list[Answered[Question, Solution]] = field(default_factory=list)
    planned: list[Answered[Question, Solution]] = field(default_factory=list)
    tasks: list[Answered[Any, Any]] = field(default_factory=list)

    def place(self, question: Question, time_limit: float) -> Job[Solution]:
        if self.breaks_on in {it.id for it in question.problem.operators}:
            raise RuntimeError("a surprise")
        self.placed.append(Answered(question, time_limit, solve, not self.late, self.answer))
        return self.placed[-1]

    def improve(self, question: Question, time_limit: float) -> Job[Solution]:
        self.improved.append(Answered(question, time_limit, solve, not self.late, self.answer))
        return self.improved[-1]

    def plan(self, question: Question, time_limit: float) -> Job[Solution]:
        self.planned.append(Answered(question, time_limit, solve, not self.late, self.answer))
        return self.planned[-1]

    def run(self, task: SolverTask[Found], time_limit: float) -> Job[Found]:
        asked = Answered(task, time_limit, solve_task, not self.late, self.task_answer)
        self.tasks.append(asked)
        return asked


class Turned:
    """Switches that a test turns as it goes; nobody can turn any to begin with."""

    def __init__(self) -> None:
        self.held = HeldSwitches()

    def turn(self, *topologies: str, everything: bool = False) -> None:
        switches = Switches(everything, frozenset(topologies))
        self.held = HeldSwitches(wanted=True, switches=switches, age=0.5)

    def read(self) -> HeldSwitches:
        return self.held


class Table:
    """Delays in milliseconds that a test changes as it goes."""

    source = "file"

    def __init__(self, milliseconds: Mapping[tuple[str, str], float]) -> None:
        self.milliseconds = dict(milliseconds)
        self.remark = ""
        self.age = 0.0
        self.confidence = 1.0
        self.minimum_confidence = 0.3

    def read(self) -> DelayTable:
        hosts = sorted({host for pair in self.milliseconds for host in pair})
        found = {(a, b): delay / 1000 for (a, b), delay in self.milliseconds.items()}
        found |= {(b, a): delay for (a, b), delay in found.items()}
        known = [
            (row, column)
            for row, a in enumerate(hosts)
            for column, b in enumerate(hosts)
            if (a, b) in found
        ]
        return DelayTable(
            hosts={host: place for place, host in enumerate(hosts)},
            seconds=[[found.get((a, b)) for b in hosts] for a in hosts],
            doubtful=frozenset(known if self.confidence < self.minimum_confidence else ()),
            minimum_confidence=self.minimum_confidence,
            confidence=[[self.confidence] * len(hosts) for _ in hosts],
            age=self.age,
            remark=self.remark,
        )


@dataclass
class Written:
    """Measurements that a test writes as it goes; none to begin with."""

    clock: Clock
    wanted: bool = False
    rates: dict[str, Rates] = field(default_factory=dict)
    hosts: dict[str, Sample] = field(default_factory=dict)
    remark: str = ""

    def read(self) -> Measurements:
        return Measurements(
            wanted=self.wanted,
            now=self.clock(),
            rates=dict(self.rates),
            hosts=dict(self.hosts),
            remark=self.remark,
        )


class Kept:
    """Records that a test looks at."""

    def __init__(self) -> None:
        self.records: list[DecisionRecord] = []

    def put(self, record: DecisionRecord) -> None:
        self.records.append(record)


class Nimbus:
    """Runs what the service decides, as Nimbus would."""

    def __init__(
        self,
        hosts: Sequence[Supervisor],
        delays: Mapping[tuple[str, str], float],
        **rules: float | bool | None,
    ) -> None:
        self.hosts = list(hosts)
        self.clock = Clock()
        self.solvers = ScriptedSolvers()
        self.delays = Table(delays)
        self.measured = Written(self.clock)
        self.recorded = Kept()
        self.switches = Turned()
        self.service = SchedulingService(
            Settings(),
            Rules(**{"cool_down_seconds": 0.0, **rules}),  # type: ignore[arg-type]
            self.delays,
            Measuring(self.measured, minimum_confidence=0.5),
            self.solvers,
            Recorder(self.recorded, "5f1c1a0e", self.clock),
            self.clock,
            self.switches,
        )
        self.planning = Planning(
            self.service, self.solvers, map("{:08x}".format, count(1)).__next__
        )
        self.context = ServiceContext(self.service, self.solvers)
        self.running: dict[str, Assignment] = {}

    def round(self, *topologies: Topology, obey: bool = True) -> dict[str, Decision]:
        self.clock.now += 1
        states = [state(it, *self.running.get(it.id, ())) for it in topologies]
        decisions = self.service.decide(cluster(self.hosts, *states), self.clock.now + 2)
        for decision in decisions:
            if obey and isinstance(decision.verdict, Place):
                self.running[decision.topology_id] = decision.verdict.assignment
        return {it.topology_id: it for it in decisions}

    def rounds(self, topology: Topology, number: int) -> list[Decision]:
        return [self.round(topology)[topology.id] for _ in range(number)]

    def host_of(self, topology: Topology, task: int) -> str:
        return next(
            it.slot.supervisor.removeprefix("sup-")
            for it in self.running[topology.id]
            if Executor(task, task) in it.executors
        )


def is_placed(decision: Decision) -> bool:
    return isinstance(decision.verdict, Place)


def reason(decision: Decision) -> str:
    assert isinstance(decision.verdict, Decline), decision
    return decision.verdict.reason
