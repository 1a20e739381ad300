"""S-ODP's instances and their optimal placements: R against A (7.1), and a failed worker (6.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
from eyewall_sidecar.model import Placement, PlacementProblem, Solution
from eyewall_sidecar.model.array_types import Floats, Places
from eyewall_sidecar.model.arrays import ProblemArrays, placement_of
from eyewall_sidecar.objective import Objective, Term
from eyewall_sidecar.objectives import METRICS
from eyewall_sidecar.objectives.availability import availability
from eyewall_sidecar.objectives.response_time import response_time
from eyewall_sidecar.policies import load_policy
from numpy.random import Generator

from eyewall_papers.experiments.report import Row
from eyewall_papers.instances.tag_and_count import tag_and_count

TIME_LIMIT = 5.0
"""Seconds; no S-ODP instance needs them."""
SLOT = 4
"""EPS_max, section 7.1."""
MANY_UNSURE = 8
"""Executors that the paper has on nodes of 99 %."""
DRAWS = 50
"""Placements drawn from all that have the best availability."""


def instances(number: int) -> Iterator[PlacementProblem]:
    """Yield S-ODP instances with source and consumer pinned to nodes that are always up.

    The paper reports A = 100 % for all executors, so its pins must have been on such nodes.
    """
    drawn = (tag_and_count(seed) for seed in count(1))
    return islice((it for it in drawn if _pins_are_up(it)), number)


def _pins_are_up(problem: PlacementProblem) -> bool:
    pins = (it.candidates for it in problem.operators if it.candidates)
    return all(problem.node(node).availability == 1 for nodes in pins for node in nodes)


def set_full_availability(problem: PlacementProblem) -> PlacementProblem:
    """Section 7.2: "except for 100 % availability of all the nodes and links"."""
    return replace(problem, nodes=tuple(replace(it, availability=1.0) for it in problem.nodes))


def co_locate_pins(problem: PlacementProblem) -> PlacementProblem:
    """Pin the consumer to the source's node; the text does not require different nodes."""
    source, *others, consumer = problem.operators
    moved = replace(consumer, candidates=source.candidates)
    return replace(problem, operators=(source, *others, moved))


def solve(policy: str, problem: PlacementProblem, term: Term) -> Solution:
    """Return a policy's solution for this term alone."""
    return load_policy(policy)(problem, Objective({term: 1.0}), time_limit=TIME_LIMIT, seed=1)


def find_placement(policy: str, problem: PlacementProblem, term: Term) -> Placement:
    """Return the placement of a policy for a problem that has one."""
    found = solve(policy, problem, term)
    if found.placement is None:
        raise ValueError(f"no placement: {found.status}, {'; '.join(found.reasons)}")
    return found.placement


def random_places(arrays: ProblemArrays, room: Places, rng: Generator) -> Places:
    """Draw a placement from the slots that the pins leave; `room` is [node]: operators."""
    pinned = arrays.allowed.sum(axis=1) == 1
    places: Places = arrays.allowed.argmax(axis=1)
    left = room - np.bincount(places[pinned], minlength=arrays.nodes)
    slots = rng.permutation(np.repeat(np.arange(arrays.nodes), left))
    places[~pinned] = slots[: int((~pinned).sum())]
    return places


def mean_latency(problem: PlacementProblem, chosen: Placement) -> float:
    """Return the mean end-to-end delay of tuples at the consumer, in seconds.

    Where R has the worst way, tuples take each way as often as the streams' rates say.
    """
    rates = {(it.source, it.target): it.rate for it in problem.streams}
    latest = ""
    seconds: dict[str, float] = {}
    for name, inputs in problem.path_inputs.items():
        operator = problem.operator(name)
        own = operator.execution_time / problem.node(chosen[name]).speedup
        total = sum(rates[it, name] for it in inputs)
        arriving = sum(
            rates[it, name] * (seconds[it] + problem.delay(chosen[it], chosen[name]))
            for it in inputs
        )
        seconds[name] = own + (arriving / total if total else 0.0)
        latest = name
    return seconds[latest]


