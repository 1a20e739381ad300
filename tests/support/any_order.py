"""Messages under way that arrive in any order, as on a network without sequence numbers."""

from dataclasses import dataclass, field

from eyewall_papers.bimodal.messages import Envelope
from numpy.random import Generator


@dataclass(slots=True)
class AnyOrder:
    """A message may overtake any other, even on the same link."""

    rng: Generator
    _waiting: list[Envelope] = field(default_factory=list)

    def put(self, envelope: Envelope) -> None:
        """Take a message that was sent."""
        self._waiting.append(envelope)

    def get(self) -> Envelope:
        """Return one at random."""
        chosen = int(self.rng.integers(len(self._waiting)))
        self._waiting[chosen], self._waiting[-1] = self._waiting[-1], self._waiting[chosen]
        return self._waiting.pop()

    def __len__(self) -> int:
        return len(self._waiting)
