import json

import pytest
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.storm import (
    Mode,
    SettingsError,
    Topology,
    TopologySettings,
    mode_of,
    read_settings,
)
from storm_builders import chain


def read(**settings: object) -> TopologySettings:
    topology = chain(
        ("source", 1), ("tag", 2), settings={k.replace("_", "."): v for k, v in settings.items()}
    )
    return read_settings(topology, TopologySettings(), policy_catalogue())


def test_what_a_topology_does_not_set_has_the_default() -> None:
    assert read() == TopologySettings()


def test_every_setting_is_read() -> None:
    settings = read(
        mode="observe",
        policy="odp",
        objective="R=0.5,A=0.5",
        pin={"source": ["edge-1", "label:camera"]},
        rate_hint={"source": 10, "source:default": 4},
        execution_time_hint_ms={"tag": 3},
        executors_per_slot=2,
        time_limit_ms=250,
        tuple_bytes_hint={"source:default": 120},
        headroom=2,
        early_objective="A=1",
    )
    assert str(settings.early_objective) == "A=1"
    assert settings.mode is Mode.OBSERVE
    assert str(settings.objective) == "R=0.5,A=0.5"
    assert settings.pins == {"source": ("edge-1", "label:camera")}
    assert settings.rate_hints == {"source": 10.0, "source:default": 4.0}
    assert settings.execution_times == {"tag": 0.003}
    assert settings.executors_per_slot == 2
    assert settings.time_limit == 0.25
    assert settings.tuple_bytes == {"source:default": 120.0}
    assert settings.headroom == 2.0


def test_a_map_may_be_written_as_text_because_streamparse_has_no_maps_on_its_command_line() -> None:
    assert read(pin='{"source": "edge-1"}').pins == {"source": ("edge-1",)}


@pytest.mark.parametrize("value", [["source", "tag"], '["source", "tag"]'])
def test_a_list_of_components_may_be_written_as_text(value: object) -> None:
    assert read(exclusive=value).exclusive == ("source", "tag")
    assert read(exclusive="tag").exclusive == ("tag",)


def test_a_promise_and_a_budget_are_checked_and_change_nothing_of_the_placement() -> None:
    assert read(**{"rate.promised.mbit": {"source": 2.5}, "budget.per.mb": 3}) == read()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("mode", "fast", ["eyewall.mode", '"fast"', "auto or observe or off"]),
        ("policy", "magic", ["eyewall.policy", '"magic"', "odp"]),
        ("objective", "R=2", ["eyewall.objective", "2"]),
        ("early.objective", "R=2", ["eyewall.early.objective", "2"]),
        ("early.objective", "T=0.5,L=0.5", ["eyewall.early.objective", "L"]),
        ("objective", 5, ["eyewall.objective", "5", "text"]),
        ("pin", {"sauce": ["a"]}, ["eyewall.pin", "sauce", "did you mean source?"]),
        ("pin", {"source": []}, ["eyewall.pin", "source", "[]"]),
        ("pin", ["source"], ["eyewall.pin", "map"]),
        (
            "rate.hint",
            {"source": -1},
            ["eyewall.rate.hint", "source", "-1", "from 0 to 1e15 (tuples/s)"],
        ),
        ("rate.hint", {"source:x": 1}, ["source:x", "default"]),
        ("rate.hint", {"source": 1, "source:default": 2}, ["source", "2", "exceed"]),
        ("execution.time.hint.ms", {"tag": "3"}, ["tag", '"3"', "from 0"]),
        ("executors.per.slot", 0, ["eyewall.executors.per.slot", "0", "1 to"]),
        ("time.limit.ms", 0, ["eyewall.time.limit.ms", "0", "from 1 to 86,400,000"]),
        ("time.limit.ms", True, ["eyewall.time.limit.ms", "true"]),
        ("time.limit.ms", "1 s", ["eyewall.time.limit.ms", '"1 s"']),
        ("time.limit.ms", 10**400, ["eyewall.time.limit.ms", "1000", "from 1 to"]),
        ("rate.hint", {"source": 10**400}, ["eyewall.rate.hint", "source", "to 1e15"]),
        ("execution.time.hint.ms", {"tag": 1e9}, ["tag", "to 86,400,000 (milliseconds)"]),
        ("executors.per.slot", True, ["eyewall.executors.per.slot", "true"]),
        ("rate.promised.mbit", {"sauce": 1}, ["promised.mbit", "did you mean source?"]),
        ("rate.promised.mbit", {"source": -1}, ["promised.mbit", "source", "-1", "to 1,000,000"]),
        ("exclusive", "sauce", ["eyewall.exclusive", "sauce", "did you mean source?"]),
        ("exclusive", [], ["eyewall.exclusive is []", "a list of components"]),
        ("exclusive", ["source", 3], ["eyewall.exclusive", "3", "a list of components"]),
        ("exclusive", {"source": 1}, ["eyewall.exclusive", "a list of components"]),
        ("exclusive", "[source", ["eyewall.exclusive", "[source", "JSON"]),
        ("rate.promised.mbit", 2, ["eyewall.rate.promised.mbit is 2", "map"]),
        ("budget.per.mb", "much", ["eyewall.budget.per.mb", '"much"', "from 0"]),
        ("polcy", "odp", ["eyewall.polcy", "did you mean eyewall.policy?"]),
    ],
)
def test_a_bad_setting_is_refused_with_key_value_and_what_is_allowed(
    key: str, value: object, words: list[str]
) -> None:
    with pytest.raises(SettingsError) as refused:
        read(**{key: value})
    assert [word for word in words if word not in str(refused.value)] == []


def test_an_objective_that_the_policy_was_not_made_for_is_refused_with_both() -> None:
    assert read(policy="xu", objective="T=1").policy == "xu"
    for objective in ("R=1", "ecker"):
        with pytest.raises(SettingsError, match=r"eyewall.policy is xu, which optimises T alone"):
            read(policy="xu", objective=objective)


def test_a_setting_that_is_not_json_is_refused() -> None:
    topology = Topology("t-1", "t", (), settings={"eyewall.mode": "auto"})
    with pytest.raises(SettingsError, match="JSON"):
        read_settings(topology, TopologySettings(), policy_catalogue())
    assert json.loads('"auto"') == "auto"  # what Nimbus sends has its quotes


def test_a_long_value_is_named_by_its_beginning() -> None:
    with pytest.raises(SettingsError) as refused:
        read(mode="x" * 10_000)
    assert len(str(refused.value)) < 200


def test_a_value_that_is_nested_too_deeply_is_refused_and_the_mode_is_the_default() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    topology = Topology("t-1", "t", (), settings={"eyewall.mode": deep})
    with pytest.raises(SettingsError, match=r"eyewall\.mode is \[\[.* nested too deeply"):
        read_settings(topology, TopologySettings(), policy_catalogue())
    assert mode_of(topology, TopologySettings(mode=Mode.OFF)) is Mode.OFF


def test_a_policy_that_knows_no_load_optimises_on_idle_hosts_unless_told_otherwise() -> None:
    assert str(read(policy="greedy").objective) == "R=1"
    assert str(read(policy="bound_guided").objective) == "L=1"
    with pytest.raises(SettingsError, match="greedy"):
        read(policy="greedy", objective="L=1")
