"""A user's own cluster, looked over before the scheduler is switched on."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from eyewall_deploy.doctor.check_result import CheckResult, Severity
from eyewall_deploy.doctor.command import CheckedParts, check
from eyewall_deploy.doctor.home import CLASS, check_home, check_isolation, check_version
from eyewall_deploy.doctor.running import _difference, check_clocks
from eyewall_deploy.doctor.storm_yaml import check_settings, sidecar_addresses
from eyewall_deploy.endpoint import Endpoint
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm.home import StormHome, assemble_storm_home
from eyewall_deploy.storm.settings import ISOLATION, OVERLAP_ISOLATION, TIMING, recommended_settings
from eyewall_sidecar.objective import Objective, ObjectiveError

if TYPE_CHECKING:
    from collections.abc import Iterable

REPOSITORY = Path(__file__).resolve().parents[3]
ENTRY = CLASS.replace(".", "/") + ".class"
GRPC = "META-INF/services/io.eyewall.storm.shaded.grpc.ManagedChannelProvider"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for jar in ("lib/storm-server-2.8.3.jar", "lib-worker/storm-client-2.8.3.jar"):
        path = tmp_path / jar
        path.parent.mkdir()
        path.touch()
    (tmp_path / "extlib-daemon").mkdir()
    (tmp_path / "extlib").mkdir()
    return tmp_path


def jar(path: Path, *entries: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.writestr(entry, b"")


def java_that_says(folder: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    program = folder / "jre" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(folder / "jre"))


def severities(findings: Iterable[CheckResult]) -> dict[str, Severity]:
    return {finding.check: finding.severity for finding in findings}


def test_a_home_without_the_jar_would_end_nimbus_and_the_advice_names_the_folder(
    home: Path,
) -> None:
    findings = list(check_home(home))
    last = findings[-1]
    assert last.severity is Severity.STOPS_NIMBUS
    assert str(home / "extlib-daemon") in last.found
    assert "eyewall-storm-scheduler.jar" in last.advice


def test_a_home_with_the_jar_whose_class_loads_is_fine(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(home / "extlib-daemon" / "shim.jar", ENTRY, GRPC)
    java_that_says(home, monkeypatch, f"Error: Main method not found in class {CLASS}")
    assert set(severities(check_home(home)).values()) == {Severity.FINE}


def test_a_class_that_does_not_load_would_end_nimbus_and_javas_words_are_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(home / "extlib-daemon" / "shim.jar", ENTRY, GRPC)
    java_that_says(home, monkeypatch, "NoClassDefFoundError: org/apache/storm/Gone")
    last = list(check_home(home))[-1]
    assert last.severity is Severity.STOPS_NIMBUS
    assert "org/apache/storm/Gone" in last.found


def test_the_jar_from_before_shading_is_recognised(home: Path) -> None:
    jar(home / "extlib-daemon" / "original.jar", ENTRY)
    last = list(check_home(home))[-1]
    assert last.severity is Severity.STOPS_NIMBUS
    assert "lacks gRPC" in last.found


def test_a_jar_that_workers_would_see_too_is_advised_against(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("extlib", "extlib-daemon"):
        jar(home / folder / "shim.jar", ENTRY, GRPC)
    java_that_says(home, monkeypatch, "Main method not found")
    assert Severity.ADVICE in {finding.severity for finding in check_home(home)}


def test_a_folder_that_is_no_storm_home_is_said_to_be_none(tmp_path: Path) -> None:
    (finding,) = check_home(tmp_path)
    assert finding.severity is Severity.STOPS_NIMBUS
    assert "storm-server" in finding.found


def test_a_plugin_for_moves_without_a_gap_needs_its_jar(home: Path) -> None:
    # Nimbus reads the same storm.yaml, and ends if the class is not there.
    path = home / "storm.yaml"
    path.write_text(yaml.safe_dump({ISOLATION: OVERLAP_ISOLATION}))
    parts = CheckedParts(storm_home=home, storm_yaml=path)

    def found() -> CheckResult:
        return next(it for it in check(parts) if it.check == "isolation plugin")

    assert found().severity is Severity.STOPS_NIMBUS
    assert "eyewall-storm-overlap.jar" in found().advice
    jar(home / "extlib-daemon" / "overlap.jar", OVERLAP_ISOLATION.replace(".", "/") + ".class")
    assert found().severity is Severity.FINE
    assert list(check_isolation(home, "org.example.Other")) == []


@pytest.mark.parametrize(
    ("version", "severity"),
    [("2.8.3", Severity.FINE), ("2.8.0", Severity.FINE), ("2.8.9", Severity.ADVICE)],
)
def test_versions_that_it_is_tested_with_are_fine(version: str, severity: Severity) -> None:
    assert check_version("Nimbus", version).severity is severity


def test_the_shipped_settings_are_fine() -> None:
    assert set(severities(check_settings(recommended_settings())).values()) == {Severity.FINE}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("eyewall.sidecar.addresses", "sidecar:7077", 'a list such as ["127.0.0.1:7077"]'),
        ("eyewall.sidecar.addresses", ["sidecar:seven"], 'a list such as ["127.0.0.1:7077"]'),
        ("eyewall.scheduler.inner", "RAS", "resource-aware or default"),
        ("eyewall.scheduler.inner", ["default"], "resource-aware or default"),
        ("eyewall.deadline.first.ms", 0, "a whole number from 1 to 60,000 (milliseconds)"),
        ("eyewall.deadline.round.ms", "200", "a whole number from 1 to 60,000 (milliseconds)"),
        ("eyewall.push.timeout.ms", True, "a whole number from 1 to 60,000 (milliseconds)"),
        ("eyewall.push.assignments", "yes", "true or false"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(key: str, value: object, said: str) -> None:
    finding = next(
        f for f in check_settings({**recommended_settings(), key: value}) if f.check == key
    )
    assert finding.severity is Severity.FAULT
    assert repr(value) in finding.found
    assert said in finding.advice


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("eyewall.push.assignment", "eyewall.push.assignments"),
        ("eyewall.deadline.first", "eyewall.deadline.first.ms"),
        ("eyewall.objektive", "eyewall.objective"),
    ],
)
def test_a_key_that_does_not_exist_is_answered_with_the_one_that_was_meant(
    key: str, meant: str
) -> None:
    finding = next(f for f in check_settings({key: True}) if f.check == key)
    assert finding.severity is Severity.FAULT
    assert "Nimbus writes it into each topology that is submitted" in finding.found
    assert finding.advice == (
        f"did you mean {meant}? (topologies that already have it: "
        f"storm rebalance NAME -t '{{\"{key}\": null}}')"
    )


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("eyewall.objective", "L", "as L=1 or R=0.5,A=0.5"),
        ("eyewall.objective", "L=0.5,R=0.5", "as L=1 or R=0.5,A=0.5"),
        ("eyewall.objective", 1, "as L=1 or R=0.5,A=0.5"),
        ("eyewall.early.objective", "R=2", "as L=1 or R=0.5,A=0.5"),
        ("eyewall.mode", False, "auto or observe or off"),  # YAML's `off`
        ("eyewall.headroom", 0.5, "a number from 1 to 100"),
        ("eyewall.rate.hint", "{", "a map from components"),
        ("eyewall.pin", ["edge-1"], "a map from components"),
    ],
)
def test_a_bad_default_for_topologies_is_named_with_what_is_allowed_and_that_it_sticks(
    key: str, value: object, allowed: str
) -> None:
    finding = next(f for f in check_settings({key: value}) if f.check == key)
    assert finding.severity is Severity.FAULT
    assert finding.found.startswith(f"{value!r} is not allowed: Eyewall neither places nor moves ")
    assert "each topology that is submitted" in finding.found
    assert allowed in finding.advice


@pytest.mark.parametrize(
    "defaults",
    [
        {"eyewall.mode": "observe", "eyewall.headroom": 2, "eyewall.objective": None},
        {"eyewall.pin": '{"source": ["edge-1"]}', "eyewall.rate.hint": {"source": 5}},
        {"eyewall.exclusive": "sink", "eyewall.objective": " R = 0.5, A=0.5 "},
    ],
)
def test_good_defaults_for_topologies_are_fine(defaults: dict[str, object]) -> None:
    (finding,) = [f for f in check_settings(defaults) if f.check.startswith("eyewall.")]
    assert finding.severity is Severity.FINE


@pytest.mark.parametrize(
    "text",
    [
        "L=1",
        "THETA=1",
        "R=0.5,A=0.2,N=0.3",
        "ecker",
        "ecker=lat:1e-6",
        "L=1,R=0",
        "R=1,R=0",
        "R=0.5",
        "R=nan",
        "R=-1,A=2",
        "L",
        "l=1",
        "",
        "R=0.5,L=0.5",
        "R=0.5,ecker=1",
    ],
)
def test_an_objective_is_a_good_default_if_the_sidecar_reads_it(text: str) -> None:
    try:
        Objective.parse(text)
        severity = Severity.FINE
    except ObjectiveError:
        severity = Severity.FAULT
    found = [f for f in check_settings({"eyewall.objective": text}) if "eyewall." in f.check]
    assert [it.severity for it in found] == [severity]


def test_a_class_of_ours_that_does_not_exist_would_end_nimbus() -> None:
    finding = next(iter(check_settings({"storm.scheduler": "io.eyewall.EyewallScheduler"})))
    assert finding.severity is Severity.STOPS_NIMBUS
    assert finding.advice == f"it is {CLASS}"


BLACKLIST = "blacklist.scheduler.strategy"
STRATEGIES = "org.apache.storm.scheduler.blacklist.strategies"


def test_the_shipped_blacklist_strategy_is_set_by_a_key_that_storm_reads() -> None:
    home = assemble_storm_home(storm_home_cache(), lambda _text: None)
    assert isinstance(home, StormHome)
    jars = sorted(home.path.glob("lib/storm-client-*.jar"))
    with zipfile.ZipFile(jars[0]) as archive:
        defaults = yaml.safe_load(archive.read("defaults.yaml"))
    assert BLACKLIST in defaults
    assert recommended_settings()[BLACKLIST] != defaults[BLACKLIST]


def test_keys_of_storms_other_schedulers_are_named_where_eyewall_places() -> None:
    pools = {"multitenant.scheduler.user.pools": {"me": 3}, "isolation.scheduler.machines": {}}
    found = {it.check: it for it in check_settings({"storm.scheduler": CLASS, **pools})}
    assert {found[key].severity for key in pools} == {Severity.ADVICE}
    assert "MultitenantScheduler" in found["multitenant.scheduler.user.pools"].found
    storms = "org.apache.storm.scheduler.IsolationScheduler"
    others = {it.check for it in check_settings({"storm.scheduler": storms, **pools})}
    assert others.isdisjoint(pools)


@pytest.mark.parametrize(
    ("strategy", "advised"),
    [(None, True), ("DefaultBlacklistStrategy", True), ("RasBlacklistStrategy", False)],
)
def test_a_blacklist_that_takes_fewer_workers_for_a_shortage_is_advised_against(
    strategy: str | None, advised: bool
) -> None:
    given = {} if strategy is None else {BLACKLIST: f"{STRATEGIES}.{strategy}"}
    found = [it.check for it in check_settings({"storm.scheduler": CLASS, **given})]
    assert (BLACKLIST in found) is advised


def test_timing_that_makes_moves_dear_is_named_key_by_key() -> None:
    settings = {**recommended_settings(), "task.refresh.poll.secs": 10}
    finding = next(f for f in check_settings(settings) if f.check == "timing of moves")
    assert finding.severity is Severity.ADVICE
    assert finding.advice == "on every supervisor host set task.refresh.poll.secs: 1"


def test_the_file_of_nimbus_itself_needs_no_timing_of_supervisors() -> None:
    settings = {it: v for it, v in recommended_settings().items() if it not in TIMING}
    finding = next(f for f in check_settings(settings) if f.check == "timing of moves")
    assert (finding.severity, "not in this file" in finding.found) == (Severity.FINE, True)


def test_the_sidecars_that_are_tried_are_those_that_nimbus_would_ask() -> None:
    assert sidecar_addresses({}) == [Endpoint("127.0.0.1", 7077)]
    given = {"eyewall.sidecar.addresses": ["a:1", "b:2"]}
    assert sidecar_addresses(given) == [Endpoint("a", 1), Endpoint("b", 2)]


def test_a_file_that_is_not_yaml_would_end_nimbus(tmp_path: Path) -> None:
    file = tmp_path / "storm.yaml"
    for text in ("storm.scheduler: [", "just words"):
        file.write_text(text)
        (finding,) = [f for f in check(CheckedParts(storm_yaml=file)) if f.check == "storm.yaml"]
        assert finding.severity is Severity.STOPS_NIMBUS


def test_a_file_that_is_not_utf_8_would_end_nimbus_too(tmp_path: Path) -> None:
    file = tmp_path / "storm.yaml"
    file.write_bytes("# Größe".encode("latin-1"))
    (finding,) = [f for f in check(CheckedParts(storm_yaml=file)) if f.check == "storm.yaml"]
    assert finding.severity is Severity.STOPS_NIMBUS
    assert f"{file} is not UTF-8" in finding.found


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("storm.zookeeper.port", "abc"),
        ("storm.zookeeper.port", 70_000),
        ("storm.zookeeper.port", True),
        ("storm.zookeeper.servers", "localhost"),
        ("storm.zookeeper.servers", [1]),
        ("storm.zookeeper.root", 7),
        ("storm.zookeeper.root", "storm"),
    ],
)
def test_a_zookeeper_that_cannot_be_is_named_by_its_key_and_value(key: str, value: object) -> None:
    (finding,) = check_clocks({key: value})
    assert finding.severity is Severity.FAULT
    assert finding.found.startswith(f"{key}: {value!r}")


def test_a_supervisors_clock_is_held_against_the_stamp_of_its_heartbeat() -> None:
    import gzip
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from streamparse.thrift import SupervisorInfo
        from thriftpy2.utils import serialize
    beat = gzip.compress(serialize(SupervisorInfo(time_secs=1000, hostname="edge-1")))
    # Written at 1000.9 by its own clock, which Storm cuts to 1000; stamped on arrival.
    assert _difference(beat, stamped=1000.9) == ("edge-1", 0.0)
    assert _difference(beat, stamped=1006.0) == ("edge-1", -5.0)
    assert _difference(beat, stamped=993.0) == ("edge-1", 7.0)


def test_the_exit_code_is_1_exactly_if_nimbus_would_not_live(home: Path, tmp_path: Path) -> None:
    good = tmp_path / "storm.yaml"
    good.write_text(yaml.safe_dump({**recommended_settings(), "storm.zookeeper.port": 1}))
    doctor = [sys.executable, "-m", "eyewall_deploy.cli", "doctor"]
    alive = subprocess.run([*doctor, f"--storm-yaml={good}"], capture_output=True, check=False)
    assert alive.returncode == 0  # no ZooKeeper and no sidecar: faults, but Nimbus would start
    dead = subprocess.run(
        [*doctor, f"--storm-home={home}", "--json"], capture_output=True, check=False
    )
    assert dead.returncode == 1
    assert "stops Nimbus" in dead.stdout.decode()
