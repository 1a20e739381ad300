"""One placement problem as a JSON file (docs/user/problem-format.md), and its answer."""

from dataclasses import dataclass
from math import inf
from pathlib import Path

from eyewall_sidecar.model import LoadModel, Node, PlacementProblem, ProblemError
from eyewall_sidecar.model.errors import unknown
from eyewall_sidecar.problem_file.delays import links_of
from eyewall_sidecar.problem_file.entries import (
    mapping_keys,
    parse_entries,
    provisioning_keys,
    read_text,
    require_none,
)
from eyewall_sidecar.problem_file.executors import Expansion, expand
from eyewall_sidecar.problem_file.schema import NodeEntry, ProblemEntry

__all__ = ["ProblemFile", "parse_problem", "read_problem"]


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
    return parse_problem(read_text(path), path.parent)


def parse_problem(text: str, folder: Path) -> ProblemFile:
    """Read a problem from its JSON text; a delays file is looked for in `folder`."""
    file = parse_entries(text)
    require_none(mapping_keys(file), "map")
    require_none(provisioning_keys(file), "provision")
    links = links_of(file, folder)
    expansion = expand(file)
    problem = PlacementProblem(
        operators=expansion.operators,
        streams=expansion.streams,
        nodes=tuple(node_of(entry) for entry in file.nodes),
        links=links,
        current=None if file.current is None else _current(file, expansion),
        load=LoadModel() if file.load is None else LoadModel(**file.load.model_dump()),
    )
    return ProblemFile(problem, expansion.assumptions)


def node_of(entry: NodeEntry) -> Node:
    """Return the node; what is not limited is not given."""
    return Node(
        entry.id,
        cpu=inf if entry.cpu is None else entry.cpu,
        memory=inf if entry.memory is None else entry.memory,
        operators=inf if entry.operators is None else entry.operators,
        speedup=entry.speedup,
        availability=entry.availability,
        coordinates=None if entry.coordinates is None else tuple(entry.coordinates),
        background=entry.background,
        cores=entry.cores,
        reserved=inf if entry.reserved is None else entry.reserved,
        generic=tuple((entry.resources or {}).items()),
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