@dataclass(frozen=True, slots=True)
class UserMetrics:
    """One instance of figure 4.

    Parameters
    ----------
    slower
        R of the placement that odp finds for A, by the least R.
    any_slower
        The same, in the mean of placements drawn from all that are always up: the objective is
        blind for R, so any of them is its answer.
    sure, unsure
        A of the placement for A, and of that for R.
    on_unsure
        Operators that the placement for R has on nodes of 99 %.
    """

    slower: float
    any_slower: float
    sure: float
    unsure: float
    on_unsure: int


def compare_user_metrics(problem: PlacementProblem, rng: Generator) -> UserMetrics:
    """Optimise the instance for R and for A."""
    fast, sure = (find_placement("odp", problem, it) for it in (Term.R, Term.A))
    least = response_time(problem, fast)
    arrays = ProblemArrays.of(problem)
    room = np.array([it.operators if it.availability == 1 else 0 for it in problem.nodes], int)
    drawn = (placement_of(problem, random_places(arrays, room, rng)) for _ in range(DRAWS))
    return UserMetrics(
        slower=response_time(problem, sure) / least,
        any_slower=float(np.mean([response_time(problem, it) for it in drawn])) / least,
        sure=availability(problem, sure),
        unsure=availability(problem, fast),
        on_unsure=sum(problem.node(it).availability < 1 for it in fast.values()),
    )


def user_metrics_rows(found: Sequence[UserMetrics]) -> list[Row]:
    """Return (figure, paper, ours)."""
    slower = np.array([it.slower for it in found])
    any_slower = np.array([it.any_slower for it in found])
    on_unsure = np.array([it.on_unsure for it in found])
    many, none = on_unsure >= MANY_UNSURE, (on_unsure == 0).sum()
    unsure = [it.unsure for it in found]
    return [
        ("R of S-ODP_A by that of S-ODP_R, odp's answer", "1.8", _median(slower)),
        ("the same, any placement as available", "1.8", _median(any_slower)),
        ("A of S-ODP_A", "100 %", f"{min(it.sure for it in found):.2%} at least"),
        ("A of S-ODP_R, mean", "92.27 %", f"{np.mean(unsure):.2%} (from {min(unsure):.2%})"),
        (
            "executors of S-ODP_R on nodes of 99 %",
            "8 of 12",
            f"8 or more in {many.sum()} of {len(found)}, none in {none}",
        ),
        ("where 8 or more are: R of S-ODP_A by that of S-ODP_R", "1.8", _median(slower[many])),
        ("the same, any placement as available", "1.8", _median(any_slower[many])),
    ]


def _median(values: Floats) -> str:
    if not len(values):
        return "no such instance"
    return f"{np.median(values):.2f} ({values.min():.2f} to {values.max():.2f})"


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """The effect of a failed worker of one instance on one objective.

    Parameters
    ----------
    seconds
        To solve again.
    worse
        The objective after by that before.
    moves, at_least
        Executors that run elsewhere afterwards, and those that no longer had room.
    """

    seconds: float
    worse: float
    moves: int
    at_least: int


def fail_worker(problem: PlacementProblem, term: Term) -> WorkerFailure:
    """Solve, take a slot of the fullest node away, and solve again from what runs.

    Until the worker is back its node has its other slot only: room for 4 of 8 (section 6.2).
    """
    before = find_placement("odp", problem, term)
    loads = {it.id: list(before.values()).count(it.id) for it in problem.nodes}
    fullest = max(loads, key=lambda node: loads[node])
    nodes = (replace(it, operators=SLOT) if it.id == fullest else it for it in problem.nodes)
    left = replace(problem, nodes=tuple(nodes), current=before)
    again = solve("odp", left, term)
    if again.placement is None:
        raise ValueError(f"no placement after the failure: {'; '.join(again.reasons)}")
    worse = METRICS[term](left, again.placement) / METRICS[term](problem, before)
    return WorkerFailure(again.seconds, worse, again.moves, max(0, loads[fullest] - SLOT))


def failure_row(term: Term, found: Sequence[WorkerFailure]) -> Row:
    """Return (objective, ms median and most, objective after by before, moved, without room)."""
    milliseconds = [it.seconds * 1e3 for it in found]
    return (
        f"S-ODP_{term}",
        f"{np.median(milliseconds):.2f}",
        f"{np.max(milliseconds):.1f}",
        f"{np.median([it.worse for it in found]):.2f}",
        f"{np.mean([it.moves for it in found]):.1f}",
        f"{np.mean([it.at_least for it in found]):.1f}",
    )
