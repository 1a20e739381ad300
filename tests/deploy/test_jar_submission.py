import zipfile
from pathlib import Path
from urllib.parse import unquote_plus

import pytest
from eyewall_deploy import cluster_file, jar_submission
from eyewall_deploy.cli import app
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.jar_submission import StormClient, check_class, explain_end, storm_options
from typer.testing import CliRunner

MAIN = "org.example.Clicks"
NOBODY = Endpoint("127.0.0.1", 1)


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "clicks.jar", "w") as archive:
        for name in ("Clicks", "Clicks$1", "Counts", "package-info"):
            archive.writestr(f"org/example/{name}.class", b"")
    return tmp_path / "clicks.jar"


@pytest.fixture
def nimbus(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the topologies that run, without any Nimbus."""

    class Connected:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    names: list[str] = []
    monkeypatch.setattr(jar_submission, "connect", lambda _endpoint: Connected())
    monkeypatch.setattr(jar_submission, "topology_names", lambda _client: tuple(names))
    return names


def java_that(tmp_path: Path, script: str) -> StormClient:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return StormClient(str(java), tmp_path / "storm", NOBODY)


def send(jar: Path, client: StormClient, *options: str, run_as: str | None = None) -> str | Failure:
    cluster = cluster_file.load("three-sites")
    return jar_submission.submit_jar(
        jar,
        MAIN,
        ["--shape", "chain"],
        options,
        nimbus=NOBODY,
        cluster=cluster,
        client=client,
        run_as=run_as,
    )


def refused(result: object) -> str:
    assert isinstance(result, Failure)
    return result.reason


def test_a_class_that_the_jar_lacks_is_refused_with_those_that_it_has(jar: Path) -> None:
    assert check_class(jar, MAIN) is None
    reason = refused(check_class(jar, "org.example.Click"))
    assert "org.example.Click;" in reason
    assert "org.example.Counts" in reason
    assert "did you mean org.example.Clicks?" in reason
    assert "$1" not in reason


@pytest.mark.parametrize(("name", "content"), [("none.jar", None), ("text.jar", "no zip")])
def test_what_is_no_jar_is_refused(tmp_path: Path, name: str, content: str | None) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    assert str(tmp_path / name) in refused(check_class(tmp_path / name, MAIN))


def test_a_missing_class_is_refused_before_a_cluster_is_looked_for(jar: Path) -> None:
    command = ["submit", "--jar", str(jar), "--class", "org.example.None", "--cluster", "nowhere"]
    ended = CliRunner().invoke(app, command)
    assert ended.exit_code == 1
    assert "org.example.None" in ended.output


@pytest.mark.parametrize(
    "arguments", [["--jar", "x.jar"], ["--class", MAIN], [], ["one", "--", "two"]]
)
def test_a_submission_is_of_one_topology_or_of_a_jar_with_its_class(arguments: list[str]) -> None:
    ended = CliRunner().invoke(app, ["submit", *arguments])
    assert ended.exit_code == 1
    assert "--jar" in ended.output


def test_settings_reach_storm_as_json_without_loose_commas() -> None:
    given = storm_options(["a.pin={x: [h1, h2]}", "b=1.5", "c=text"])
    assert [unquote_plus(part) for part in given.split(",")] == [
        'a.pin={"x": ["h1", "h2"]}',
        "b=1.5",
        'c="text"',
    ]


def test_the_name_is_a_setting_and_nimbus_is_not(
    jar: Path, tmp_path: Path, nimbus: list[str]
) -> None:
    client = java_that(tmp_path, f'echo "$@" > {tmp_path}/given')
    reason = refused(send(jar, client, "eyewall.policy=odp", run_as="mine"))
    assert "ended without submitting" in reason
    given = (tmp_path / "given").read_text()
    (settings,) = [word for word in given.split() if word.startswith("-Dstorm.options=")]
    assert unquote_plus(settings) == '-Dstorm.options=eyewall.policy="odp",topology.name="mine"'
    assert given.endswith(f"{MAIN} --shape chain\n")


def test_what_runs_afterwards_is_the_topology(
    jar: Path, tmp_path: Path, nimbus: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = java_that(tmp_path, "exit 0")
    answers = iter([("old",), ("clicks", "old"), ("old",), ("clicks", "old")])
    monkeypatch.setattr(jar_submission, "topology_names", lambda _client: next(answers))
    assert send(jar, client) == "clicks"
    assert "clicks runs, not mine" in refused(send(jar, client, run_as="mine"))


def test_a_name_that_runs_already_is_refused_before_the_class_runs(
    jar: Path, tmp_path: Path, nimbus: list[str]
) -> None:
    nimbus.append("mine")
    client = java_that(tmp_path, f"touch {tmp_path}/ran")
    assert "mine: a topology of that name runs already" in refused(send(jar, client, run_as="mine"))
    assert not (tmp_path / "ran").exists()


def test_a_class_that_fails_is_one_line_with_its_last_cause() -> None:
    output = """\
10:00:00 INFO  starting
Exception in thread "main" java.lang.RuntimeException: wrapped
\tat org.example.Clicks.main(Clicks.java:1)
Caused by: java.lang.IllegalStateException: no such rate
\t... 3 more
"""
    assert explain_end(output, 1) == "java.lang.IllegalStateException: no such rate (exit code 1)"
    assert explain_end("--rate x: allowed is a number\n", 2).startswith("--rate x")
    assert explain_end("", 3) == "no output (exit code 3)"
