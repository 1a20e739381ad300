"""A provisioning problem: what runs, its data, the machines to buy (paper 003, section 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from math import inf, isinf
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
from eyewall_sidecar.model.resources import Node


@dataclass(frozen=True, slots=True)
class MachineType:
    """A class c of machines; an existing machine is a class with a count of 1 (section 5.2).

    Parameters
    ----------
    name
        The name that answers use.
    cpu
        s_c: what operators' `cpu` is counted in, by the second (cores, GHz); infinite: no limit.
    card
        Bp_c: bytes/s that its network card sends and receives together.
    price
        cost_c: what having it costs, in the catalogue's currency.
    memory
        Bytes.
    count
        How many are available: a whole number from 1, or infinite.
    """

    name: str
    cpu: float
    card: float
    price: float
    memory: float = inf
    count: float = inf

    def __post_init__(self) -> None:
        owner = f"machine type {self.name}"
        for name in ("cpu", "card", "memory"):
            require_amount(owner, name, getattr(self, name), MOST_OFFERED, unlimited=True)
        require_amount(owner, "price", self.price, MOST)
        if not (isinf(self.count) or (self.count >= 1 and self.count == int(self.count))):
            raise ProblemError(
                f"{owner}: count is {self.count:g}; it must be a whole number from 1, or infinite"
            )


def machine_name(types: Sequence[MachineType], of: MachineType, number: int) -> str:
    """Name the `number`-th machine of a type: `small-2`; an existing one keeps its name.

    `types` are the available types; in an existing platform there is one of each.
    """
    return of.name if all(it.count == 1 for it in types) else f"{of.name}-{number}"


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine of a platform: a node to be, P_(c,u).

    Parameters
    ----------
    id
        Its name in the placement.
    type
        What was bought.
    """

    id: str
    type: MachineType

    @property
    def node(self) -> Node:
        """It as a node that operators are placed on."""
        return Node(self.id, cpu=self.type.cpu, memory=self.type.memory)


@dataclass(frozen=True, slots=True)
class BasicObject:
    """A basic object o_k.

    Parameters
    ----------
    id
        The name that operators and servers use.
    size
        δ_k: bytes.
    frequency
        f_k: downloads per second by each machine that uses it; 1 with a size in bytes/s says that
        it is a constant stream.
    """

    id: str
    size: float
    frequency: float = 1.0

    def __post_init__(self) -> None:
        owner = f"object {self.id}"
        require_amount(owner, "size", self.size, MOST)
        require_amount(owner, "frequency", self.frequency, MOST)

    @property
    def rate(self) -> float:
        """rate_k = δ_k · f_k in bytes/s, whatever the throughput (section 2.1)."""
        return self.size * self.frequency


@dataclass(frozen=True, slots=True)
class DataServer:
    """A server S_l, which holds objects and runs no operators.

    Parameters
    ----------
    id
        The name that answers use.
    objects
        Ids of what it holds, each once.
    card
        Bs_l: bytes/s that it sends at most.
    link
        bs_l: bytes/s from it to any one machine.
    links
        bs_(l,u) by machine type, where it differs from `link` (Non-Constr-Het).
    """

    id: str
    objects: tuple[str, ...]
    card: float = inf
    link: float = inf
    links: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = f"server {self.id}"
        require_amount(owner, "card", self.card, MOST_OFFERED, unlimited=True)
        require_amount(owner, "link", self.link, MOST_OFFERED, unlimited=True)
        for machine_type, bandwidth in self.links.items():
            name = f"link to {machine_type}"
            require_amount(owner, name, bandwidth, MOST_OFFERED, unlimited=True)
        try:
            require_unique("object", self.objects)
        except ProblemError as error:
            raise ProblemError(f"{owner}: {error}") from None

    def link_to(self, machine_type: str) -> float:
        """bs_(l,u) to a machine of this type, bytes/s."""
        return self.links.get(machine_type, self.link)


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
        The available types; names are unique. An existing platform has a type with a
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
