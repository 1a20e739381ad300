"""Is a server really ready? Each probe says what is missing, or None when nothing is."""

from __future__ import annotations

import http.client
import socket
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyewall_deploy.endpoint import Endpoint

_SECONDS = 3.0

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_STREAM, _END_HEADERS = 0x1, 0x4
_HEALTH_REQUEST = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/grpc.health.v1.Health/Check",
    ":authority": "localhost",
    "te": "trailers",
    "content-type": "application/grpc",
}
_SERVING = b"\x08\x01"
"""HealthCheckResponse with field 1, the status, being 1."""


def zookeeper(endpoint: Endpoint) -> str | None:
    """ZooKeeper says in which mode it serves (`srvr` is the command that is on by default)."""
    answer = _exchange(endpoint, b"srvr", until=b"Mode:")
    return None if b"Mode:" in answer else f"ZooKeeper at {endpoint} does not answer"


def redis(endpoint: Endpoint) -> str | None:
    """Redis answers PING."""
    answer = _exchange(endpoint, b"PING\r\n", until=b"\r\n")
    return None if answer.startswith(b"+PONG") else f"Redis at {endpoint} does not answer"


def http_ok(endpoint: Endpoint, path: str) -> str | None:
    """A page is served."""
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=_SECONDS)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return f"no answer from http://{endpoint}{path}"
    finally:
        connection.close()
    return None if status == http.client.OK else f"http://{endpoint}{path} answers {status}"


def grpc_health(endpoint: Endpoint) -> str | None:
    """The health service of gRPC answers SERVING.

    One request by hand over HTTP/2, so that no gRPC library is needed: header fields uncompressed
    (RFC 7541, 6.2.2), an empty HealthCheckRequest, and the answer's data frame.
    """
    fields = b"".join(_field(name, value) for name, value in _HEALTH_REQUEST.items())
    request = (
        _PREFACE
        + _frame(_SETTINGS, 0, 0, b"")
        + _frame(_HEADERS, _END_HEADERS, 1, fields)
        + _frame(_DATA, _END_STREAM, 1, bytes(5))
    )
    try:
        with socket.create_connection((endpoint.host, endpoint.port), _SECONDS) as connection:
            connection.sendall(request)
            stream = connection.makefile("rb")
            while header := stream.read(9):
                length = int.from_bytes(header[:3], "big")
                kind, flags = header[3], header[4]
                content = stream.read(length)
                if kind == _DATA:
                    serving = content[5:] == _SERVING
                    return None if serving else f"the gRPC server at {endpoint} is not serving"
                if kind == _HEADERS and flags & _END_STREAM:
                    return f"the gRPC server at {endpoint} has no health service"
    except (OSError, IndexError):
        pass
    return f"no gRPC server answers at {endpoint}"


def _field(name: str, value: str) -> bytes:
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def _frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    head = len(content).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream)
    return head + content


def _exchange(endpoint: Endpoint, request: bytes, until: bytes) -> bytes:
    answer = b""
    try:
        with socket.create_connection((endpoint.host, endpoint.port), _SECONDS) as connection:
            connection.sendall(request)
            while until not in answer and (part := connection.recv(4096)):
                answer += part
    except OSError:
        pass
    return answer
