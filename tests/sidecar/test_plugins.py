"""Entry points of other distributions: what is taken, and what is said of what is not."""

import sys
from pathlib import Path

import pytest
from eyewall_sidecar.plugins import FaultKind, PluginError, find_plugins
from installed_plugins import install_plugin

GROUP = "eyewall.tests"


def faults(**reserved: str) -> list[tuple[FaultKind, str, str]]:
    return [(it.kind, it.distribution, it.name) for it in find_plugins(GROUP, reserved).faults]


def test_an_entry_point_is_found_by_its_name_and_imported_only_when_it_is_loaded(
    plugins: Path,
) -> None:
    install_plugin(plugins, "sample", {GROUP: {"answer": "sample_module:ANSWER"}}, "ANSWER = 42\n")
    found = find_plugins(GROUP)
    assert list(found.usable) == ["answer"]
    assert not found.faults
    assert "sample_module" not in sys.modules
    assert found.usable["answer"].load() == 42


def test_a_reserved_name_stays_with_eyewall(plugins: Path) -> None:
    install_plugin(plugins, "sample", {GROUP: {"odp": "sample_module:ANSWER"}})
    found = find_plugins(GROUP, reserved=["odp"])
    assert not found.usable
    assert [(it.kind, it.distribution) for it in found.faults] == [(FaultKind.CLASH, "sample 1.0")]


def test_of_two_distributions_with_one_name_the_first_in_the_alphabet_has_it(plugins: Path) -> None:
    install_plugin(plugins, "zulu", {GROUP: {"answer": "zulu_module:ANSWER"}})
    install_plugin(plugins, "alpha", {GROUP: {"answer": "alpha_module:ANSWER"}})
    found = find_plugins(GROUP)
    assert found.usable["answer"].distribution == "alpha 1.0"
    assert faults() == [(FaultKind.CLASH, "zulu 1.0", "answer")]


@pytest.mark.parametrize("name", ["Answer", "an answer", "a\x1b[31m", "9", "a" * 41, "-a"])
def test_a_name_that_nobody_can_type_is_refused(plugins: Path, name: str) -> None:
    install_plugin(plugins, "sample", {GROUP: {name: "sample_module:ANSWER"}})
    found = find_plugins(GROUP)
    assert not found.usable
    assert [it.kind for it in found.faults] == [FaultKind.NAME]
    assert str(found.faults[0]).isprintable()


def test_a_malformed_file_of_one_distribution_leaves_the_others_alone(plugins: Path) -> None:
    install_plugin(plugins, "sample", {GROUP: {"answer": "sample_module:ANSWER"}})
    install_plugin(plugins, "broken", {})
    broken = plugins / "broken-1.0.dist-info" / "entry_points.txt"
    broken.write_text(f"[{GROUP}]\nno equals sign\n", encoding="utf-8")
    assert list(find_plugins(GROUP).usable) == ["answer"]
    assert faults() == [(FaultKind.METADATA, "broken 1.0", "")]


@pytest.mark.parametrize(
    "code",
    ["raise RuntimeError('no licence')", "import no_such_module", "import sys; sys.exit(3)", "x ="],
)
def test_a_module_that_cannot_be_imported_is_one_error_that_names_its_distribution(
    plugins: Path, code: str
) -> None:
    install_plugin(plugins, "sample", {GROUP: {"answer": "sample_module:ANSWER"}}, code)
    with pytest.raises(PluginError) as failed:
        find_plugins(GROUP).usable["answer"].load()
    assert failed.value.fault.kind is FaultKind.IMPORT
    assert failed.value.fault.distribution == "sample 1.0"
