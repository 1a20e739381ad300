"""The JSON API: its paths, parameters and responses."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Final

import anyio
from anyio import CapacityLimiter
from eyewall_contracts.decision import Verdict
from fastapi import APIRouter, Path, Query, Request, Response
from sse_starlette import EventSourceResponse

from eyewall_monitor.dashboard.body import Body, json_body
from eyewall_monitor.dashboard.commands import Commands
from eyewall_monitor.dashboard.errors import Reason, RequestError
from eyewall_monitor.dashboard.view_cache import ViewCache
from eyewall_monitor.dashboard.views.cluster import ClusterView
from eyewall_monitor.dashboard.views.decision import DecisionPage, DecisionView
from eyewall_monitor.dashboard.views.explanation import ExplanationView
from eyewall_monitor.dashboard.views.forecast import ForecastView
from eyewall_monitor.dashboard.views.health import HealthView
from eyewall_monitor.dashboard.views.metrics import TermView, term_views
from eyewall_monitor.dashboard.views.plan import PlanRequest, PlanSummaryView, PlanView, PolicyView
from eyewall_monitor.dashboard.views.provision import CatalogueView, ProvisionRequest, ProvisionView
from eyewall_monitor.dashboard.views.response_time import ResponseTimeView, ThroughputView
from eyewall_monitor.dashboard.views.switches import Frozen, SwitchesView
from eyewall_monitor.dashboard.views.topology import TopologySummary, TopologyView
from eyewall_monitor.dashboard.web.events import Events
from eyewall_monitor.dashboard.web.responses import PROBLEM_JSON, respond

HEARTBEAT_SECONDS: Final = 5
SEND_TIMEOUT: Final = 30.0
"""Seconds after which a page that receives nothing is dropped."""
SOLVER_THREADS: Final = 8
"""More than the sidecar solves at a time, since it refuses further requests at once. Requests that
hang block these threads and no others."""
READ_THREADS: Final = 16
"""For reading from ZooKeeper or the sidecar: if that hangs, pages and metrics do not."""
MOST_DECISIONS: Final = 200
DAY: Final = 86_400

_ERRORS: Final = {
    403: "The dashboard is read-only, or another site sent the request.",
    404: "Unknown name; `nearest` has similar names.",
    409: "Not now: stale, frozen or refused.",
    422: "A bad value.",
    501: "The sidecar lacks a distribution that serves this.",
    502: "The sidecar failed.",
    503: "The sidecar or ZooKeeper does not answer.",
}

Topology = Annotated[str, Path(description="Storm's id of it, or its name.", max_length=300)]
Span = Annotated[int, Query(ge=60, le=DAY, description="How far back, in seconds.")]
Id = Annotated[str, Path(max_length=200)]


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {it: {"description": _ERRORS[it], "content": content} for it in statuses}


def api_router(views: ViewCache, commands: Commands, events: Events) -> APIRouter:
    """Return the API."""
    router = APIRouter(prefix="/api/v1")
    solving, reading = CapacityLimiter(SOLVER_THREADS), CapacityLimiter(READ_THREADS)

    async def cached(request: Request, key: str, make: Callable[[], Body | None]) -> Response:
        body = views.ready(key) or await anyio.to_thread.run_sync(make)
        if body is None:
            why = f"{key.partition('/')[2]} has just ended"
            raise RequestError(Reason.UNKNOWN_NAME, why)
        return respond(request, body)

    async def call(
        request: Request,
        command: Callable[..., Any],
        *arguments: Any,
        limiter: CapacityLimiter | None = None,
        status: int = HTTPStatus.OK,
    ) -> Response:
        """Run a command in a thread and return the view, or the views, that it returns."""
        view = await anyio.to_thread.run_sync(command, *arguments, limiter=limiter)
        return respond(request, json_body(view), status)

    @router.get("/cluster", tags=["look"], response_model=ClusterView)
    async def cluster(request: Request) -> Response:
        """The whole cluster: supervisors, links, topologies, switches and move limits."""
        return await cached(request, "cluster", views.cluster)

    @router.get("/topologies", tags=["look"], response_model=tuple[TopologySummary, ...])
    async def topologies(request: Request) -> Response:
        """A summary of each topology."""
        return await cached(request, "topologies", views.topologies)

    @router.get(
        "/topologies/{topology}",
        tags=["look"],
        response_model=TopologyView,
        responses=_errors(404, 422, 503),
    )
    async def one_topology(request: Request, topology: Topology) -> Response:
        """One topology: its graph, where everything runs, its metrics and slowest path."""
        body = views.ready(f"topology/{topology}")
        if body is not None:
            return respond(request, body)
        # In a thread: finding the nearest of thousands of names takes long.
        id_ = (await anyio.to_thread.run_sync(commands.topology, topology)).topology_id
        return await cached(request, f"topology/{id_}", lambda: views.topology(id_))

    @router.get(
        "/topologies/{topology}/response-time",
        tags=["look"],
        response_model=ResponseTimeView,
        responses=_errors(404, 422, 503),
    )
    async def response_time(request: Request, topology: Topology, seconds: Span = 3600) -> Response:
        """Response time over time: predicted, measured, and reassignments."""
        return await call(request, commands.response_time, topology, seconds)

    @router.get(
        "/topologies/{topology}/throughput",
        tags=["look"],
        response_model=ThroughputView,
        responses=_errors(404, 422, 503),
    )
    async def throughput(request: Request, topology: Topology, seconds: Span = 3600) -> Response:
        """Throughput over time: expected and measured."""
        return await call(request, commands.throughput, topology, seconds)

    @router.get(
        "/topologies/{topology}/forecast",
        tags=["ask"],
        response_model=ForecastView,
        responses=_errors(404, 409, 422, 502, 503),
    )
    async def forecast(
        request: Request,
        topology: Topology,
        rate: Annotated[
            float,
            Query(gt=0, allow_inf_nan=False, description="A multiple of the present rate."),
        ] = 1.0,
        off: Annotated[
            tuple[str, ...], Query(description="Hosts that are off; may be repeated.")
        ] = (),
        policy: Annotated[
            str, Query(description="Places all executors; empty: only those of hosts that are off.")
        ] = "",
    ) -> Response:
        """What to expect of a topology at another rate, without hosts, or placed again."""
        change = rate, tuple(dict.fromkeys(filter(None, off))), policy
        limiter = solving if off or policy else reading
        return await call(request, commands.forecast, topology, *change, limiter=limiter)

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
        host: Annotated[str, Query(description="A host to include in the alternatives.")] = "",
    ) -> Response:
        """Why an executor runs where it runs, and not elsewhere."""
        return await call(request, commands.explain, topology, executor, host, limiter=reading)

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
            str | None, Query(description="Return decisions before this one: `older` of a page.")
        ] = None,
    ) -> Response:
        """Decisions, newest first."""
        filters = topology or None, verdict, count, before or None
        return await call(request, commands.decisions, *filters, limiter=reading)

    @router.get(
        "/decisions/{decision}",
        tags=["look"],
        response_model=DecisionView,
        responses=_errors(404, 422, 503),
    )
    async def one_decision(request: Request, decision: Id) -> Response:
        """One decision, and its measured gain."""
        return await call(request, commands.decision, decision, limiter=reading)

    @router.get(
        "/policies",
        tags=["plan"],
        response_model=tuple[PolicyView, ...],
        responses=_errors(502, 503),
    )
    async def policies(request: Request) -> Response:
        """Policies that plans can be made with."""
        return await call(request, commands.policies, limiter=reading)

    @router.get("/terms", tags=["plan"], response_model=tuple[TermView, ...])
    async def terms(request: Request) -> Response:
        """Terms that an objective may hold."""
        return respond(request, json_body(term_views()))

    @router.get(
        "/plans",
        tags=["plan"],
        response_model=tuple[PlanSummaryView, ...],
        responses=_errors(502, 503),
    )
    async def plans(request: Request) -> Response:
        """Plans that the sidecar keeps, newest first."""
        return await call(request, commands.plans, limiter=reading)

    @router.post(
        "/plans",
        tags=["plan"],
        status_code=HTTPStatus.CREATED,
        response_model=PlanView,
        responses=_errors(403, 404, 409, 422, 502, 503),
    )
    async def make_plan(request: Request, plan: PlanRequest) -> Response:
        """Plan without moving anything. Takes up to time_limit and a few seconds."""
        return await call(
            request, commands.make_plan, plan, limiter=solving, status=HTTPStatus.CREATED
        )

    @router.get(
        "/plans/{plan}",
        tags=["plan"],
        response_model=PlanView,
        responses=_errors(404, 422, 502, 503),
    )
    async def one_plan(request: Request, plan: Id) -> Response:
        """A plan and its state."""
        return await call(request, commands.plan, plan, limiter=reading)

    @router.post(
        "/plans/{plan}/apply",
        tags=["plan"],
        response_model=PlanView,
        responses=_errors(403, 404, 409, 422, 502, 503),
    )
    async def apply_plan(request: Request, plan: Id) -> Response:
        """Hand exactly this plan to Nimbus in its next round."""
        return await call(request, commands.apply_plan, plan)

    @router.get(
        "/catalogues",
        tags=["plan"],
        response_model=tuple[CatalogueView, ...],
        responses=_errors(501, 502, 503),
    )
    async def catalogues(request: Request) -> Response:
        """Catalogues of machine types that come with the sidecar."""
        return await call(request, commands.catalogues, limiter=reading)

    @router.post(
        "/topologies/{topology}/provision",
        tags=["plan"],
        response_model=ProvisionView,
        responses=_errors(403, 404, 409, 422, 501, 502, 503),
    )
    async def provision(
        request: Request, topology: Topology, platform: ProvisionRequest
    ) -> Response:
        """The cheapest machines that sustain a throughput. Nothing is bought or switched off."""
        return await call(request, commands.provision, topology, platform, limiter=solving)

    @router.put(
        "/frozen",
        tags=["freeze"],
        response_model=SwitchesView,
        responses=_errors(403, 409, 422, 503),
    )
    async def freeze(request: Request, switch: Frozen) -> Response:
        """Freeze or unfreeze all running executors."""
        return await call(request, lambda: commands.freeze(frozen=switch.frozen))

    @router.put(
        "/topologies/{topology}/frozen",
        tags=["freeze"],
        response_model=SwitchesView,
        responses=_errors(403, 404, 409, 422, 503),
    )
    async def freeze_topology(request: Request, topology: Topology, switch: Frozen) -> Response:
        """Freeze or unfreeze one topology."""
        return await call(request, lambda: commands.freeze_topology(topology, frozen=switch.frozen))

    @router.get("/health", tags=["look"], response_model=HealthView)
    async def health(request: Request) -> Response:
        """Every part, its freshness, and its lag."""
        return await cached(request, "health", views.health)

    @router.get(
        "/events",
        tags=["look"],
        response_class=EventSourceResponse,
        responses={
            200: {
                "description": "Server-Sent Events: `change`, whose data is a ViewChange; comments "
                f"every {HEARTBEAT_SECONDS} s.",
                "content": {"text/event-stream": {}},
            },
            **_errors(503),
        },
    )
    async def change_events(request: Request) -> Response:  # noqa: ARG001 - FastAPI's
        """Changes: everything at once, and then each change."""
        changes = events.changes(views.everything)

        async def stream() -> Any:
            async for it in changes:
                yield {"event": "change", "id": str(it.revision), "data": it.model_dump_json()}

        return EventSourceResponse(stream(), ping=HEARTBEAT_SECONDS, send_timeout=SEND_TIMEOUT)

    return router
