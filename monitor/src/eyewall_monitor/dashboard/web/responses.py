"""Responses: bodies with ETag and compression, and errors as problem+json (RFC 9457)."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from fastapi import Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from eyewall_monitor.dashboard.body import LEAST_COMPRESSED, Body
from eyewall_monitor.dashboard.errors import Reason, RequestError
from eyewall_monitor.dashboard.views.base import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

LOG: Final = logging.getLogger("eyewall.dashboard")
PROBLEM_JSON: Final = "application/problem+json"
_STATUS: Final = {
    Reason.UNKNOWN_NAME: HTTPStatus.NOT_FOUND,
    Reason.BAD_VALUE: HTTPStatus.UNPROCESSABLE_ENTITY,
    Reason.NOT_NOW: HTTPStatus.CONFLICT,
    Reason.AWAY: HTTPStatus.SERVICE_UNAVAILABLE,
    Reason.NOT_INSTALLED: HTTPStatus.NOT_IMPLEMENTED,
    Reason.FAILED: HTTPStatus.BAD_GATEWAY,
}
_TITLES: Final = {
    HTTPStatus.FORBIDDEN: "Not allowed",
    HTTPStatus.NOT_FOUND: "Unknown name",
    HTTPStatus.CONFLICT: "Not now",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Bad value",
    HTTPStatus.BAD_GATEWAY: "The sidecar failed",
    HTTPStatus.SERVICE_UNAVAILABLE: "Away",
}


class Problem(View):
    """An error (RFC 9457)."""

    title: str
    status: int
    detail: str
    """A sentence that names the offender, its value and what is allowed."""
    nearest: tuple[str, ...] = ()
    """Names that the request may have meant."""


def respond(request: Request, body: Body, status: int = HTTPStatus.OK) -> Response:
    """Return a body, or 304 if the client has it."""
    headers = {"ETag": body.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if status == HTTPStatus.OK and body.matches(request.headers.get("if-none-match")):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if len(body.data) >= LEAST_COMPRESSED and _accepts_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
        return Response(body.compress(), status, headers, media_type=body.media_type)
    return Response(body.data, status, headers, media_type=body.media_type)


def _accepts_gzip(headers: Mapping[str, str]) -> bool:
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def problem(status: int, detail: str, nearest: Sequence[str] = ()) -> Response:
    """Return an error."""
    known = HTTPStatus(status)
    title = _TITLES.get(known, known.phrase)
    body = Problem(title=title, status=status, detail=detail, nearest=tuple(nearest))
    headers = {"Cache-Control": "no-store"}
    return Response(body.model_dump_json(), status, headers, media_type=PROBLEM_JSON)


def handle_errors(app: FastAPI) -> None:
    """Have the application return every error as a problem."""

    async def request_error(_: Request, error: Any) -> Response:
        detail = f"{error.source}: {error}" if error.source else str(error)
        return problem(_STATUS[error.reason], detail, error.nearest)

    async def http_error(_: Request, error: Any) -> Response:
        return problem(error.status_code, str(error.detail))

    async def validation_error(_: Request, error: Any) -> Response:
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, _describe(error.errors()[0]))

    async def unexpected_error(_: Request, error: Exception) -> Response:
        LOG.error("a request failed", exc_info=error)
        detail = "the dashboard failed; see its log"
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail)

    app.add_exception_handler(RequestError, request_error)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(RequestValidationError, validation_error)
    app.add_exception_handler(Exception, unexpected_error)


def _describe(error: Mapping[str, Any]) -> str:
    """Name the place, its value and what is allowed."""
    part, *keys = (str(it) for it in error["loc"])
    name = ".".join(keys)
    if error["type"] == "missing":
        return f"{name or part}: it is required"
    if error["type"] == "extra_forbidden":
        return f"{name}: unknown key"
    if error["type"] == "json_invalid":
        return "the body is not JSON"
    message = f"{error['msg'][:1].lower()}{error['msg'][1:]}"
    return f"{name or part} is {error['input']!r:.80}: {message}"
