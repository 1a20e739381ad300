"""Where decisions are written down."""

from typing import Protocol

from eyewall_contracts.decision import DecisionRecord


class RecordStore(Protocol):
    """Keeps what was decided, for people to read."""

    def put(self, record: DecisionRecord) -> None:
        """Take a record; never waits and never raises."""
        ...


class NoRecords:
    """The store of a sidecar that was told of none."""

    def put(self, record: DecisionRecord) -> None:
        """Drop the record: the log has its line."""
