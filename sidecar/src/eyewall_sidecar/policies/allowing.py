"""Objectives that a method was not made for are declined, not approximated."""

from collections.abc import Collection

from eyewall_sidecar.objective import Objective, ObjectiveError, Term


def require_objective(policy: str, objective: Objective, terms: Collection[Term]) -> None:
    """Refuse any objective but one of these terms alone."""
    if objective.single not in terms:
        allowed = " or ".join(f"{term}=1" for term in terms)
        raise ObjectiveError(
            f"objective {objective}: policy {policy} optimises {' or '.join(terms)} alone; "
            f"ask it for {allowed}, or take another policy"
        )


def require_terms(policy: str, objective: Objective) -> None:
    """Refuse what is no mix of terms."""
    if not objective.weights:
        raise ObjectiveError(
            f"objective {objective}: policy {policy} optimises {', '.join(Term)} and mixes of "
            "them; take another policy"
        )
