"""What a check found."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Severity(enum.StrEnum):
    """What a finding means for the cluster."""

    FINE = "fine"
    """As it should be."""
    ADVICE = "advice"
    """Works, could be better."""
    FAULT = "fault"
    """Nimbus starts, but Eyewall does not do what was asked for."""
    STOPS_NIMBUS = "stops Nimbus"
    """Nimbus would not start, or would end."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Parameters
    ----------
    check
        What was looked at.
    found
        What is there.
    advice
        What to do; empty where all is fine.
    """

    check: str
    severity: Severity
    found: str
    advice: str = ""


def fine(check: str, found: str) -> Finding:
    """All is as it should be."""
    return Finding(check, Severity.FINE, found)


def advice(check: str, found: str, what_to_do: str) -> Finding:
    """It works, and could be better."""
    return Finding(check, Severity.ADVICE, found, what_to_do)


def fault(check: str, found: str, what_to_do: str) -> Finding:
    """Eyewall would not do what was asked for."""
    return Finding(check, Severity.FAULT, found, what_to_do)


def stops_nimbus(check: str, found: str, what_to_do: str) -> Finding:
    """Nimbus would not live with it."""
    return Finding(check, Severity.STOPS_NIMBUS, found, what_to_do)
