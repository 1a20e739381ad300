"""One table of settings: its readers, the shim's list and the page of the documentation agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from eyewall_contracts.setting_keys import (
    MOST_MILLISECONDS,
    SHIM_KEYS,
    TOPOLOGY_KEYS,
    Addresses,
    Components,
    Flag,
    Number,
    OneOf,
    PerComponent,
    Places,
    SettingKey,
    Text,
    ValueType,
    number_text,
)
from eyewall_sidecar.storm import Mode, TopologySettings
from shim_keys import FILE, java_source

ROOT = Path(__file__).parents[2]
KEYS = TOPOLOGY_KEYS | SHIM_KEYS


def page() -> str:
    return (ROOT / "docs/user/settings.md").read_text(encoding="utf-8")


def documented() -> dict[str, tuple[str, str]]:
    """Key → what the page says of its value, and of its default."""
    rows = re.findall(r"^\| `(eyewall\.[a-z.]+)` \| (.*) \| (.*) \|$", page(), re.MULTILINE)
    return {key: (value, default) for key, value, default in rows}


def test_the_shims_list_of_keys_is_the_one_generated() -> None:
    assert FILE.read_text(encoding="utf-8") == java_source(), "run `make settings`"


def test_the_page_has_every_key_and_no_other() -> None:
    assert documented().keys() == KEYS.keys()


@pytest.mark.parametrize("key", TOPOLOGY_KEYS.values(), ids=lambda it: it.name)
def test_the_page_names_the_range_of_a_number(key: SettingKey) -> None:
    kind = key.type.of if isinstance(key.type, PerComponent) else key.type
    value, _ = documented()[key.name]
    if isinstance(kind, Number):
        assert f"{number_text(kind.least)} to {number_text(kind.most)}" in value


def test_the_page_names_the_range_of_the_shims_times() -> None:
    assert f"whole numbers from 1 to {MOST_MILLISECONDS:,}" in page()


@pytest.mark.parametrize(
    "key", [it for it in KEYS.values() if it.default is not None], ids=lambda it: it.name
)
def test_the_page_names_the_default(key: SettingKey) -> None:
    default = key.default[0] if isinstance(key.default, tuple) else key.default
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    assert shown in documented()[key.name][1]


def test_the_sidecar_has_the_defaults_of_the_table() -> None:
    settings = TopologySettings()
    given = {
        "eyewall.mode": Mode(settings.mode).value,
        "eyewall.moves": "overlap" if settings.overlap else "restart",
        "eyewall.policy": settings.policy,
        "eyewall.objective": str(settings.objective),
        "eyewall.headroom": settings.headroom,
        "eyewall.executors.per.slot": settings.executors_per_slot,
    }
    defaults = {it.name: it.default for it in TOPOLOGY_KEYS.values() if it.default is not None}
    assert given == defaults


def test_the_shipped_storm_yaml_has_keys_of_the_table_alone() -> None:
    text = (ROOT / "deploy/src/eyewall_deploy/storm/storm.yaml").read_text(encoding="utf-8")
    shipped = re.findall(r"^(eyewall\.[a-z.]+):", text, re.MULTILINE)
    assert shipped
    assert set(shipped) <= KEYS.keys()


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (OneOf(("a", "b")), ["a", "b"], ["c", "", None, 1, ["a"]]),
        (Text("odp"), ["odp", ""], [1, None, ["odp"]]),
        (Flag(), [True, False], ["true", 1, None]),
        (Number(0, 10), [0, 10, 2.5], [-1, 10.5, True, "3", None, float("nan"), 10**400]),
        (Number(1, 9, whole=True), [1, 9], [0, 10, 1.0, True]),
        (
            Addresses(),
            [["127.0.0.1:7077"], ["a:1", "[::1]:65535"]],
            [[], "a:1", ["a"], ["a:"], [":1"], ["a:0"], ["a:65536"], ["a:٣"], [7077]],
        ),
        (Components(), ["sink", ["sink", "tag"]], [[], "", [""], [1], 1, None, {}]),
        (Places(), ["edge-1", ["a", "site:b"]], [[], "", [""], [1], 1, None, {}]),
        (
            PerComponent(Number(0, 1)),
            [{}, {"a": 1}],
            [{"a": 2}, {1: 1}, [], "a", None],
        ),
    ],
    ids=lambda it: type(it).__name__ if hasattr(it, "allows") else "",
)
def test_a_type_allows_its_values_and_no_others(
    kind: ValueType, good: list[Any], bad: list[Any]
) -> None:
    assert [it for it in good if not kind.allows(it)] == []
    assert [it for it in bad if kind.allows(it)] == []
    assert kind.allowed
