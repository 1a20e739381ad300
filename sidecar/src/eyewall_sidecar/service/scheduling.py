"""The use case: a cluster's state in one round → one decision for each topology.

No socket and no clock of its own. What is remembered from round to round are values: the
question last asked for each topology, its answer, and what was decided from it.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from eyewall_sidecar.model import ProblemError, Solution, Status
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.policies.catalogue import CATALOGUE
from eyewall_sidecar.service import wording
from eyewall_sidecar.service.asking import Asked, ask
from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place
from eyewall_sidecar.service.measuring import Measured, Measuring
from eyewall_sidecar.service.moving import Judgement, Rules, judge
from eyewall_sidecar.service.solving import Failed, Job, Question, Solvers
from eyewall_sidecar.stores import DelayStore, DelayTable
from eyewall_sidecar.storm import (
    Assignment,
    ClusterState,
    Mode,
    Settings,
    SettingsError,
    TopologyProblem,
    TopologyState,
    choose_slots,
    mode_of,
    read_settings,
)

LOG = logging.getLogger("eyewall.decisions")

REPLY_SECONDS = 0.1
"""Kept of a round for the reply's way back, or half of a round that is shorter than twice that."""
SOLVING_SHARE = 0.85
"""Of a topology's time, what the policy may use; the rest is for asking and choosing slots."""
SHORTEST_SOLVE = 0.3
"""Seconds below which a time limit would only spoil the answer."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of one topology between rounds.

    Parameters
    ----------
    assignment_digest, since
        The assignment that runs, and when it was first seen.
    status
        The text that belongs to it, if it was decided here.
    asked
        The problem that was last built.
    question, job, answer
        What was asked last, and its answer once it is there.
    judged_on, judgement
        A problem, its settings, an answer and whether the assignment had cooled down; and what
        came of them.
    decided, decided_status
        What was last to be placed, and the text that is true once it runs.
    logged
        The last line, so that no round repeats it.
    held_back
        What is not known well enough to look for anything better; empty if nothing is.
    troubled
        It was said why this assignment is only kept: once that is over, that is said too.
    """

    assignment_digest: bytes
    since: float
    status: str = ""
    asked: Asked | None = None
    question: Question | None = None
    job: Job | None = None
    answer: Solution | None = None
    judged_on: tuple[TopologyProblem, Settings, Solution, bool] | None = None
    judgement: Judgement | None = None
    decided: Assignment = ()
    decided_status: str = ""
    logged: str = ""
    held_back: str = ""
    troubled: bool = False


