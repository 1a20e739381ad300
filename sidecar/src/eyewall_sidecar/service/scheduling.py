"""The use case: a cluster's state in one round → one decision for each topology.

No socket and no clock of its own. What is remembered from round to round are values: the
question last asked for each topology, its answer, and what was decided from it.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from math import inf

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.asking import LookedAt, ask, question_of, unknown
from eyewall_sidecar.service.budget import Budget
from eyewall_sidecar.service.decision import Decision, Decline, Keep, Place
from eyewall_sidecar.service.kept_plans import KeptPlans
from eyewall_sidecar.service.measuring import Measuring
from eyewall_sidecar.service.memory import Memory, drop, moving_away, recalled, taken
from eyewall_sidecar.service.moving import Judgement, Restraints, Rules, judge
from eyewall_sidecar.service.ordering import obeyed
from eyewall_sidecar.service.outcome import Outcome, Round, as_it_is
from eyewall_sidecar.service.recording import Recorder
from eyewall_sidecar.service.seen import Seen
from eyewall_sidecar.service.solving import Solvers
from eyewall_sidecar.service.taking import in_slots, placed
from eyewall_sidecar.service.telling import status, written_down
from eyewall_sidecar.stores import DelayStore, DelayTable, HeldSwitches, NoSwitches, SwitchStore
from eyewall_sidecar.storm import (
    ClusterState,
    Mode,
    Settings,
    SettingsError,
    TopologyProblem,
    TopologyState,
    mode_of,
    read_settings,
    workers_started,
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
        switches: SwitchStore | None = None,
    ) -> None:
        """Decide with these ports; `clock` is the one that deadlines are on."""
        self._defaults = defaults
        self._rules = rules
        self._delays = delays
        self._measuring = measuring
        self._solvers = solvers
        self._recorder = recorder
        self._clock = clock
        self._switches = switches or NoSwitches()
        self.plans = KeptPlans(clock)
        self.budget = Budget(rules.workers_per_round, rules.workers_per_hour)
        self._memory: dict[str, Memory] = {}
        self._looked_at = LookedAt()
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

    def switches(self) -> HeldSwitches:
        """Return how the operators' switches stand now."""
        return self._switches.read()

    def frozen(self, topology: str, switches: HeldSwitches) -> str:
        """Say who keeps a topology (by Storm's id) from being moved; empty if nobody does."""
        if self._rules.frozen:
            return "moves are frozen ([replacement] frozen)"
        return switches.frozen(topology)

    def restraints(self, topology: TopologyState, memory: Mapping[str, Memory]) -> Restraints:
        """Say what speaks against moving a topology of which this is remembered."""
        known = memory.get(topology.topology.id) or Memory(topology.assignment_digest, self.now())
        return self._restraints(topology, known, self.switches())

    def _restraints(
        self, topology: TopologyState, memory: Memory, switches: HeldSwitches
    ) -> Restraints:
        now = self._clock()
        cooled = now - memory.since >= self._rules.cool_down_seconds
        return Restraints(
            self.frozen(topology.topology.id, switches), cooled, memory.left_lately(now)
        )

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
        self.budget.begin_round(state, began)
        self.plans.look(state)
        switches = self.switches()
        delays = self._read_delays()
        measured = self._measuring.read(it.topology for it in state.topologies)
        self._forget_all_but({it.topology.id for it in state.topologies})
        waiting: list[TopologyState] = []
        others: list[TopologyState] = []
        for it in state.topologies:
            (waiting if it.missing() else others).append(it)
        ordered = self.plans.ordered()
        others.sort(key=lambda it: self._turn(it.topology.id, ordered))
        left = max(0.0, deadline - self._clock())
        answer_by = deadline - min(REPLY_SECONDS, left / 2)
        decisions: dict[str, Decision] = {}
        for number, topology in enumerate([*waiting, *others]):
            sharing = max(1, len(waiting) - number)
            until = self._share(answer_by, sharing)
            round_ = Round(state, delays, measured, switches, ordered, until)
            decision = self._decide_guarded(topology, round_)
            if isinstance(decision.verdict, Place):
                state = state.assigned(topology.topology.id, decision.verdict.assignment)
            decisions[topology.topology.id] = decision
        now, memory = self._clock(), dict(self._memory)
        self.seen = Seen(nimbus, now, now - began, sent, delays, measured, memory, decisions)
        return tuple(decisions[it.topology.id] for it in state.topologies)

    def _turn(self, topology: str, ordered: Collection[str]) -> tuple[bool, float]:
        """Return what topologies that run are sorted by.

        A person's orders come first. Then whoever waits longest: on a large cluster a round may be
        over before all of them were looked at.
        """
        memory = self._memory.get(topology)
        return topology not in ordered, memory.reached if memory is not None else -inf

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

    def _decide_guarded(self, topology: TopologyState, round_: Round) -> Decision:
        """Decide; a surprise in one topology must not stop the others."""
        name = topology.topology.id
        memory = recalled(self._memory.get(name), topology, self._clock())
        try:
            outcome = self._ordered(topology, memory, round_)
            if outcome is None:
                outcome = self._decide(topology, memory, round_)
        # The edge between topologies.
        except Exception as error:
            said = f"eyewall failed: {type(error).__name__}: {error}"
            if not memory.logged.endswith(said):
                LOG.exception("%s: eyewall failed", name)
            mode = mode_of(topology.topology, self._defaults)
            outcome = Outcome(as_it_is(topology, mode, said), memory, said)
        verdict = outcome.verdict
        memory = written_down(self._recorder, self._rules.seed, topology, outcome, round_)
        troubled = memory.troubled or (isinstance(verdict, Keep) and bool(verdict.reason))
        memory = replace(memory, troubled=troubled)
        self._memory[name] = memory
        return Decision(name, topology.assignment_digest, verdict, status(verdict, memory))

    def _ordered(self, topology: TopologyState, memory: Memory, round_: Round) -> Outcome | None:
        """Do what a person ordered, whatever gain, cool-down and budget say."""
        if topology.topology.id not in round_.ordered:
            return None
        frozen, now = self.frozen(topology.topology.id, round_.switches), self._clock()
        outcome = obeyed(self.plans, topology, memory, round_.state, frozen, now)
        if outcome is not None and isinstance(outcome.verdict, Place):
            self._spend(topology, outcome.verdict)
        return outcome

    def _decide(self, topology: TopologyState, memory: Memory, round_: Round) -> Outcome:
        try:
            settings = read_settings(topology.topology, self._defaults, policy_catalogue())
        except SettingsError as error:
            reason = str(error)
            mode = mode_of(topology.topology, self._defaults)
            return Outcome(as_it_is(topology, mode, reason), memory, reason)
        if settings.mode is Mode.OFF:
            reason = "eyewall.mode is off"
            return Outcome(Decline(reason), memory, reason)
        if reason := topology.topology.refused:
            return Outcome(as_it_is(topology, settings.mode, reason), memory, reason)
        if topology.missing():
            if settings.mode is Mode.OBSERVE:
                reason = "eyewall.mode is observe"
                return Outcome(Decline(reason), memory, reason)
            return self._place(topology, settings, memory, round_)
        return self._improve(topology, settings, memory, round_)

    def _place(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: Round
    ) -> Outcome:
        """Place what has no slot, within the deadline or from an answer that came after it."""
        memory, asked = self._asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            reason = _with_doubt(str(asked), round_.delays)
            return Outcome(Decline(reason), memory, reason)
        question = question_of(asked, settings, self._rules.seed)
        if memory.question != question or (memory.job is None and memory.answer is None):
            drop(memory)
            job = self._solvers.place(question, self._time_limit(settings, round_))
            memory = replace(memory, question=question, job=job, answer=None)
        memory, failure = taken(memory, round_.until)
        if failure is not None:
            return Outcome(Decline(failure), memory, failure)
        if memory.answer is None:
            reason = "still solving, the answer is used in a later round if it still fits"
            return Outcome(Decline(reason), memory, reason)
        return placed(memory, memory.answer, asked, topology, settings, round_)

    def _time_limit(self, settings: Settings, round_: Round) -> float:
        """Return what is left of the round; if that is next to nothing, a later round gets it."""
        available = (round_.until - self._clock()) * SOLVING_SHARE
        longest = min(self._rules.first_placement_seconds, settings.time_limit)
        return min(longest, available) if available >= SHORTEST_SOLVE else longest

    def _improve(
        self, topology: TopologyState, settings: Settings, memory: Memory, round_: Round
    ) -> Outcome:
        """Keep what runs, and move it when a better placement was found that is worth it."""
        stays = Keep() if settings.mode is Mode.AUTO else Decline("eyewall.mode is observe")
        if self._clock() >= round_.until:
            return Outcome(stays, memory, "")
        memory = replace(memory, reached=self._clock())
        memory, asked = self._asked(memory, topology, settings, round_)
        if isinstance(asked, ProblemError):
            said = f"no improvement sought: {asked}"
            return Outcome(stays, replace(memory, held_back=said), said)
        if lacking := unknown(asked, settings):
            said = f"no improvement sought: {lacking}"
            return Outcome(stays, replace(memory, held_back=said), said)
        memory = replace(memory, held_back="")
        question = question_of(asked, settings, self._rules.seed)
        memory, failure = taken(memory, self._clock())
        older, judged = memory.question != question, None
        if failure is None and memory.answer is not None:
            memory, judged = self._judged(topology, memory, asked, settings, round_)
            if judged.move and judged.solution is not None and settings.mode is Mode.AUTO:
                outcome = in_slots(memory, judged.solution, judged.status, asked, topology, round_)
                forbidden = self._beyond_budget(topology, outcome)
                if not forbidden:
                    outcome = self._moved(topology, outcome)
                    return outcome._replace(before=judged.before, older=older)
                said = f"{judged.found}, but {forbidden}"
                judged = replace(judged, found=said, held_back=said)
            said = judged.found
            memory = replace(memory, held_back=judged.held_back)
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
            return Outcome(stays, memory, said, failed=failure is not None)
        found = judged.solution or memory.answer
        return Outcome(stays, memory, said, found, judged.before, older=older)

    def _asked(
        self, memory: Memory, topology: TopologyState, settings: Settings, round_: Round
    ) -> tuple[Memory, TopologyProblem | ProblemError]:
        """Build the problem, or take the last one if nothing changed."""
        asked = ask(
            memory.asked,
            round_.state,
            topology,
            settings,
            round_.delays,
            round_.measured,
            self._looked_at,
        )
        return replace(memory, asked=asked), asked.problem

    def _judged(
        self,
        topology: TopologyState,
        memory: Memory,
        asked: TopologyProblem,
        settings: Settings,
        round_: Round,
    ) -> tuple[Memory, Judgement]:
        """Judge an answer; the same one is judged again only once something else restrains it."""
        restraints = self._restraints(topology, memory, round_.switches)
        if memory.answer is None:
            raise ValueError(f"{topology.topology.id}: there is no answer to judge")
        on = (asked, settings, memory.answer, restraints)
        if memory.judgement is None or memory.judged_on != on:
            judgement = judge(asked, settings, memory.answer, self._rules, restraints)
            memory = replace(memory, judged_on=on, judgement=judgement)
        else:
            judgement = memory.judgement
        return memory, judgement

    def _beyond_budget(self, topology: TopologyState, outcome: Outcome) -> str:
        """Say which budget forbids a move; empty if none does."""
        if not isinstance(outcome.verdict, Place):
            return ""
        starts = workers_started(topology.assignment, outcome.verdict.assignment)
        return self.budget.held_back(starts, self._clock())

    def _moved(self, topology: TopologyState, outcome: Outcome) -> Outcome:
        """Remember what a move does, if it is one."""
        if not isinstance(outcome.verdict, Place):
            return outcome
        self._spend(topology, outcome.verdict)
        after, now = outcome.verdict.assignment, self._clock()
        return outcome._replace(memory=moving_away(outcome.memory, topology.assignment, after, now))

    def _spend(self, topology: TopologyState, verdict: Place) -> None:
        starts = workers_started(topology.assignment, verdict.assignment)
        self.budget.spend(topology.topology.id, verdict.assignment, starts)


def _with_doubt(reason: str, delays: DelayTable) -> str:
    return f"{reason} ({doubt})" if (doubt := delays.doubt()) else reason
