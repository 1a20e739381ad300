"""What is written down of a decision (docs/user/decisions.md)."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from eyewall_contracts.decision import (
    DecisionRecord,
    ExecutorMove,
    MetricChange,
    RejectedMoves,
    Verdict,
    record_id,
)
from msgspec.structs import replace

from eyewall_sidecar.model import Evaluation, Placement, Solution, Stream
from eyewall_sidecar.objective import Term
from eyewall_sidecar.service.asking import Asked
from eyewall_sidecar.service.decision import Decline, Keep, Place
from eyewall_sidecar.stores import DelayTable, RecordStore
from eyewall_sidecar.storm import TopologyProblem, TopologyState, workers_started

MOST = 1e15
"""A larger number tells nobody more."""

LOG = logging.getLogger("eyewall.records")


@dataclass(frozen=True, slots=True)
class Found:
    """What a decision rests on.

    Parameters
    ----------
    asked
        What a policy was asked; None if it was not got so far.
    solution
        What was found, whether it was taken or not.
    before
        What ran, by the same model; None if not all of it did.
    seed
        The policy's.
    rates_age
        Seconds since the topology's rates were estimated; None if they are not.
    """

    asked: Asked | None = None
    solution: Solution | None = None
    before: Evaluation | None = None
    seed: int = 0
    rates_age: float | None = None


class Recorder:
    """Numbers decisions and hands them to a store."""

    def __init__(self, store: RecordStore, run: str, clock: Callable[[], float]) -> None:
        """Hand to `store`; `run` names this life of the sidecar, `clock` tells the epoch's time."""
        self._store = store
        self.run = run
        self._clock = clock
        self._made = 0

    def record(
        self, topology: TopologyState, verdict: Place | Keep | Decline, said: str, found: Found
    ) -> None:
        """Write down what was decided for a topology that ran like this, in the log's words."""
        self._put(topology, lambda id_: record_of(id_, topology, verdict, said, found))

    def record_again(self, topology: TopologyState, record: DecisionRecord) -> None:
        """Write down now what was described before: a plan that is applied."""
        self._put(topology, lambda id_: replace(record, id=id_))

    def _put(self, topology: TopologyState, made: Callable[[str], DecisionRecord]) -> None:
        self._made += 1
        try:
            self._store.put(made(record_id(self._clock(), self.run, self._made)))
        # A decision counts, whether it can be written down or not.
        except Exception:
            LOG.exception("%s: a decision is not recorded", topology.topology.id)


def record_of(
    id_: str,
    topology: TopologyState,
    verdict: Place | Keep | Decline,
    said: str,
    found: Found,
) -> DecisionRecord:
    """Return the record of a decision."""
    asked, solution = found.asked, found.solution
    record = DecisionRecord(
        id=id_,
        topology=topology.topology.id,
        verdict=_kind(verdict, topology),
        said=said,
        base=topology.assignment_digest.hex()[:16],
        workers_started=_started(verdict, topology),
        rates_age=found.rates_age,
    )
    if asked is None:
        return record
    record = replace(
        record,
        policy=asked.settings.policy,
        objective=str(asked.settings.objective),
        seed=found.seed,
        delays_age=asked.delays.age if asked.delays.hosts else None,
    )
    problem = asked.problem
    if solution is None or not isinstance(problem, TopologyProblem):
        return record
    alternatives = solution.alternatives
    assumptions = (*problem.assumptions, problem.delays_assumed, *solution.reasons)
    runs, would = _hosts(asked, problem, solution.placement)
    return replace(
        record,
        status=str(solution.status),
        decided_by=solution.decided_by,
        seconds=max(0.0, solution.seconds),
        evaluated=solution.evaluated,
        bound=_known(solution.bound),
        gap=_known(solution.gap),
        metrics=_metrics(found.before, solution.evaluation),
        moves=tuple(
            ExecutorMove(it, runs.get(it, ""), host)
            for it, host in would.items()
            if host != runs.get(it)
        ),
        possible=alternatives.possible if alternatives else None,
        rejected=tuple(RejectedMoves(*it) for it in alternatives.rejected.items())
        if alternatives
        else (),
        assumptions=tuple(it for it in assumptions if it),
        delays_confidence=_confidence(asked.delays, problem.problem.streams, runs, would),
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


def _hosts(
    asked: Asked, problem: TopologyProblem, placement: Placement | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return operator id → host: where each runs, and where each would."""
    host_of = {it: room.supervisor.host for it, room in asked.rooms.items()}
    running = asked.topology.running()
    runs = {
        operator: host_of.get(running[executor].supervisor, "")
        for operator, executor in problem.executors.items()
        if executor in running
    }
    would = {
        operator: host_of[problem.supervisors[node]] for operator, node in (placement or {}).items()
    }
    return runs, would


def _metrics(before: Evaluation | None, after: Evaluation | None) -> tuple[MetricChange, ...]:
    names = ("objective", *Term)
    return tuple(MetricChange(str(it), _value(before, it), _value(after, it)) for it in names)


def _value(evaluation: Evaluation | None, name: str) -> float | None:
    if evaluation is None:
        return None
    values = {
        "objective": evaluation.value,
        Term.R: evaluation.response_time,
        Term.A: evaluation.availability,
        Term.T: evaluation.inter_node_traffic,
        Term.N: evaluation.network_usage,
        Term.EE: evaluation.elastic_energy,
    }
    return _known(values[name])


def _known(value: float | None) -> float | None:
    """Return a number that a record has; a placement of availability 0 is infinitely bad."""
    return value if value is not None and abs(value) <= MOST else None


def _confidence(
    delays: DelayTable, streams: Iterable[Stream], *placements: Mapping[str, str]
) -> float | None:
    """Return how much the least certain of the delays is worth that a stream crosses."""
    pairs = {
        (it[stream.source], it[stream.target])
        for it in placements
        for stream in streams
        if stream.source in it and stream.target in it
    }
    return min((delays.confidence_between(a, b) for a, b in pairs if a != b), default=None)
