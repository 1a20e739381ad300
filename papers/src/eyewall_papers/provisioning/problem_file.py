"""A problem file as a provisioning problem: for machines of a catalogue, or for its own nodes.

`priced_to_switch_off` adds prices to a topology's problem file, to find the nodes that it does not
need.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from eyewall_sidecar.model import Operator, ProblemError, Stream
from eyewall_sidecar.model.errors import listed, unknown
from eyewall_sidecar.problem_file.delays import links_of
from eyewall_sidecar.problem_file.entries import mapping_keys, parse_entries, require_none
from eyewall_sidecar.problem_file.executors import expand
from eyewall_sidecar.problem_file.schema import NodeEntry, ProblemEntry, ServerEntry

from eyewall_papers.provisioning import BasicObject, DataServer, MachineType, ProvisioningProblem

EACH = 1.0
"""The price of a node where none has one: the fewest nodes are then the cheapest."""


@dataclass(frozen=True, slots=True)
class ProvisioningOptions:
    """The requirements on the application that a file describes.

    Parameters
    ----------
    throughput
        ρ: results/s where the file's rates and CPU are those of one result; for a topology as it
        runs, a multiple of what it carries now.
    tuple_bytes
        For streams that have none in the file; None: they are refused.
    catalogue
        Machine types on offer; empty: the file's nodes are the platform (Non-Constr).
    """

    throughput: float = 1.0
    tuple_bytes: float | None = None
    catalogue: tuple[MachineType, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvisioningFile:
    """A provisioning problem and the assumptions made to read it.

    Parameters
    ----------
    problem
        The operators, and the machine types on offer.
    assumptions
        Sentences for the answer's reasons.
    priced
        Whether prices are money; if not, each node counts 1.
    """

    problem: ProvisioningProblem
    assumptions: tuple[str, ...] = ()
    priced: bool = True


def parse_provisioning(text: str, folder: Path, wanted: ProvisioningOptions) -> ProvisioningFile:
    """Read a provisioning problem from a problem file's JSON text.

    With a catalogue the file's nodes are left aside, candidates among them too; `candidates` then
    name machine types.
    `ProblemError` says what is wrong.
    """
    file = parse_entries(text)
    require_none(mapping_keys(file), "map")
    expansion = expand(file)
    streams, sizes_assumed = _sized(expansion.streams, wanted.tuple_bytes)
    types, prices_assumed = (wanted.catalogue, []) if wanted.catalogue else _types(file)
    links = {} if wanted.catalogue else _bandwidths(file, folder)
    operators, pins_left_aside = _off_nodes(expansion.operators, file, types)
    problem = ProvisioningProblem(
        operators=operators,
        streams=streams,
        types=types,
        needs={
            executor: tuple(entry.objects)
            for entry in file.operators
            if entry.objects
            for executor in expansion.executors[entry.id]
        },
        objects=tuple(BasicObject(it.id, it.size, it.frequency) for it in file.objects),
        servers=tuple(_server(it, [each.name for each in types]) for it in file.servers),
        link=inf if file.machine_link is None else file.machine_link,
        links=links,
        throughput=wanted.throughput,
    )
    assumptions = (
        *expansion.assumptions,
        *pins_left_aside,
        *sizes_assumed,
        *prices_assumed,
        *([] if wanted.catalogue else _not_looked_at(file)),
    )
    return ProvisioningFile(problem, assumptions, priced=not prices_assumed)


def _off_nodes(
    operators: Sequence[Operator], file: ProblemEntry, types: Sequence[MachineType]
) -> tuple[tuple[Operator, ...], list[str]]:
    """Leave aside the candidates that are nodes of the file and no machine types."""
    gone = {it.id for it in file.nodes} - {it.name for it in types}
    pinned = [it.id for it in operators if gone.intersection(it.candidates or ())]
    if not pinned:
        return tuple(operators), []
    free = tuple(
        replace(it, candidates=tuple(c for c in it.candidates or () if c not in gone) or None)
        for it in operators
    )
    return free, [
        f"candidates of {listed(pinned, 3)} left aside: they are nodes, not machine types"
    ]


def _sized(
    streams: Sequence[Stream], tuple_bytes: float | None
) -> tuple[tuple[Stream, ...], list[str]]:
    unsized = [str(it) for it in streams if it.tuple_bytes is None]
    if not unsized or tuple_bytes is None:
        return tuple(streams), []
    sized = tuple(
        replace(it, tuple_bytes=tuple_bytes) if it.tuple_bytes is None else it for it in streams
    )
    return sized, [f"{tuple_bytes:g} bytes a tuple were taken for {listed(unsized, 3)}"]


def _types(file: ProblemEntry) -> tuple[tuple[MachineType, ...], list[str]]:
    """Take each node as a machine type of which there is one (paper 003, section 5.2)."""
    unpriced = [it.id for it in file.nodes if it.price is None]
    if unpriced and len(unpriced) < len(file.nodes):
        raise ProblemError(
            f"node {unpriced[0]}: price is not given, but other nodes have one; give it for every "
            "node, or for none to have as few as possible (unknown is not zero)"
        )
    said = ["no node has a price: each counts 1, so the fewest are best"] if unpriced else []
    return tuple(_type(it) for it in file.nodes), said


def _not_looked_at(file: ProblemEntry) -> list[str]:
    """Say which limits of nodes are none of a machine's."""
    counted = [it.id for it in file.nodes if it.operators is not None]
    if not counted:
        return []
    return [f"how many operators {listed(counted, 3)} may hold is not checked"]


