"""Why no platform sustains the rate, as far as that is seen without a search (paper 003, 2.3)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf

import numpy as np
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.model.violations import exceeds

from eyewall_papers.provisioning.blobs import Blobs, blobs
from eyewall_papers.provisioning.problem import MachineType, ProvisioningProblem

TOGETHER = (
    "the constraints together leave no valid provision; taking away one kind of limits alone "
    "(servers, links, cards, numbers of machines) does not help"
)
UNDECIDED = (
    "the constraints together leave no valid provision; which kind of limits alone is in the way "
    "(servers, links, cards, numbers of machines) was not found in time"
)
KINDS = 4
"""Kinds of limits that are lifted, one at a time."""


def obvious_reasons(problem: ProvisioningProblem) -> tuple[str, ...]:
    """Return sentences; any of them means that there is no valid provision at this throughput.

    None of them does not mean that there is one: that is for a search to find.
    """
    together = blobs(problem)
    return (
        *_totals(problem, together),
        *_operators(problem, together),
        *_objects(problem, together),
        *_servers(problem, together),
    )


def _totals(problem: ProvisioningProblem, together: Blobs) -> Iterator[str]:
    for name, needed in (("cpu", together.work), ("memory", together.memory)):
        offered = sum(it.count * getattr(it, name) for it in problem.types if getattr(it, name))
        if exceeds(float(needed.sum()), offered):
            yield (
                f"all operators together take {needed.sum():g} of {name}; all available "
                f"machines have {offered:g}"
            )


def stranded_reasons(
    problem: ProvisioningProblem, together: Blobs, stranded: tuple[int, ...]
) -> tuple[str, ...]:
    """Say which blobs no machine holds, whatever runs next to them."""
    return tuple(
        f"{_subject(together.members[b])} on no machine type, alone or with others: there it "
        f"takes {together.work[b]:g} cpu, and its downloads and flows overload every card or link "
        f"(largest card: {max(it.card for it in problem.types):g} bytes/s)"
        for b in stranded
    )


def _operators(problem: ProvisioningProblem, together: Blobs) -> Iterator[str]:
    own = together.uses.astype(np.float64) @ together.rates
    for b, members in enumerate(together.members):
        needs = {
            "cpu": float(together.work[b]),
            "card": float(own[b]),
            "memory": float(together.memory[b]),
        }
        may = _hosts(problem, together, b)
        if any(
            all(not exceeds(need, getattr(it, name)) for name, need in needs.items()) for it in may
        ):
            continue
        if not may:
            yield f"{_subject(members)} on no machine type: their candidates have none in common"
            continue
        most = {name: max(getattr(it, name) for it in may) for name in needs}
        short = [name for name, need in needs.items() if exceeds(need, most[name])]
        takes = ", ".join(
            f"{name} {need:g}" + (f" (the most there is: {most[name]:g})" if name in short else "")
            for name, need in needs.items()
        )
        several = "" if short else "; each alone is there, but no type has all of it"
        yield f"{_subject(members)} on no machine type: it takes at least {takes}{several}"


def _hosts(problem: ProvisioningProblem, together: Blobs, b: int) -> list[MachineType]:
    return [problem.types[c] for c in np.flatnonzero(together.allowed[b]).tolist()]


def _subject(members: tuple[str, ...]) -> str:
    if len(members) == 1:
        return f"operator {members[0]} runs"
    return (
        f"operators {listed(members)} have to share a machine (no link or card carries what flows "
        "between them) and run"
    )


def _objects(problem: ProvisioningProblem, together: Blobs) -> Iterator[str]:
    for k, thing in enumerate(problem.objects):
        users = np.flatnonzero(together.uses[:, k])
        for b in users.tolist():
            may = [it.name for it in _hosts(problem, together, b)]
            most = max(
                (
                    min(server.card, server.link_to(name))
                    for server in problem.holders(thing.id)
                    for name in may
                ),
                default=inf,
            )
            if exceeds(thing.rate, most):
                holders = listed([it.id for it in problem.holders(thing.id)])
                yield (
                    f"object {thing.id}: {thing.rate:g} bytes/s are downloaded; its holders "
                    f"({holders}) send at most {most:g} over one link"
                )
                break


def _servers(problem: ProvisioningProblem, together: Blobs) -> Iterator[str]:
    used = set(np.flatnonzero(together.uses.any(axis=0)).tolist())
    for server in problem.servers:
        alone = [
            it
            for k, it in enumerate(problem.objects)
            if k in used and problem.holders(it.id) == (server,)
        ]
        load = sum(it.rate for it in alone)
        if exceeds(load, server.card) and all(not exceeds(it.rate, server.card) for it in alone):
            yield (
                f"server {server.id}: what it alone holds ({listed([it.id for it in alone])}) "
                f"takes {load:g} bytes/s at least, its card sends {server.card:g}"
            )


def binding_reasons(
    problem: ProvisioningProblem, solvable: Callable[[ProvisioningProblem], float | None]
) -> tuple[str, ...]:
    """Return the limits without which there is a provision, each lifted alone.

    Parameters
    ----------
    solvable
        Problem → the price of a provision, infinite if there is none; None if that is not known.
    """
    prices = [
        (limits, solvable(relaxed)) for limits, relaxed in _relaxed(problem) if relaxed != problem
    ]
    reasons = tuple(
        f"{limits} leave no valid provision; without them there is one for {price:g}"
        for limits, price in prices
        if price is not None and price < inf
    )
    if reasons:
        return reasons
    return (UNDECIDED,) if any(price is None for _, price in prices) else (TOGETHER,)


def _relaxed(problem: ProvisioningProblem) -> Iterator[tuple[str, ProvisioningProblem]]:
    wide = tuple(replace(it, card=inf, link=inf, links={}) for it in problem.servers)
    yield "the servers' cards and links, (3) and (4),", replace(problem, servers=wide)
    yield "the links between machines, (5),", replace(problem, link=inf, links={})
    yield (
        "the machines' cards, (2),",
        replace(problem, types=tuple(replace(it, card=inf) for it in problem.types)),
    )
    yield (
        "the numbers of available machines",
        replace(problem, types=tuple(replace(it, count=inf) for it in problem.types)),
    )
