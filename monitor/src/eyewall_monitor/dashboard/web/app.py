"""The application: API, metrics and pages, behind their guard."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from prometheus_client.metrics_core import Metric

from eyewall_monitor.dashboard.desk import Desk
from eyewall_monitor.dashboard.views.change import Change
from eyewall_monitor.dashboard.views.problem import Problem
from eyewall_monitor.dashboard.web import problems
from eyewall_monitor.dashboard.web.api import api
from eyewall_monitor.dashboard.web.events import Events
from eyewall_monitor.dashboard.web.pages import FOLDER, StaticFiles, serve_pages
from eyewall_monitor.dashboard.web.scrape import scraped

DESCRIPTION = """
What the dashboard's pages are drawn from, and nothing else. Units are seconds, bytes, cores and
tuples/s; null is unknown, never zero. Errors are `application/problem+json` (RFC 9457). Answers to
GET carry an ETag.
"""
TAGS = [
    {"name": "look", "description": "What runs where, and what was decided."},
    {"name": "ask", "description": "Why, and why not."},
    {"name": "plan", "description": "Try without moving anything, then apply exactly that."},
    {"name": "freeze", "description": "Have nothing that runs be moved."},
]


def _describe(app: FastAPI) -> None:
    """Add the views that no operation returns as its body: errors, and the data of events."""
    describe = app.openapi

    def openapi() -> dict[str, Any]:
        document = describe()
        for view in (Problem, Change):
            schema = view.model_json_schema(mode="serialization")
            document["components"]["schemas"].setdefault(view.__name__, schema)
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def make_app(
    desk: Desk,
    events: Events,
    collect: Callable[[], Iterable[Metric]],
    folder: Path = FOLDER,
) -> FastAPI:
    """Return the application; `collect` yields metrics for Prometheus, `folder` has the pages."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
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
        lifespan=life,
    )
    _describe(app)
    app.state.sidecar_address = desk.client.address
    problems.handle(app)
    app.include_router(api(desk, events))
    app.include_router(scraped(collect))
    serve_pages(app, StaticFiles(folder))
    return app
