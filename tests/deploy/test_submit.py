import json
import shutil
import zipfile
from pathlib import Path

import pytest
from eyewall_deploy import cluster_file
from eyewall_deploy.cli import app
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.submit import (
    Project,
    build_jar,
    check_option,
    explain_output,
    find_project,
    streamparse_config,
    submit,
)
from typer.testing import CliRunner

SHIPPED = Path(__file__).parents[2] / "topologies"
NOBODY = Endpoint("127.0.0.1", 1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "config.json": '{"topology_specs": "specs/", "envs": {"x": {"nimbus": "far:1"}}}',
        "specs/clicks.py": "",
        "src/bolts/__init__.py": "",
        "src/bolts/clicks.py": "the bolt",
        "src/bolts/__pycache__/clicks.pyc": "compiled",
        "src/.hidden": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def send(topology: str, *options: str, project: Path = SHIPPED) -> str | Failure:
    cluster = cluster_file.load("three-sites")
    return submit(topology, options, nimbus=NOBODY, cluster=cluster, project=project)


def refused(result: object) -> str:
    assert isinstance(result, Failure)
    return result.reason


def test_the_jar_holds_the_sources_as_resources_and_nothing_else(
    project: Path, tmp_path: Path
) -> None:
    build_jar(project, tmp_path / "t.jar")
    with zipfile.ZipFile(tmp_path / "t.jar") as jar:
        assert jar.namelist() == ["resources/bolts/__init__.py", "resources/bolts/clicks.py"]
        assert jar.read("resources/bolts/clicks.py") == b"the bolt"


def test_the_same_sources_give_the_same_jar(project: Path, tmp_path: Path) -> None:
    build_jar(project, tmp_path / "1.jar")
    source = project / "src/bolts/clicks.py"
    source.touch()
    source.chmod(0o600)
    build_jar(project, tmp_path / "2.jar")
    assert (tmp_path / "1.jar").read_bytes() == (tmp_path / "2.jar").read_bytes()


def test_the_shipped_project_has_its_topologies() -> None:
    found = find_project(SHIPPED)
    assert isinstance(found, Project)
    assert found.topologies == ["haul", "meet", "relay", "tag_and_count", "word_count"]


def test_an_unknown_topology_is_refused_with_those_there_are() -> None:
    assert refused(send("tag_and_cout")).endswith(
        "topologies are haul, meet, relay, tag_and_count, word_count (did you mean tag_and_count?)"
    )


def test_a_folder_without_a_project_is_refused_with_what_helps(tmp_path: Path) -> None:
    said = refused(send("x", project=tmp_path))
    assert said.startswith(f"{tmp_path}: no streamparse project there")
    assert "--project FOLDER" in said


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("{", "not JSON"),
        ("[]", "has `topology_specs` and `envs`"),
        ('{"envs": {}}', "has `topology_specs` and `envs`"),
        ('{"topology_specs": "s", "envs": {"a": {}, "b": {}}}', "2 environments (a, b)"),
        ('{"topology_specs": "s", "envs": {}}', "0 environments"),
    ],
)
def test_a_broken_project_is_refused(project: Path, config: str, said: str) -> None:
    (project / "config.json").write_text(config)
    assert said in refused(find_project(project))


@pytest.mark.parametrize(
    "option",
    ["topology.workers=3", "a=", "eyewall.objective=R=0.5,A=0.5",
     'eyewall.pin={"source": ["edge-1", "label:camera"]}', "x=[1, {y: z}]"],
)  # fmt: skip
def test_options_are_key_and_yaml_or_json(option: str) -> None:
    assert check_option(option) is None


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("workers", "-o workers: an option is KEY=VALUE"),
        ("=3", "-o =3: an option is KEY=VALUE"),
        ('eyewall.pin={"source": ["edge-1"', '-o eyewall.pin: \'{"source": ["edge-1"\' is neither'),
        ("since=2026-01-01", "-o since: '2026-01-01' cannot be sent to Storm as JSON"),
        ("since=2026-99-01", "-o since: '2026-99-01' cannot be sent to Storm as JSON"),
        ("x=&a [*a]", "-o x: '&a [*a]' cannot be sent to Storm as JSON (Circular reference"),
        ("x=.inf", "-o x: '.inf' cannot be sent to Storm as JSON"),
        (f"x={'[' * 3000}", f"-o x: '{'[' * 80}…' cannot be sent to Storm as JSON"),
        (f"x={'9' * 5000}", f"-o x: '{'9' * 80}…' cannot be sent to Storm as JSON"),
    ],
)
def test_an_unreadable_option_is_refused_before_anything_is_sent(option: str, said: str) -> None:
    assert refused(check_option(option)).startswith(said)
    assert refused(send("word_count", option)).startswith(said)


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        (
            '{"source": ["edge-1"], "consumer": ["egde-2"]}',
            (
                "-o eyewall.pin: consumer is pinned to egde-2, which three-sites does not have; "
                "allowed are edge-1, edge-2, fog-1, fog-2, cloud-1, cloud-2, site:cloud, "
                "site:edge, site:fog, label:camera, label:consumer, label:display, label:source "
                "(did you mean edge-2?)"
            ),
        ),
        ('{"source": "label:gpu"}', "-o eyewall.pin: source is pinned to label:gpu, which"),
        ('{"source": "site:moon"}', "-o eyewall.pin: source is pinned to site:moon, which"),
    ],
)
def test_a_pin_to_what_is_not_there_is_refused_before_anything_is_sent(pin: str, said: str) -> None:
    assert refused(send("tag_and_count", f"eyewall.pin={pin}")).startswith(said)


