"""Blocks of rows become one matrix, whatever the order of their entries."""

import numpy as np
from eyewall_sidecar.exact.sparse_rows import ABSENT, entries, rows_of, stacked


def test_rows_of_blocks_follow_each_other_in_order_of_their_columns() -> None:
    columns = np.array([2, 0])
    first = rows_of(entries(0, columns, [5.0, 7.0]), count=1, lower=0.0, upper=1.0)
    second = rows_of(entries([1, 0], columns, 3.0), count=2, lower=[2.0, 3.0], upper=4.0)
    stack = stacked([first, second], columns=3)
    # 7 c0 + 5 c2 in [0, 1]; 3 c0 in [2, 4]; 3 c2 in [3, 4].
    assert stack.starts.tolist() == [0, 2, 3, 4]
    assert stack.columns.tolist() == [0, 2, 0, 2]
    assert stack.values.tolist() == [7.0, 5.0, 3.0, 3.0]
    assert stack.lower.tolist() == [0.0, 2.0, 3.0]
    assert stack.upper.tolist() == [1.0, 4.0, 4.0]


def test_factors_of_one_column_in_a_row_add_up() -> None:
    parts = entries(0, np.array([1, 0]), [2.0, 1.0]), entries(0, np.array([1]), 0.5)
    stack = stacked([rows_of(*parts, count=1, lower=0.0, upper=1.0)], columns=2)
    assert (stack.columns.tolist(), stack.values.tolist()) == ([0, 1], [1.0, 2.5])


def test_what_is_absent_or_nothing_is_no_entry() -> None:
    found = entries(0, np.array([ABSENT, 1, 2]), [1.0, 0.0, 4.0])
    assert (found.columns.tolist(), found.values.tolist()) == ([2], [4.0])


def test_a_row_without_entries_keeps_its_place() -> None:
    empty = rows_of(count=1, lower=-1.0, upper=1.0)
    full = rows_of(entries(0, np.array([0]), 1.0), count=1, lower=0.0, upper=1.0)
    stack = stacked([empty, full, empty], columns=1)
    assert stack.starts.tolist() == [0, 0, 1, 1]


def test_no_rows_at_all_are_an_empty_matrix() -> None:
    stack = stacked([], columns=4)
    assert (stack.starts.tolist(), len(stack.values), len(stack.lower)) == ([0], 0, 0)
