"""The JSON API: what each address answers."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

import anyio
from anyio import CapacityLimiter
from eyewall_contracts.decision import Verdict
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse

from eyewall_monitor.dashboard.bodies import Body, json_body
from eyewall_monitor.dashboard.desk import Desk
from eyewall_monitor.dashboard.explanation_view import explanation_view
from eyewall_monitor.dashboard.plan_view import plan_view, policy_view
from eyewall_monitor.dashboard.provision_view import catalogue_view
from eyewall_monitor.dashboard.views.cluster import ClusterView
from eyewall_monitor.dashboard.views.decision import DecisionPage, DecisionView
from eyewall_monitor.dashboard.views.explanation import ExplanationView
from eyewall_monitor.dashboard.views.health import HealthView
from eyewall_monitor.dashboard.views.plan import PlanRequest, PlanSummaryView, PlanView, PolicyView
from eyewall_monitor.dashboard.views.provision import CatalogueView, ProvisionRequest, ProvisionView
from eyewall_monitor.dashboard.views.response_time import ResponseTimeView
from eyewall_monitor.dashboard.views.switches import Frozen, SwitchesView
from eyewall_monitor.dashboard.views.topology import TopologySummary, TopologyView
from eyewall_monitor.dashboard.web.answers import answer
from eyewall_monitor.dashboard.web.events import Events, TooManyPagesError
from eyewall_monitor.dashboard.web.problems import KIND, ProblemError

HEARTBEAT_SECONDS: Final = 5
SLOW_SECONDS: Final = 30.0
"""A page that takes nothing for so long is gone."""
PLAN_THREADS: Final = 8
"""More than the sidecar makes plans and looks for platforms at a time: it refuses the others at
once. One that hangs takes these and no others."""
ASKED_AT_ONCE: Final = 16
"""Requests that ask ZooKeeper or the sidecar: if these hang, pages and metrics do not."""
MOST_DECISIONS: Final = 200
DAY: Final = 86_400

_MEANINGS: Final = {
    403: "Only looking is allowed, or another site asks.",
    404: "Unknown name; `nearest` has names that were perhaps meant.",
    409: "Not now: stale, frozen, refused.",
    422: "A bad value, or one that makes no sense.",
    501: "What answers this is not installed with the sidecar.",
    502: "The sidecar failed.",
    503: "The sidecar or ZooKeeper is away.",
}
Answer = TypeVar("Answer")
_PLANS: Final = TypeAdapter(tuple[PlanSummaryView, ...])
_CATALOGUES: Final = TypeAdapter(tuple[CatalogueView, ...])
_POLICIES: Final = TypeAdapter(tuple[PolicyView, ...])

Topology = Annotated[str, Path(description="Storm's id of it, or its name.", max_length=300)]
Id = Annotated[str, Path(max_length=200)]


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {
        it: {
            "description": _MEANINGS[it],
            "content": {KIND: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for it in statuses
    }


def api(desk: Desk, events: Events) -> APIRouter:
    """Make the API of a desk."""
    router = APIRouter(prefix="/api/v1")
    board = desk.board
    planning = CapacityLimiter(PLAN_THREADS)
    asking = CapacityLimiter(ASKED_AT_ONCE)

    async def shown(request: Request, key: str, make: Any) -> Response:
        body: Body | None = board.made(key) or await anyio.to_thread.run_sync(make)
        if body is None:
            raise ProblemError(HTTPStatus.NOT_FOUND, f"{key.partition('/')[2]} has just ended")
        return answer(request, body)

    async def beside(ask: Callable[..., Answer], *asked: Any) -> Answer:
        return await anyio.to_thread.run_sync(ask, *asked, limiter=asking)

    @router.get("/cluster", tags=["look"], response_model=ClusterView)
    async def cluster(request: Request) -> Response:
        """The whole cluster: supervisors, links, topologies, switches and rules."""
        return await shown(request, "cluster", board.cluster)

    @router.get("/topologies", tags=["look"], response_model=tuple[TopologySummary, ...])
    async def topologies(request: Request) -> Response:
        """A line for each topology."""
        return await shown(request, "topologies", board.topologies)

    @router.get(
        "/topologies/{topology}",
        tags=["look"],
        response_model=TopologyView,
        responses=_errors(404, 422, 503),
    )
    async def one_topology(request: Request, topology: Topology) -> Response:
        """One topology: its graph, where everything runs, its metrics and slowest path."""
        body = board.made(f"topology/{topology}")
        if body is not None:
            return answer(request, body)
        # In a thread: the nearest of thousands of names take long to find.
        id_ = (await anyio.to_thread.run_sync(desk.topology, topology)).topology_id
        return await shown(request, f"topology/{id_}", lambda: board.topology(id_))

    @router.get(
        "/topologies/{topology}/response-time",
        tags=["look"],
        response_model=ResponseTimeView,
        responses=_errors(404, 422, 503),
    )
    def response_time(
        request: Request,
        topology: Topology,
        seconds: Annotated[
            int, Query(ge=60, le=DAY, description="How far back, in seconds.")
        ] = 3600,
    ) -> Response:
        """Response time over time: by the model, as measured, and what moved when."""
        return answer(request, json_body(desk.response_time(topology, seconds)))

    @router.get(
        "/topologies/{topology}/explain",
        tags=["ask"],
        response_model=ExplanationView,
        responses=_errors(404, 409, 422, 502, 503),
    )
    async def explain(
        request: Request,
        topology: Topology,
        executor: Annotated[
            str, Query(description="tag[3-4], tag (if it has one executor), or a task's id.")
        ],
        host: Annotated[
            str, Query(description="A host that shall be among the alternatives.")
        ] = "",
    ) -> Response:
        """Why an executor runs where it runs, and why not elsewhere."""
        found = await beside(desk.client.explain, topology, executor, host)
        return answer(request, json_body(explanation_view(found)))

    @router.get(
        "/decisions",
        tags=["look"],
        response_model=DecisionPage,
        responses=_errors(404, 422, 503),
    )
    async def decisions(
        request: Request,
        topology: Annotated[str | None, Query(description="By id or by name.")] = None,
        verdict: Annotated[Verdict | None, Query()] = None,
        count: Annotated[int, Query(ge=1, le=MOST_DECISIONS)] = 20,
        before: Annotated[
            str | None, Query(description="Go on before this decision: `older` of a page.")
        ] = None,
    ) -> Response:
        """Decisions, newest first."""
        found = await beside(desk.decisions, topology or None, verdict, count, before or None)
        return answer(request, json_body(found))

    @router.get(
        "/decisions/{decision}",
        tags=["look"],
        response_model=DecisionView,
        responses=_errors(404, 422, 503),
    )
    async def one_decision(request: Request, decision: Id) -> Response:
        """All of one decision, and what became of what it promised."""
        return answer(request, json_body(await beside(desk.decision, decision)))

    @router.get(
        "/policies",
        tags=["plan"],
        response_model=tuple[PolicyView, ...],
        responses=_errors(502, 503),
    )
    async def policies(request: Request) -> Response:
        """Policies that can be planned with."""
        told = await beside(desk.client.policies)
        found = tuple(policy_view(it) for it in told.policies)
        return answer(request, json_body(found, _POLICIES))

    @router.get(
        "/plans",
        tags=["plan"],
        response_model=tuple[PlanSummaryView, ...],
        responses=_errors(502, 503),
    )
    async def plans(request: Request) -> Response:
        """Plans that the sidecar remembers, newest first."""
        return answer(request, json_body(await beside(desk.plans), _PLANS))

    @router.post(
        "/plans",
        tags=["plan"],
        status_code=HTTPStatus.CREATED,
        response_model=PlanView,
        responses=_errors(403, 404, 409, 422, 502, 503),
    )
    async def make_plan(request: Request, asked: PlanRequest) -> Response:
        """A dry run: plan without moving anything. Takes up to time_limit and a few seconds."""
        made = await anyio.to_thread.run_sync(desk.make_plan, asked, limiter=planning)
        return answer(request, json_body(made), HTTPStatus.CREATED)

    @router.get(
        "/plans/{plan}",
        tags=["plan"],
        response_model=PlanView,
        responses=_errors(404, 422, 502, 503),
    )
    async def one_plan(request: Request, plan: Id) -> Response:
        """A plan, and what has become of it."""
        return answer(request, json_body(plan_view(await beside(desk.client.plan, plan))))

    @router.post(
        "/plans/{plan}/apply",
        tags=["plan"],
        response_model=PlanView,
        responses=_errors(403, 404, 409, 422, 502, 503),
    )
    def apply_plan(request: Request, plan: Id) -> Response:
        """Hand exactly this plan to Nimbus in its next round."""
        return answer(request, json_body(desk.apply_plan(plan)))

    @router.get(
        "/catalogues",
        tags=["plan"],
        response_model=tuple[CatalogueView, ...],
        responses=_errors(501, 502, 503),
    )
    async def catalogues(request: Request) -> Response:
        """Catalogues of machine types that come with the sidecar."""
        told = await beside(desk.client.catalogues)
        found = tuple(catalogue_view(it) for it in told.catalogues)
        return answer(request, json_body(found, _CATALOGUES))

    @router.post(
        "/topologies/{topology}/provision",
        tags=["plan"],
        response_model=ProvisionView,
        responses=_errors(403, 404, 409, 422, 501, 502, 503),
    )
    async def provision(request: Request, topology: Topology, asked: ProvisionRequest) -> Response:
        """Which machines sustain a throughput at the least price. Nothing is bought or ended."""
        found = await anyio.to_thread.run_sync(desk.provision, topology, asked, limiter=planning)
        return answer(request, json_body(found))

    @router.put(
        "/frozen",
        tags=["freeze"],
        response_model=SwitchesView,
        responses=_errors(403, 409, 422, 503),
    )
    def freeze(request: Request, asked: Frozen) -> Response:
        """Freeze everything that runs, or unfreeze it."""
        return answer(request, json_body(desk.freeze(frozen=asked.frozen)))

    @router.put(
        "/topologies/{topology}/frozen",
        tags=["freeze"],
        response_model=SwitchesView,
        responses=_errors(403, 404, 409, 422, 503),
    )
    def freeze_topology(request: Request, topology: Topology, asked: Frozen) -> Response:
        """Freeze one topology, or unfreeze it."""
        return answer(request, json_body(desk.freeze_topology(topology, frozen=asked.frozen)))

    @router.get("/health", tags=["look"], response_model=HealthView)
    async def health(request: Request) -> Response:
        """Every part, how old what it tells is, and how far it is behind."""
        return await shown(request, "health", board.health)

    @router.get(
        "/events",
        tags=["look"],
        response_class=EventSourceResponse,
        responses={
            200: {
                "description": "Server-Sent Events: `change`, whose data is a Change; comments "
                f"every {HEARTBEAT_SECONDS} s.",
                "content": {"text/event-stream": {}},
            },
            **_errors(503),
        },
    )
    async def told(request: Request) -> Response:  # noqa: ARG001 - FastAPI's
        """What changes: all that there is at once, and then each change as it comes."""
        try:
            changes = events.changes(board.everything)
        except TooManyPagesError as error:
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None

        async def stream() -> Any:
            async for it in changes:
                yield {"event": "change", "id": str(it.revision), "data": it.model_dump_json()}

        return EventSourceResponse(stream(), ping=HEARTBEAT_SECONDS, send_timeout=SLOW_SECONDS)

    return router
