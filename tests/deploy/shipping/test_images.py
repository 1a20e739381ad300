"""The images' Containerfiles, without building them."""

from __future__ import annotations

import os
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
from eyewall_deploy.container import EXTLIB_DAEMON
from eyewall_deploy.storm.settings import OVERLAP_JAR, recommended_settings, with_overlap
from image_check import overlap
from image_check.__main__ import started
from image_check.compose import services
from image_check.kubernetes import FOLDER, NODE, agents
from image_check.running import HOSTS

REPOSITORY = Path(__file__).parents[3]
FILES = sorted((REPOSITORY / "deploy" / "images").glob("*/Containerfile"))
IGNORED = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()


def read(file: Path) -> str:
    """Its text with lines that go on put together."""
    return file.read_text(encoding="utf-8").replace("\\\n", " ")


@pytest.fixture(params=FILES, ids=[file.parent.name for file in FILES])
def containerfile(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_what_it_copies_is_there_and_not_ignored(containerfile: Path) -> None:
    allowed = [line[1:] for line in IGNORED if line.startswith("!")]
    for line in re.findall(r"^COPY (?!--from)(.*)", read(containerfile), re.MULTILINE):
        for source in line.split()[:-1]:
            assert (REPOSITORY / source).exists(), source
            assert any(source == it or source.startswith(f"{it}/") for it in allowed), source


def test_its_base_images_are_arguments_with_a_version(containerfile: Path) -> None:
    text = read(containerfile)
    arguments = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)", text, re.MULTILINE))
    for base in re.findall(r"^FROM (\S+)", text, re.MULTILINE):
        assert base.strip("${}") in arguments
    assert all(re.search(r":\d", image) for image in arguments.values())


def test_what_it_installs_is_pinned(containerfile: Path) -> None:
    for run in re.findall(r"^RUN (.*)", read(containerfile), re.MULTILINE):
        if "pip install" in run:
            assert "PIP_CONSTRAINT=constraints.txt" in run


def test_it_does_not_run_as_root_but_for_netem(containerfile: Path) -> None:
    users = re.findall(r"^USER (\S+)", read(containerfile), re.MULTILINE)
    if containerfile.parent.name == "host":
        started = (containerfile.parent / "supervisord.conf").read_text(encoding="utf-8")
        programs = dict(
            re.findall(r"\[program:(\w+)\]\n(?:.*\n)??command=.*\n(user=storm)?", started)
        )
        assert programs == {
            "delays": "",
            **dict.fromkeys(("supervisor", "monitor", "latency"), "user=storm"),
        }
    else:
        assert users
        assert users[-1] != "root"


def test_compose_and_image_agree_on_the_health_check(containerfile: Path) -> None:
    found = re.search(r"HEALTHCHECK .*CMD \[(.*)\]", read(containerfile))
    if found is None:
        return
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])
    of_image = [s for s in services().values() if s.containerfile == containerfile.parent.name]
    assert of_image
    assert all(list(service.health) == words for service in of_image)


@pytest.mark.parametrize(
    ("image", "project", "jar"),
    [
        ("nimbus", "storm-scheduler", "eyewall-storm-scheduler.jar"),
        ("host", "storm-scheduler/overlap", OVERLAP_JAR),
    ],
)
def test_storms_daemons_see_the_jar_that_maven_makes(image: str, project: str, jar: str) -> None:
    text = read(REPOSITORY / "deploy" / "images" / image / "Containerfile")
    assert f"COPY {project}/pom.xml ./\nCOPY {project}/src ./src\nRUN mvn " in text
    pom = (REPOSITORY / project / "pom.xml").read_text(encoding="utf-8")
    assert f"<finalName>{Path(jar).stem}</finalName>" in pom
    assert re.search(rf"^COPY --from=jar \S+/target/{jar} {EXTLIB_DAEMON}/$", text, re.MULTILINE)


@pytest.fixture
def on_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The jar, and the log of a supervisor with its plugin; the JVM wants only the jar."""
    java = tmp_path / "java"
    java.write_text('#!/bin/sh\ntest -f "${1#-javaagent:}"\n')
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    jar, log = tmp_path / OVERLAP_JAR, tmp_path / "supervisor.log"
    jar.touch()
    plugin = with_overlap(recommended_settings())["storm.resource.isolation.plugin"]
    log.write_text(f"Using resource isolation plugin {plugin}: x")
    return jar, log


def is_ready(jar: Path, log: Path, health: str = "true") -> bool:
    return subprocess.run(overlap.health_command((health,), jar, log)).returncode == 0


def test_the_check_of_a_host_asks_for_what_moves_without_a_gap_need(
    on_host: tuple[Path, Path],
) -> None:
    jar, log = on_host
    assert is_ready(jar, log)
    assert not is_ready(jar, log, health="false")
    jar.unlink()
    assert not is_ready(jar, log)
    jar.touch()
    log.write_text("storm.resource.isolation.plugin.enable is false.")
    assert not is_ready(jar, log)


def test_the_host_that_is_started_is_asked_after_its_own_health_check() -> None:
    (host,) = [it for it in started(frozenset({"host"}))[1] if it.containerfile == "host"]
    health = services()[host.name].health
    assert host.health == overlap.health_command(
        health, EXTLIB_DAEMON / OVERLAP_JAR, Path("/logs/supervisor.log")
    )


def test_every_file_of_a_health_check_is_in_its_image() -> None:
    for service in services().values():
        if service.containerfile is None:
            continue
        text = read(REPOSITORY / "deploy" / "images" / service.containerfile / "Containerfile")
        for word in service.health:
            if word.startswith("/opt/eyewall/"):
                assert fnmatch(text, f"*COPY *{Path(word).name}*"), service.name


def test_the_check_starts_every_image_and_what_it_needs_before_it() -> None:
    together = started(frozenset())
    found = {it.containerfile for services in together for it in services}
    assert found - {None} == {file.parent.name for file in FILES}
    for started_together in together:
        names = [it.name for it in started_together]
        for place, service in enumerate(started_together):
            assert set(service.after) <= set(names[:place]), service.name


def test_the_check_of_one_image_starts_what_it_needs_alone() -> None:
    stores = ["zookeeper", "redis"]
    names = [[it.name for it in services] for services in started(frozenset({"agents"}))]
    assert names == [[*stores, "agents-latency", "agents-monitor"], []]
    names = [[it.name for it in services] for services in started(frozenset({"sidecar"}))]
    assert names == [[], [*stores, "sidecar"]]


def test_a_nodes_agents_start_as_in_their_pod() -> None:
    for kind in ("latency", "monitor"):
        agent = agents()[f"agents-{kind}"]
        assert agent.command is not None
        assert agent.command[:2] == ("sh", "-c")
        assert agent.command[3:] == (
            *("-", kind, f"eyewall-{kind}", "agent", "--config", f"/tmp/{kind}.toml"),
        )
        assert agent.environment == {"NODE": NODE}
        assert agent.files == {"/etc/eyewall": FOLDER / "config"}


def test_servers_that_the_agents_look_for_have_names() -> None:
    names = set(HOSTS.split())
    for kind in ("latency", "monitor"):
        text = (FOLDER / "config" / f"{kind}.toml").read_text(encoding="utf-8")
        servers = re.findall(r'"(?:redis://)?([a-z.]+):\d+', text)
        assert servers
        assert names >= set(servers)
