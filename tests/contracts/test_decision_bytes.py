"""A record of a decision, byte for byte as writer and readers know it.

The same bytes are read and written here: who changes one side sees it, and raises the version.
"""

from __future__ import annotations

from pathlib import Path

from decision_records import FULL_DECISION
from eyewall_contracts import decision as decision_record

DOCUMENT = (Path(__file__).parent / "decision.json").read_bytes()


def test_decisions_are_written_as_they_always_were() -> None:
    assert decision_record.encode(FULL_DECISION) == DOCUMENT


def test_decisions_of_old_are_read_whole() -> None:
    assert decision_record.decode(DOCUMENT) == FULL_DECISION