def test_pins_to_hosts_sites_and_labels_that_are_there_are_sent() -> None:
    pins = '{"source": ["edge-1", "site:fog"], "consumer": "label:display"}'
    assert "no Nimbus answers" in refused(send("tag_and_count", f"eyewall.pin={pins}"))


def test_the_clusters_nimbus_is_used_in_place_of_the_projects_own() -> None:
    project = Project(Path(), "specs/", {"nimbus": "far:1", "options": {"a": 1}}, "msgpack")
    assert json.loads(json.dumps(streamparse_config(project, Endpoint("127.0.0.1", 16627)))) == {
        "topology_specs": "specs/",
        "serializer": "msgpack",
        "envs": {
            "cluster": {
                "workers": [],
                "options": {"a": 1},
                "nimbus": "127.0.0.1:16627",
                "use_ssh_for_nimbus": False,
                "use_virtualenv": False,
            }
        },
    }


@pytest.mark.parametrize(
    ("last_line", "said"),
    [
        (
            "thriftpy2.transport.TTransportException: TTransportException(type=1, message='Could')",
            "no Nimbus answers at 127.0.0.1:1; is the cluster up?",
        ),
        (
            "storm.InvalidTopologyException: InvalidTopologyException(msg='Field W must be …')",
            "Nimbus refused it: Field W must be …",
        ),
        (
            "workload.settings.BadSettingError: word_count.rate: -1; allowed is more",
            "word_count.rate: -1; allowed is more",
        ),
        ("\x1b[31merror\x1b[0m: No such thing.", "No such thing."),
    ],
)
def test_what_streamparse_printed_becomes_one_line(last_line: str, said: str) -> None:
    assert (
        explain_output(f"Traceback (most recent call last):\n  File …\n{last_line}\n", NOBODY)
        == said
    )


def test_where_no_supervisor_is_registered_the_error_says_so() -> None:
    # streamparse asks for as many workers as there are supervisors.
    thrown = "InvalidTopologyException(msg='Field TOPOLOGY_WORKERS must be a Positive Number')"
    assert explain_output(f"storm.InvalidTopologyException: {thrown}\n", NOBODY) == (
        "Nimbus refused it: topology.workers is not above 0; unless set, it is the number of "
        "registered supervisors: does one run?"
    )


def test_a_nimbus_that_does_not_answer_is_named_and_the_project_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    project = tmp_path / "project"
    shutil.copytree(SHIPPED, project, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(project.rglob("*"))
    said = refused(send("word_count", project=project))
    assert said == "word_count: no Nimbus answers at 127.0.0.1:1; is the cluster up?"
    assert sorted(project.rglob("*")) == before


def test_another_nimbus_is_asked_where_one_is_named() -> None:
    ended = CliRunner().invoke(
        app,
        [
            *("submit", "tag_and_count", "--project", str(SHIPPED)),
            *("--nimbus", "127.0.0.1:9", "--cluster", "three-sites"),
        ],
    )
    assert ended.exit_code == 1
    assert "no Nimbus answers at 127.0.0.1:9" in ended.output


def test_a_named_nimbus_needs_a_cluster_file_that_is_there() -> None:
    ended = CliRunner().invoke(
        app, ["submit", "clicks", "--nimbus", "127.0.0.1:9", "--cluster", "three-site"]
    )
    assert ended.exit_code == 1
    assert "did you mean three-sites?" in ended.output
