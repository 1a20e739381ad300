"""The catalogue, docs/policies.md and its pictures have every policy, and no other."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from eyewall_sidecar.policies import POLICIES
from eyewall_sidecar.policies.catalogue import CATALOGUE, Entry

DOCS = Path(__file__).parents[3] / "docs"


def test_every_policy_has_an_entry_in_the_order_of_policies() -> None:
    assert list(CATALOGUE) == list(POLICIES)


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_says_something_in_every_field(name: str) -> None:
    entry = CATALOGUE[name]
    for field in fields(Entry):
        if field.type is str:
            assert getattr(entry, field.name).strip(), field.name
    assert not entry.mixes or len(entry.optimises) > 1


def test_the_table_on_the_page_is_the_catalogue() -> None:
    page = (DOCS / "policies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [
        (name, it.source, it.method, it.objectives, it.take_it) for name, it in CATALOGUE.items()
    ], "run benchmarks/policy_pictures.py: it writes the table"


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_page_shows_a_picture_of_the_policy_at_work(name: str) -> None:
    page = (DOCS / "policies.md").read_text(encoding="utf-8")
    assert f"(policies/{name}.svg)" in page
    assert (DOCS / "policies" / f"{name}.svg").is_file()


def test_there_is_no_picture_of_a_policy_that_is_gone() -> None:
    assert {it.stem for it in (DOCS / "policies").glob("*.svg")} == set(CATALOGUE)
