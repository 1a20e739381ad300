"""Links between the repository's pages, and from them to its files."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_links import REPOSITORY_PAGES, anchors, dead_links

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    str(page.relative_to(REPOSITORY))
    for pattern in REPOSITORY_PAGES
    for page in sorted(REPOSITORY.glob(pattern))
]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading(page: str) -> None:
    assert dead_links(REPOSITORY / page, REPOSITORY) == []


def test_links_are_dead_without_their_file_or_heading_or_out_of_the_repository(
    tmp_path: Path,
) -> None:
    page = tmp_path / "inside" / "page.md"
    page.parent.mkdir()
    page.write_text(
        "# Here\n\n[a](page.md), [b](#here), [c](https://example.org/x.md), `[d](code.md)`\n\n"
        "| ![e](gone.svg) | [f](#there) |\n| --- | --- |\n| [g](page.md#there) | [h](..) |\n"
    )
    assert dead_links(page, page.parent) == ["gone.svg", "#there", "page.md#there", ".."]


def test_anchors_are_named_as_github_names_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# What's `a_b`, and R - Σ?\n\n## Twice\n\n## Twice\n\n```\n# code\n```\n")
    assert anchors(page) == {"whats-a_b-and-r---σ", "twice", "twice-1"}
