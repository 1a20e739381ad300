from __future__ import annotations

import socket
from pathlib import Path

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_monitor.agent.config import (
    AgentConfig,
    AgentRedis,
    AgentZooKeeper,
    Storm,
    listen_address,
    read_config,
)

EXAMPLE = Path(__file__).parents[3] / "monitor" / "examples" / "monitor.toml"


def read(tmp_path: Path, text: str) -> AgentConfig:
    file = tmp_path / "monitor.toml"
    file.write_text(text)
    return read_config(file)


def test_without_a_file_every_key_has_its_default() -> None:
    config = read_config(None)
    assert config.host == socket.gethostname()
    assert config.listen == "127.0.0.1:2003"


def test_the_example_names_every_key_with_its_default() -> None:
    text = EXAMPLE.read_text()
    assert read_config(EXAMPLE) == AgentConfig(host="edge-1")
    for section in (AgentConfig, AgentZooKeeper, AgentRedis, Storm):
        for key in section.model_fields:
            assert f"{key} =" in text or f"[{key}]" in text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('listen = "0.0.0.0:2003"', "listen is '0.0.0.0:2003': it must be HOST:PORT on loopback"),
        ('listen = "127.0.0.1"', "it must be HOST:PORT on loopback"),
        ('listen = "127.0.0.1:99999"', "it must be HOST:PORT on loopback"),
        ('host = "a/b"', "host is 'a/b': it must be a host's name"),
        ("report_seconds = 0.1", "report_seconds is 0.1: it must be greater than or equal"),
        ("colour = 1", "no key colour; keys there are host, listen, report_seconds,"),
        ("[redis]\nurl = 'http://secret@x'", "[redis] url: it must be redis://HOST:PORT/DB"),
    ],
)
def test_what_cannot_be_is_named_with_what_is_allowed(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)
    assert complaint in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_loopback_in_other_words_is_allowed(tmp_path: Path) -> None:
    assert listen_address(read(tmp_path, 'listen = "[::1]:2003"')) == ("::1", 2003)
    assert listen_address(read(tmp_path, 'listen = "localhost:0"')) == ("localhost", 0)
