"""A move looked back on: what was measured once it came to rest, next to what was before it."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import Link, Node, Placement, PlacementProblem
from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.objectives.load import forecast_load
from eyewall_sidecar.service.level import Level
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.storm import Assignment

STILL_SECONDS = 600.0
"""For which nothing moves after a setback; each further one doubles it."""
MOST_DOUBLED = 6
"""Times: 600 s become 10.7 hours."""
PROOF_SECONDS, PROOF_LASTS = 300.0, 300.0
"""After an undo, until links that were left have been measured without the topology (old workers
may serve on for two minutes, and two probes of each of 100 hosts' pairs take as long), and for how
long that says anything of it."""
MOST_PROBED = 100
"""Hosts up to which that is so; among more, most delays are estimates."""
ACQUITTED_SECONDS = 3600.0
"""For which a further setback stands: what becomes slow again and again is not worth moving to."""
FADES_SECONDS = 86_400.0
"""After which one setback less counts: clusters and topologies change."""
LEAST_RISE = 0.1
"""Part by which a link's delay has to rise to count: less may be noise."""
MORE_UNCERTAIN = 2.0
"""Factor by which predictions for a topology are less certain after one that was wrong."""
MOST_UNCERTAIN = 8.0
QUEUEING = 0.5
"""Seconds by which latency may rise where the objective does not weigh it: what rises by more waits
in queues, whatever the objective."""


class SlowedLink(NamedTuple):
    """A link that became slower once a topology had moved onto it, which may be why.

    Parameters
    ----------
    ends
        Its nodes.
    before, slowed
        Its delay when that move was decided, and when it was judged, in seconds.
    """

    ends: tuple[str, str]
    before: float
    slowed: float


@dataclass(frozen=True, slots=True)
class MoveTrial:
    """A move that was made and is not judged yet.

    Parameters
    ----------
    origin
        What ran before.
    before
        What was measured of it.
    undoes
        Whether this move takes back another one: it is not taken back itself.
    weighs_latency
        Whether it was made for a lower latency; a move made for less traffic may cost some.
    problem, target
        By which it was decided, and where to; None if what hosts and delays do is not asked.
    slowed
        Of an undo: links that slowed, where links explain why the move made things worse.
    """

    origin: Assignment
    before: Performance
    undoes: bool = False
    weighs_latency: bool = True
    problem: PlacementProblem | None = None
    target: Placement | None = None
    slowed: tuple[SlowedLink, ...] = ()


class Surroundings(NamedTuple):
    """What hosts and delays alone, as they changed since a move, make of a topology.

    Parameters
    ----------
    delay
        Seconds by which tuples take longer, where the topology was or where it is: 0 or more.
    throughput
        Which part of the tuples is carried where it is: 1 or less.
    origin
        Which part of what it carried where it was would still be: 1 or less.
    """

    delay: float = 0.0
    throughput: float = 1.0
    origin: float = 1.0


UNCHANGED = Surroundings()
REPORTED_DELAY, REPORTED_THROUGHPUT = 0.001, 0.95
"""Seconds from which, and the part below which, a report names the surroundings."""


@dataclass(frozen=True, slots=True)
class MoveOutcome:
    """What became of a move.

    Parameters
    ----------
    worse
        Whether it made things worse.
    report
        What was measured.
    lateness
        By how many seconds tuples arrive later, if it is worse for that alone; else None.
    """

    worse: bool
    report: Message
    lateness: float | None = None


@dataclass(frozen=True, slots=True)
class MoveHistory:
    """What past moves of one topology teach.

    Parameters
    ----------
    setbacks
        Moves that made things worse, or whose workers did not start.
    still_until
        Until when nothing moves, by the clock of rounds.
    set_back, slowed
        When the last of them was, or began to count less; and the links that slowed if links
        explain it, none if something else does, or once it stands.
    acquitted
        When a setback was last taken back.
    left_unjudged
        When a move was last followed by another one before it was judged.
    """

    setbacks: int = 0
    still_until: float = 0.0
    set_back: float = -inf
    slowed: tuple[SlowedLink, ...] = ()
    acquitted: float = -inf
    left_unjudged: float = -inf

    @property
    def uncertainty(self) -> float:
        """Factor by which predictions are less certain than the model has them."""
        return min(MOST_UNCERTAIN, MORE_UNCERTAIN**self.setbacks)

    def with_setback(self, now: float, slowed: tuple[SlowedLink, ...] = ()) -> "MoveHistory":
        """Return the history with one more setback."""
        still = STILL_SECONDS * 2 ** min(self.setbacks, MOST_DOUBLED)
        if now - self.acquitted < ACQUITTED_SECONDS:
            slowed = ()
        return replace(
            self,
            setbacks=self.setbacks + 1,
            still_until=now + still,
            set_back=now,
            slowed=slowed,
        )

    def may_leave_unjudged(self, now: float) -> bool:
        """Whether a move may be followed by another one before it is judged: now and then only."""
        return now - self.left_unjudged >= STILL_SECONDS

    def confirmed(self) -> "MoveHistory":
        """Return the history after a move that made nothing worse: one setback less."""
        return replace(self, setbacks=max(0, self.setbacks - 1))

    def faded(self, now: float) -> "MoveHistory":
        """Return the history with one setback less for each day since the last."""
        if not self.setbacks or now - self.set_back < FADES_SECONDS:
            return self
        set_back = self.set_back + FADES_SECONDS
        return replace(self, setbacks=self.setbacks - 1, set_back=set_back, slowed=())

    def reviewed(self, problem: PlacementProblem, now: float) -> "MoveHistory":
        """Return the history without its last setback if the move is not to blame for it.

        It is not if the links that explain it are still slow while nothing of the topology crosses
        them, once they had the time to recover. Else it is, and they are not looked at again.
        """
        waited = now - self.set_back
        if not self.slowed or waited < PROOF_SECONDS:
            return self
        if (
            waited < PROOF_SECONDS + PROOF_LASTS
            and len(problem.nodes) <= MOST_PROBED
            and _crossed(problem, problem.current or {}).isdisjoint(it.ends for it in self.slowed)
            and all(_is_slow(it, problem.links.get(it.ends)) for it in self.slowed)
        ):
            left = self.left_unjudged
            return MoveHistory(self.setbacks - 1, acquitted=now, left_unjudged=left)
        return replace(self, slowed=())


def _is_slow(slowed: SlowedLink, link: Link | None) -> bool:
    return link is not None and link.delay > (slowed.before + slowed.slowed) / 2


def find_surroundings(
    trial: MoveTrial, now: PlacementProblem, *, used_links: bool = False
) -> Surroundings:
    """Return what nodes and links of today's problem make of the topology as it was then.

    What executors need is that of then: a move to where they need more is a bad one. Where more of
    the topology is than before, it may itself be why links, other processes and the hypervisor are
    slower: there only the nodes' cores count, and with `used_links` the links.
    """
    then, target = trial.problem, trial.target
    if then is None or target is None or then.current is None:
        return UNCHANGED
    origin, here = then.current, set(target.values())
    today = {it.id: it for it in now.nodes}
    if _is_measured(then) != _is_measured(now):  # declared cores and measured ones differ anyway
        today = {}
    grown = {node for it, node in target.items() if origin.get(it) != node}
    then = _on_nodes(then, here.union(origin.values()))
    links = {ends: now.links.get(ends, link) for ends, link in then.links.items()}
    left = replace(
        then,
        nodes=tuple(_as_now(it, today, cores_alone=it.id in grown) for it in then.nodes),
        links={
            (u, v): then.links[u, v] if {u, v} <= here and {u, v} & grown else link
            for (u, v), link in links.items()
        },
    )
    stayed = replace(
        then,
        nodes=tuple(_as_now(it, today, cores_alone=True) for it in then.nodes),
        links=links if used_links else then.links,
    )
    origin_then, origin_now = (forecast_load(it, origin) for it in (then, left))
    target_then, target_now = (forecast_load(it, target) for it in (then, stayed))
    return Surroundings(
        max(
            0.0,
            origin_now.response_time - origin_then.response_time,
            target_now.response_time - target_then.response_time,
        ),
        min(1.0, target_now.sustainable / min(1.0, target_then.sustainable)),
        min(1.0, origin_now.sustainable / min(1.0, origin_then.sustainable)),
    )


def find_full_origin(trial: MoveTrial, now: Performance, today: PlacementProblem) -> Message | None:
    """Return that the way back leads to where no more would be carried; None if more would."""
    part = find_surroundings(trial, today).origin
    was, found = trial.before.throughput, now.throughput
    carried = found.mean / was.mean if was is not None and found is not None and was.mean else 1.0
    if part > min(REPORTED_THROUGHPUT, carried):
        return None
    return message(Code.ORIGIN_IS_FULL, part=part)


def find_slowed_links(trial: MoveTrial, now: PlacementProblem) -> tuple[SlowedLink, ...]:
    """Return the links that the topology crosses by the move and that slowed since it."""
    then, target = trial.problem, trial.target
    if then is None or target is None:
        return ()
    known = ((it, then.links.get(it), now.links.get(it)) for it in sorted(_crossed(then, target)))
    return tuple(
        SlowedLink(ends, before.delay, today.delay)
        for ends, before, today in known
        if before is not None and today is not None
        if today.delay - before.delay >= max(REPORTED_DELAY, LEAST_RISE * before.delay)
    )


def _crossed(problem: PlacementProblem, placement: Placement) -> Set[tuple[str, str]]:
    """Return the links that a placement's streams cross, in both directions.

    A delay is half of a round trip, so what fills one direction slows both.
    """
    placed = as_placed(problem, placement).streams
    # Where no rate is known, all streams are taken to carry something.
    used = (it for it, of in zip(placed, problem.streams, strict=True) if it.rate or not of.rate)
    ends = ((placement.get(it.source), placement.get(it.target)) for it in used)
    one_way = {(u, v) for u, v in ends if u is not None and v is not None and u != v}
    return one_way | {(v, u) for u, v in one_way}


def _on_nodes(problem: PlacementProblem, used: Set[str]) -> PlacementProblem:
    """Return the problem with these nodes alone, to evaluate placements on them."""
    links = {(u, v): problem.link(u, v) for u in used for v in used if u != v}
    return replace(
        problem,
        operators=tuple(replace(it, candidates=None) for it in problem.operators),
        nodes=tuple(it for it in problem.nodes if it.id in used),
        links=links,
    )


def _is_measured(problem: PlacementProblem) -> bool:
    return all(it.demand is not None for it in problem.operators)


def _as_now(node: Node, today: Mapping[str, Node], *, cores_alone: bool) -> Node:
    """Return the node as it is today, or with today's cores alone; as it was if it is gone.

    As it was, too, if its cores are known only then or only today.
    """
    found = today.get(node.id, node)
    if (found.cores is None) != (node.cores is None):
        return node
    return replace(node, cores=found.cores) if cores_alone else found


def judge_move(
    trial: MoveTrial, after: Performance, surroundings: Surroundings = UNCHANGED
) -> MoveOutcome:
    """Compare what is measured at rest with what was measured before the move.

    Worse is a latency that rose, or a throughput that fell while queues grew: a lower throughput
    alone may be the source's. A latency that the objective does not weigh has to rise by more than
    the places can explain. What the surroundings explain is no fault of the move.
    """
    was, now = trial.before, after
    latency_before = was.latency and replace(
        was.latency, mean=was.latency.mean + surroundings.delay
    )
    slower = _rose(latency_before, now.latency)
    if slower and not trial.weighs_latency and latency_before and now.latency:
        slower = now.latency.mean - latency_before.mean > QUEUEING
    throughput_before = was.throughput and Level(
        was.throughput.mean * surroundings.throughput,
        was.throughput.deviation * surroundings.throughput,
    )
    less = _rose(now.throughput, throughput_before)
    unknown = now.latency is None or was.latency is None
    worse = slower if not less else (slower or unknown or now.is_saturated)
    # A source that gives more makes tuples wait more, wherever they run.
    if worse and _rose(was.throughput, now.throughput):
        worse = False
    values = {
        "throughput_before": _mean(was.throughput),
        "throughput": _mean(now.throughput),
        "latency_before": _mean(was.latency),
        "latency": _mean(now.latency),
        "cpu_before": _mean(was.cpu),
        "cpu": _mean(now.cpu),
    }
    changed: Message | str = ""
    if surroundings.delay >= REPORTED_DELAY or surroundings.throughput <= REPORTED_THROUGHPUT:
        changed = message(
            Code.SURROUNDINGS, delay=surroundings.delay, throughput=surroundings.throughput
        )
    lateness: float | None = None
    if worse and not less and not now.is_saturated and latency_before and now.latency:
        lateness = now.latency.mean - latency_before.mean
    return MoveOutcome(worse, message(Code.MEASURED_MOVE, **values, changed=changed), lateness)


def _rose(before: Level | None, after: Level | None) -> bool:
    return before is not None and after is not None and before.is_below(after)


def _mean(level: Level | None) -> float | None:
    return level.mean if level is not None else None
