"""One host's agent: a state machine that answers messages with messages (paper 004, section 4).

It knows its own node, its outgoing links and its free resources. The mapping is a diffusing
computation (algorithms 1 to 3, after Dijkstra and Scholten): every map that is sent is acknowledged
once, and a node acknowledges the map that engaged it last, when nothing of its own is under way.
The portal, here always the node that receives the stream, engages the source; when the source's
last ack arrives, all feasible maps are at the portal, and no other node has any state left.

Differences from the pseudo-code of the computation:

- Algorithm 1 sends no ack to a predecessor if the map is not sent on: count is then 0, and no ack
  will come that could trigger algorithm 2. Such a node is done at once.
- Algorithm 3 does not count the maps that it sends over the public network; they are counted here.
- knows(k) is reset only when k's final ack arrives, and that goes to k's predecessor alone. Others,
  and even the predecessor while that ack is on its way, may send a map without the specification to
  a node that has forgotten it. Such a map comes back as `Unknown`, and is sent again in full; it
  stays counted all the while.

Differences from the pseudo-code by which a node extends a map (lines 13 to 31 of algorithm 1, 11 to
37 of 3):

- Its loop `for x = 0 to |T| − j − 1` never maps all that is left. Here x goes to |T| − j; the sink
  is an operator of its own that only the delivery node serves, so a map is whole exactly there.
- Line 14 asks t_(j+x) ∈ S(v) with x = 0 let through; with the break at the first component that
  does not fit, all of t_(j+1) … t_(j+x) are served. The sums of line 14 are the cores that the map
  takes of v: those of earlier visits and those of the x new operators.
- Line 23 compares a hop's bandwidth with what is there. A map may use the same link for several
  streams, so its own earlier hops on that link count as well.
- Empty hops are counted for one stream, as its sender's budget pays for them (section 4), and a
  route does not touch a node twice: P_R holds paths, and a loop only costs.
- A map that arrives over the public network must map something: such hops are end to end.
- Algorithm 3 allocates the uplink alone. The receiver knows its downlink, and drops a map that is
  more than it can take.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isinf

from eyewall_sidecar.model.violations import exceeds
from numpy.random import Generator

from eyewall_papers.bimodal.messages import (
    Ack,
    AckKind,
    Envelope,
    Map,
    Message,
    Probe,
    Reservation,
    RollBack,
    UnknownTask,
)
from eyewall_papers.bimodal.metric import MapMetric
from eyewall_papers.bimodal.network import LinkKind
from eyewall_papers.bimodal.partial_map import Hop, MapVisit, PartialMap
from eyewall_papers.bimodal.pruning import Pruning
from eyewall_papers.bimodal.surroundings import Stock, Surroundings, share
from eyewall_papers.bimodal.task import Task


def extend_here(
    task: Task, partial: PartialMap, here: Surroundings, stock: Stock
) -> Iterator[PartialMap]:
    """Yield the map with the next x operators on this node, for x = 0, 1, … while they fit."""
    if _exceeds_downlink(task, partial, here.node, stock.downlink):
        return
    if partial.length and partial.here.arrived is LinkKind.DEDICATED:
        yield partial
    cores = partial.cores(task, here.node)
    used = 0.0 if isinf(here.cpu) else here.cpu - stock.cpu
    for operators in range(1, len(task.operators) - partial.length + 1):
        place = partial.length + operators - 1
        cores += task.operators[place].cpu
        if not _can_hold_operator(here, task, place) or exceeds(cores, stock.cpu):
            return
        load = (used + cores) / here.cpu if here.cpu and not isinf(here.cpu) else 0.0
        yield partial.holding(operators, load)


def next_hops(task: Task, partial: PartialMap, here: Surroundings) -> list[Hop]:
    """Links that the map may take out of this node, whatever they carry already.

    Public offers go to nodes that serve the next operator, if this node holds the last one
    (section 4.3).
    """
    touched = partial.open_route
    hops = [hop for hop in here.dedicated if hop.receiver not in touched]
    if partial.here.operators and here.public:
        place = partial.length
        last = place == len(task.operators) - 1
        offer = (task.sink,) if last else here.providers.get(task.services[place - 1], ())
        hops += [here.public[node] for node in offer if node != here.node]
    return hops


def can_carry(task: Task, partial: PartialMap, hop: Hop, here: Surroundings, stock: Stock) -> bool:
    """Return whether bandwidth, budget and max_null let the map's next stream take the hop."""
    stream = partial.length - 1
    needed = task.bandwidth(stream)
    if hop.kind is LinkKind.PUBLIC:
        used = sum(
            task.bandwidth(it)
            for it, sender, receiver in partial.crossings()
            if sender.node == here.node and receiver.arrived is LinkKind.PUBLIC
        )
        return not exceeds(used + needed, stock.uplink)
    if exceeds(needed, stock.dedicated[hop.receiver]):
        return False
    if len(partial.open_route) - 1 > task.max_null:
        return False
    if exceeds(partial.spent + hop.price, task.budgets[stream]):
        return False
    used = sum(
        task.bandwidth(it)
        for it, sender, receiver in partial.crossings()
        if (sender.node, receiver.node, receiver.arrived)
        == (here.node, hop.receiver, LinkKind.DEDICATED)
    )
    return not exceeds(used + needed, stock.dedicated[hop.receiver])


