from pathlib import Path
from typing import ClassVar

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_contracts.redis_url import server_of
from eyewall_monitor import config_file
from eyewall_monitor.addresses import (
    RedisPrefix,
    RedisUrl,
    Root,
    Servers,
    split_address,
)
from eyewall_monitor.config_file import Section


class Store(Section):
    secret: ClassVar = frozenset({"url"})

    url: RedisUrl = "redis://127.0.0.1:6379/0"
    servers: Servers = "127.0.0.1:2181"
    root: Root = "/eyewall"
    prefix: RedisPrefix = "eyewall"
    options: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it


class Whole(Section):
    count: int = 1
    store: Store = Store()


def read(tmp_path: Path, text: str) -> Whole:
    file = tmp_path / "whole.toml"
    file.write_text(text)
    return config_file.read(Whole, file)


def test_without_a_file_and_in_an_empty_one_every_key_has_its_default(tmp_path: Path) -> None:
    assert config_file.read(Whole, None) == read(tmp_path, "") == Whole()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cuont = 2", "no key cuont; keys there are count, store (did you mean count?)"),
        ("[store]\nx = 1", "no key [store] x; keys there are url, servers, root, prefix, options"),
        ("count = 'two'", "count is 'two': it must be a valid integer"),
        ("store = 5", "[store] must be a table: its keys on lines of their own below [store]"),
        ("store = 'redis://u:secret@r'", "[store] must be a table: "),
        ("[store]\nservers = 'x'", "[store] servers is 'x': it must be HOST:PORT, or several with"),
        ("[store]\nservers = 'zk:0'", "[store] servers is 'zk:0': it must be HOST:PORT"),
        ("[store]\nservers = 'zk:2181,'", "it must be HOST:PORT, or several with commas between"),
        ("[store]\nroot = 'x'", "[store] root is 'x': it must be like /eyewall or /storm-1/eye"),
        ("[store]\nprefix = ' '", "[store] prefix is ' ': it must be like eyewall or storm-1:"),
        ("[store]\nurl = 'u:secret@r:6379'", "[store] url: it must be redis://HOST:PORT/DB"),
        ("[store]\nurl = 'http://secret@x'", "[store] url: it must be redis://HOST:PORT/DB"),
        ("[store]\nurl = 'redis://secret@x:99999'", "[store] url: it must be redis://HOST"),
        (
            "[store]\nurl = 'redis://:/secret@r:6379/0'",
            "with %2F for / and %40 for @ in a password",
        ),
        ("[store]\nurl = 'redis://u:12/secret@r'", "[store] url: it must be redis://HOST"),
        ("[store]\nurl = 'redis://u:12?secret@r'", "[store] url: it must be redis://HOST"),
        ("[store]\nurl = 'redis://u:12#secret@r'", "[store] url: it must be redis://HOST"),
        ("[store]\nurl = 'redis://[secret'", "[store] url: it must be redis://HOST:PORT/DB"),
        ("[store]\nurl = ['redis://u:secret@r']", "[store] url: it must be a valid string"),
        ("[store]\noptions = {a = 5}", "[store.options] a is 5: it must be a valid string"),
        (f"count = {'[' * 3000 + ']' * 3000}", "values are nested too deep"),
        (f"count = {'[' * 200 + ']' * 200}", "count is [[[[[[[...]]]]]]]: "),
        (f"count = 1{'0' * 5000}", "4300"),
        ("=", "Invalid statement"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_is_named_in_one_line_with_what_is_allowed_and_without_secrets(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 'whole.toml'}: ")
    assert complaint in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_or_cannot_be_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: .*No such file"):
        config_file.read(Whole, tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="embedded null byte"):
        config_file.read(Whole, tmp_path / "a\0b")


def test_several_servers_a_unix_socket_and_an_account_are_allowed(tmp_path: Path) -> None:
    store = read(
        tmp_path, '[store]\nservers = "zk-1:2181,zk-2.lan:2181,[::1]:2181"\nurl = "unix:///r.sock"'
    ).store
    assert store.servers == "zk-1:2181,zk-2.lan:2181,[::1]:2181"
    assert store.url == "unix:///r.sock"


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("rediss://user:secret@store:6380/1?socket_timeout=2", "rediss://store:6380/1"),
        ("redis://user:a@secret@store:6380", "redis://store:6380"),
        ("unix:///run/redis.sock?password=secret", "unix:///run/redis.sock"),
    ],
)
def test_people_read_a_redis_url_without_account_and_options(url: str, server: str) -> None:
    assert server_of(url) == server


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("[::1]:65535", ("::1", 65_535)),
        ("a:65536", None),
        ("a:\u00b2", None),
        ("::1:7077", None),
        ("[1.2.3.4]:7077", None),
        ("[::::]:7077", None),
        ("[fe80::1%eth0]:7077", ("fe80::1%eth0", 7077)),
        ("a b:1", None),
        (":1", None),
        ("a", None),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, parts: tuple[str, int] | None) -> None:
    assert split_address(text) == parts
