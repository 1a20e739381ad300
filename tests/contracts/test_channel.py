"""The channel to the sidecar where the way there, or the sidecar, is slow."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import grpc
from eyewall_contracts.channel import open_channel
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = "127.0.0.1"
SERVING = health_pb2.HealthCheckResponse.SERVING


@contextmanager
def health_server() -> Iterator[int]:
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads)
        service = health.HealthServicer()
        service.set("", SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(service, server)
        port = server.add_insecure_port(f"{HERE}:0")
        server.start()
        yield port
        server.stop(None).wait()


@contextmanager
def slow_way(port: int, seconds: float) -> Iterator[str]:
    """An address that leads to a port of this machine; the first bytes of each side are late."""

    def pipe(source: socket.socket, target: socket.socket) -> None:
        while part := source.recv(65536):
            target.sendall(part)
        with suppress(OSError):  # the other side has ended already
            target.shutdown(socket.SHUT_WR)

    def lead() -> None:
        near, _ = entry.accept()
        time.sleep(seconds)
        with near, socket.create_connection((HERE, port)) as far:
            back = threading.Thread(target=pipe, args=(far, near))
            back.start()
            pipe(near, far)
            back.join()

    with socket.create_server((HERE, 0)) as entry:
        leader = threading.Thread(target=lead)
        leader.start()
        yield f"{HERE}:{entry.getsockname()[1]}"
        leader.join()


def test_a_connection_that_takes_longer_than_the_pause_between_attempts_is_waited_for() -> None:
    # The handshake takes 1 s; the first pause after an attempt that fails would be 0.2 s.
    with health_server() as port, slow_way(port, 1.0) as address, open_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=60).status == SERVING