def _can_hold_operator(here: Surroundings, task: Task, place: int) -> bool:
    """Return whether the node may hold that operator: t ∈ S(v), or an end pinned here."""
    if place == 0:
        return here.node == task.source
    if place == len(task.operators) - 1:
        return here.node == task.sink
    return task.services[place - 1] in here.services


def _exceeds_downlink(task: Task, partial: PartialMap, node: str, downlink: float) -> bool:
    if partial.here.arrived is LinkKind.DEDICATED:
        return False
    used = sum(
        task.bandwidth(stream)
        for stream, _, receiver in partial.crossings()
        if receiver.node == node and receiver.arrived is LinkKind.PUBLIC
    )
    return exceeds(used, downlink)


@dataclass(slots=True)
class Computation:
    """A node's part in one task's mapping; it exists while something is under way.

    Parameters
    ----------
    task
        The specification, T.
    pred
        Who engaged the node; None at the portal, where the computation begins and ends.
    count
        Maps that were sent and are not acknowledged.
    knows
        Nodes that have the specification.
    best
        M: length → the best map of that length seen here.
    """

    task: Task
    pred: str | None
    knows: set[str]
    count: int = 0
    best: dict[int, PartialMap] = field(default_factory=dict)


@dataclass(slots=True)
class MappingOutcome:
    """The portal's knowledge of a task's mapping once the computation has ended.

    Parameters
    ----------
    feasible
        Whole maps, the best first.
    probed
        How many of them were probed.
    accepted
        The one that is reserved; None if none is, or not yet.
    settled
        Whether nothing more will happen.
    """

    feasible: tuple[PartialMap, ...]
    probed: int = 0
    accepted: PartialMap | None = None
    settled: bool = False


