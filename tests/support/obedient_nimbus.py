"""A Nimbus that obeys: runs a scheduling service round by round, with faults on demand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Generic, TypeVar

from delay_tables import delay_table
from eyewall_contracts.decision import DecisionRecord
from eyewall_contracts.rates import Rates
from eyewall_contracts.sample import Sample
from eyewall_contracts.switches import Switches
from eyewall_sidecar.config import MoveLimits, ServiceSettings, SolverLimits
from eyewall_sidecar.messages import Message
from eyewall_sidecar.model import Solution
from eyewall_sidecar.service.decision import Decision, Decline, Place
from eyewall_sidecar.service.decision_log import DecisionLog
from eyewall_sidecar.service.overview import TopologyOverview, topology_overview
from eyewall_sidecar.service.planner import Planner, ServiceContext
from eyewall_sidecar.service.round import InputStores, SchedulingService
from eyewall_sidecar.service.solver_pool import (
    IMPROVING,
    PLACING,
    PLANNING,
    SolverFailure,
    SolverTask,
)
from eyewall_sidecar.stores import HeldSwitches, Measurements, SwitchStore
from eyewall_sidecar.storm import (
    Assignment,
    DelayTable,
    Executor,
    Supervisor,
    Topology,
)
from storm_builders import IDLE_HOSTS, cluster, state


@dataclass
class Clock:
    """Time that only a test moves."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


Result = TypeVar("Result")
_LANES = (PLACING, IMPROVING, PLANNING)


@dataclass
class ScriptedJob(Generic[Result]):
    """Solves at once for real, and holds the result back until it is released."""

    task: Any
    limit: float
    ready: bool
    answer: Result | SolverFailure | None = None
    seconds: float | None = None
    cancelled: bool = False

    def result(self, until: float) -> Result | SolverFailure | None:
        if not self.ready:
            return None
        solved: Result = self.task.solve(10)
        if self.seconds is not None and isinstance(solved, Solution):
            solved = replace(solved, seconds=self.seconds)
        return self.answer or solved

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class ScriptedSolvers:
    """Real results with faults on demand: late ones, failures, or `answer`."""

    late: bool = False
    answer: Solution | SolverFailure | None = None
    task_answer: Any = None
    """Of tasks that are not placements."""
    breaks_on: str = ""
    seconds: float | None = 0.0
    """That each search says it took, whatever a busy machine made of it; None: what it did take."""
    jobs: list[ScriptedJob[Any]] = field(default_factory=list)

    def run(self, task: SolverTask[Result], time_limit: float) -> ScriptedJob[Result]:
        job = ScriptedJob[Any](task, time_limit, not self.late, self.task_answer, self.seconds)
        if task.lane in _LANES:
            job.answer = self.answer
        if self.breaks_on and self.breaks_on in {it.id for it in job.task.problem.operators}:
            raise RuntimeError("a surprise")
        self.jobs.append(job)
        return job

    @property
    def placed(self) -> list[ScriptedJob[Solution]]:
        return self._of(PLACING)

    @property
    def improved(self) -> list[ScriptedJob[Solution]]:
        return self._of(IMPROVING)

    @property
    def planned(self) -> list[ScriptedJob[Solution]]:
        return self._of(PLANNING)

    @property
    def tasks(self) -> list[ScriptedJob[Any]]:
        """Those that are not placements."""
        return [it for it in self.jobs if it.task.lane not in _LANES]

    def _of(self, lane: str) -> list[ScriptedJob[Solution]]:
        return [it for it in self.jobs if it.task.lane == lane]


class Turned:
    """Switches that a test turns as it goes; nobody can turn any to begin with."""

    def __init__(self) -> None:
        self.held = HeldSwitches()
        self.store: SwitchStore | None = None
        """A real one instead."""

    def turn(self, *topologies: str, everything: bool = False, drained: Sequence[str] = ()) -> None:
        switches = Switches(everything, frozenset(topologies), frozenset(drained))
        self.held = HeldSwitches(wanted=True, switches=switches, age=0.5)

    def read(self) -> HeldSwitches:
        return self.held if self.store is None else self.store.read()


class Table:
    """Delays in milliseconds that a test changes as it goes."""

    source = "file"

    def __init__(self, milliseconds: Mapping[tuple[str, str], float]) -> None:
        self.milliseconds = dict(milliseconds)
        self.remark = ""
        self.age = 0.0
        self.confidence = 1.0

    def read(self) -> DelayTable:
        return delay_table(
            self.milliseconds,
            doubted=self.milliseconds if self.confidence < 1.0 else (),
            confidence=self.confidence,
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
    earlier: dict[str, tuple[Sample, ...]] = field(default_factory=dict)
    remark: str = ""

    def read(self) -> Measurements:
        return Measurements(
            wanted=self.wanted,
            now=self.clock(),
            rates=dict(self.rates),
            hosts=dict(self.hosts),
            earlier=dict(self.earlier),
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
        **limits: float | bool | None,
    ) -> None:
        self.hosts = list(hosts)
        self.clock = Clock()
        self.solvers = ScriptedSolvers()
        self.delays = Table(delays)
        self.measured = Written(self.clock)
        self.recorded = Kept()
        self.switches = Turned()
        self.service = SchedulingService(
            settings_with(**{"cool_down_seconds": 0.0, "horizon_seconds": 0.0, **limits}),
            InputStores(self.delays, self.measured, self.switches),
            self.solvers,
            DecisionLog(self.recorded, "5f1c1a0e", self.clock),
            self.clock,
        )
        self.context = ServiceContext(self.service, self.solvers)
        self.planner = Planner(self.context, map("{:08x}".format, count(1)).__next__)
        self.running: dict[str, Assignment] = {}
        self.least_worker_cores = 0.0

    def round(
        self, *topologies: Topology, obey: bool = True, refusal: str = ""
    ) -> dict[str, Decision]:
        self.clock.now += 1
        states = [
            replace(state(it, *self.running.get(it.id, ())), refusal=refusal) for it in topologies
        ]
        seen = replace(cluster(self.hosts, *states), least_worker_cores=self.least_worker_cores)
        decisions = self.service.decide(seen, self.clock.now + 2)
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

    def overview(self, place: int = 0) -> TopologyOverview:
        """What the last round knows of one of its topologies."""
        snapshot = self.service.last_round()
        of = snapshot.observation.state.topologies[place]
        return topology_overview(snapshot, of, self.service.settings.defaults)


def settings_with(**limits: Any) -> ServiceSettings:
    """The limits of solvers and of moves, by the names of their fields."""
    of_solver = SolverLimits.model_fields.keys() & limits.keys()
    solver = {name: limits.pop(name) for name in of_solver}
    return ServiceSettings(
        defaults=IDLE_HOSTS, solver=SolverLimits(**solver), moves=MoveLimits(**limits)
    )


def is_placed(decision: Decision) -> bool:
    return isinstance(decision.verdict, Place)


def reason(decision: Decision) -> Message:
    assert isinstance(decision.verdict, Decline), decision
    return decision.verdict.reason
