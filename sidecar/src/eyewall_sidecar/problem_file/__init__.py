"""One placement problem as a JSON file (docs/problem-format.md), and its answer."""

import sys
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pydantic import ValidationError

from eyewall_sidecar.model import Node, PlacementProblem, ProblemError
from eyewall_sidecar.model.errors import listed, unknown
from eyewall_sidecar.problem_file.complaints import complaints
from eyewall_sidecar.problem_file.delays import listed_links, matrix_links
from eyewall_sidecar.problem_file.executors import Expansion, expand
from eyewall_sidecar.problem_file.schema import NodeEntry, ProblemEntry

__all__ = ["ProblemFile", "parse_entry", "parse_problem", "read_problem", "text_of"]

STDIN = Path("-")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """A problem and what had to be assumed to read it.

    Parameters
    ----------
    problem
        Executor by executor.
    assumptions
        Sentences for the answer's reasons.
    """

    problem: PlacementProblem
    assumptions: tuple[str, ...] = ()


def read_problem(path: Path) -> ProblemFile:
    """Read a problem file; `ProblemError` says what is wrong with it."""
    return parse_problem(text_of(path), path.parent)


def text_of(path: Path) -> str:
    """Read a file's text, of `-` standard input's; `ProblemError` says why it cannot be read."""
    try:
        return sys.stdin.read() if path == STDIN else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"cannot be read: {error}") from error


def parse_problem(text: str, folder: Path) -> ProblemFile:
    """Read a problem from its JSON text; a delays file is looked for in `folder`."""
    file = parse_entry(text)
    _refuse_what_is_for_provisioning(file)
    if file.links is not None and file.delays is not None:
        raise ProblemError("give links or delays, not both")
    nodes = [entry.id for entry in file.nodes]
    if file.delays is not None:
        links = matrix_links(file.delays, nodes, folder)
    else:
        links = listed_links(file.links or [])
    expansion = expand(file)
    problem = PlacementProblem(
        operators=expansion.operators,
        streams=expansion.streams,
        nodes=tuple(_node(entry) for entry in file.nodes),
        links=links,
        current=None if file.current is None else _current(file, expansion),
    )
    return ProblemFile(problem, expansion.assumptions)


def parse_entry(text: str) -> ProblemEntry:
    """Read what stands in a file; `ProblemError` has a line for each of the first few findings."""
    try:
        return ProblemEntry.model_validate_json(text)
    except ValidationError as error:
        raise ProblemError(complaints(error)) from error


def _refuse_what_is_for_provisioning(file: ProblemEntry) -> None:
    """No placement policy looks at downloads, cards and prices: leaving them out would lie."""
    said = [
        *(f"operator {it.id}: objects" for it in file.operators if it.objects),
        *(f"node {it.id}: card" for it in file.nodes if it.card is not None),
        *(f"node {it.id}: price" for it in file.nodes if it.price is not None),
        *(["machine_link"] if file.machine_link is not None else []),
        *(f"object {it.id}" for it in file.objects),
        *(f"server {it.id}" for it in file.servers),
    ]
    if said:
        raise ProblemError(
            f"{listed(said, _SHOWN)}: only `eyewall provision` takes this into account; leave it "
            "out to place the operators without it"
        )


def _node(entry: NodeEntry) -> Node:
    return Node(
        entry.id,
        cpu=inf if entry.cpu is None else entry.cpu,
        memory=inf if entry.memory is None else entry.memory,
        operators=inf if entry.operators is None else entry.operators,
        speedup=entry.speedup,
        availability=entry.availability,
        coordinates=None if entry.coordinates is None else tuple(entry.coordinates),
    )


def _current(file: ProblemEntry, expansion: Expansion) -> dict[str, str]:
    """Say it for executors: one node for all of an operator's, a list for one after the other."""
    single = {name: (name,) for names in expansion.executors.values() for name in names}
    known = {**single, **expansion.executors}
    current: dict[str, str] = {}
    for name, value in (file.current or {}).items():
        if name not in known:
            raise ProblemError(f"current: {unknown('operator', name, known)}")
        places = [value] * len(known[name]) if isinstance(value, str) else value
        if len(places) != len(known[name]):
            raise ProblemError(
                f"current of operator {name}: {len(places)} nodes for {len(known[name])} executors"
            )
        current.update(zip(known[name], places, strict=True))
    return current
