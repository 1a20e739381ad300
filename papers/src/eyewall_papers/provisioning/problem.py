"""The provisioning problem: what has to run, how fast, from which data, on what can be had."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from math import inf
from typing import Self

from eyewall_sidecar.model import Operator, Stream
from eyewall_sidecar.model.errors import (
    ProblemError,
    listed,
    require_amount,
    require_unique,
    unknown,
)
from eyewall_sidecar.model.limits import MOST, MOST_OFFERED

from eyewall_papers.provisioning.data import BasicObject, DataServer
from eyewall_papers.provisioning.machines import MachineType


@dataclass(frozen=True, slots=True)
class ProvisioningProblem:
    """One problem, checked when it is made: Constr-LAN to Non-Constr-Het of paper 003, section 3.

    The paper's operators form a binary tree. Its constraints (1) to (5) keep their meaning for
    every graph without a cycle: what a machine receives is counted stream by stream, so an output
    that goes to several operators is sent to each of them, as Storm does. Streams of Storm's own
    (`system`) count, too, and may run in circles.

    Parameters
    ----------
    operators
        What runs; `cpu` is w_i, the work for one result, in what `MachineType.cpu` counts by the
        second; `candidates` names the machine types that may run it. Memory does not grow with
        the throughput.
    streams
        What operators send to each other for one result: δ_i = rate · tuple_bytes bytes.
    types
        What can be had; names are unique. A platform that is there already has a type with a
        count of 1 for each machine.
    needs
        Leaf(i): operator → ids of the objects that it uses.
    objects, servers
        Every object that is needed is held by at least one server.
    link
        bp: bytes/s between two machines, both directions together.
    links
        bp_(u,v) by the two machine types, either order, where it differs (Non-Constr-Het).
    throughput
        ρ: results/s, more than 0.
    """

    operators: tuple[Operator, ...]
    streams: tuple[Stream, ...]
    types: tuple[MachineType, ...]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    objects: tuple[BasicObject, ...] = ()
    servers: tuple[DataServer, ...] = ()
    link: float = inf
    links: Mapping[tuple[str, str], float] = field(default_factory=dict)
    throughput: float = 1.0
    _objects: Mapping[str, BasicObject] = field(init=False, repr=False, compare=False)
    _holders: Mapping[str, tuple[DataServer, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.throughput <= MOST:
            raise ProblemError(
                f"throughput is {self.throughput:g} results/s; it must be more than 0 and at most "
                f"{MOST:g}"
            )
        if not self.operators:
            raise ProblemError("the problem has no operators; it needs at least one")
        if not self.types:
            raise ProblemError("there are no machine types; at least one must be there to choose")
        require_unique("operator", [it.id for it in self.operators])
        require_unique("machine type", [it.name for it in self.types])
        require_unique("object", [it.id for it in self.objects])
        require_unique("server", [it.id for it in self.servers])
        object.__setattr__(self, "_objects", {it.id: it for it in self.objects})
        object.__setattr__(
            self,
            "_holders",
            {
                it.id: tuple(server for server in self.servers if it.id in server.objects)
                for it in self.objects
            },
        )
        _require_names(self)
        _require_no_cycle(self)
        _require_bandwidths(self)
        _require_demands(self)

    def object(self, object_id: str) -> BasicObject:
        """Return the object of that id."""
        return self._objects[object_id]

    def holders(self, object_id: str) -> tuple[DataServer, ...]:
        """Return the servers that hold the object."""
        return self._holders[object_id]

    def needed(self, operator: str) -> tuple[str, ...]:
        """Ids of the objects that the operator uses, Leaf(i)."""
        return self.needs.get(operator, ())

    def link_between(self, one: str, other: str) -> float:
        """bp_(u,v) between machines of these types, bytes/s."""
        found = self.links.get((one, other), self.links.get((other, one)))
        return self.link if found is None else found

    def carried(self, stream: Stream) -> float:
        """Return ρ · δ_i, bytes/s."""
        return stream.rate * self.throughput * (stream.tuple_bytes or 0.0)

    def at(self, throughput: float) -> Self:
        """Return the same problem with another throughput."""
        return replace(self, throughput=throughput)

    @property
    def demands(self) -> tuple[Operator, ...]:
        """The operators with the cores (GHz, …) that they take at the throughput, ρ · w_i."""
        return tuple(replace(it, cpu=it.cpu * self.throughput) for it in self.operators)

    @property
    def flows(self) -> tuple[Stream, ...]:
        """The streams at the throughput: rates in tuples/s, so that rate · tuple_bytes = ρ · δ."""
        return tuple(replace(it, rate=it.rate * self.throughput) for it in self.streams)


def _require_names(problem: ProvisioningProblem) -> None:
    operators = dict.fromkeys(it.id for it in problem.operators)
    types = dict.fromkeys(it.name for it in problem.types)
    objects = dict.fromkeys(it.id for it in problem.objects)
    for stream in problem.streams:
        for end in (stream.source, stream.target):
            if end not in operators:
                raise ProblemError(f"{stream}: {unknown('operator', end, operators)}")
        if stream.tuple_bytes is None:
            raise ProblemError(
                f"{stream}: tuple_bytes is not given; what streams carry decides which machines "
                "and links suffice (unknown is not zero)"
            )
    for operator in problem.operators:
        for name in operator.candidates or ():
            if name not in types:
                raise ProblemError(
                    f"candidates of operator {operator.id}: {unknown('machine type', name, types)}"
                )
    for owner, needed in problem.needs.items():
        if owner not in operators:
            raise ProblemError(f"objects of {owner}: {unknown('operator', owner, operators)}")
        for name in needed:
            if name not in objects:
                raise ProblemError(
                    f"objects of operator {owner}: {unknown('object', name, objects)}"
                )
            if not problem.holders(name):
                raise ProblemError(
                    f"object {name}, which operator {owner} uses, is held by no server; servers "
                    f"are {listed([it.id for it in problem.servers]) or 'none'}"
                )
    for server in problem.servers:
        for name in server.objects:
            if name not in objects:
                raise ProblemError(f"server {server.id}: {unknown('object', name, objects)}")


def _require_no_cycle(problem: ProvisioningProblem) -> None:
    sources: dict[str, set[str]] = {it.id: set() for it in problem.operators}
    for stream in problem.streams:
        if not stream.system:
            sources[stream.target].add(stream.source)
    try:
        TopologicalSorter(sources).prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise ProblemError(
            f"streams {circle} form a cycle; no operator may wait for its own result"
        ) from None


def _require_bandwidths(problem: ProvisioningProblem) -> None:
    require_amount("machines", "link", problem.link, MOST_OFFERED, unlimited=True)
    types = [it.name for it in problem.types]
    for (one, other), bandwidth in problem.links.items():
        owner = f"link between {one} and {other}"
        for name in (one, other):
            if name not in types:
                raise ProblemError(f"{owner}: {unknown('machine type', name, types)}")
        require_amount(owner, "bandwidth", bandwidth, MOST_OFFERED, unlimited=True)


def _require_demands(problem: ProvisioningProblem) -> None:
    rate = f"at a throughput of {problem.throughput:g} results/s"
    for operator in problem.operators:
        cpu = operator.cpu * problem.throughput
        require_amount(f"operator {operator.id} {rate}", "cpu", cpu, MOST)
    for stream in problem.streams:
        require_amount(f"{stream} {rate}", "rate", stream.rate * problem.throughput, MOST)