@dataclass(slots=True)
class MappingAgent:
    """The agent of one node.

    Parameters
    ----------
    here
        What it knows of the network.
    stock
        What its node has left.
    pruning, metric
        Which maps it sends on, and what makes one better.
    rng
        Its own source of chance.
    """

    here: Surroundings
    stock: Stock
    pruning: Pruning
    metric: MapMetric
    rng: Generator
    computations: dict[str, Computation] = field(default_factory=dict)
    outcomes: dict[str, MappingOutcome] = field(default_factory=dict)
    _found: dict[str, list[PartialMap]] = field(default_factory=dict)
    _tasks: dict[str, Task] = field(default_factory=dict)
    _held: dict[tuple[str, int], Stock] = field(default_factory=dict)

    def launch(self, task: Task) -> list[Envelope]:
        """Begin a task's mapping as its portal, the node that it is delivered to."""
        self._tasks[task.id] = task
        self._found[task.id] = []
        self.computations[task.id] = Computation(task, None, {task.source}, count=1)
        start = PartialMap((MapVisit(task.source, 0, LinkKind.DEDICATED),))
        return [self._to(task.source, Map(task.id, start, task))]

    def handle(self, sender: str, message: Message) -> list[Envelope]:
        """Handle one message, and return the messages to send."""
        match message:
            case Map():
                return self._on_map(sender, message)
            case Ack():
                return self._on_ack(sender, message)
            case UnknownTask():
                return self._on_unknown(sender, message)
            case Probe():
                return self._on_probe(message)
            case RollBack():
                return self._on_roll_back(message)
            case Reservation():
                outcome = self.outcomes[message.task]
                outcome.accepted, outcome.settled = message.partial, True
                return []

    def _on_map(self, sender: str, message: Map) -> list[Envelope]:
        known = self.computations.get(message.task)
        if known is not None:
            regular = self._to(sender, Ack(message.task, AckKind.REGULAR))
            return [regular, *self._extend(known, message.partial)]
        if message.spec is None:
            return [self._to(sender, UnknownTask(message.task, message.partial))]
        engaged = Computation(message.spec, sender, {sender})
        self.computations[message.task] = engaged
        return [*self._extend(engaged, message.partial), *self._finish(engaged)]

    def _on_ack(self, sender: str, message: Ack) -> list[Envelope]:
        computation = self.computations[message.task]
        computation.count -= 1
        if message.kind is AckKind.FINAL:
            computation.knows.discard(sender)
        return self._finish(computation)

    def _on_unknown(self, sender: str, message: UnknownTask) -> list[Envelope]:
        computation = self.computations[message.task]
        computation.knows.add(sender)
        return [self._to(sender, Map(message.task, message.partial, computation.task))]

    def _extend(self, computation: Computation, partial: PartialMap) -> list[Envelope]:
        """Send the map on with x more operators on this node, for each x, to each neighbour."""
        task, sent = computation.task, []
        for extended in extend_here(task, partial, self.here, self.stock):
            if extended.length == len(task.operators):
                self._found[task.id].append(extended)
                break
            best = computation.best.get(extended.length)
            if not self.pruning.extends(extended, best, self.metric, self.rng):
                continue
            if best is None or self.metric.better(extended, best):
                computation.best[extended.length] = extended
            for hop in self.pruning.receivers(next_hops(task, extended, self.here), self.rng):
                if not can_carry(task, extended, hop, self.here, self.stock):
                    continue
                cost = self.metric.charge(hop, task.bandwidth(extended.length - 1))
                spec = None if hop.receiver in computation.knows else task
                computation.knows.add(hop.receiver)
                message = Map(task.id, extended.sent(hop, cost), spec)
                sent.append(self._to(hop.receiver, message))
        computation.count += len(sent)
        return sent

    def _finish(self, computation: Computation) -> list[Envelope]:
        """Forget the task if nothing is under way: acknowledge what engaged it, or choose."""
        if computation.count:
            return []
        task = computation.task
        del self.computations[task.id]
        if computation.pred is not None:
            return [self._to(computation.pred, Ack(task.id, AckKind.FINAL))]
        feasible = self.metric.ranked(self._found.pop(task.id))
        self.outcomes[task.id] = MappingOutcome(tuple(feasible))
        return self._probe_next(task)

    def _probe_next(self, task: Task) -> list[Envelope]:
        outcome = self.outcomes[task.id]
        if outcome.probed == len(outcome.feasible):
            outcome.settled = True
            return []
        chosen = outcome.feasible[outcome.probed]
        outcome.probed += 1
        return [self._to(self.here.node, Probe(task, chosen, len(chosen.visits) - 1))]

    def _on_probe(self, message: Probe) -> list[Envelope]:
        """Reserve this visit's share, and pass the probe on towards the source."""
        task, partial, place = message.spec, message.partial, message.place
        needed = share(task, partial, place)
        if self.stock.lacks(needed):
            if place + 1 == len(partial.visits):
                return self._probe_next(task)
            back = RollBack(task.id, partial, place + 1)
            return [self._to(partial.visits[place + 1].node, back)]
        self.stock.take(needed)
        self._held[task.id, place] = needed
        if place == 0:
            return [self._to(task.sink, Reservation(task.id, partial))]
        return [self._to(partial.visits[place - 1].node, Probe(task, partial, place - 1))]

    def _on_roll_back(self, message: RollBack) -> list[Envelope]:
        """Give this visit's share back, and pass that on towards the sink, which tries again."""
        self.stock.put_back(self._held.pop((message.task, message.place)))
        if message.place + 1 == len(message.partial.visits):
            return self._probe_next(self._tasks[message.task])
        following = message.partial.visits[message.place + 1].node
        return [self._to(following, RollBack(message.task, message.partial, message.place + 1))]

    def _to(self, receiver: str, message: Message) -> Envelope:
        return Envelope(self.here.node, receiver, message)
