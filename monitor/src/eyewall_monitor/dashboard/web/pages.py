"""The pages: one document for every address of a view, and the files that it loads."""

import mimetypes
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Final

from fastapi import FastAPI, HTTPException, Request, Response

from eyewall_monitor.dashboard.bodies import Body
from eyewall_monitor.dashboard.web.answers import answer
from eyewall_monitor.dashboard.web.problems import unknown

FOLDER: Final = Path(__file__).parents[1] / "static"
ADDRESSES: Final = (
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
_HARD: Final = 9
"""Files are compressed once in the dashboard's life."""
_KINDS: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}


class StaticFiles:
    """Files of one folder, read when they are first asked for and again after they were changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._bodies: dict[Path, tuple[int, Body]] = {}

    def body(self, name: str) -> Body | None:
        """Return a file's bytes; None if there is no such file in the folder."""
        path = (self._folder / name).resolve()
        try:
            if not path.is_relative_to(self._folder.resolve()) or not path.is_file():
                return None
        except OSError:  # longer than a file's name may be
            return None
        written = path.stat().st_mtime_ns
        with self._lock:
            # By path: one file may be asked for by any number of names.
            known = self._bodies.get(path)
            if known is None or known[0] != written:
                known = written, Body(path.read_bytes(), _kind(path), _HARD)
                self._bodies[path] = known
            return known[1]

    def names(self) -> list[str]:
        """All files."""
        return sorted(
            str(it.relative_to(self._folder)) for it in self._folder.rglob("*") if it.is_file()
        )


def serve_pages(app: FastAPI, files: StaticFiles) -> None:
    """Add the pages' addresses to the application."""

    def page(request: Request) -> Response:
        body = files.body(_INDEX)
        if body is None:
            raise unknown("file", _INDEX, files.names())
        return answer(request, body)

    def nowhere(request: Request, path: str) -> Response:  # noqa: ARG001 - FastAPI's
        body = files.body(_INDEX)
        if body is None or "text/html" not in request.headers.get("accept", ""):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return answer(request, body, HTTPStatus.NOT_FOUND)

    def static(request: Request, name: str) -> Response:
        body = files.body(name) if "\0" not in name else None
        if body is None:
            raise unknown("file", name, files.names())
        return answer(request, body)

    for address in ADDRESSES:
        app.add_api_route(address, page, include_in_schema=False)
    app.add_api_route("/static/{name:path}", static, include_in_schema=False)
    # Last, for whatever nothing else answers: a person gets a page that says so.
    app.add_api_route("/{path:path}", nowhere, include_in_schema=False)


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
