"""Packages are installed as this machine's pip would: from its index, trusting its certificates."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import environment
from environment import parse_pip_settings, uv_settings

if TYPE_CHECKING:
    import pytest

ALWAYS = {
    "UV_SYSTEM_CERTS": "1",
    "UV_INDEX_STRATEGY": "unsafe-best-match",
    "UV_COMPILE_BYTECODE": "1",
}


def test_pips_settings_become_uvs(tmp_path: Path) -> None:
    pip = {
        "index-url": "https://index.example/simple",
        "extra-index-url": "https://a.example/simple\nhttps://b.example/simple",
        "trusted-host": "index.example",
        "cert": "/etc/certificates.pem",
        "quiet": "1",  # which is pip's own affair
    }
    assert uv_settings(pip) == ALWAYS | {
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_INSECURE_HOST": "index.example",
        "SSL_CERT_FILE": "/etc/certificates.pem",
    }


def test_a_folder_of_links_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    links = f"{tmp_path} {tmp_path}/nowhere https://links.example/"
    found = uv_settings({"find-links": links})
    assert found == ALWAYS | {"UV_FIND_LINKS": f"{tmp_path},https://links.example/"}
    assert uv_settings({"find-links": f"{tmp_path}/nowhere"}) == ALWAYS


def test_a_variable_is_stronger_than_a_file_and_another_commands_settings_do_not_count() -> None:
    listed = """:env:.index-url='https://variable.example/'
download.timeout='1'
global.index-url='https://file.example/'
global.timeout='7'
install.timeout='8'
"""
    assert parse_pip_settings(listed) == {"index-url": "https://variable.example/", "timeout": "8"}
    assert parse_pip_settings("") == {}


def test_without_uv_and_where_uv_fails_pip_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    failing: set[str] = set()

    class Done:
        stdout = ""

        def __init__(self, command: list[str]) -> None:
            words = [Path(command[0]).name, *command]
            calls.append("uv itself" if words[-1] == "uv" else words[0])
            self.returncode = int(calls[-1] in failing)

    def run(command: list[str], **_: object) -> Done:
        return Done(command)

    monkeypatch.setattr(environment, "list_pip_settings", lambda _: "")
    monkeypatch.setattr(subprocess, "run", run)
    for fails, expected in (
        (set(), ["uv itself", "uv"]),
        ({"uv itself"}, ["uv itself", "python"]),
        ({"uv"}, ["uv itself", "uv", "python"]),
    ):
        calls.clear()
        failing = fails
        assert environment.install(tmp_path / "bin" / "python", ["-e", "sidecar"], {}) == 0
        assert calls == expected
