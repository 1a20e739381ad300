"""Is a server ready? Asked of real servers where they are light, of a few bytes where not."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import grpc
import pytest
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.processes import probes
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def answering(answer: bytes) -> Iterator[Endpoint]:
    """A server that reads once, answers once and closes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield Endpoint("127.0.0.1", server.getsockname()[1])
        thread.join()


@contextmanager
def grpc_server(status: int | None) -> Iterator[Endpoint]:
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads)
        if status is not None:
            service = health.HealthServicer()
            service.set("", status)
            health_pb2_grpc.add_HealthServicer_to_server(service, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield Endpoint("127.0.0.1", port)
        server.stop(None).wait()


@pytest.fixture
def nobody() -> Endpoint:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return Endpoint("127.0.0.1", port)


def test_a_sidecar_is_ready_when_its_health_service_says_serving() -> None:
    with grpc_server(health_pb2.HealthCheckResponse.SERVING) as endpoint:
        assert probes.grpc_health(endpoint) is None


def test_a_sidecar_that_is_up_but_not_serving_is_not_ready() -> None:
    with grpc_server(health_pb2.HealthCheckResponse.NOT_SERVING) as endpoint:
        assert probes.grpc_health(endpoint) == f"the gRPC server at {endpoint} is not serving"


def test_a_grpc_server_without_a_health_service_is_named_as_such() -> None:
    with grpc_server(None) as endpoint:
        reason = probes.grpc_health(endpoint)
    assert reason == f"the gRPC server at {endpoint} has no health service"


def test_what_is_no_grpc_server_is_not_taken_for_one() -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as endpoint:
        assert probes.grpc_health(endpoint) == f"no gRPC server answers at {endpoint}"


def test_a_connection_that_is_taken_and_closed_as_by_a_forwarder_to_nowhere_is_no_answer() -> None:
    for probe in (probes.zookeeper, probes.redis, probes.grpc_health):
        with answering(b"") as endpoint:
            assert probe(endpoint) is not None


def test_redis_and_zookeeper_are_known_by_their_answers() -> None:
    with answering(b"+PONG\r\n") as endpoint:
        assert probes.redis(endpoint) is None
    with answering(b"Zookeeper version: 3.9.4\nMode: standalone\n") as endpoint:
        assert probes.zookeeper(endpoint) is None
    with answering(b"This ZooKeeper instance is not currently serving requests\n") as endpoint:
        assert probes.zookeeper(endpoint) == f"ZooKeeper at {endpoint} does not answer"


def test_a_page_is_there_when_it_is_answered_with_200() -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as endpoint:
        assert probes.http_ok(endpoint, "/index.html") is None
    with answering(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n") as endpoint:
        assert probes.http_ok(endpoint, "/") == f"http://{endpoint}/ answers 503"


def test_nobody_at_all_is_said_with_the_address(nobody: Endpoint) -> None:
    for probe in (probes.zookeeper, probes.redis, probes.grpc_health):
        assert str(nobody) in str(probe(nobody))
    assert str(nobody) in str(probes.http_ok(nobody, "/"))
