"""The catalogue, docs/user/policies.md and its pictures have every policy, and no other."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from eyewall_sidecar.objective import Term
from eyewall_sidecar.plugins import FaultKind
from eyewall_sidecar.policies import PolicyEntry, load_policy, policy_catalogue
from eyewall_sidecar.policies.catalogue import GROUP, read_catalogue
from installed_plugins import install_plugin

DOCS = Path(__file__).parents[3] / "docs/user"


@pytest.mark.parametrize("name", policy_catalogue())
def test_every_policy_of_the_catalogue_can_be_loaded(name: str) -> None:
    assert callable(load_policy(name))


@pytest.mark.parametrize("name", policy_catalogue())
def test_an_entry_says_something_in_every_field(name: str) -> None:
    entry = policy_catalogue()[name]
    for field in fields(PolicyEntry):
        if field.type is str:
            assert getattr(entry, field.name).strip(), field.name
    assert not entry.mixes or len(entry.optimises) > 1


def test_the_table_on_the_page_is_the_catalogue() -> None:
    page = (DOCS / "policies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [
        (name, it.source, it.method, it.objectives, it.take_it)
        for name, it in policy_catalogue().items()
    ], "run python -m benchmarks policy-pictures: it writes the table"


@pytest.mark.parametrize("name", policy_catalogue())
def test_the_page_shows_a_picture_of_the_policy_at_work(name: str) -> None:
    page = (DOCS / "policies.md").read_text(encoding="utf-8")
    assert f"(policies/{name}.svg)" in page
    assert (DOCS / "policies" / f"{name}.svg").is_file()


def test_there_is_no_picture_of_a_policy_that_is_gone() -> None:
    assert {it.stem for it in (DOCS / "policies").glob("*.svg")} == set(policy_catalogue())


ENTRY = """
from eyewall_sidecar.objective import Term
from eyewall_sidecar.policies import PolicyEntry

ENTRY = PolicyEntry(
    title="nearest", source="ours", method="as near as can be", optimises=(Term.N,),
    take_it="to try", implementation="nearest_module:place",
)
"""


def test_a_policy_of_another_distribution_comes_after_the_sidecars_own(plugins: Path) -> None:
    install_plugin(plugins, "nearest", {GROUP: {"nearest": "nearest_module:ENTRY"}}, ENTRY)
    catalogue = read_catalogue()
    assert catalogue.entries["nearest"].optimises == (Term.N,)
    assert list(catalogue.entries).index("nearest") > list(catalogue.entries).index("ras")
    assert not catalogue.faults


@pytest.mark.parametrize(
    ("name", "code", "kind"),
    [
        ("odp", ENTRY, FaultKind.CLASH),
        ("nearest", "import no_such_module", FaultKind.IMPORT),
        ("nearest", ENTRY.replace('"nearest"', '""'), FaultKind.IMPORT),
        ("nearest", ENTRY.replace("(Term.N,)", "('Q',)"), FaultKind.IMPORT),
        ("nearest", ENTRY.replace("module:place", "module place"), FaultKind.IMPORT),
        ("nearest", "ENTRY = print", FaultKind.CONTENT),
    ],
)
def test_a_policy_that_cannot_be_listed_is_reported_and_changes_nothing_else(
    plugins: Path, name: str, code: str, kind: FaultKind
) -> None:
    before = read_catalogue()
    install_plugin(plugins, "sample", {GROUP: {name: "sample_module:ENTRY"}}, code)
    after = read_catalogue()
    assert after.entries == before.entries
    assert [(it.kind, it.name, it.distribution) for it in after.faults] == [
        (kind, name, "sample 1.0")
    ]


def test_the_catalogue_is_read_without_importing_a_solver() -> None:
    program = (
        "import sys; from eyewall_sidecar.policies import policy_catalogue; policy_catalogue(); "
        "print(*{'numba', 'scipy', 'pulp', 'highspy', 'matplotlib', 'grpc'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == []
