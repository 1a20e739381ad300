"""From plans, explanations and problems to the messages of operations.proto."""

from collections.abc import Iterable, Mapping
from typing import Any

from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.messages import Message
from eyewall_sidecar.model import Evaluation
from eyewall_sidecar.objectives.slowest_path import PathStep
from eyewall_sidecar.problem_file.writer import write_problem
from eyewall_sidecar.rpc.encode import encodable
from eyewall_sidecar.service.explanations import Alternative, Explanation
from eyewall_sidecar.service.messages import foreign_unit, reportable
from eyewall_sidecar.service.overview import RunningProblem
from eyewall_sidecar.service.planner import PlanOptions
from eyewall_sidecar.service.plans import PLAN_SECONDS, Plan, executor_names
from eyewall_sidecar.service.what_if import Change, Forecast, Interval, Prospect
from eyewall_sidecar.storm import Executor, Slot, slots_of


def text(message: Message | str | None) -> str:
    """Return a message's sentence; empty if there is none."""
    return "" if message is None else encodable(str(message))


def metrics(value: float | None, evaluation: Evaluation) -> list[pb.Metric]:
    """Encode what runs, by the model; `value` is the objective's."""
    values = ("objective", value), *evaluation.metrics.items()
    return [
        pb.Metric(
            name=str(name), before=reportable(it), unit=foreign_unit(name, evaluation.data_unit)
        )
        for name, it in values
    ]


def path(steps: Iterable[PathStep], hosts: Mapping[str, str]) -> list[pb.PathStep]:
    """Encode a slowest path; `hosts` is executor's name → host."""
    return [
        pb.PathStep(
            executor=it.operator, host=hosts.get(it.operator, ""), delay=it.delay, work=it.work
        )
        for it in steps
    ]


def plan_options(request: pb.PlanRequest) -> PlanOptions:
    """Decode what a plan is to be made of."""
    return PlanOptions(
        topology=request.topology,
        policy=request.policy,
        objective=request.objective,
        time_limit=request.time_limit,
        seed=request.seed if request.HasField("seed") else None,
    )


def plan(it: Plan, now: float) -> pb.Plan:
    """Encode a plan as it is at a moment of the service's clock."""
    record, encoder = it.record, _PlanEncoder(it)
    return pb.Plan(
        **encoder.summary(now),
        base=it.base.hex(),
        seed=record.seed or 0,
        decided_by=text(record.decided_by),
        seconds=record.seconds or 0.0,
        evaluated=record.evaluated or 0,
        bound=record.bound,
        gap=record.gap,
        metrics=[
            pb.Metric(name=one.name, before=one.before, after=one.after, unit=one.unit)
            for one in record.metrics
        ],
        moves=encoder.moves(),
        workers=encoder.workers(),
        possible=record.possible,
        rejected=[
            pb.Rejection(constraint=one.constraint, moves=one.moves) for one in record.rejected
        ],
        remarks=map(text, it.remarks),
        slowest_path=path(it.slowest_path, encoder.hosts_of_executors()),
        held_back=text(it.hold),
        delays_age=record.delays_age,
        delays_confidence=record.delays_confidence,
        rates_age=record.rates_age,
        overlaps=record.overlaps,
    )


def plan_summary(it: Plan, now: float) -> pb.PlanSummary:
    """Encode what a list of plans has of one."""
    return pb.PlanSummary(**_PlanEncoder(it).summary(now), executors_moved=len(it.moves()))


