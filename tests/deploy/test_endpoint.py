from __future__ import annotations

import pytest
from eyewall_deploy.endpoint import Endpoint, parse_endpoint
from eyewall_deploy.failure import Failure


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("redis.example:6380", Endpoint("redis.example", 6380)),
        ("redis.example", Endpoint("redis.example", 6379)),
    ],
)
def test_an_address_is_a_host_and_perhaps_a_port(text: str, endpoint: Endpoint) -> None:
    assert parse_endpoint(text, 6379) == endpoint


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":6379",
        f"host:{'9' * 5000}",
        "host:",
        "host:port",
        "host:0",
        "host:65536",
        "host:²",
        "host:١",
    ],
)
def test_anything_else_is_named_with_what_is_expected(text: str) -> None:
    failure = parse_endpoint(text, 6379)
    assert isinstance(failure, Failure)
    assert failure.reason == f"address {text!r}: expected HOST:PORT with a port of 1 to 65535"
