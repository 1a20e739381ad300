"""Delays between nodes, from a file's list of links or from a matrix."""

import gzip
import zlib
from collections.abc import Sequence
from math import inf
from pathlib import Path

from eyewall_sidecar.model import Link, ProblemError
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.model.limits import LONGEST
from eyewall_sidecar.problem_file.schema import LEAST, DelaysEntry, LinkEntry, ProblemEntry

Links = dict[tuple[str, str], Link]
UNKNOWN = frozenset({"", "-", "nan", "na", "null"})


def links_of(file: ProblemEntry, folder: Path) -> Links:
    """Take the file's links, or its matrix, which is looked for in `folder`."""
    if file.links is not None and file.delays is not None:
        raise ProblemError("give links or delays, not both")
    if file.delays is not None:
        return matrix_links(file.delays, [entry.id for entry in file.nodes], folder)
    return listed_links(file.links or [])


def listed_links(entries: Sequence[LinkEntry]) -> Links:
    """Take each link in both directions unless the other one is listed."""
    links: Links = {}
    for entry in entries:
        pair = entry.source, entry.target
        if pair in links:
            raise ProblemError(f"link {entry.source} → {entry.target} is listed twice")
        bandwidth = inf if entry.bandwidth is None else entry.bandwidth
        links[pair] = Link(entry.delay, entry.availability, bandwidth)
    for (source, target), link in list(links.items()):
        links.setdefault((target, source), link)
    return links


def matrix_links(entry: DelaysEntry, nodes: Sequence[str], folder: Path) -> Links:
    """Read a square matrix, a row for each sender; the diagonal is not looked at."""
    rows = _rows(folder / entry.file)
    if len(rows) != len(nodes) or any(len(row) != len(nodes) for row in rows):
        widths = sorted({len(row) for row in rows})
        raise ProblemError(
            f"delays file {entry.file}: {len(rows)} rows of {listed([str(it) for it in widths])} "
            f"columns; {len(nodes)} nodes need {len(nodes)} × {len(nodes)}"
        )
    seconds = (1.0 if entry.unit == "s" else 1e-3) / (2 if entry.kind == "rtt" else 1)
    links: Links = {}
    lacking = []
    for source, row in zip(nodes, rows, strict=True):
        for target, text in zip(nodes, row, strict=True):
            if source == target:
                continue
            if text.strip().lower() in UNKNOWN:
                lacking.append(f"{source} → {target}")
                continue
            where = f"delays file {entry.file}, {source} → {target}"
            links[source, target] = Link(_delay(text, seconds, where))
    if lacking:
        raise ProblemError(f"delays file {entry.file}: no delay for {listed(lacking)}")
    return links


def _rows(path: Path) -> list[list[str]]:
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ProblemError(f"delays file {path}: cannot be read: {error}") from error
    return [line.split("\t") for line in text.splitlines() if line.strip()]


def _delay(text: str, seconds: float, where: str) -> float:
    """Read a delay that is counted in so many seconds."""
    try:
        delay = float(text)
    except ValueError:
        raise ProblemError(f"{where}: {text.strip()!r} is not a number") from None
    if delay == 0 or LEAST <= delay * seconds <= LONGEST:
        return delay * seconds
    raise ProblemError(
        f"{where}: delay is {delay:g}; it must be 0 or from {LEAST / seconds:g} to "
        f"{LONGEST / seconds:g}"
    )
