import sys

import pytest
from eyewall_papers import __main__ as command


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr(sys, "argv", ["eyewall_papers", *arguments])
    with pytest.raises(SystemExit) as ended:
        command.main()
    return ended.value.code


@pytest.mark.parametrize("name", [it for it in command.EXPERIMENTS if it != "004-live"])
def test_every_experiment_has_options_and_a_description(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # 004-live imports the emulated cluster's tools, which a test must not start.
    assert run(monkeypatch, name, "--help") == 0
    assert f"eyewall_papers {name}" in capsys.readouterr().out


def test_help_lists_every_experiment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--help") == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in command.EXPERIMENTS)


def test_an_unknown_experiment_is_refused_with_those_that_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "005") == 2
    message = capsys.readouterr().err
    assert "005" in message
    assert "004-live" in message
