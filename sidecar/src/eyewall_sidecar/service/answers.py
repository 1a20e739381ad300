"""The sentence that answers why an executor runs where it runs, or why not elsewhere."""

from collections import Counter

from eyewall_contracts.objective_terms import TERMS

from eyewall_sidecar.config import MoveLimits
from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.objective import Term
from eyewall_sidecar.service.candidate_move import MoveConditions
from eyewall_sidecar.service.explanations import SAME, Alternative, Explanation, Neighbour
from eyewall_sidecar.service.messages import metric, metric_difference
from eyewall_sidecar.service.movement_rules import evaluate_move, find_hold

FEW = 3
"""From so many on, changes are not joined by `and`."""


def answer(explanation: Explanation, limits: MoveLimits, conditions: MoveConditions) -> Message:
    """Answer in one sentence; a second one says what is not known well enough."""
    sentence = _Answer(explanation, limits, conditions).sentence()
    if not explanation.request.unknown:
        return sentence
    return message(Code.NOT_CERTAIN, answer=sentence, unknown=explanation.request.unknown)


class _Answer:
    """The parts of one answer."""

    def __init__(
        self, explanation: Explanation, limits: MoveLimits, conditions: MoveConditions
    ) -> None:
        self.of, self.limits, self.conditions = explanation, limits, conditions
        self.before = explanation.evaluation.metrics
        self.data = explanation.evaluation.data_unit

    def sentence(self) -> Message:
        return self.why() if self.of.wanted is None else self.why_not(self.of.wanted)

    def why_not(self, there: Alternative) -> Message:
        names = {"executor": self.of.executor, "host": there.host}
        if there.current:
            return message(Code.RUNS_ALREADY, **names, reason=self._reason())
        if there.obstacle is not None:
            return message(Code.CANNOT_GO, **names, reason=there.obstacle.reason)
        gain = there.gain or 0.0
        if gain < 0:
            return message(Code.WOULD_BE_WORSE, **names, changes=self._changes(there))
        worth = {"worth": self._worth(there), "crossing": self._crossing(there)}
        if gain == 0:
            return message(Code.WOULD_GAIN_NOTHING, **names, **worth)
        return message(Code.WOULD_BE_BETTER, **names, **worth, hold=self._hold(gain))

    def why(self) -> Message:
        executor, host = self.of.executor, self.of.host
        runs = message(Code.RUNS, executor=executor, host=host, reason=self._reason())
        best = next((it for it in self.of.alternatives if it.possible), None)
        if best is None:
            return self._nowhere_else(runs)
        gain, worth = best.gain or 0.0, self._worth(best)
        if gain < 0:
            return message(Code.RUNS_NEXT_BEST, runs=runs, host=best.host, worth=worth)
        if gain == 0:
            crossing = self._crossing(best)
            return message(
                Code.RUNS_AS_WELL, runs=runs, host=best.host, worth=worth, crossing=crossing
            )
        hold = self._hold(gain)
        return message(Code.RUNS_BETTER, runs=runs, host=best.host, worth=worth, hold=hold)

    def _nowhere_else(self, runs: Message) -> Message:
        if self._binding() is not None:
            return runs
        obstacles = Counter(it.obstacle.constraint for it in self.of.alternatives if it.obstacle)
        if not obstacles:
            return message(Code.RUNS_ALONE, runs=runs)
        constraints = [f"{name} {count}" for name, count in obstacles.most_common()]
        return message(Code.RUNS_NOWHERE_ELSE, runs=runs, constraints=constraints)

    def _reason(self) -> Message:
        """Return what binds it to its host: a pin, or its neighbours."""
        if (binding := self._binding()) is not None:
            return binding
        own = [it for it in self.of.neighbours if not it.system] or list(self.of.neighbours)
        flowing = [it for it in own if it.rate > 0]
        if not flowing:
            return message(Code.NOTHING_FLOWS)
        if here := [it for it in flowing if it.host == self.of.host]:
            return message(Code.NEIGHBOUR_THERE, flow=_flow(_main_direction(here)))
        # The delay of the direction that is named: the way back may take longer.
        main = _main_direction([it for it in flowing if it.host == own[0].host])
        delay = metric(Term.R, main[0].delay)
        return message(Code.NEIGHBOUR_AWAY, flow=_flow(main), host=main[0].host, delay=delay)

    def _binding(self) -> Message | None:
        """Return what leaves it no other host, if it is the same for all of them."""
        obstacles = [it.obstacle for it in self.of.alternatives if not it.current]
        kinds = {it.constraint if it else "" for it in obstacles}
        if len(kinds) != 1 or not kinds <= {"pin", "withdrawn slot"} or obstacles[0] is None:
            return None
        return obstacles[0].reason

    def _hold(self, gain: float) -> Message:
        """Return why it is not moved though that would be better."""
        hold = find_hold(self.of.request, gain, self.limits, self.conditions)
        if hold is not None:
            return hold
        record = self.of.overview.record
        if record is not None and record.search is not None:
            if record.search.job is not None:
                return message(Code.STILL_SEARCHING)
            if record.search.failure is not None:
                return record.search.failure.reason
        if record is not None and record.candidate is not None:
            verdict = evaluate_move(record.candidate, self.limits, self.conditions)
            if verdict.hold is not None:
                policy = self.of.request.settings.policy
                return message(Code.WHOLE_TOPOLOGY, policy=policy, verdict=verdict.report)
        return message(Code.NEXT_ROUND)

    def _worth(self, there: Alternative) -> str:
        """Return what the objective counts: `R 41 ms (+3 ms)`."""
        if self.of.objective.ecker:
            return self._value("ecker", there)
        terms = [
            f"{term} {metric(term, there.metrics[term], self.data)}{self._difference(there, term)}"
            for term in self.of.objective.weights
        ]
        if len(terms) > 1 and there.value is not None:
            terms.insert(0, self._value("objective", there))
        return ", ".join(terms)

    def _changes(self, there: Alternative) -> str:
        """Return what would be worse, and what would be better with it."""
        worse: list[str] = []
        better: list[str] = []
        for term in self.of.objective.weights:
            if difference := self._difference(there, term):
                would_be = metric(term, there.metrics[term], self.data)
                change = f"{term} would be {would_be}{difference}"
                lower = there.metrics[term] < self.before[term]
                (better if lower == TERMS[term].less_is_better else worse).append(change)
        if self.of.objective.ecker:
            worse.append(self._value("ecker would be", there))
        if crossing := self._crossing(there):
            adds = (there.between_hosts_added or 0.0) > 0
            (worse if adds else better).append(crossing)
        losses = " and ".join(worse) if len(worse) < FEW else ", ".join(worse)
        return f"{losses}, though {' and '.join(better)}" if better else losses

    def _value(self, name: str, there: Alternative) -> str:
        before = self.of.overview.value
        if there.value is None or before is None:
            return f"{name} unknown"
        return f"{name} {there.value:.4g} ({there.value - before:+.3g})"

    def _crossing(self, there: Alternative) -> str:
        """Return the tuples between hosts that it adds or saves, if T is not in the objective."""
        added = there.between_hosts_added or 0.0
        if Term.T in self.of.objective.weights or self._is_same(added, Term.T):
            return ""
        return f"{abs(added):.3g} tuples/s {'more' if added > 0 else 'less'} would cross hosts"

    def _difference(self, there: Alternative, term: Term) -> str:
        difference = there.metrics[term] - self.before[term]
        if self._is_same(difference, term):
            return ""
        return f" ({metric_difference(term, difference, self.data)})"

    def _is_same(self, difference: float, term: Term) -> bool:
        return abs(difference) <= SAME * max(1.0, abs(self.before[term]))


def _main_direction(neighbours: list[Neighbour]) -> list[Neighbour]:
    """Return those that most tuples come from, or those that most go to, whichever is more."""
    upstream = [it for it in neighbours if it.upstream]
    downstream = [it for it in neighbours if not it.upstream]
    return max(upstream, downstream, key=lambda group: sum(it.rate for it in group))


def _flow(neighbours: list[Neighbour]) -> str:
    """Return what comes from neighbours, or goes to them."""
    rate = sum(it.rate for it in neighbours)
    verb = "come from" if neighbours[0].upstream else "go to"
    more = len(neighbours) - 1
    names = neighbours[0].executor + (f" and {more} more" if more else "")
    return f"{rate:.3g} tuples/s {verb} {names}"
