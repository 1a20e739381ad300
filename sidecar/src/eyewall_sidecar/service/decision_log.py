"""What is new in a decision is reported: in the log, and as a record (docs/user/decisions.md)."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    MetricChange,
    RejectedMoves,
    Verdict,
    record_id,
)
from eyewall_contracts.objective_terms import DataUnit
from msgspec import structs

from eyewall_sidecar.model import Evaluation, Placement, Solution, Stream
from eyewall_sidecar.objective import Term
from eyewall_sidecar.service.decision import Decline, Keep, LastLines, Place, TopologyOutcome
from eyewall_sidecar.service.messages import (
    differs_in_figures_alone,
    foreign_unit,
    reportable,
)
from eyewall_sidecar.service.problem_cache import Observation, PlacementRequest
from eyewall_sidecar.stores import RecordStore
from eyewall_sidecar.storm import DelayTable, TopologyProblem, TopologyState, workers_started

LOG = logging.getLogger("eyewall.decisions")
RECORD_LOG = logging.getLogger("eyewall.records")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a decision rests on.

    Parameters
    ----------
    request
        What a policy was asked; None if the round did not get so far.
    solution
        What was found, whether it is applied or not.
    before
        What ran, by the same model; None if not all of it did.
    seed
        The policy's.
    rates_age
        Seconds since the topology's rates were estimated; None if they are not.
    """

    request: PlacementRequest | None = None
    solution: Solution | None = None
    before: Evaluation | None = None
    seed: int = 0
    rates_age: float | None = None


class DecisionLog:
    """Logs decisions, numbers them, and hands their records to a store."""

    def __init__(self, store: RecordStore, run: str, clock: Callable[[], float]) -> None:
        """Hand to `store`; `run` names this life of the sidecar, `clock` is the epoch's time."""
        self._store = store
        self.run = run
        self._clock = clock
        self._count = 0

    def report(
        self, topology: TopologyState, outcome: TopologyOutcome, observation: Observation, seed: int
    ) -> LastLines:
        """Log what is new, and record it once it is settled; return the lines to compare with."""
        lines = outcome.record.lines
        if outcome.report is None:
            return lines
        kind = type(outcome.verdict).__name__.lower()
        line = f"{topology.topology.id}: {kind}: {outcome.report}"
        is_new = _is_new(line, lines.logged, outcome.verdict)
        if is_new:
            LOG.info("%s", line)
        lines = replace(lines, logged=line)
        if not isinstance(outcome.verdict, Place):
            is_new = not outcome.pending and _is_new(line, lines.recorded, outcome.verdict)
        if not is_new:
            return lines
        if outcome.plan is not None:
            overlaps = isinstance(outcome.verdict, Place) and outcome.verdict.overlaps
            record = structs.replace(
                outcome.plan.record, said=str(outcome.report), overlaps=overlaps
            )
        else:
            evidence = _evidence(topology, outcome, observation, seed)
            record = describe_decision(topology, outcome.verdict, str(outcome.report), evidence)
            record = _with_move(record, outcome, lines)
        id_ = self._put(topology, record)
        moved = id_ if record.verdict is Verdict.MOVED else lines.moved
        return replace(lines, recorded=line, moved=moved)

    def _put(self, topology: TopologyState, record: DecisionRecord) -> str:
        """Return the record's id."""
        self._count += 1
        id_ = record_id(self._clock(), self.run, self._count)
        try:
            self._store.put(structs.replace(record, id=id_))
        except Exception:  # noqa: BLE001 - a decision holds, whether it can be recorded or not
            RECORD_LOG.exception("%s: a decision is not recorded", topology.topology.id)
        return id_


def _with_move(
    record: DecisionRecord, outcome: TopologyOutcome, lines: LastLines
) -> DecisionRecord:
    """Return the record with what a move costs and was predicted to gain, or what became of it."""
    if outcome.looks_back:
        return structs.replace(record, outcome_of=lines.moved, outcome=str(outcome.report))
    least, greatest = outcome.predicted or (None, None)
    return structs.replace(
        record,
        price=outcome.price,
        gain_least=reportable(least),
        gain_greatest=reportable(greatest),
    )


def _is_new(line: str, last: str, verdict: Place | Keep | Decline) -> bool:
    """Whether a line is worth another one: ages and confidences differ in every round."""
    if isinstance(verdict, Place):
        return line != last
    return not differs_in_figures_alone(line, last)