def _type(node: NodeEntry) -> MachineType:
    return MachineType(
        name=node.id,
        cpu=inf if node.cpu is None else node.cpu,
        card=inf if node.card is None else node.card,
        price=EACH if node.price is None else node.price,
        memory=inf if node.memory is None else node.memory,
        count=1,
    )


def _server(entry: ServerEntry, types: list[str]) -> DataServer:
    for name in entry.links:
        if name not in types:
            raise ProblemError(
                f"links of server {entry.id}: {unknown('machine type', name, types)}"
            )
    return DataServer(
        id=entry.id,
        objects=tuple(entry.objects),
        card=inf if entry.card is None else entry.card,
        link=inf if entry.link is None else entry.link,
        links=entry.links,
    )


def _bandwidths(file: ProblemEntry, folder: Path) -> dict[tuple[str, str], float]:
    """bp_(u,v) of the file's links; the two directions share the narrower one's bandwidth."""
    nodes = [entry.id for entry in file.nodes]
    found: dict[tuple[str, str], float] = {}
    for (one, other), link in links_of(file, folder).items():
        for name in (one, other):
            if name not in nodes:
                raise ProblemError(f"link {one} → {other}: {unknown('node', name, nodes)}")
        pair = (one, other) if one < other else (other, one)
        found[pair] = min(link.bandwidth, found.get(pair, inf))
    return {pair: bandwidth for pair, bandwidth in found.items() if bandwidth < inf}


FEW = 3
"""Most names in one sentence."""
UNSIZED = "network cards and links are not checked: no sizes of tuples were given"
UNCOUNTED = "slots and delays are not checked: `eyewall plan` does"


def priced_to_switch_off(
    text: str, shared: Collection[str], tuple_bytes: float | None
) -> tuple[str, tuple[str, ...]]:
    """Return a problem file in which the fewest nodes are best, and its assumptions.

    Parameters
    ----------
    text
        A problem file that has no prices.
    shared
        Nodes that stay on in any case, since others run there: they cost nothing, all others 1.
    tuple_bytes
        Mean size of a tuple in bytes; None: not known, and then only CPU and memory count, which
        is right as long as nothing limits the nodes' cards and links.
    """
    file = json.loads(text)
    said = [UNCOUNTED]
    for node in file["nodes"]:
        node.pop("operators", None)
    if tuple_bytes is None:
        for stream in file["streams"]:
            stream.setdefault("tuple_bytes", 0)
        said.append(UNSIZED)
    if shared:
        for node in file["nodes"]:
            node["price"] = 0 if node["id"] in shared else 1
        names = listed(sorted(shared), FEW)
        said.append(f"on in any case, as other topologies run there: {names}")
    return json.dumps(file, ensure_ascii=False), tuple(said)