class _PlanEncoder:
    """One plan, with the names that people read."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = executor_names(plan.topology)

    def summary(self, now: float) -> dict[str, Any]:
        """Return the fields that a summary has, too."""
        it, record = self._plan, self._plan.record
        return {
            "id": it.id,
            "topology_id": it.topology_id,
            "topology": it.topology.topology.name,
            "state": pb.Plan.State.Value(it.state.name),
            "state_reason": text(it.reason),
            "age": max(0.0, now - it.made),
            "expires_in": max(0.0, it.since + PLAN_SECONDS - now),
            "policy": record.policy,
            "objective": record.objective,
            "status": record.status,
            "gain": it.gain,
            "workers_started": record.workers_started or 0,
        }

    def hosts_of_executors(self) -> dict[str, str]:
        """Executor's name → the host that it would run on."""
        slots = slots_of(self._plan.assignment)
        return {self._name(executor): self._host(slot) for executor, slot in slots.items()}

    def moves(self) -> list[pb.ExecutorMove]:
        components = self._plan.topology.topology.executors()
        return [
            pb.ExecutorMove(
                executor=self._name(it.executor),
                component=components[it.executor].id,
                source_host=self._host(it.before),
                source_port=it.before.port,
                target_host=self._host(it.after),
                target_port=it.after.port,
            )
            for it in self._plan.moves()
            if it.before and it.after
        ]

    def workers(self) -> list[pb.WorkerChange]:
        return [
            pb.WorkerChange(
                host=self._host(it.slot),
                port=it.slot.port,
                kind=pb.WorkerChange.Kind.Value(it.change.name),
                before=map(self._name, it.before),
                after=map(self._name, it.after),
            )
            for it in self._plan.workers()
        ]

    def _name(self, executor: Executor) -> str:
        return self._names.get(executor, str(executor))

    def _host(self, slot: Slot) -> str:
        return self._plan.hosts.get(slot.supervisor, slot.supervisor)


def explanation(it: Explanation, answer: Message) -> pb.Explanation:
    """Encode what there is to know of one executor of a topology."""
    topology, problem = it.overview.state.topology, it.problem
    return pb.Explanation(
        topology_id=topology.id,
        topology=topology.name,
        executor=it.executor,
        host=it.host,
        objective=str(it.objective),
        metrics=metrics(it.overview.value, it.evaluation),
        neighbours=[
            pb.Neighbour(
                executor=other.executor,
                host=other.host,
                upstream=other.upstream,
                rate=other.rate,
                delay=other.delay,
                system=other.system,
            )
            for other in it.neighbours
        ],
        alternatives=[_alternative(other) for other in it.alternatives],
        left_out=it.left_out,
        on_slowest_path=it.on_slowest_path,
        answer=text(answer),
        assumptions=[text(it) for it in (*problem.assumptions, problem.delays_assumed) if it],
        unknown=text(it.request.unknown),
    )


def _alternative(it: Alternative) -> pb.Alternative:
    values: dict[str, float | None] = {"objective": it.value} if it.metrics else {}
    values |= {str(term): value for term, value in it.metrics.items()}
    return pb.Alternative(
        host=it.host,
        current=it.current,
        constraint=it.obstacle.constraint if it.obstacle else "",
        reason=text(it.obstacle.reason) if it.obstacle else "",
        metrics=[pb.Metric(name=name, after=reportable(value)) for name, value in values.items()],
        rate_between_hosts_added=it.between_hosts_added,
        response_time_added=it.response_time_added,
    )


def problem(it: RunningProblem) -> pb.Problem:
    """Encode the problem as the text of a problem file, and how well it is known."""
    topology = it.request.topology.topology
    return pb.Problem(
        topology_id=topology.id,
        topology=topology.name,
        json=write_problem(it.problem.problem),
        measured=map(text, it.measured),
        assumptions=map(text, it.assumptions),
        shared=it.shared,
    )


def change(request: pb.ForecastRequest) -> Change:
    """Decode what is different from the present."""
    rate = request.rate if request.HasField("rate") else 1.0
    return Change(rate, {it.host: it.share for it in request.hosts})


def forecast(it: Forecast) -> pb.Forecast:
    """Encode what is expected of a topology."""
    return pb.Forecast(
        topology_id=it.topology.id,
        topology=it.topology.name,
        now=_prospect(it.now),
        then=_prospect(it.then),
        moves=[
            pb.ExecutorMove(executor=name, source_host=before, target_host=after)
            for name, before, after in it.moves
        ],
        remarks=map(text, it.remarks),
        unsettled=it.unsettled,
    )


def _prospect(it: Prospect) -> pb.Prospect:
    return pb.Prospect(
        throughput=_interval(it.throughput),
        response_time=_interval(it.response_time),
        sustainable=_interval(it.sustainable),
        bottleneck=it.bottleneck,
        hosts=_utilisation(it.nodes),
        executors=_utilisation(it.operators),
    )


def _utilisation(shares: Mapping[str, Interval]) -> list[pb.Utilisation]:
    return [pb.Utilisation(name=name, share=_interval(it)) for name, it in shares.items()]


def _interval(it: Interval) -> pb.Interval:
    return pb.Interval(value=it.value, least=it.least, greatest=it.greatest)
