"""Links of pages that are packed at another place."""

from __future__ import annotations

from page_links import relinked

PLACES = {
    "docs": "docs",
    "docs/a.md": "docs/a.md",
    "docs/b.png": "docs/b.png",
    "deploy/INSTALL.md": "INSTALL.md",
    "part/examples": "examples",
    "part/examples/a.toml": "examples/a.toml",
}


def packed(text: str, page: str = "docs/a.md") -> str:
    return relinked(text, page, PLACES)


def test_links_within_a_folder_stay_as_they_are() -> None:
    text = "![words](b.png), [words](a.md#heading), [words](#heading)"
    assert packed(text) == text


def test_links_to_another_folder_lead_to_where_it_is_packed() -> None:
    assert packed("[keys](../part/examples/a.toml)") == "[keys](../examples/a.toml)"
    assert packed("[all](../part/examples)") == "[all](../examples)"
    assert packed("[how](../deploy/INSTALL.md)") == "[how](../INSTALL.md)"


def test_a_page_that_moves_takes_its_links_with_it() -> None:
    assert packed("![b](../docs/b.png)", page="deploy/INSTALL.md") == "![b](docs/b.png)"


def test_words_that_are_the_path_are_the_path_in_the_tarball() -> None:
    link = "[part/examples/a.toml](../part/examples/a.toml)"
    assert packed(link) == "[examples/a.toml](../examples/a.toml)"


def test_a_link_to_what_is_not_packed_is_plain_text() -> None:
    text = "see [`make demo`](../README.md), ![a picture](gone.svg) (or not)"
    assert packed(text) == "see `make demo`, a picture (or not)"


def test_links_to_the_web_stay_as_they_are() -> None:
    text = "[Storm](https://storm.apache.org/a.html#b)"
    assert packed(text) == text
