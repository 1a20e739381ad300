"""Requests one path of a dashboard repeatedly, in a process of its own, and times each answer.

    python -m benchmarks.dashboard.requests URL CLIENTS COUNT ENCODING TAG PATH

ENCODING is gzip or identity; TAG is `known` (requests carry the last answer's ETag) or `new`.
Prints the latencies in seconds and the bytes of each answer as JSON.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LONGEST_SECONDS = 30.0
"""A client stops after this time, however many requests remain."""


@dataclass
class ClientTimes:
    """Duration, size and status of each answer to one client."""

    seconds: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    """On the wire, with headers."""
    statuses: dict[int, int] = field(default_factory=dict)


class HttpConnection:
    """HTTP/1.1 with as little code around the socket as possible, since its time is measured."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.host = where.netloc
        self.socket = socket.create_connection((where.hostname or "", where.port or 80), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.waiting = b""

    def get(self, path: str, headers: str) -> tuple[int, str, int]:
        """Return status, ETag and bytes of the answer."""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n{headers}\r\n".encode())
        while b"\r\n\r\n" not in self.waiting:
            self._more()
        head, _, rest = self.waiting.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = dict(it.lower().split(": ", 1) for it in lines[1:])
        length = int(fields.get("content-length", "0"))
        if "transfer-encoding" in fields:
            raise SystemExit(f"{path}: the answer has no content-length")
        parts, size = [rest], len(rest)
        while size < length:
            self.waiting = b""
            self._more()
            parts.append(self.waiting)
            size += len(self.waiting)
        self.waiting = b"".join(parts)[length:] if size > length else b""
        return int(lines[0].split()[1]), fields.get("etag", ""), len(head) + 4 + length

    def _more(self) -> None:
        data = self.socket.recv(1 << 18)
        if not data:
            raise SystemExit("the dashboard closed the connection")
        self.waiting += data


def request_repeatedly(
    url: str, path: str, count: int, encoding: str, *, known: bool
) -> ClientTimes:
    """Send up to `count` requests one after the other, after one that is not timed."""
    times, connection = ClientTimes(), HttpConnection(url)
    always = f"Accept-Encoding: {encoding}\r\nAccept: application/json\r\n"
    _, tag, _ = connection.get(path, always)
    end = time.monotonic() + LONGEST_SECONDS
    for _ in range(count):
        if time.monotonic() > end:
            break
        headers = f"{always}If-None-Match: {tag}\r\n" if known and tag else always
        began = time.perf_counter()
        status, tag, size = connection.get(path, headers)
        times.seconds.append(time.perf_counter() - began)
        times.bytes.append(size)
        times.statuses[status] = times.statuses.get(status, 0) + 1
    return times


def main() -> None:
    url, clients, count, encoding, tag, path = sys.argv[1:]
    each = int(count) // int(clients)
    with ThreadPoolExecutor(int(clients)) as pool:
        futures = [
            pool.submit(request_repeatedly, url, path, each, encoding, known=tag == "known")
            for _ in range(int(clients))
        ]
        found = [it.result() for it in futures]
    statuses: dict[int, int] = {}
    for it in found:
        for status, answers in it.statuses.items():
            statuses[status] = statuses.get(status, 0) + answers
    seconds = [second for it in found for second in it.seconds]
    sizes = [size for it in found for size in it.bytes]
    print(json.dumps({"seconds": seconds, "bytes": sizes, "statuses": statuses}))


if __name__ == "__main__":
    main()
