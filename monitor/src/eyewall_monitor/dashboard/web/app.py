"""The web application: API, metrics and pages."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from prometheus_client.metrics_core import Metric

from eyewall_monitor.dashboard.commands import Commands
from eyewall_monitor.dashboard.view_cache import ViewCache, ViewChange
from eyewall_monitor.dashboard.web.api import api_router
from eyewall_monitor.dashboard.web.events import Events
from eyewall_monitor.dashboard.web.metrics import metrics_router
from eyewall_monitor.dashboard.web.pages import FOLDER, StaticFiles, add_pages
from eyewall_monitor.dashboard.web.responses import Problem, handle_errors

DESCRIPTION = """
The API of the dashboard's pages. Units are seconds, bytes, cores and tuples/s; null is unknown,
never zero. Errors are `application/problem+json` (RFC 9457). Responses to GET carry an ETag.
"""
TAGS = [
    {"name": "look", "description": "What runs where, and what was decided."},
    {"name": "ask", "description": "Why an executor runs where it runs."},
    {"name": "plan", "description": "Plan without moving anything, then apply exactly that plan."},
    {"name": "freeze", "description": "Stop moves of running executors."},
]


def make_app(
    views: ViewCache,
    commands: Commands,
    events: Events,
    collect: Callable[[], Iterable[Metric]],
    folder: Path = FOLDER,
) -> FastAPI:
    """Return the application; `collect` yields metrics for Prometheus, `folder` has the pages."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        events.begin()
        yield
        events.close()

    app = FastAPI(
        title="Eyewall dashboard",
        version="1",
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    _describe_views(app)
    handle_errors(app)
    app.include_router(api_router(views, commands, events))
    app.include_router(metrics_router(collect))
    add_pages(app, StaticFiles(folder))
    return app


def _describe_views(app: FastAPI) -> None:
    """Add the views to OpenAPI that no operation returns as its body: errors and events."""
    describe = app.openapi

    def openapi() -> dict[str, Any]:
        document = describe()
        for view in (Problem, ViewChange):
            schema = view.model_json_schema(mode="serialization")
            document["components"]["schemas"].setdefault(view.__name__, schema)
        return document

    app.openapi = openapi  # type: ignore[method-assign]
