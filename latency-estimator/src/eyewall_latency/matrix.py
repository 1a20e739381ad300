"""Delay matrices as files: tab-separated round-trip times, a row for each host, plain or gzip."""

import gzip
import math
import zlib
from dataclasses import dataclass
from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
LARGEST_FILE = 512 * 1024 * 1024
SECONDS_IN = {"ms": 0.001, "s": 1.0}


class MatrixError(ValueError):
    """A file that is not a matrix of round-trip times; the message names place and reason."""


@dataclass(frozen=True, slots=True)
class RttMatrix:
    """Round-trip times between hosts.

    Parameters
    ----------
    seconds
        [i][j]: measured by host i to host j; None where there is none.
    holes
        How many cells off the diagonal are None.
    """

    seconds: tuple[tuple[float | None, ...], ...]
    holes: int

    def __len__(self) -> int:
        """Return the number of hosts."""
        return len(self.seconds)


def read_matrix(path: Path, *, unit: str = "ms", skip_holes: bool = False) -> RttMatrix:
    """Read a matrix file.

    Parameters
    ----------
    path
        Of a file of tab-separated numbers, plain or compressed by gzip.
    unit
        Of its numbers: `ms` or `s`.
    skip_holes
        Whether a cell off the diagonal that is empty, 0, negative or not a number is a pair that
        cannot be measured (counted), or an error.
    """
    rows = [line.split("\t") for line in _text(path).splitlines() if line.strip()]
    if not rows:
        raise MatrixError(f"{path}: no rows")
    count = len(rows)
    for number, row in enumerate(rows, 1):
        if len(row) != count:
            raise MatrixError(
                f"{path}, row {number}: {len(row)} cells, but the file has {count} rows; "
                "a square matrix is needed, separated by tabs"
            )
    if count < 2:
        raise MatrixError(f"{path}: one host alone; at least 2 are needed")
    seconds = tuple(
        tuple(
            None if i == j else _cell(path, i, j, cell, SECONDS_IN[unit], skip_holes=skip_holes)
            for j, cell in enumerate(row)
        )
        for i, row in enumerate(rows)
    )
    holes = sum(row.count(None) for row in seconds) - count
    return RttMatrix(seconds, holes)


def _text(path: Path) -> str:
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST_FILE else None
        if content is not None and content.startswith(GZIP_MAGIC):
            with gzip.open(path) as file:
                content = file.read(LARGEST_FILE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MatrixError(f"{path}: damaged gzip file: {error}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise MatrixError(f"{path}: {reason or error}") from None
    if content is None or len(content) > LARGEST_FILE:
        raise MatrixError(f"{path}: more than {LARGEST_FILE // 2**20} MiB")
    try:
        return content.decode("ascii")
    except UnicodeDecodeError as error:
        raise MatrixError(f"{path}: byte {error.start} is not text of numbers and tabs") from None


def _cell(path: Path, i: int, j: int, cell: str, unit: float, *, skip_holes: bool) -> float | None:
    where = f"{path}, row {i + 1}, column {j + 1}"
    text = cell.strip()
    try:
        value = float(text) if text else math.nan
    except ValueError:
        raise MatrixError(f"{where}: {text[:40]!r} is not a number") from None
    if 0.0 < value * unit <= 60.0:
        return value * unit
    if value * unit > 60.0:
        raise MatrixError(f"{where}: {text[:40]} is more than 60 s (unit: {unit:g} s)")
    if skip_holes:
        return None
    raise MatrixError(
        f"{where}: {text[:40] or 'empty'}: a hole, no round-trip time (--holes skip leaves it out)"
    )
