"""The result of a check."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Severity(enum.StrEnum):
    """What a result means for the cluster."""

    FINE = "fine"
    """As it should be."""
    ADVICE = "advice"
    """Works, could be better."""
    FAULT = "fault"
    """Nimbus starts, but Eyewall does not do what is configured."""
    STOPS_NIMBUS = "stops Nimbus"
    """Nimbus would not start, or would end."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One result.

    Parameters
    ----------
    check
        What was checked.
    found
        What is there.
    advice
        What to do; empty if all is fine.
    """

    check: str
    severity: Severity
    found: str
    advice: str = ""


def fine(check: str, found: str) -> CheckResult:
    """Return the result that all is as it should be."""
    return CheckResult(check, Severity.FINE, found)


def advice(check: str, found: str, what_to_do: str) -> CheckResult:
    """Return the result that something works and could be better."""
    return CheckResult(check, Severity.ADVICE, found, what_to_do)


def fault(check: str, found: str, what_to_do: str) -> CheckResult:
    """Return the result that Eyewall would not do what is configured."""
    return CheckResult(check, Severity.FAULT, found, what_to_do)


def stops_nimbus(check: str, found: str, what_to_do: str) -> CheckResult:
    """Return the result that Nimbus would not start, or would end."""
    return CheckResult(check, Severity.STOPS_NIMBUS, found, what_to_do)
