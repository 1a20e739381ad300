"""Blocks of sparse rows, and how they become one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyewall_sidecar.model.array_types import Floats, Places

ABSENT = -1
"""The column of what cannot be: always 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Factors of columns in rows: [entry] each."""

    rows: Places
    columns: Places
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """lower ≤ Σ values · columns ≤ upper; limits are [row], rows of entries count from 0."""

    entries: Entries
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """All rows one after the other; row k has the entries from starts[k] to starts[k + 1]."""

    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: Floats
    lower: Floats
    upper: Floats


def entries(rows: ArrayLike, columns: Places, values: ArrayLike) -> Entries:
    """Spread rows and values over the columns; what is absent or 0 is no entry."""
    shape = np.broadcast_shapes(np.shape(rows), columns.shape, np.shape(values))
    everywhere = np.broadcast_to(columns, shape)
    factors = np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
    kept = (everywhere != ABSENT) & (factors != 0)
    return Entries(
        np.broadcast_to(np.asarray(rows, dtype=np.int64), shape)[kept],
        everywhere[kept],
        factors[kept],
    )


def rows_of(*parts: Entries, count: int, lower: ArrayLike, upper: ArrayLike) -> Rows:
    """Put the entries of `count` rows together."""
    return Rows(
        joined(parts),
        np.broadcast_to(np.asarray(lower, dtype=np.float64), count),
        np.broadcast_to(np.asarray(upper, dtype=np.float64), count),
    )


def stacked(blocks: Sequence[Rows], columns: int) -> Stack:
    """Stack the blocks over so many columns; several factors of one column in a row add up."""
    counts = [len(block.lower) for block in blocks]
    firsts = np.cumsum([0, *counts])
    all_entries = joined(
        [
            Entries(block.entries.rows + first, block.entries.columns, block.entries.values)
            for block, first in zip(blocks, firsts.tolist(), strict=False)
        ]
    )
    keys, values = all_entries.rows * columns + all_entries.columns, all_entries.values
    if np.any(keys[1:] <= keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        new = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        keys, values = keys[new], np.add.reduceat(values, new)
    row, column = np.divmod(keys, max(columns, 1))
    starts = np.searchsorted(row, np.arange(firsts[-1] + 1))
    return Stack(
        starts.astype(np.int32),
        column.astype(np.int32),
        values,
        np.concatenate([np.zeros(0), *(block.lower for block in blocks)]),
        np.concatenate([np.zeros(0), *(block.upper for block in blocks)]),
    )


def joined(parts: Sequence[Entries]) -> Entries:
    """Put entries of the same rows together."""
    return Entries(
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.rows for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.columns for part in parts)]),
        np.concatenate([np.zeros(0), *(part.values for part in parts)]),
    )
