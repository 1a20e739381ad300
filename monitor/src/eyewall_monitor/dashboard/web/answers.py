"""Bytes as answers: 304 to who has them already, compressed for who takes that."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import Request, Response

from eyewall_monitor.dashboard.bodies import LEAST_COMPRESSED, Body


def answer(
    request: Request, body: Body, status: int = HTTPStatus.OK, cache: str = "no-cache"
) -> Response:
    """Answer with a body, or with nothing if the asker has it."""
    headers = {"ETag": body.etag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
    if status == HTTPStatus.OK and body.is_known_by(request.headers.get("if-none-match")):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if len(body.data) >= LEAST_COMPRESSED and _takes_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
        return Response(body.compress(), status, headers, media_type=body.kind)
    return Response(body.data, status, headers, media_type=body.kind)


def _takes_gzip(headers: Mapping[str, str]) -> bool:
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
