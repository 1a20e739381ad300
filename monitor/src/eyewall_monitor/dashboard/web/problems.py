"""Errors as people and programs read them: problem+json, after RFC 9457."""

from __future__ import annotations

import logging
from difflib import get_close_matches
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.stores.switch_store import SwitchesError
from fastapi import Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperAwayError
from eyewall_monitor.dashboard.sidecar_client import Reason, SidecarError
from eyewall_monitor.dashboard.views.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapi import FastAPI, Request

LOG: Final = logging.getLogger("eyewall.dashboard")
KIND: Final = "application/problem+json"
_NAMED: Final = 6
"""Names that are listed where none is near."""
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
    HTTPStatus.NOT_IMPLEMENTED: "Not installed",
    HTTPStatus.BAD_GATEWAY: "The sidecar failed",
    HTTPStatus.SERVICE_UNAVAILABLE: "Away",
}


class ProblemError(Exception):
    """An answer that is an error."""

    def __init__(self, status: HTTPStatus, detail: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.nearest = tuple(nearest)


def unknown(what: str, name: str, names: Collection[str]) -> ProblemError:
    """Nobody knows that name; the nearest of those that there are are offered."""
    there = sorted(set(names))
    near = get_close_matches(name, there, n=3, cutoff=0.5)
    hint = ""
    if near:
        hint = f" (did you mean {' or '.join(near)}?)"
    elif there:
        more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
        hint = f"; there are {', '.join(there[:_NAMED])}{more}"
    return ProblemError(HTTPStatus.NOT_FOUND, f"no {what} {name!r:.200}{hint}", near)


def problem(status: int, detail: str, nearest: Sequence[str] = ()) -> Response:
    """Make the answer."""
    known = HTTPStatus(status)
    title = _TITLES.get(known, known.phrase)
    told = Problem(title=title, status=status, detail=detail, nearest=tuple(nearest))
    return Response(
        told.model_dump_json(), status, media_type=KIND, headers={"Cache-Control": "no-store"}
    )


def handle(app: FastAPI) -> None:
    """Have every error of the application be answered so."""

    async def ours(_: Request, error: Any) -> Response:
        return problem(error.status, str(error), error.nearest)

    async def of_sidecar(request: Request, error: Any) -> Response:
        where = request.app.state.sidecar_address
        said = str(error)
        if error.reason in (Reason.AWAY, Reason.FAILED, Reason.NOT_INSTALLED):
            said = f"the sidecar at {where}: {said}"
        return problem(_STATUS[error.reason], said, error.nearest)

    async def away(_: Request, error: Exception) -> Response:
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error))

    async def of_switches(_: Request, error: Exception) -> Response:
        return problem(HTTPStatus.CONFLICT, str(error))

    async def of_http(_: Request, error: Any) -> Response:
        return problem(error.status_code, str(error.detail))

    async def of_values(_: Request, error: Any) -> Response:
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, _first(error.errors()))

    async def surprise(_: Request, error: Exception) -> Response:
        LOG.error("a request failed", exc_info=error)
        said = "something went wrong in the dashboard; its log says what"
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, said)

    app.add_exception_handler(ProblemError, ours)
    app.add_exception_handler(SidecarError, of_sidecar)
    app.add_exception_handler(ZookeeperAwayError, away)
    app.add_exception_handler(SwitchesError, of_switches)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_values)
    app.add_exception_handler(Exception, surprise)


def _first(errors: Sequence[Any]) -> str:
    """Tell the first thing that is wrong: where, which value, and what is allowed."""
    first = errors[0]
    place, *keys = (str(it) for it in first["loc"])
    name = ".".join(keys)
    said = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    if first["type"] == "missing":
        return f"{name or place}: it must be given"
    if first["type"] == "extra_forbidden":
        return f"{name}: there is no such key"
    if first["type"] == "json_invalid":
        return "the body is no JSON"
    return f"{name or place} is {first['input']!r:.80}: {said}"
