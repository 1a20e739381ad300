from __future__ import annotations

import builtins
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_monitor import cli
from eyewall_monitor.dashboard.config import DashboardConfig, read_config
from eyewall_monitor.dashboard.serve import listen
from typer.testing import CliRunner

if TYPE_CHECKING:
    from real_stores import Server

EXAMPLE = Path(__file__).parents[3] / "monitor" / "examples" / "dashboard.toml"


def test_the_example_has_every_key_with_its_default() -> None:
    found = read_config(EXAMPLE)
    assert found == DashboardConfig()
    text = EXAMPLE.read_text()
    for name, section in type(found).model_fields.items():
        keys = getattr(section.annotation, "model_fields", {name: None})
        for key in keys:
            assert f"\n{key} = " in text or f"\n# {key} = " in text, key


def test_commented_example_keys_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "dashboard.toml"
    text = EXAMPLE.read_text().replace("\n# servers", "\nservers")
    file.write_text(text.replace("\n# url", "\nurl"))
    found = read_config(file)
    assert found.zookeeper.servers == "127.0.0.1:2181"
    assert found.redis.url == "redis://127.0.0.1:6379/0"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("listen = '8089'", "listen is '8089': it must be HOST:PORT"),
        ("[sidecar]\naddress = 'here:0'", "[sidecar] address is 'here:0': it must be HOST:PORT"),
        ("[redis]\nurl = 'u:secret@r:6379'", "[redis] url: it must be redis://HOST:PORT/DB"),
        (
            "[access]\nallowed_hosts = ['a', 'dash.example.com:8089']",
            "[access] allowed_hosts[1] is 'dash.example.com:8089': it must be a name",
        ),
        ("[access]\nallowed_hosts = ['https://a/']", "is 'https://a/': it must be a name without"),
        (
            "[access]\nallowed_hosts = ['a\\n']",
            "it must be a name without scheme and port, such as",
        ),
        (
            "[access]\nallowed_hosts = 'a'",
            "[access] allowed_hosts is 'a': it must be a list such as [\"a\"]",
        ),
        (
            "[access]\nallowed_hosts = [1]",
            "[access] allowed_hosts[0] is 1: it must be a valid string",
        ),
        ("[access]\nallowed_host = []", "did you mean allowed_hosts?"),
        ("[access]\nread_only = 'yes'", "[access] read_only is 'yes'"),
    ],
)
def test_a_bad_key_is_refused_with_its_value(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "dashboard.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_config(file)
    assert complaint in str(refused.value)
    assert "secret" not in str(refused.value)
    done = CliRunner().invoke(cli.app, ["dashboard", "--config", str(file)])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"eyewall-monitor dashboard: {file}: ")


def test_allowed_hosts_is_a_list(tmp_path: Path) -> None:
    file = tmp_path / "dashboard.toml"
    file.write_text("[access]\nallowed_hosts = ['eyewall.example.org']")
    assert read_config(file).access.allowed_hosts == ("eyewall.example.org",)


def test_an_address_in_use_is_named(tmp_path: Path, redis: Server) -> None:
    file = tmp_path / "dashboard.toml"
    file.write_text(f"listen = '{redis.address}'")
    done = CliRunner().invoke(cli.app, ["dashboard", "--config", str(file)])
    assert done.exit_code == 1
    assert f"cannot listen on {redis.address}: Address already in use" in done.stderr


def test_without_its_extra_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.startswith("eyewall_monitor.dashboard.serve"):
            raise ModuleNotFoundError("No module named 'fastapi'")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    done = CliRunner().invoke(cli.app, ["dashboard"])
    assert done.exit_code == 2
    assert "No module named 'fastapi'; pip install 'eyewall-monitor[dashboard]'" in done.stderr


def test_small_responses_are_not_delayed() -> None:
    with listen("127.0.0.1:0") as listening:
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
