"""The sentence that answers why an executor runs where it runs, or why not elsewhere."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eyewall_sidecar.objective import Term
from eyewall_sidecar.service import wording
from eyewall_sidecar.service.explaining import SAME, Alternative, Explanation, Neighbour
from eyewall_sidecar.service.moving import Rules
from eyewall_sidecar.storm import Mode

FEW = 3
"""As many names stand in one sentence."""

_FIGURES: Mapping[Term, tuple[float, str]] = {
    Term.R: (1e3, "ms"),
    Term.A: (1e2, "%"),
    Term.T: (1.0, "tuples/s"),
    Term.N: (1.0, "tuples"),
    Term.EE: (1.0, "tuples·s"),
}


@dataclass(frozen=True, slots=True)
class Restraint:
    """What may hold a better placement back.

    Parameters
    ----------
    rules
        What governs moves.
    cooling
        Seconds until the assignment has cooled down.
    frozen
        Why nothing may be moved; empty if it may.
    """

    rules: Rules
    cooling: float
    frozen: str


def answer(it: Explanation, restraint: Restraint) -> str:
    """Answer in one sentence; a second one says what is not known well enough."""
    said = _why(it, restraint) if it.wanted is None else _why_not(it, it.wanted, restraint)
    if not it.unknown:
        return said
    return f"{said}. Nothing that runs is moved while this is not known well enough: {it.unknown}"


def _why_not(it: Explanation, there: Alternative, restraint: Restraint) -> str:
    if there.current:
        return f"{it.executor} does run on {there.host}: {_reason(it)}"
    if there.obstacle.constraint:
        return f"{it.executor} cannot go to {there.host}: {there.obstacle.reason}"
    gain = there.gain or 0.0
    if gain > 0:
        better = f"{it.executor} would be better off on {there.host}, {_worth(it, there)}"
        return f"{better}{_crossing(it, there)}, but {_held_back(it, gain, restraint)}"
    if gain == 0:
        same = f"{it.executor} could go to {there.host}, but nothing is gained: {_worth(it, there)}"
        return f"{same} as it is{_crossing(it, there)}"
    return f"{it.executor} could go to {there.host}, but {_would_be(it, there)}"


def _why(it: Explanation, restraint: Restraint) -> str:
    said = f"{it.executor} runs on {it.host}: {_reason(it)}"
    others = [other for other in it.alternatives if other.possible]
    if not others:
        return f"{said}{_nowhere_else(it)}"
    best = others[0]
    gain = best.gain or 0.0
    if gain > 0:
        better = f"it would be better off on {best.host}, {_worth(it, best)}"
        return f"{said}; {better}, but {_held_back(it, gain, restraint)}"
    if gain == 0:
        as_well = f"{best.host} would do as well, {_worth(it, best)}"
        return f"{said}; {as_well}{_crossing(it, best)}"
    return f"{said}; {best.host} would be next best, {_worth(it, best)}"


def _reason(it: Explanation) -> str:
    """Say what binds it to where it is: a pin, or those it exchanges tuples with."""
    if bound := _bound(it):
        return bound
    own = [other for other in it.neighbours if not other.system] or list(it.neighbours)
    if not any(other.rate > 0 for other in own):
        return "nothing flows to it or from it"
    there = [other for other in own if other.host == it.host and other.rate > 0]
    if there:
        return f"{_flowing(_greater(there))} there"
    first = own[0]
    more = _greater([other for other in own if other.host == first.host and other.rate > 0])
    # The way back may take longer: it is the delay of what is told of.
    away = f"on {first.host}, {_number(more[0].delay, Term.R)} away"
    return f"none of those it talks to is there, {_flowing(more)} {away}"


def _greater(those: list[Neighbour]) -> list[Neighbour]:
    """Return those that most tuples come from, or those that most go to, whichever is more."""
    coming = [it for it in those if it.upstream]
    going = [it for it in those if not it.upstream]
    return max(coming, going, key=lambda group: sum(it.rate for it in group))


def _flowing(those: list[Neighbour]) -> str:
    """Word what comes from neighbours, or goes to them."""
    rate = sum(it.rate for it in those)
    verb = "come from" if those[0].upstream else "go to"
    rest = len(those) - 1
    names = those[0].executor + (f" and {rest} more" if rest else "")
    return f"{rate:.3g} tuples/s {verb} {names}"


def _bound(it: Explanation) -> str:
    """Say what leaves it no other host, if that is one and the same for all of them."""
    others = [other.obstacle for other in it.alternatives if not other.current]
    alike = {other.constraint for other in others}
    return others[0].reason if len(alike) == 1 and alike <= {"pin", "withdrawn slot"} else ""


def _nowhere_else(it: Explanation) -> str:
    """Say what keeps it from all other hosts, if nothing did yet."""
    if _bound(it):
        return ""
    kept = Counter(o.obstacle.constraint for o in it.alternatives if not o.current)
    if not kept:
        return "; there is no other host"
    ways = ", ".join(f"{name} {many}" for name, many in kept.most_common())
    return f"; no other host can take it ({ways})"


def _worth(it: Explanation, there: Alternative) -> str:
    """Word what the objective counts, and by how much it differs: `R 41 ms (+3 ms)`."""
    if it.objective.ecker:
        return _value("ecker", it, there)
    terms = [
        f"{term} {_number(there.metrics[term], term)}{_difference(it, there, term)}"
        for term in it.objective.weights
    ]
    if len(terms) > 1 and there.value is not None:
        terms.insert(0, _value("objective", it, there))
    return ", ".join(terms)


def _would_be(it: Explanation, there: Alternative) -> str:
    """Word what would be worse, and what would be better with it."""
    worse: list[str] = []
    besides: list[str] = []
    for term in it.objective.weights:
        difference = there.metrics[term] - _before(it, term)
        if _is_same(difference, _before(it, term)):
            continue
        figure = f"{term} would be {_number(there.metrics[term], term)}"
        said = f"{figure}{_difference(it, there, term)}"
        (worse if (difference < 0) == (term is Term.A) else besides).append(said)
    if it.objective.ecker:
        worse.append(_value("ecker", it, there, would=True))
    crossing = _crossed(it, there)
    if crossing and Term.T not in it.objective.weights:
        more = (there.between_hosts_added or 0.0) > 0
        (worse if more else besides).append(crossing)
    said = " and ".join(worse) if len(worse) < FEW else ", ".join(worse)
    return f"{said}, though {' and '.join(besides)}" if besides else said


def _value(name: str, it: Explanation, there: Alternative, *, would: bool = False) -> str:
    be = "would be " if would else ""
    if there.value is None or it.worth.value is None:
        return f"{name} {be}unknown"
    return f"{name} {be}{there.value:.4g} ({there.value - it.worth.value:+.3g})"


def _crossing(it: Explanation, there: Alternative) -> str:
    said = _crossed(it, there)
    return f", and {said}" if said and Term.T not in it.objective.weights else ""


def _crossed(it: Explanation, there: Alternative) -> str:
    """Word the tuples between hosts that it would add or save; empty if there are none."""
    added = there.between_hosts_added or 0.0
    if _is_same(added, it.worth.evaluation.inter_node_traffic):
        return ""
    return f"{abs(added):.3g} tuples/s {'more' if added > 0 else 'less'} would cross hosts"


def _held_back(it: Explanation, gain: float, restraint: Restraint) -> str:
    """Say why it is not moved though that would be better."""
    settings, rules, memory = it.asked.settings, restraint.rules, it.memory
    held: list[tuple[bool, Callable[[], str]]] = [
        (bool(it.unknown), lambda: "too little is known to move it"),
        (settings.mode is not Mode.AUTO, lambda: f"eyewall.mode is {settings.mode}"),
        (bool(restraint.frozen), lambda: restraint.frozen),
        (
            gain < rules.minimum_gain,
            lambda: (
                f"the gain of {100 * gain:.2g} % is below the minimum of "
                f"{100 * rules.minimum_gain:g} %"
            ),
        ),
        (
            restraint.cooling > 0,
            lambda: f"the assignment cools down for another {restraint.cooling:.0f} s",
        ),
        (memory.job is not None, lambda: "a better placement is still being looked for"),
        (
            memory.judgement is not None and not memory.judgement.move,
            lambda: f"of the whole topology {settings.policy} says: {_judged(it)}",
        ),
        (
            bool(memory.held_back),
            lambda: f"of the whole topology {settings.policy} says: {memory.held_back}",
        ),
    ]
    return next((why() for holds, why in held if holds), "the next rounds decide")


def _judged(it: Explanation) -> str:
    return it.memory.judgement.found if it.memory.judgement is not None else ""


def _difference(it: Explanation, there: Alternative, term: Term) -> str:
    difference = there.metrics[term] - _before(it, term)
    if _is_same(difference, _before(it, term)):
        return ""
    return f" ({'+' if difference > 0 else '−'}{_number(abs(difference), term)})"


def _is_same(difference: float, before: float) -> bool:
    return abs(difference) <= SAME * max(1.0, abs(before))


def _before(it: Explanation, term: Term) -> float:
    evaluation = it.worth.evaluation
    return {
        Term.R: evaluation.response_time,
        Term.A: evaluation.availability,
        Term.T: evaluation.inter_node_traffic,
        Term.N: evaluation.network_usage,
        Term.EE: evaluation.elastic_energy,
    }[term]


def _number(value: float, term: Term) -> str:
    factor, unit = _FIGURES[term]
    scaled = value * factor
    if term is Term.R:
        return f"{wording.milliseconds(value)} {unit}"
    return f"{scaled:.4g} {unit}"
