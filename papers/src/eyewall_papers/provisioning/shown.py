"""A provisioning answer as people read it in a terminal."""

from collections.abc import Sequence
from math import inf

from eyewall_sidecar.cli.console import counted
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_papers.provisioning.answer import MORE, Answer, Item, shopping_list
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import (
    CARD,
    CPU,
    LINK,
    MEMORY,
    SERVER,
    SERVER_LINK,
    Use,
)

NAMES = {
    CPU: "CPU of",
    MEMORY: "memory of",
    CARD: "card of",
    SERVER: "card of server",
    SERVER_LINK: "link",
    LINK: "link",
}
NODES = "nodes"
"""What prices are in where nodes have none."""
RESULTS = "results/s"
"""What the throughput of a problem file is in."""
NETWORK = (SERVER, SERVER_LINK, LINK)


def show(
    console: Console,
    problem: ProvisioningProblem,
    found: Answer,
    currency: str,
    assumptions: Sequence[str] = (),
    not_needed: Sequence[str] = (),
    rate_unit: str = RESULTS,
) -> None:
    """Print what to buy, what can be switched off, and what is next up and down.

    `rate_unit` is what the throughput is in.
    """
    solution, provision = found.solution, found.provision
    headline = f"{solution.policy}, {solution.status}, {solution.seconds:.3g} s"
    if provision is not None:
        gap = "" if solution.gap is None else f", gap {solution.gap:.2%}"
        headline += (
            f": {money(provision.price, currency)}{gap} for {problem.throughput:g} {rate_unit}"
        )
    _say(console, headline)
    for sentence in (*solution.reasons, *assumptions):
        _say(console, f"  {sentence}")
    if provision is None:
        return
    console.print(_bought(shopping_list(provision.machines), provision.price, currency))
    console.print(_machines(provision, found.uses))
    others = [it for it in found.uses if it.constraint in NETWORK]
    if others:
        console.print(_network(others))
    if not_needed:
        _say(console, f"can be switched off: {', '.join(not_needed)}")
    _say(console, _breaking(problem, found, rate_unit))
    _say(console, _cheaper(found, currency, rate_unit))


def money(price: float, currency: str) -> str:
    """Word a price: `$12,345` or `3 nodes`."""
    figure = f"{price:,.2f}".removesuffix(".00")
    if currency == NODES:
        return counted(int(price), "node")
    return f"{currency}{figure}" if currency in {"$", "€", "£"} else f"{figure} {currency}".rstrip()


def _say(console: Console, sentence: str) -> None:
    console.print(sentence, highlight=False, markup=False)


def _bought(items: Sequence[Item], total: float, currency: str) -> Table:
    table = Table("type", "count", "each", "sum", show_footer=len(items) > 1)
    for it in items:
        each, together = money(it.type.price, currency), money(it.price, currency)
        table.add_row(Text(it.type.name), f"{it.count}", Text(each), Text(together))
    table.columns[0].footer = "total"
    table.columns[1].footer = f"{sum(it.count for it in items)}"
    table.columns[3].footer = Text(money(total, currency))
    return table


def _machines(provision: Provision, uses: Sequence[Use]) -> Table:
    share = {(it.constraint, it.name): it for it in uses}
    table = Table("machine", "type", "runs", "CPU", "card", "downloads")
    for machine in provision.machines:
        runs = [it for it, there in provision.placement.items() if there == machine.id]
        downloads = [
            f"{name} from {server}"
            for (there, name), server in provision.downloads.items()
            if there == machine.id
        ]
        table.add_row(
            Text(machine.id),
            Text(machine.type.name),
            Text(", ".join(runs)),
            _full(share.get((CPU, machine.id))),
            _full(share.get((CARD, machine.id))),
            Text(", ".join(downloads)),
        )
    return table


def _network(uses: Sequence[Use]) -> Table:
    table = Table("between", "carries", "full")
    for it in uses:
        table.add_row(Text(f"{NAMES[it.constraint]} {it.name}"), _rate(it.load), _full(it))
    return table


def _full(use: Use | None) -> str:
    if use is None:
        return "–"
    return "no limit" if use.share is None else f"{use.share:.0%}"


def _rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:.4g} MB/s"


def _breaking(problem: ProvisioningProblem, found: Answer, rate_unit: str) -> str:
    more = f"at {MORE * problem.throughput:g} {rate_unit}"
    sustains = "" if found.sustained in (None, inf) else f" (it sustains {found.sustained:.4g})"
    if not found.breaks:
        return f"{more} it would still do{sustains}"
    said = ", ".join(
        f"{NAMES[it.constraint]} {it.name} ({_full(it)})"
        for it in sorted(found.breaks, key=lambda it: -(it.share or 0.0))
    )
    return f"{more} would be too full{sustains}: {said}"


def _cheaper(found: Answer, currency: str, rate_unit: str) -> str:
    if found.cheaper is None:
        return "nothing cheaper was found, whatever the throughput"
    it = found.cheaper
    types = ", ".join(f"{item.count} × {item.type.name}" for item in shopping_list(it.machines))
    price = money(it.price, currency)
    return f"next cheaper: {price} sustains {it.throughput:.4g} {rate_unit} ({types})"
