"""The pages: one document for every page's URL, and the static files that it loads."""

import mimetypes
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Final

from fastapi import FastAPI, HTTPException, Request, Response

from eyewall_monitor.dashboard.body import Body
from eyewall_monitor.dashboard.errors import unknown_name
from eyewall_monitor.dashboard.web.responses import respond

FOLDER: Final = Path(__file__).parents[1] / "static"
PATHS: Final = (
    "/",
    "/topology/{topology}",
    "/decisions",
    "/decisions/{decision}",
    "/plan",
    "/plan/{plan}",
    "/provision",
    "/health",
)
_INDEX: Final = "index.html"
_BEST_COMPRESSION: Final = 9
"""A file is compressed once."""
_MEDIA_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
}


class StaticFiles:
    """The files of a folder: read when first requested, and again after they changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._bodies: dict[Path, tuple[int, Body]] = {}

    def body(self, name: str) -> Body | None:
        """Return a file; None if the folder has no such file."""
        path = (self._folder / name).resolve()
        try:
            if not path.is_relative_to(self._folder.resolve()) or not path.is_file():
                return None
        except OSError:  # a name that is too long
            return None
        written = path.stat().st_mtime_ns
        with self._lock:
            # Keyed by path, since one file can be requested by any number of names.
            known = self._bodies.get(path)
            if known is None or known[0] != written:
                body = Body(path.read_bytes(), _media_type(path), _BEST_COMPRESSION)
                known = self._bodies[path] = written, body
            return known[1]

    def names(self) -> list[str]:
        """Return the names of all files."""
        paths = (it for it in self._folder.rglob("*") if it.is_file())
        return sorted(str(it.relative_to(self._folder)) for it in paths)


def add_pages(app: FastAPI, files: StaticFiles) -> None:
    """Add the pages and their files to the application."""

    def page(request: Request) -> Response:
        body = files.body(_INDEX)
        if body is None:
            raise unknown_name("file", _INDEX, files.names())
        return respond(request, body)

    def not_found(request: Request, path: str) -> Response:  # noqa: ARG001 - FastAPI's
        body = files.body(_INDEX)
        if body is None or "text/html" not in request.headers.get("accept", ""):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return respond(request, body, HTTPStatus.NOT_FOUND)

    def static(request: Request, name: str) -> Response:
        body = files.body(name) if "\0" not in name else None
        if body is None:
            raise unknown_name("file", name, files.names())
        return respond(request, body)

    for path in PATHS:
        app.add_api_route(path, page, include_in_schema=False)
    app.add_api_route("/static/{name:path}", static, include_in_schema=False)
    # Last: every other URL is a page that says so to people.
    app.add_api_route("/{path:path}", not_found, include_in_schema=False)


def _media_type(path: Path) -> str:
    return _MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
