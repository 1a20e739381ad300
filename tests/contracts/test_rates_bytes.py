"""A topology's rates, byte for byte as writer and readers know them.

The same bytes are read and written here: who changes one side sees it, and raises the version.
"""

from __future__ import annotations

from pathlib import Path

from eyewall_contracts import rates as rate_document
from rate_documents import FULL_RATES

DOCUMENT = (Path(__file__).parent / "rates.json").read_bytes()


def test_rates_are_written_as_they_always_were() -> None:
    assert rate_document.encode(FULL_RATES) == DOCUMENT


def test_rates_of_old_are_read_whole() -> None:
    assert rate_document.decode(DOCUMENT) == FULL_RATES
