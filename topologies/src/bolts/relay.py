"""The operators of Relay."""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamparse import Bolt
from workload.load import burn
from workload.settings import relay

if TYPE_CHECKING:
    from collections.abc import Mapping


class Step(Bolt):
    """Does CPU work on each sentence and passes it on."""

    outputs: ClassVar = ["id", "emitted_at", "sentence"]

    def initialize(
        self,
        storm_conf: Mapping[str, Any],
        context: Mapping[str, Any],  # noqa: ARG002 - streamparse's signature
    ) -> None:
        self.cpu_seconds = relay(storm_conf).cpu_ms / 1000.0

    def process(self, tup: Any) -> None:
        burn(self.cpu_seconds)
        self.emit(list(tup.values))
