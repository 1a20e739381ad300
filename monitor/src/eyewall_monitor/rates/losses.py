"""Says what was lost, rejected or late: once for each, not once for each window it is in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyewall_monitor.rates.rates_document import Batch

LOG: Final = logging.getLogger("eyewall.rates")


class Losses:
    """What the windows of the batches so far counted."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}
        self._late = 0
        self._looked_at = -1

    def take(self, batch: Batch) -> None:
        """Say what a batch counts that the one before did not."""
        for key, reports in sorted(batch.hosts_lost.items()):
            if reports > self._known.get(key, 0):
                host, why = key
                LOG.warning("history of %s: %d reports %s", host, reports, why)
        if batch.late > self._late:
            LOG.warning("%d samples came too late to be used", batch.late)
        self._known, self._late = dict(batch.hosts_lost), batch.late

    def look(self, progress: Mapping[str, Any] | None) -> None:
        """Say what Spark itself left out: rows of hosts whose clocks are far behind the others'."""
        if progress is None or progress["batchId"] == self._looked_at:
            return
        self._looked_at = progress["batchId"]
        dropped = sum(it["numRowsDroppedByWatermark"] for it in progress["stateOperators"])
        if dropped:
            LOG.warning("%d groups of rows are behind all others: is a host's clock?", dropped)
