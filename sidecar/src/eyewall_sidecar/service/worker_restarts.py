"""How often workers of one topology have been restarted where it is assigned."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WorkerRestarts:
    """Counted by the ids that Storm gives workers.

    Parameters
    ----------
    digest
        Of the assignment.
    outgoing
        Ids of workers that were there when it became that: they may end for it, so the first
        restart of one that stays is not counted.
    last_ids
        (host, port) → id of the last worker since, which may have ended.
    counts
        (host, port) → how often another one took its place.
    """

    digest: bytes = b""
    outgoing: frozenset[str] = frozenset()
    last_ids: Mapping[tuple[str, int], str] = field(default_factory=dict)
    counts: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """How often the worker of one slot was replaced by another, at most."""
        return max(self.counts.values(), default=0)

    def after(self, workers: Mapping[tuple[str, int], str], digest: bytes) -> "WorkerRestarts":
        """Return them with the workers that are reported now, under this assignment."""
        if digest != self.digest:
            return WorkerRestarts(digest, frozenset([*self.last_ids.values(), *workers.values()]))
        own = {at: it for at, it in workers.items() if it not in self.outgoing}
        replaced = (at for at, it in own.items() if self.last_ids.get(at, it) != it)
        counts = dict(self.counts) | {at: self.counts.get(at, 0) + 1 for at in replaced}
        return WorkerRestarts(digest, self.outgoing, dict(self.last_ids) | own, counts)