class SchedulingService:
    """Decides; one round at a time."""

    def __init__(
        self,
        defaults: Settings,
        rules: Rules,
        delays: DelayStore,
        measuring: Measuring,
        solvers: Solvers,
        clock: Callable[[], float],
    ) -> None:
        """Decide with these ports; `clock` is the one that deadlines are on."""
        self._defaults = defaults
        self._rules = rules
        self._delays = delays
        self._measuring = measuring
        self._solvers = solvers
        self._clock = clock
        self._memory: dict[str, Memory] = {}
        self._doubt = ""

    def decide(self, state: ClusterState, deadline: float) -> tuple[Decision, ...]:
        """Return one decision for each topology; first placements are solved before the deadline.

        A topology that is placed takes its slots from those decided on after it.
        """
        delays = self._read_delays()
        measured = self._measuring.read(it.topology for it in state.topologies)
        self._forget_all_but({it.topology.id for it in state.topologies})
        waiting: list[TopologyState] = []
        others: list[TopologyState] = []
        for it in state.topologies:
            (waiting if it.missing() else others).append(it)
        left = max(0.0, deadline - self._clock())
        answer_by = deadline - min(REPLY_SECONDS, left / 2)
        decisions: dict[str, Decision] = {}
        for number, topology in enumerate([*waiting, *others]):
            sharing = max(1, len(waiting) - number)
            round_ = _Round(state, delays, measured, self._share(answer_by, sharing))
            decision = self._decide_guarded(topology, round_)
            if isinstance(decision.verdict, Place):
                state = state.assigned(topology.topology.id, decision.verdict.assignment)
            decisions[topology.topology.id] = decision
        return tuple(decisions[it.topology.id] for it in state.topologies)

    def _read_delays(self) -> DelayTable:
        delays = self._delays.read()
        if (doubt := delays.doubt()) != self._doubt:
            self._doubt = doubt
            LOG.warning("%s", doubt or "delays are good again")
        return delays

    def _forget_all_but(self, known: set[str]) -> None:
        for gone in self._memory.keys() - known:
            _drop(self._memory.pop(gone))

    def _share(self, answer_by: float, topologies: int) -> float:
        """Return the moment by which one of so many topologies has to be decided."""
        now = self._clock()
        return now + max(0.0, answer_by - now) / topologies

    def _decide_guarded(self, topology: TopologyState, round_: "_Round") -> Decision:
        """Decide; a surprise in one topology must not stop the others."""
        name = topology.topology.id
        memory = self._recalled(topology)
        try:
            verdict, memory, said = self._decide(topology, memory, round_)
        # The edge between topologies.
        except Exception as error:
            said = f"eyewall failed: {type(error).__name__}: {error}"
            if not memory.logged.endswith(said):
                LOG.exception("%s: eyewall failed", name)
            verdict = _as_it_is(topology, mode_of(topology.topology, self._defaults), said)
        line = f"{name}: {type(verdict).__name__.lower()}: {said}" if said else memory.logged
        # As long as nothing is placed, ages and confidences differ in every round: no news.
        alike = not isinstance(verdict, Place) and wording.is_alike(line, memory.logged)
        if line != memory.logged and not alike:
            LOG.info("%s", line)
        troubled = memory.troubled or (isinstance(verdict, Keep) and bool(verdict.reason))
        self._memory[name] = replace(memory, logged=line, troubled=troubled)
        match verdict:
            case Place():
                status = memory.decided_status
            case Keep(reason):
                status = reason or memory.status or ("kept as it is" if troubled else "")
                status = "; ".join(it for it in (status, memory.held_back) if it)
            case Decline(reason):
                status = reason
        return Decision(name, topology.assignment_digest, verdict, status)

    def _recalled(self, topology: TopologyState) -> Memory:
        """Return what is remembered; what belongs to another assignment is dropped."""
        memory = self._memory.get(topology.topology.id)
        if memory is not None and memory.assignment_digest == topology.assignment_digest:
            return memory
        fresh = Memory(topology.assignment_digest, self._clock())
        if memory is None:
            return fresh
        _drop(memory)
        as_decided = bool(memory.decided) and set(memory.decided) == set(topology.assignment)
        return replace(
            fresh,
            status=memory.decided_status if as_decided else "",
            logged=memory.logged,
        )

    def _decide(
        self, topology: TopologyState, memory: Memory, round_: "_Round"
    ) -> tuple[Place | Keep | Decline, Memory, str]:
        try:
            settings = read_settings(topology.topology, self._defaults, CATALOGUE)
        except SettingsError as error:
            reason = str(error)
            mode = mode_of(topology.topology, self._defaults)
            return _as_it_is(topology, mode, reason), memory, reason
        if settings.mode is Mode.OFF:
            return Decline("eyewall.mode is off"), memory, "eyewall.mode is off"
        if reason := topology.topology.refused:
            return _as_it_is(topology, settings.mode, reason), memory, reason
        if topology.missing():
            if settings.mode is Mode.OBSERVE:
                reason = "eyewall.mode is observe"
                return Decline(reason), memory, reason
            return self._place(topology, settings, memory, round_)
        return self._improve(topology, settings, memory, round_)

    def _place(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: "_Round"
    ) -> tuple[Place | Keep | Decline, Memory, str]:
        """Place what has no slot, within the deadline or from an answer that came after it."""
        memory, asked = _asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            reason = _with_doubt(str(asked), round_.delays)
            return Decline(reason), memory, reason
        question = _question(asked, settings, self._rules.seed)
        if memory.question != question or (memory.job is None and memory.answer is None):
            _drop(memory)
            job = self._solvers.place(question, self._time_limit(settings, round_))
            memory = replace(memory, question=question, job=job, answer=None)
        memory, failure = _taken(memory, round_.until)
        if failure is not None:
            return Decline(failure), memory, failure
        if memory.answer is None:
            reason = "still solving, the answer is used in a later round if it still fits"
            return Decline(reason), memory, reason
        return _placed(memory, memory.answer, asked, topology, settings, round_)

    def _time_limit(self, settings: Settings, round_: "_Round") -> float:
        """Return what is left of the round; if that is next to nothing, a later round gets it."""
        available = (round_.until - self._clock()) * SOLVING_SHARE
        longest = min(self._rules.first_placement_seconds, settings.time_limit)
        return min(longest, available) if available >= SHORTEST_SOLVE else longest

    def _improve(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: "_Round"
    ) -> tuple[Place | Keep | Decline, Memory, str]:
        """Keep what runs, and move it when a better placement was found that is worth it."""
        stays = Keep() if settings.mode is Mode.AUTO else Decline("eyewall.mode is observe")
        if self._clock() >= round_.until:
            return stays, memory, ""
        memory, asked = _asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            said = f"no improvement sought: {asked}"
            return stays, replace(memory, held_back=said), said
        if unknown := _unknown(asked, settings):
            said = f"no improvement sought: {unknown}"
            return stays, replace(memory, held_back=said), said
        memory = replace(memory, held_back="")
        question = _question(asked, settings, self._rules.seed)
        memory, failure = _taken(memory, self._clock())
        if failure is None and memory.answer is not None:
            memory, judged = self._judged(memory, asked, memory.answer, settings)
            if judged.solution is not None and settings.mode is Mode.AUTO:
                return _moved(memory, judged.solution, judged.status, asked, topology, round_)
            said = judged.found
            if isinstance(stays, Decline):
                stays = Decline(f"eyewall.mode is observe: {judged.found}")
        else:
            said = failure or "looking for a better placement"
        if memory.job is None and (memory.question != question or failure is not None):
            job = self._solvers.improve(
                question, min(self._rules.improvement_seconds, settings.time_limit)
            )
            memory = replace(memory, question=question, job=job, answer=None)
        return stays, memory, said

    def _judged(
        self, memory: Memory, asked: TopologyProblem, answer: Solution, settings: Settings
    ) -> tuple[Memory, Judgement]:
        """Judge an answer; the same one is judged again only once the cool-down is over."""
        cooled = self._clock() - memory.since >= self._rules.cool_down_seconds
        on = (asked, settings, answer, cooled)
        if memory.judgement is None or memory.judged_on != on:
            judgement = judge(asked, settings, answer, self._rules, cooled=cooled)
            memory = replace(memory, judged_on=on, judgement=judgement)
        else:
            judgement = memory.judgement
        return memory, judgement


