"""From an answer to a plan: what moves, slot by slot, and what the rules say to it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from msgspec import structs

from eyewall_sidecar.model import Placement, ProblemError, Solution
from eyewall_sidecar.objectives.slowest_path import slowest_path
from eyewall_sidecar.service import wording
from eyewall_sidecar.service.asking import Asked, unknown
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.moving import Judgement, judge
from eyewall_sidecar.service.overview import StepThere
from eyewall_sidecar.service.plan import Plan
from eyewall_sidecar.service.recording import Found, record_of
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.solving import Failed
from eyewall_sidecar.storm import (
    Assignment,
    Mode,
    Settings,
    TopologyProblem,
    choose_slots,
    workers_started,
)

FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Draft:
    """All that a plan needs but an answer; `own` are the topology's own settings."""

    service: SchedulingService
    seen: Seen
    asked: Asked
    own: Settings
    seed: int
    id: str

    def nothing(self, why: str) -> Plan:
        """Return the plan of an answer that there is not: it changes nothing."""
        plan = self._plan(self.asked.topology.assignment, Found(self.asked, seed=self.seed))
        return replace(plan, record=structs.replace(plan.record, status=FAILED), remarks=(why,))

    def found(self, problem: TopologyProblem, answer: Solution | Failed) -> Plan:
        """Return the plan of an answer."""
        if isinstance(answer, Failed):
            return self.nothing(answer.reason)
        topology, settings = self.asked.topology, self.asked.settings
        restraints = self.service.restraints(topology, self.seen.memory)
        judged = judge(problem, settings, answer, self.service.rules, restraints)
        solution = judged.solution or answer
        rates_age = self.seen.measured.rates_age.get(topology.topology.id)
        found = Found(self.asked, solution, judged.before, self.seed, rates_age)
        remarks = [judged.strayed, *solution.reasons, *problem.assumptions, problem.delays_assumed]
        if solution.placement is None or judged.before is None:
            plan = self._plan(topology.assignment, found)
            return replace(plan, remarks=tuple(it for it in (judged.found, *remarks) if it))
        assignment = topology.assignment
        if solution.moves:
            try:
                placed = problem.on_supervisors(solution.placement)
                choice = choose_slots(placed, topology, self.asked.rooms, problem.per_slot)
                assignment = choice.assignment
                remarks += wording.reused(choice.reused, self._host_of())
                remarks += self._own_objective()
            except ProblemError as error:
                return self.nothing(str(error))
        plan = self._plan(assignment, found)
        worth = wording.worth(solution, settings.objective, judged.before)
        moved = wording.counted(solution.moves, "executor")
        how = f"{solution.policy}, {wording.how_good(solution)}, {worth}, {moved} moved"
        return replace(
            plan,
            record=structs.replace(plan.record, said=f"applied plan {self.id}, by order: {how}"),
            status=f"plan {self.id} applied by order: {how}",
            gain=judged.gain,
            slowest_path=tuple(self._slowest_path(problem, solution.placement)),
            remarks=tuple(it for it in remarks if it),
            held_back=self._held_back(problem, judged, assignment),
        )

    def _plan(self, assignment: Assignment, found: Found) -> Plan:
        topology, now = self.asked.topology, self.service.now()
        record = record_of("", topology, Place(assignment), "", found)
        return Plan(self.id, topology, self._host_of(), assignment, record, now, now)

    def _host_of(self) -> dict[str, str]:
        return {it.id: it.host for it in self.seen.state.supervisors}

    def _own_objective(self) -> Iterator[str]:
        """Say what the sidecar goes on by, if that is not what is planned by."""
        if self.asked.settings.objective != self.own.objective:
            yield (
                f"the topology's own objective is {self.own.objective}: by that the sidecar goes "
                "on, and may move it again"
            )

    def _slowest_path(self, problem: TopologyProblem, placement: Placement) -> Iterator[StepThere]:
        for it in slowest_path(problem.problem, placement):
            room = self.asked.rooms[problem.supervisors[placement[it.operator]]]
            yield StepThere(it.operator, room.supervisor.host, it.delay, it.work)

    def _held_back(
        self, problem: TopologyProblem, judged: Judgement, assignment: Assignment
    ) -> str:
        """Say why the rules would not make this move unasked; empty if they would."""
        settings, topology = self.asked.settings, self.asked.topology
        if judged.solution is not None and judged.solution.moves == 0:
            return ""
        if settings.mode is Mode.OBSERVE:
            return "eyewall.mode is observe: nothing is moved unasked"
        if not_known := unknown(problem, settings):
            return f"not known well enough: {not_known}"
        if not judged.move:
            return judged.found
        starts = workers_started(topology.assignment, assignment)
        return self.service.budget.held_back(starts, self.service.now())
