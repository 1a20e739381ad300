"""The use case: a cluster's state in one round → one decision for each topology.

No socket and no clock of its own. What is remembered from round to round are values: the
question last asked for each topology, its answer, and what was decided from it.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from eyewall_sidecar.model import Evaluation, ProblemError, Solution, Status
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.policies.catalogue import CATALOGUE
from eyewall_sidecar.service import wording
from eyewall_sidecar.service.asking import ask, unknown
from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place
from eyewall_sidecar.service.measuring import Measured, Measuring
from eyewall_sidecar.service.memory import Memory, drop, recalled, taken
from eyewall_sidecar.service.moving import Judgement, Rules, judge
from eyewall_sidecar.service.recording import Found, Recorder
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.solving import Question, Solvers
from eyewall_sidecar.stores import DelayStore, DelayTable
from eyewall_sidecar.storm import (
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


class SchedulingService:
    """Decides; one round at a time."""

    def __init__(
        self,
        defaults: Settings,
        rules: Rules,
        delays: DelayStore,
        measuring: Measuring,
        solvers: Solvers,
        recorder: Recorder,
        clock: Callable[[], float],
    ) -> None:
        """Decide with these ports; `clock` is the one that deadlines are on."""
        self._defaults = defaults
        self._rules = rules
        self._delays = delays
        self._measuring = measuring
        self._solvers = solvers
        self._recorder = recorder
        self._clock = clock
        self._memory: dict[str, Memory] = {}
        self._doubt = ""
        self.seen: Seen | None = None
        """The last round; None before the first. May be read by any thread."""

    @property
    def defaults(self) -> Settings:
        """What a topology is asked for that says nothing itself."""
        return self._defaults

    @property
    def rules(self) -> Rules:
        """What governs moves."""
        return self._rules

    @property
    def delay_source(self) -> str:
        """Where delays come from: redis, file or none."""
        return self._delays.source

    @property
    def run(self) -> str:
        """One life of the sidecar."""
        return self._recorder.run

    def now(self) -> float:
        """Return the time by the clock that rounds are on."""
        return self._clock()

    def decide(
        self, state: ClusterState, deadline: float, nimbus: str = ""
    ) -> tuple[Decision, ...]:
        """Return one decision for each topology; first placements are solved before the deadline.

        A topology that is placed takes its slots from those decided on after it. `nimbus` names
        who asks.
        """
        began, sent = self._clock(), state
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
        now, memory = self._clock(), dict(self._memory)
        self.seen = Seen(nimbus, now, now - began, sent, delays, measured, memory, decisions)
        return tuple(decisions[it.topology.id] for it in state.topologies)

    def _read_delays(self) -> DelayTable:
        delays = self._delays.read()
        if (doubt := delays.doubt()) != self._doubt:
            self._doubt = doubt
            LOG.warning("%s", doubt or "delays are good again")
        return delays

    def _forget_all_but(self, known: set[str]) -> None:
        for gone in self._memory.keys() - known:
            drop(self._memory.pop(gone))

    def _share(self, answer_by: float, topologies: int) -> float:
        """Return the moment by which one of so many topologies has to be decided."""
        now = self._clock()
        return now + max(0.0, answer_by - now) / topologies

    def _decide_guarded(self, topology: TopologyState, round_: "_Round") -> Decision:
        """Decide; a surprise in one topology must not stop the others."""
        name = topology.topology.id
        memory = recalled(self._memory.get(name), topology, self._clock())
        try:
            outcome = self._decide(topology, memory, round_)
        # The edge between topologies.
        except Exception as error:
            said = f"eyewall failed: {type(error).__name__}: {error}"
            if not memory.logged.endswith(said):
                LOG.exception("%s: eyewall failed", name)
            as_it_is = _as_it_is(topology, mode_of(topology.topology, self._defaults), said)
            outcome = _Outcome(as_it_is, memory, said)
        verdict = outcome.verdict
        memory = self._written_down(topology, outcome, round_)
        troubled = memory.troubled or (isinstance(verdict, Keep) and bool(verdict.reason))
        self._memory[name] = replace(memory, troubled=troubled)
        match verdict:
            case Place():
                status = memory.decided_status
            case Keep(reason):
                status = reason or memory.status or ("kept as it is" if troubled else "")
                status = "; ".join(it for it in (status, memory.held_back) if it)
            case Decline(reason):
                status = reason
        return Decision(name, topology.assignment_digest, verdict, status)

    def _written_down(
        self, topology: TopologyState, outcome: "_Outcome", round_: "_Round"
    ) -> Memory:
        """Log what is new, and record it once it is settled; return what is remembered of that."""
        memory, said = outcome.memory, outcome.said
        if not said:
            return memory
        name = topology.topology.id
        line = f"{name}: {type(outcome.verdict).__name__.lower()}: {said}"
        news = _is_news(line, memory.logged, outcome.verdict)
        if news:
            LOG.info("%s", line)
        if not isinstance(outcome.verdict, Place):
            settled = outcome.solution is not None or memory.job is None or outcome.failed
            news = settled and _is_news(line, memory.recorded, outcome.verdict)
        memory = replace(memory, logged=line)
        if not news:
            return memory
        rates_age = round_.measured.rates_age.get(name)
        asked = memory.asked
        if asked is not None and asked.state is not round_.state:
            asked = None  # of an earlier round: this one did not get so far
        solution = outcome.solution
        if solution is not None and outcome.older:
            solution = replace(solution, bound=None, gap=None)  # which hold for another problem
        found = Found(asked, solution, outcome.before, self._rules.seed, rates_age)
        self._recorder.record(topology, outcome.verdict, said, found)
        return replace(memory, recorded=line)

    def _decide(self, topology: TopologyState, memory: Memory, round_: "_Round") -> "_Outcome":
        try:
            settings = read_settings(topology.topology, self._defaults, CATALOGUE)
        except SettingsError as error:
            reason = str(error)
            mode = mode_of(topology.topology, self._defaults)
            return _Outcome(_as_it_is(topology, mode, reason), memory, reason)
        if settings.mode is Mode.OFF:
            reason = "eyewall.mode is off"
            return _Outcome(Decline(reason), memory, reason)
        if reason := topology.topology.refused:
            return _Outcome(_as_it_is(topology, settings.mode, reason), memory, reason)
        if topology.missing():
            if settings.mode is Mode.OBSERVE:
                reason = "eyewall.mode is observe"
                return _Outcome(Decline(reason), memory, reason)
            return self._place(topology, settings, memory, round_)
        return self._improve(topology, settings, memory, round_)

    def _place(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: "_Round"
    ) -> "_Outcome":
        """Place what has no slot, within the deadline or from an answer that came after it."""
        memory, asked = _asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            reason = _with_doubt(str(asked), round_.delays)
            return _Outcome(Decline(reason), memory, reason)
        question = _question(asked, settings, self._rules.seed)
        if memory.question != question or (memory.job is None and memory.answer is None):
            drop(memory)
            job = self._solvers.place(question, self._time_limit(settings, round_))
            memory = replace(memory, question=question, job=job, answer=None)
        memory, failure = taken(memory, round_.until)
        if failure is not None:
            return _Outcome(Decline(failure), memory, failure)
        if memory.answer is None:
            reason = "still solving, the answer is used in a later round if it still fits"
            return _Outcome(Decline(reason), memory, reason)
        return _placed(memory, memory.answer, asked, topology, settings, round_)

    def _time_limit(self, settings: Settings, round_: "_Round") -> float:
        """Return what is left of the round; if that is next to nothing, a later round gets it."""
        available = (round_.until - self._clock()) * SOLVING_SHARE
        longest = min(self._rules.first_placement_seconds, settings.time_limit)
        return min(longest, available) if available >= SHORTEST_SOLVE else longest

    def _improve(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: "_Round"
    ) -> "_Outcome":
        """Keep what runs, and move it when a better placement was found that is worth it."""
        stays = Keep() if settings.mode is Mode.AUTO else Decline("eyewall.mode is observe")
        if self._clock() >= round_.until:
            return _Outcome(stays, memory, "")
        memory, asked = _asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            said = f"no improvement sought: {asked}"
            return _Outcome(stays, replace(memory, held_back=said), said)
        if lacking := unknown(asked, settings):
            said = f"no improvement sought: {lacking}"
            return _Outcome(stays, replace(memory, held_back=said), said)
        memory = replace(memory, held_back="")
        question = _question(asked, settings, self._rules.seed)
        memory, failure = taken(memory, self._clock())
        older, judged = memory.question != question, None
        if failure is None and memory.answer is not None:
            memory, judged = self._judged(memory, asked, memory.answer, settings)
            if judged.move and judged.solution is not None and settings.mode is Mode.AUTO:
                outcome = _moved(memory, judged.solution, judged.status, asked, topology, round_)
                return outcome._replace(before=judged.before, older=older)
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
        if judged is None:
            return _Outcome(stays, memory, said, failed=failure is not None)
        found = judged.solution or memory.answer
        return _Outcome(stays, memory, said, found, judged.before, older=older)

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


class _Outcome(NamedTuple):
    """What was decided for one topology.

    `solution` is what was found, whether it is taken or not, and `older` whether it was looked for
    before the problem was what it is now; `before` is what ran, as it is worth. `failed`: the
    solver did.
    """

    verdict: Place | Keep | Decline
    memory: Memory
    said: str
    solution: Solution | None = None
    before: Evaluation | None = None
    older: bool = False
    failed: bool = False


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


def _question(asked: TopologyProblem, settings: Settings, seed: int) -> Question:
    return Question(asked.problem, settings.objective, settings.policy, seed, asked.interchangeable)


def _placed(
    memory: Memory,
    answer: Solution,
    asked: TopologyProblem,
    topology: TopologyState,
    settings: Settings,
    round_: _Round,
) -> "_Outcome":
    if answer.placement is None:
        reason = wording.nothing(answer, asked.assumptions)
        if answer.status is Status.TIMED_OUT:
            memory = replace(memory, question=None, answer=None)
        return _Outcome(Decline(reason), memory, reason, answer)
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
) -> "_Outcome":
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
        return _Outcome(_as_it_is(topology, Mode.AUTO, str(error)), memory, str(error), answer)
    if choice.reused:
        host_of = {it.id: it.host for it in round_.state.supervisors}
        slots = [f"{host_of[slot.supervisor]}:{slot.port}" for slot in choice.reused]
        status += f"; no fresh slot left, reused {listed(slots)}"
    if doubt := round_.delays.doubt():
        status += f"; {doubt}"
    memory = replace(memory, decided=choice.assignment, decided_status=status)
    moves = wording.counted(answer.moves, "move")
    said = f"{status} ({answer.seconds:.2f} s, {moves}; {wording.looked_at(answer)})"
    return _Outcome(Place(choice.assignment), memory, said, answer)


def _is_news(line: str, last: str, verdict: Place | Keep | Decline) -> bool:
    """Whether a line is worth another one: ages and confidences differ in every round."""
    alike = not isinstance(verdict, Place) and wording.is_alike(line, last)
    return line != last and not alike


def _as_it_is(topology: TopologyState, mode: Mode, reason: str) -> Keep | Decline:
    """Leave what runs whole where it runs; what lacks a slot is the inner scheduler's."""
    whole = bool(topology.assignment) and not topology.missing()
    return Keep(reason) if whole and mode is Mode.AUTO else Decline(reason)


def _with_doubt(reason: str, delays: DelayTable) -> str:
    return f"{reason} ({doubt})" if (doubt := delays.doubt()) else reason
