"""Relative links of Markdown pages, and whether they lead anywhere; the code that pages show."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from markdown_it.token import Token

REPOSITORY_PAGES = ("*.md", "docs/**/*.md", "papers/docs/*.md", "deploy/**/*.md")
PARSER = MarkdownIt("commonmark").enable("table")


def dead_links(page: Path, root: Path) -> list[str]:
    """The page's links to no file or folder below `root`, or to no heading."""
    return [link for link in relative_links(page) if not _leads(page, link, root)]


def relative_links(page: Path) -> list[str]:
    """The targets of links and pictures that are not on the web."""
    found = []
    for token in _inline(page):
        for part in token.children or ():
            target = part.attrGet("href") or part.attrGet("src")
            if target and not urlsplit(str(target)).scheme:
                found.append(unquote(str(target)))
    return found


def code_in(text: str) -> Iterator[str]:
    """Yield each line of a page's code blocks, and each of its code spans on one line."""
    for token in PARSER.parse(text):
        if token.type == "fence":
            yield from (line.strip() for line in token.content.splitlines())
        for part in token.children or ():
            if part.type == "code_inline":
                yield " ".join(part.content.split())


def anchors(page: Path) -> set[str]:
    """What GitHub calls the page's headings: lower case, without punctuation, blanks as hyphens.

    Of headings alike, the second ends in -1, the third in -2.
    """
    found = set()
    seen: Counter[str] = Counter()
    for heading in _inline(page, after="heading_open"):
        words = "".join(part.content for part in heading.children or ())
        name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def _leads(page: Path, link: str, root: Path) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not (target.exists() and target.is_relative_to(root.resolve())):
        return False
    return not anchor or (target.suffix == ".md" and anchor in anchors(target))


def _inline(page: Path, after: str = "") -> Iterator[Token]:
    tokens = PARSER.parse(page.read_text(encoding="utf-8"))
    for before, token in zip(["", *(it.type for it in tokens)], tokens, strict=False):
        if token.type == "inline" and after in ("", before):
            yield token
