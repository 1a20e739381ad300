"""A problem file as what `eyewall map` takes: a task that is a path, and links of two kinds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from eyewall_sidecar.model import LinkMatrix, Operator, ProblemError, Stream
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.problem_file import node_of
from eyewall_sidecar.problem_file.delays import Links, listed_links, matrix_links
from eyewall_sidecar.problem_file.entries import (
    parse_entries,
    provisioning_keys,
    read_text,
    require_none,
)
from eyewall_sidecar.problem_file.executors import expand
from eyewall_sidecar.problem_file.schema import LinkEntry, ProblemEntry

from eyewall_papers.bimodal.network import DedicatedLink, TwoKindNetwork
from eyewall_papers.bimodal.obstacles import require_places
from eyewall_papers.bimodal.task import Task


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A task, and the network to map it onto."""

    network: TwoKindNetwork
    task: Task


def read_task(path: Path, max_null: int) -> TaskFile:
    """Read a problem file; `ProblemError` names what is wrong with it.

    `max_null` is the most nodes that may forward one stream.
    """
    return parse_task(read_text(path), path.parent, max_null)


def parse_task(text: str, folder: Path, max_null: int) -> TaskFile:
    """Read a task from JSON text; a delays file, for the public network, is looked for there."""
    file = parse_entries(text)
    require_none(provisioning_keys(file), "provision")
    _refuse_what_does_not_count(file)
    expansion = expand(file)
    operators = _in_order(expansion.operators, expansion.streams)
    source, sink = _pinned(operators[0]), _pinned(operators[-1])
    streams = {stream.source: stream for stream in expansion.streams}
    budgets = {entry.source: entry.budget for entry in file.streams}
    inner = operators[1:-1]
    network = TwoKindNetwork(
        nodes=tuple(node_of(entry) for entry in file.nodes),
        dedicated=tuple(
            DedicatedLink(
                it.source,
                it.target,
                inf if it.bandwidth is None else it.bandwidth,
                it.delay,
                it.price or 0.0,
            )
            for it in file.links or []
            if it.kind == "dedicated"
        ),
        public=_public(file, folder),
        uplinks={it.id: it.uplink for it in file.nodes if it.uplink is not None},
        downlinks={it.id: it.downlink for it in file.nodes if it.downlink is not None},
        services=_services(inner, [entry.id for entry in file.nodes]),
    )
    task = Task(
        "of the file",
        operators=tuple(replace(operator, candidates=None) for operator in operators),
        streams=tuple(streams[operator.id] for operator in operators[:-1]),
        services=tuple(operator.id for operator in inner),
        source=source,
        sink=sink,
        budgets=tuple(
            inf if (budget := budgets[operator.id]) is None else budget
            for operator in operators[:-1]
        ),
        max_null=max_null,
    )
    require_places(network, task)
    return TaskFile(network, task)


def _refuse_what_does_not_count(file: ProblemEntry) -> None:
    """A mapping knows cores, dedicated bandwidths, uplinks and downlinks, and nothing else."""
    if file.links is not None and file.delays is not None:
        raise ProblemError("give links or delays, not both")
    unknown = [
        *(f"operator {it.id}: executors" for it in file.operators if it.executors > 1),
        *(f"stream {it.source} → {it.target}: system" for it in file.streams if it.system),
        *(f"node {it.id}: memory" for it in file.nodes if it.memory is not None),
        *(f"node {it.id}: operators" for it in file.nodes if it.operators is not None),
        *(f"{_name(it)}: availability" for it in file.links or [] if it.availability < 1),
        *(f"{_name(it)}: bandwidth" for it in _public_links(file) if it.bandwidth is not None),
        *(f"{_name(it)}: price" for it in _public_links(file) if it.price is not None),
        *(["current"] if file.current else []),
    ]
    if unknown:
        raise ProblemError(f"{unknown[0]} is not taken into account by eyewall map")


def _public_links(file: ProblemEntry) -> list[LinkEntry]:
    return [it for it in file.links or [] if it.kind == "public"]


def _public(file: ProblemEntry, folder: Path) -> LinkMatrix | None:
    """Return the public network; none if the file has no link of that kind."""
    nodes = [entry.id for entry in file.nodes]
    links: Links
    if file.delays is not None:
        links = matrix_links(file.delays, nodes, folder)
    else:
        links = listed_links(_public_links(file))
    return LinkMatrix.of(nodes, links) if links else None


def _in_order(operators: Sequence[Operator], streams: Sequence[Stream]) -> list[Operator]:
    """Order operators from source to sink; refuse anything but one path."""
    outputs: dict[str, str] = {}
    inputs: dict[str, str] = {}
    for stream in streams:
        for ends, one, other, said in (
            (outputs, stream.source, stream.target, "outputs, to"),
            (inputs, stream.target, stream.source, "inputs, from"),
        ):
            if one in ends:
                raise ProblemError(
                    f"operator {one} has two {said} {ends[one]} and {other}; eyewall map takes "
                    "applications that are a path"
                )
            ends[one] = other
    known = {operator.id: operator for operator in operators}
    sources = [name for name in known if name not in inputs]
    order = sources[:1]
    while order and order[-1] in outputs:
        order.append(outputs[order[-1]])
    if len(order) < len(known) or len(order) < 2:
        left = [name for name in known if name not in order]
        raise ProblemError(
            f"operators {listed(left or order)} are not on the way from one source to one sink; "
            "eyewall map takes applications that are a path"
        )
    return [known[name] for name in order]


def _pinned(operator: Operator) -> str:
    nodes = operator.candidates or ()
    if len(nodes) != 1:
        said = f"candidates are {listed(nodes)}" if nodes else "it has no candidates"
        raise ProblemError(
            f"operator {operator.id}: {said}; source and sink of a path must be pinned to one node"
        )
    return nodes[0]


def _services(operators: Sequence[Operator], nodes: Sequence[str]) -> dict[str, frozenset[str]]:
    """Take each operator as a service, served by its candidates."""
    served: dict[str, set[str]] = {node: set() for node in nodes}
    for operator in operators:
        for node in operator.candidates or nodes:
            served.setdefault(node, set()).add(operator.id)
    return {node: frozenset(names) for node, names in served.items()}


def _name(entry: LinkEntry) -> str:
    return f"link {entry.source} → {entry.target}"
