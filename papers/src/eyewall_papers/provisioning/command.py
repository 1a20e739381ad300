"""`eyewall provision`: which machines to buy, or which ones to keep switched on."""

import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import perf_counter
from typing import NoReturn

import typer
from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.console import counted, show_progress
from eyewall_sidecar.cli.solve import EXIT_CODES
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import unknown
from eyewall_sidecar.problem_file.entries import read_text
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_papers.provisioning.answer import (
    MORE,
    Item,
    PlatformAnswer,
    find_platform,
    not_needed,
    shopping_list,
)
from eyewall_papers.provisioning.answer_file import provisioning_answer
from eyewall_papers.provisioning.catalogue import (
    Catalogue,
    list_shipped,
    read_catalogue,
    read_shipped,
)
from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.problem import ProvisioningProblem
from eyewall_papers.provisioning.problem_file import (
    ProvisioningFile,
    ProvisioningOptions,
    parse_provisioning,
    priced_to_switch_off,
)
from eyewall_papers.provisioning.provision import Provision
from eyewall_papers.provisioning.utilisation import (
    CARD,
    CPU,
    LINK,
    MEMORY,
    SERVER,
    SERVER_LINK,
    Utilisation,
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
"""The currency if nodes have no price."""
RESULTS = "results/s"
"""The unit of a problem file's throughput."""
NETWORK = (SERVER, SERVER_LINK, LINK)


def show(
    console: Console,
    problem: ProvisioningProblem,
    found: PlatformAnswer,
    currency: str,
    assumptions: Sequence[str] = (),
    not_needed: Sequence[str] = (),
    rate_unit: str = RESULTS,
) -> None:
    """Print shopping list, machines to switch off, overloads and the next cheaper platform.

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


def _machines(provision: Provision, uses: Sequence[Utilisation]) -> Table:
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


def _network(uses: Sequence[Utilisation]) -> Table:
    table = Table("between", "carries", "full")
    for it in uses:
        table.add_row(Text(f"{NAMES[it.constraint]} {it.name}"), _rate(it.load), _full(it))
    return table


def _full(use: Utilisation | None) -> str:
    if use is None:
        return "–"
    return "no limit" if use.share is None else f"{use.share:.0%}"


def _rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:.4g} MB/s"


def _breaking(problem: ProvisioningProblem, found: PlatformAnswer, rate_unit: str) -> str:
    more = f"at {MORE * problem.throughput:g} {rate_unit}"
    sustains = "" if found.sustained in (None, inf) else f" (it sustains {found.sustained:.4g})"
    if not found.breaks:
        return f"{more} it would still do{sustains}"
    said = ", ".join(
        f"{NAMES[it.constraint]} {it.name} ({_full(it)})"
        for it in sorted(found.breaks, key=lambda it: -(it.share or 0.0))
    )
    return f"{more} would be too full{sustains}: {said}"


def _cheaper(found: PlatformAnswer, currency: str, rate_unit: str) -> str:
    if found.cheaper is None:
        return "nothing cheaper was found, whatever the throughput"
    it = found.cheaper
    types = ", ".join(f"{item.count} × {item.type.name}" for item in shopping_list(it.machines))
    price = money(it.price, currency)
    return f"next cheaper: {price} sustains {it.throughput:.4g} {rate_unit} ({types})"


CORES = "cores"
"""The unit of a topology's CPU."""
MULTIPLES = "× what it carries now"
"""The unit of a topology's throughput."""


@dataclass(frozen=True, slots=True)
class ProblemSource:
    """The source of the problem.

    Parameters
    ----------
    name
        The file, or the topology, for messages.
    text
        Of a problem file.
    folder
        Where files are that it names.
    assumptions
        What had to be assumed to write it.
    unit
        What its CPU is in, and a catalogue's has to be; empty: whatever the catalogue counts.
    stay_on
        Names of nodes that are on in any case.
    rate_unit
        What its throughput is in.
    """

    name: str
    text: str
    folder: Path
    assumptions: tuple[str, ...] = ()
    unit: str = ""
    stay_on: tuple[str, ...] = ()
    rate_unit: str = RESULTS


@dataclass(frozen=True, slots=True)
class ProvisionOptions:
    """The options of `eyewall provision`, as they were given."""

    catalogue: str
    throughput: float
    tuple_bytes: float | None
    method: str
    time_limit: float
    seed: int


def from_file(path: Path) -> ProblemSource:
    """Take a problem file; one that cannot be read ends the command."""
    try:
        return ProblemSource(str(path), read_text(path), path.parent)
    except ProblemError as error:
        refuse(f"{path}: {error}")


def from_topology(
    name: str, text: str, shared: Collection[str], said: Sequence[str], options: ProvisionOptions
) -> ProblemSource:
    """Take the problem of a topology that runs; `shared` are nodes where others run, too."""
    if options.catalogue:
        return ProblemSource(name, text, Path(), tuple(said), CORES, rate_unit=MULTIPLES)
    priced, assumed = priced_to_switch_off(text, shared, options.tuple_bytes)
    return ProblemSource(name, priced, Path(), (*said, *assumed), CORES, tuple(shared), MULTIPLES)


def provision(source: ProblemSource, options: ProvisionOptions, *, as_json: bool) -> int:
    """Ask what to buy and show it; return the command's exit code."""
    _check(options)
    catalogue = _catalogue(options.catalogue) if options.catalogue else None
    if catalogue is not None and source.unit not in ("", catalogue.unit):
        refuse(
            f"--catalogue {options.catalogue}: unit is {catalogue.unit}; it must be {source.unit}, "
            f"which is what is known of {source.name}"
        )
    wanted = ProvisioningOptions(
        options.throughput, options.tuple_bytes, catalogue.types if catalogue else ()
    )
    try:
        file = parse_provisioning(source.text, source.folder, wanted)
    except ProblemError as error:
        refuse(f"{source.name}: {error}")
    currency = _currency(catalogue, file)
    with show_progress(f"searching, for at most {options.time_limit:g} s …"):
        found = find_platform(
            file.problem,
            options.method,
            time_limit=options.time_limit,
            seed=options.seed,
            clock=perf_counter,
        )
    assumptions = (*source.assumptions, *file.assumptions)
    spare: tuple[str, ...] = ()
    if catalogue is None and found.provision is not None:
        spare = not_needed(file.problem, found.provision.machines, source.stay_on)
    if as_json:
        answer = provisioning_answer(file.problem, found, currency, assumptions, spare)
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        unit = source.rate_unit
        show(Console(), file.problem, found, currency, assumptions, spare, unit)
    return EXIT_CODES.get(found.solution.status, 0)


def refuse(complaint: str) -> NoReturn:
    """End the command over bad input."""
    typer.echo(f"eyewall provision: {complaint}", err=True)
    raise typer.Exit(BAD_INPUT)


def _check(options: ProvisionOptions) -> None:
    if options.method not in METHODS:
        refuse(f"--method: {unknown('method', options.method, METHODS)}")
    if not 0 < options.time_limit < float("inf"):
        refuse(f"--time-limit {options.time_limit:g}: it must be a number of seconds > 0")
    if options.seed < 0:
        refuse(f"--seed {options.seed}: it must be a whole number ≥ 0")
    if not 0 < options.throughput < float("inf"):
        refuse(f"--throughput {options.throughput:g}: it must be a number of results/s > 0")
    if options.tuple_bytes is not None and not 0 <= options.tuple_bytes < float("inf"):
        refuse(f"--tuple-bytes {options.tuple_bytes:g}: it must be a number of bytes ≥ 0")


def _catalogue(name: str) -> Catalogue:
    """Read a catalogue by its file or, if there is none, by the name of a shipped one."""
    path = Path(name)
    try:
        if path.exists():
            return read_catalogue(path)
        if name not in list_shipped():
            known = unknown("shipped catalogue", name, list_shipped())
            refuse(f"--catalogue {name}: no such file, and {known}")
        return read_shipped(name)
    except ProblemError as error:
        refuse(f"--catalogue: {error}")


def _currency(catalogue: Catalogue | None, file: ProvisioningFile) -> str:
    if catalogue is not None:
        return catalogue.currency
    return "" if file.priced else NODES
