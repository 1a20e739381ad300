"""`eyewall provision`: which machines to buy, or which ones to keep switched on."""

import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NoReturn

import typer
from eyewall_sidecar.cli.client import BAD_INPUT
from eyewall_sidecar.cli.console import show_progress
from eyewall_sidecar.cli.solve import EXIT_CODES
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.model.errors import unknown
from eyewall_sidecar.problem_file.entries import read_text
from rich.console import Console

from eyewall_papers.provisioning.answer import not_needed
from eyewall_papers.provisioning.answer_file import provisioning_answer
from eyewall_papers.provisioning.asking import Asked, ask
from eyewall_papers.provisioning.catalogue import Catalogue, read_catalogue, read_shipped, shipped
from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.problem_file import ProvisioningFile, Wanted, parse_provisioning
from eyewall_papers.provisioning.shown import NODES, RESULTS, show
from eyewall_papers.provisioning.switching_off import priced_to_switch_off

CORES = "cores"
"""What a topology's CPU is in."""
MULTIPLES = "× what it carries now"
"""What a topology's throughput is in."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the problem comes from.

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
class Options:
    """The options of `eyewall provision`, as they were given."""

    catalogue: str
    throughput: float
    tuple_bytes: float | None
    method: str
    time_limit: float
    seed: int


def from_file(path: Path) -> Source:
    """Take a problem file; one that cannot be read ends the command."""
    try:
        return Source(str(path), read_text(path), path.parent)
    except ProblemError as error:
        refuse(f"{path}: {error}")


def from_topology(
    name: str, text: str, shared: Collection[str], said: Sequence[str], options: Options
) -> Source:
    """Take the problem of a topology that runs; `shared` are nodes where others run, too."""
    if options.catalogue:
        return Source(name, text, Path(), tuple(said), CORES, rate_unit=MULTIPLES)
    priced, assumed = priced_to_switch_off(text, shared, options.tuple_bytes)
    return Source(name, priced, Path(), (*said, *assumed), CORES, tuple(shared), MULTIPLES)


def provision(source: Source, options: Options, *, as_json: bool) -> int:
    """Ask what to buy and show it; return the command's exit code."""
    _check(options)
    catalogue = _catalogue(options.catalogue) if options.catalogue else None
    if catalogue is not None and source.unit not in ("", catalogue.unit):
        refuse(
            f"--catalogue {options.catalogue}: unit is {catalogue.unit}; it must be {source.unit}, "
            f"which is what is known of {source.name}"
        )
    wanted = Wanted(options.throughput, options.tuple_bytes, catalogue.types if catalogue else ())
    try:
        file = parse_provisioning(source.text, source.folder, wanted)
    except ProblemError as error:
        refuse(f"{source.name}: {error}")
    currency = _currency(catalogue, file)
    asked = Asked(options.method, options.time_limit, options.seed)
    with show_progress(f"searching, for at most {options.time_limit:g} s …"):
        found = ask(file.problem, asked, perf_counter)
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


def _check(options: Options) -> None:
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
        if name not in shipped():
            known = unknown("shipped catalogue", name, shipped())
            refuse(f"--catalogue {name}: no such file, and {known}")
        return read_shipped(name)
    except ProblemError as error:
        refuse(f"--catalogue: {error}")


def _currency(catalogue: Catalogue | None, file: ProvisioningFile) -> str:
    if catalogue is not None:
        return catalogue.currency
    return "" if file.priced else NODES
