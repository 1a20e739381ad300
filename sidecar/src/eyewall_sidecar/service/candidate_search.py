"""Searches for a better placement, and the candidate moves that come of them."""

from collections.abc import Callable
from dataclasses import replace

from eyewall_sidecar.config import ServiceSettings
from eyewall_sidecar.messages import Code
from eyewall_sidecar.service.candidate_move import CandidateMove, MoveConditions
from eyewall_sidecar.service.decision import TopologyRecord, cancel_search
from eyewall_sidecar.service.movement_rules import MoveVerdict, evaluate_move, reassess
from eyewall_sidecar.service.placement_search import PlacementSearch
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.quick_starts import is_priced_out, quick_task
from eyewall_sidecar.service.search_pause import next_change
from eyewall_sidecar.service.solver_pool import PlacementTask, Solvers
from eyewall_sidecar.service.worker_moves import worker_moves_task
from eyewall_sidecar.service.worker_starts import WorkerStarts

CHEAPER = (worker_moves_task, quick_task)
"""What is searched for, one after the other, where only its price holds a move back."""

_WAITS = frozenset({Code.ROUND_BUDGET, Code.HOUR_BUDGET, Code.HOST_STARTS})
"""What only has to wait for others is worth its price: nothing else is looked for."""


class CandidateSearch:
    """Searches, and says what a move to what was found is worth."""

    def __init__(
        self,
        settings: ServiceSettings,
        solvers: Solvers,
        starts: WorkerStarts,
        clock: Callable[[], float],
    ) -> None:
        """Search with these solvers; `starts` says how long workers take to start."""
        self._settings = settings
        self._solvers = solvers
        self._starts = starts
        self._clock = clock

    def search(self, record: TopologyRecord, task: PlacementTask, seconds: float) -> TopologyRecord:
        """Begin to search, and wait no longer for what was searched before."""
        cancel_search(record)
        job = self._solvers.run(task, seconds)
        now = self._clock()
        change = next_change(record.search, now)
        search = PlacementSearch(task, job, began=now, change=change)
        return replace(record, search=search, cheaper=())

    def longest(self, request: PlacementRequest) -> float:
        """Return how many seconds a search for something better may take."""
        return min(self._settings.solver.improvement_seconds, request.settings.time_limit)

    def evaluate(
        self,
        record: TopologyRecord,
        request: PlacementRequest,
        search: PlacementSearch,
        conditions: MoveConditions,
        *,
        outdated: bool,
    ) -> tuple[TopologyRecord, PlacementSearch, MoveVerdict]:
        """Evaluate a move to what a search found or, if it costs too much, to what costs less.

        Each is assessed again only if the problem changed. Also return the search that it is from.
        ValueError if the search has not found anything yet.
        """
        if search.solution is None:
            raise ValueError(f"{request.topology.topology.id}: nothing was found yet")
        limits = self._settings.moves
        candidate = reassess(record.candidate, request, search.solution, outdated=outdated)
        record = replace(record, candidate=candidate)
        verdict = evaluate_move(candidate, limits, conditions)
        if not is_priced_out(verdict):
            return record, search, verdict
        refused: tuple[PlacementSearch, MoveVerdict] | None = None
        for place, make_task in enumerate(CHEAPER):
            if place == len(search.cheaper):
                task = make_task(search.task, candidate, self._starts)
                job = self._solvers.run(task, self.longest(request)) if task is not None else None
                begun = PlacementSearch(task or search.task, job, began=self._clock())
                search = replace(search, cheaper=(*search.cheaper, begun))
                record = replace(record, search=search)
            cheaper = search.cheaper[place]
            if cheaper.job is not None:
                break
            if cheaper.solution is None:
                continue
            known = record.cheaper[place] if place < len(record.cheaper) else None
            other = reassess(known, request, cheaper.solution, outdated=outdated)
            record = replace(record, cheaper=_with(record.cheaper, place, other))
            found = evaluate_move(other, limits, conditions)
            if found.hold is not None and found.hold.code is Code.REFUSED_MOVE:
                refused = refused or (cheaper, found)
            elif found.hold is None or found.hold.code in _WAITS:
                return record, cheaper, found
        return (record, *(refused or (search, verdict)))


def _with(
    candidates: tuple[CandidateMove | None, ...], place: int, candidate: CandidateMove
) -> tuple[CandidateMove | None, ...]:
    """Return candidates with one at its place."""
    known = [*candidates, *[None] * (place + 1 - len(candidates))]
    known[place] = candidate
    return tuple(known)
