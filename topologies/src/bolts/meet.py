"""The operator and the consumer of Meet."""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamparse import Bolt
from workload.load import burn
from workload.settings import meet

from bolts.tag_and_count import Consumer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Consumer", "Join"]


class Join(Bolt):
    """Does CPU work on each sentence, and passes on one in ten."""

    outputs: ClassVar = ["id", "emitted_at", "sentence"]

    def initialize(
        self,
        storm_conf: Mapping[str, Any],
        context: Mapping[str, Any],  # noqa: ARG002 - streamparse's signature
    ) -> None:
        self.cpu_seconds = meet(storm_conf).cpu_ms / 1000.0
        self.taken = 0

    def process(self, tup: Any) -> None:
        burn(self.cpu_seconds)
        self.taken += 1
        if self.taken % 10 == 0:
            self.emit(list(tup.values))
