"""Why a heuristic found nothing, as a value."""

from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """The two steps of every heuristic (paper 003, section 6)."""

    PLACEMENT = "operator placement"
    SERVERS = "server selection"


@dataclass(frozen=True, slots=True)
class Failure:
    """A heuristic found no provision, which does not mean that there is none.

    Parameters
    ----------
    step
        Which step failed.
    subject
        The id of the operator or object that it failed for.
    reason
        Why, in a sentence.
    """

    step: Step
    subject: str
    reason: str

    def __str__(self) -> str:
        return f"{self.step}: {self.reason}"
