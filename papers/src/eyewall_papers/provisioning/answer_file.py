"""A provisioning answer as the JSON that `eyewall provision --json` prints."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from eyewall_sidecar.problem_file.answer import answer as placement_answer

from eyewall_papers.provisioning import Machine, Provision, ProvisioningProblem
from eyewall_papers.provisioning.answer import MORE, CheaperPlatform, PlatformAnswer, shopping_list
from eyewall_papers.provisioning.utilisation import (
    CARD,
    CPU,
    LINK,
    MEMORY,
    SERVER,
    SERVER_LINK,
    Utilisation,
)

CONSTRAINTS: Mapping[int, str] = {
    CPU: "cpu",
    MEMORY: "memory",
    CARD: "card",
    SERVER: "server",
    SERVER_LINK: "server link",
    LINK: "link",
}
"""Constraint → the name of the limit."""


def provisioning_answer(
    problem: ProvisioningProblem,
    found: PlatformAnswer,
    currency: str,
    assumptions: tuple[str, ...] = (),
    not_needed: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the keys of `eyewall solve`, the shopping list, and machines to switch off."""
    provision = found.provision
    return {
        **placement_answer(found.solution, assumptions),
        "throughput": problem.throughput,
        "currency": currency,
        "price": None if provision is None else provision.price,
        "shopping_list": None if provision is None else _items(provision.machines),
        "machines": None if provision is None else _machines(provision),
        "not_needed": None if provision is None else list(not_needed),
        "utilisation": [_use(it) for it in found.uses],
        "breaks_at": {
            "throughput": MORE * problem.throughput,
            "what": [_use(it) for it in found.breaks],
        },
        "sustains": found.sustained
        if found.sustained is None or isfinite(found.sustained)
        else None,
        "next_cheaper": None if found.cheaper is None else _cheaper(found.cheaper),
    }


def _items(machines: tuple[Machine, ...]) -> list[dict[str, Any]]:
    return [
        {"type": it.type.name, "count": it.count, "price": it.type.price, "sum": it.price}
        for it in shopping_list(machines)
    ]


def _machines(provision: Provision) -> list[dict[str, Any]]:
    return [
        {
            "id": machine.id,
            "type": machine.type.name,
            "operators": [it for it, there in provision.placement.items() if there == machine.id],
            "downloads": {
                name: server
                for (there, name), server in provision.downloads.items()
                if there == machine.id
            },
        }
        for machine in provision.machines
    ]


def _use(use: Utilisation) -> dict[str, Any]:
    return {
        "constraint": CONSTRAINTS[use.constraint],
        "name": use.name,
        "load": use.load,
        "limit": use.limit if isfinite(use.limit) else None,
    }


def _cheaper(cheaper: CheaperPlatform) -> dict[str, Any]:
    return {
        "price": cheaper.price,
        "throughput": cheaper.throughput,
        "shopping_list": _items(cheaper.machines),
    }