@dataclass(frozen=True, slots=True)
class _Round:
    """What one topology is decided from: state so far, what is measured, and by when."""

    state: ClusterState
    delays: DelayTable
    measured: Measured
    until: float


def _asked(
    memory: Memory, topology: TopologyState, settings: Settings, round_: _Round
) -> tuple[Memory, TopologyProblem | ProblemError]:
    """Build the problem, or take the last one if nothing changed."""
    asked = ask(memory.asked, round_.state, topology, settings, round_.delays, round_.measured)
    return replace(memory, asked=asked), asked.problem


def _unknown(asked: TopologyProblem, settings: Settings) -> str:
    """Say what would have to be known better for what runs to be moved; empty if nothing."""
    rates = asked.rates_unknown if settings.objective.depends_on_rates else ""
    return asked.delays_assumed or rates


def _question(asked: TopologyProblem, settings: Settings, seed: int) -> Question:
    return Question(asked.problem, settings.objective, settings.policy, seed, asked.interchangeable)


def _taken(memory: Memory, until: float) -> tuple[Memory, str | None]:
    """Take the job's answer if it is there by then; the text says why there will be none."""
    if memory.job is None:
        return memory, None
    outcome = memory.job.outcome(until)
    if outcome is None:
        return memory, None
    if isinstance(outcome, Failed):
        return replace(memory, job=None, question=None), outcome.reason
    return replace(memory, job=None, answer=outcome), None


def _placed(
    memory: Memory,
    answer: Solution,
    asked: TopologyProblem,
    topology: TopologyState,
    settings: Settings,
    round_: _Round,
) -> tuple[Place | Keep | Decline, Memory, str]:
    if answer.placement is None:
        reason = wording.nothing(answer, asked.assumptions)
        if answer.status is Status.TIMED_OUT:
            memory = replace(memory, question=None, answer=None)
        return Decline(reason), memory, reason
    remarks = [it for it in (*asked.assumptions, asked.delays_assumed) if it]
    status = wording.placed(answer, settings.objective, remarks=remarks)
    return _moved(memory, answer, status, asked, topology, round_)


def _moved(
    memory: Memory,
    answer: Solution,
    status: str,
    asked: TopologyProblem,
    topology: TopologyState,
    round_: _Round,
) -> tuple[Place | Keep | Decline, Memory, str]:
    """Choose the slots and word the decision."""
    placement = answer.placement
    if placement is None:
        raise ValueError(f"{topology.topology.id}: an answer without a placement cannot be applied")
    if memory.asked is None:
        raise ValueError(f"{topology.topology.id}: nothing was asked that this could answer")
    placed = asked.on_supervisors(placement)
    try:
        choice = choose_slots(placed, topology, memory.asked.rooms, asked.per_slot)
    except ProblemError as error:
        return _as_it_is(topology, Mode.AUTO, str(error)), memory, str(error)
    if choice.reused:
        host_of = {it.id: it.host for it in round_.state.supervisors}
        slots = [f"{host_of[slot.supervisor]}:{slot.port}" for slot in choice.reused]
        status += f"; no fresh slot left, reused {listed(slots)}"
    if doubt := round_.delays.doubt():
        status += f"; {doubt}"
    memory = replace(memory, decided=choice.assignment, decided_status=status)
    moves = wording.counted(answer.moves, "move")
    said = f"{status} ({answer.seconds:.2f} s, {moves}; {wording.looked_at(answer)})"
    return Place(choice.assignment), memory, said


def _as_it_is(topology: TopologyState, mode: Mode, reason: str) -> Keep | Decline:
    """Leave what runs whole where it runs; what lacks a slot is the inner scheduler's."""
    whole = bool(topology.assignment) and not topology.missing()
    return Keep(reason) if whole and mode is Mode.AUTO else Decline(reason)


def _drop(memory: Memory) -> None:
    if memory.job is not None:
        memory.job.drop()


def _with_doubt(reason: str, delays: DelayTable) -> str:
    return f"{reason} ({doubt})" if (doubt := delays.doubt()) else reason
