"""A store in memory of what a sidecar learned."""

from typing import Generic, TypeVar

Record = TypeVar("Record")


class Kept(Generic[Record]):
    """What an earlier sidecar kept is `before`, None until it is known."""

    def __init__(self, before: Record | None = None) -> None:
        self.before = before
        self.record: Record | None = None

    def read(self) -> Record | None:
        return self.before

    def put(self, record: Record) -> None:
        self.record = record
