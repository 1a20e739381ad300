"""A URL that passes is one that redis-py can use; any other is named without its secrets."""

from typing import Any

import pytest
from eyewall_contracts.errors import ContractError
from eyewall_contracts.redis_url import require_redis_url
from redis import ConnectionPool
from redis.exceptions import ConnectionError as NotConnectedError

GOOD = [
    "redis://127.0.0.1:1/0",
    "redis://[::1]:1/0",
    "redis://user:p%2Fw%40d@127.0.0.1:1?db=3&socket_timeout=0.5&socket_connect_timeout=0.5",
    "redis://127.0.0.1:1?protocol=3&health_check_interval=10&client_name=eye&retry_on_timeout=true",
    "redis://127.0.0.1:1?socket_keepalive=False&username=u&password=secret",
    "rediss://127.0.0.1:1/1?ssl_cert_reqs=none&ssl_check_hostname=false&ssl_ca_certs=/none",
    "rediss://127.0.0.1:1?ssl_ca_path=/n&ssl_certfile=/n&ssl_keyfile=/n&ssl_password=s&ssl_ciphers=x",
    "unix:///none/redis.sock?db=1&socket_timeout=2",
]


@pytest.mark.parametrize("url", GOOD)
def test_what_passes_only_fails_to_connect(url: str) -> None:
    require_redis_url(url)
    connection: Any = ConnectionPool.from_url(url).make_connection()
    with pytest.raises(NotConnectedError):
        connection.connect()


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("redis://h:6379/0?timeout=5", "option timeout; allowed are client_name, db, health_"),
        ("redis://h?timeout", "option timeout; allowed are "),
        ("redis://h?ssl_cert_reqs=none", "option ssl_cert_reqs; allowed are "),
        ("unix:///s?socket_keepalive=true", "option socket_keepalive; allowed are "),
        ("redis://h?decode_responses=true", "option decode_responses; allowed are "),
        ("redis://h?socket_timeout=abc", "option socket_timeout is 'abc'; it must be seconds"),
        ("redis://h?socket_timeout=nan", "option socket_timeout is 'nan'; it must be seconds"),
        ("redis://h?socket_timeout=0", "option socket_timeout is '0'; it must be seconds above 0"),
        ("redis://h?db=x", "option db is 'x'; it must be a whole number"),
        ("redis://h?db=\u00b2", "option db is '\u00b2'; it must be a whole number"),
        ("redis://h?protocol=9", "option protocol is '9'; it must be 2 or 3"),
        ("redis://h?socket_keepalive=maybe", "is 'maybe'; it must be true or false"),
        ("rediss://h?ssl_cert_reqs=x", "it must be none, optional or required"),
        ("redis://h?password=secret%00", "option password; it must be text"),
        ("redis://x..y:6379", "it must be redis://HOST:PORT/DB"),
        ("redis://h%00:6379", "it must be redis://HOST:PORT/DB"),
        ("redis://a b:6379", "it must be redis://HOST:PORT/DB"),
        (f"redis://{'h' * 64}:6379", "it must be redis://HOST:PORT/DB"),
        ("redis://h:0", "it must be redis://HOST:PORT/DB"),
        ("unix://h", "it must be redis://HOST:PORT/DB"),
        ("unix:///a%00", "it must be redis://HOST:PORT/DB"),
    ],
)
def test_what_redis_would_choke_on_is_named_with_what_is_allowed(url: str, complaint: str) -> None:
    with pytest.raises(ContractError) as refused:
        require_redis_url(url)
    assert complaint in str(refused.value)
    assert "secret" not in str(refused.value)