def _evidence(
    topology: TopologyState, outcome: TopologyOutcome, observation: Observation, seed: int
) -> Evidence:
    request, solution = outcome.record.request, outcome.solution
    if request is not None and request.observation.state is not observation.state:
        request = None  # of an earlier round: this one did not get so far
    if solution is not None and outcome.outdated:
        solution = replace(solution, bound=None, gap=None)  # they hold for another problem
    rates_age = observation.estimates.rates_age.get(topology.topology.id)
    return Evidence(request, solution, outcome.before, seed, rates_age)


def describe_decision(
    topology: TopologyState, verdict: Place | Keep | Decline, report: str, evidence: Evidence
) -> DecisionRecord:
    """Return the record of a decision, without an id."""
    request, solution = evidence.request, evidence.solution
    record = DecisionRecord(
        id="",
        topology=topology.topology.id,
        verdict=_kind(verdict, topology),
        said=report,
        base=topology.assignment_digest.hex()[:16],
        workers_started=_started(verdict, topology),
        overlaps=isinstance(verdict, Place) and verdict.overlaps,
        rates_age=evidence.rates_age,
    )
    if request is None:
        return record
    delays = request.observation.delays
    record = structs.replace(
        record,
        policy=request.settings.policy,
        objective=str(request.settings.objective),
        seed=evidence.seed,
        delays_age=delays.age if delays.hosts else None,
    )
    problem = request.problem
    if solution is None or not isinstance(problem, TopologyProblem):
        return record
    moves = solution.alternatives
    assumptions = (*problem.assumptions, problem.delays_assumed, *solution.reasons)
    current = _current_hosts(request, problem)
    found = _found_hosts(request, problem, solution.placement)
    return structs.replace(
        record,
        status=str(solution.status),
        decided_by=solution.decided_by,
        seconds=max(0.0, solution.seconds),
        evaluated=solution.evaluated,
        bound=reportable(solution.bound),
        gap=reportable(solution.gap),
        metrics=_metrics(evidence.before, solution.evaluation),
        moves=tuple(
            ExecutorMove(executor, current.get(executor, ""), host)
            for executor, host in found.items()
            if host != current.get(executor)
        ),
        possible=moves.possible if moves else None,
        rejected=tuple(RejectedMoves(*it) for it in moves.rejected.items()) if moves else (),
        assumptions=tuple(str(it) for it in assumptions if it),
        delays_confidence=_least_confidence(delays, problem.problem.streams, current, found),
    )


def _kind(verdict: Place | Keep | Decline, topology: TopologyState) -> Verdict:
    match verdict:
        case Place():
            return Verdict.PLACED if topology.missing() else Verdict.MOVED
        case Keep():
            return Verdict.KEPT
        case Decline():
            return Verdict.DECLINED


def _started(verdict: Place | Keep | Decline, topology: TopologyState) -> int | None:
    if not isinstance(verdict, Place):
        return None
    return workers_started(topology.assignment, verdict.assignment)


def _current_hosts(request: PlacementRequest, problem: TopologyProblem) -> dict[str, str]:
    """Executor's name → the host that it runs on."""
    hosts = {it: capacity.supervisor.host for it, capacity in request.capacities.items()}
    slots = request.topology.running()
    return {
        name: hosts.get(slots[executor].supervisor, "")
        for name, executor in problem.executors.items()
        if executor in slots
    }


def _found_hosts(
    request: PlacementRequest, problem: TopologyProblem, placement: Placement | None
) -> dict[str, str]:
    """Executor's name → the host that it would run on."""
    return {
        name: request.capacities[problem.supervisors[node]].supervisor.host
        for name, node in (placement or {}).items()
    }


def _metrics(before: Evaluation | None, after: Evaluation | None) -> tuple[MetricChange, ...]:
    """Return `objective` and every term."""
    was, will = _values(before), _values(after)
    names = ("objective", *Term)
    data = next((it.data_unit for it in (after, before) if it is not None), DataUnit.TUPLES)
    return tuple(
        MetricChange(str(it), was.get(it), will.get(it), foreign_unit(it, data)) for it in names
    )


def _values(evaluation: Evaluation | None) -> dict[str, float | None]:
    if evaluation is None:
        return {}
    values = {"objective": evaluation.value} | {
        str(it): metric for it, metric in evaluation.metrics.items()
    }
    return {name: reportable(value) for name, value in values.items()}


def _least_confidence(
    delays: DelayTable, streams: Iterable[Stream], *placements: Mapping[str, str]
) -> float | None:
    """Return the confidence of the least certain delay that a stream crosses."""
    pairs = {
        (it[stream.source], it[stream.target])
        for it in placements
        for stream in streams
        if stream.source in it and stream.target in it
    }
    return min((delays.confidence_between(a, b) for a, b in pairs if a != b), default=None)
