"""A topology in a cluster as a placement problem.

S-ODP (paper 000, section 6.2): executors are the operators, C_u is slots × EPS_max.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import inf

from eyewall_sidecar.messages import Code, Message, message
from eyewall_sidecar.model import (
    Node,
    Operator,
    PlacementProblem,
    ProblemError,
    Stream,
)
from eyewall_sidecar.model.limits import SLOWEST
from eyewall_sidecar.storm.capacity import (
    Capacities,
    SupervisorCapacity,
    executors_per_slot,
    node_names,
)
from eyewall_sidecar.storm.cluster import (
    Component,
    Executor,
    TopologyState,
)
from eyewall_sidecar.storm.generic_resources import generic_needs, generic_offers
from eyewall_sidecar.storm.known_delays import KnownDelays
from eyewall_sidecar.storm.load_inputs import LoadInputs
from eyewall_sidecar.storm.rates import NOTHING_MEASURED, flows, unknown_streams
from eyewall_sidecar.storm.requests import heap_alone, memory_of
from eyewall_sidecar.storm.settings import TopologySettings
from eyewall_sidecar.storm.shared_memory import kept_free, with_room
from eyewall_sidecar.storm.topology_problem import Signals, TopologyProblem
from eyewall_sidecar.storm.traits import HostTraits, pinned_hosts, traits_of


def operator_id(component: Component, executor: Executor) -> str:
    """Name an executor as people read it: `tag[3-4]`."""
    return f"{component.id}{executor}"


def problem_of_missing(
    capacities: Capacities, topology: TopologyState, settings: TopologySettings, signals: Signals
) -> TopologyProblem:
    """Ask where the executors without a slot belong; those that run stay where they are.

    They have to run somewhere: a delay that is doubted is used, and said; CPU is as declared, so
    that nothing is refused because the hosts are busy.
    """
    fixed = {it: slot.supervisor for it, slot in topology.running().items()}
    return _Bridge(capacities, topology, settings, signals, fixed, trusted=False).problem()


def problem_of_moving(
    capacities: Capacities, topology: TopologyState, settings: TopologySettings, signals: Signals
) -> TopologyProblem:
    """Ask where all executors belong; `current` is where they run.

    What runs in slots that are withdrawn stays: a worker there may not be changed. A delay that is
    doubted counts as unknown: what runs well must not be restarted for a guess.
    """
    withdrawn = {slot for capacity in capacities.values() for slot in capacity.withdrawn}
    fixed = {it: slot.supervisor for it, slot in topology.running().items() if slot in withdrawn}
    return _Bridge(capacities, topology, settings, signals, fixed, trusted=True).problem()


class _Bridge:
    """The pieces of one problem, each worked out once.

    `fixed` are the executors that have to stay on their supervisor. Where measurements have to be
    `trusted`, delays of little confidence are not used, and what executors were measured to use
    takes the place of what they declare, which is for objectives that know no load.
    """

    def __init__(
        self,
        capacities: Capacities,
        topology: TopologyState,
        settings: TopologySettings,
        signals: Signals,
        fixed: Mapping[Executor, str],
        *,
        trusted: bool,
    ) -> None:
        self.executors = topology.topology.executors()
        self.measured = signals.measured or NOTHING_MEASURED
        self.is_measured = signals.measured is not None
        self.loads = signals.loads
        self.settings = settings
        self.topology = topology.topology
        self.fixed = fixed
        slots = topology.running()
        self.running = {it: slot.supervisor for it, slot in slots.items()}
        self.runs_on = defaultdict[str, list[Executor]](list)
        for executor, supervisor in self.running.items():
            self.runs_on[supervisor].append(executor)
        self.in_slot = Counter(slots.values())
        self.capacities = capacities
        supervisors = [it.supervisor for it in capacities.values()]
        self.names = node_names(supervisors)
        self.traits, self.unreadable = traits_of(supervisors)
        self.inputs = LoadInputs(
            capacities,
            topology,
            {host: it.speed for host, it in self.traits.items()},
            signals.measured,
            signals.loads,
            signals.overheads,
            signals.crossing_cost,
            signals.waits,
        )
        self.cpu_measured = self.inputs.used is not None
        weighs_load = settings.objective.weighs_load
        self.limits_measured = self.cpu_measured and trusted and not weighs_load
        self.unseen: set[str] = set()
        """Hosts without a report: nothing is moved there for its load, unless a host is left."""
        drained = {it.id for it in supervisors if it.drained}
        is_leaving = not drained.isdisjoint(self.running.values())
        if self.cpu_measured and trusted and weighs_load and not is_leaving:
            self.unseen = {it.host for it in supervisors} - self.loads.keys()
        self.per_slot = executors_per_slot(topology.topology, settings.executors_per_slot)
        self._refuse_what_cannot_be_modelled()
        self.limits = self._limits()
        self.pins = self._usable_pins()
        self.known = self._known_delays(signals, trusted=trusted)
        self.coordinates = signals.delays.coordinates

    def problem(self) -> TopologyProblem:
        hosts = set(self.known.hosts)
        nodes = [it for it in self.capacities.values() if it.supervisor.host in hosts]
        edges, assumed = flows(
            self.topology, self.settings.rate_hints, self.measured, self.settings.tuple_bytes
        )
        ids = {it: operator_id(component, it) for it, component in self.executors.items()}
        problem = PlacementProblem(
            operators=tuple(self._operator(it, nodes) for it in self.executors),
            streams=tuple(
                Stream(
                    ids[it.source], ids[it.target], it.rate, it.tuple_bytes, it.system, it.shuffle
                )
                for it in edges
            ),
            nodes=tuple(self._node(capacity) for capacity in nodes),
            links=self.known.links(
                [(self.names[it.supervisor.id], it.supervisor.host) for it in nodes]
            ),
            current={ids[it]: self.names[where] for it, where in self.running.items()} or None,
            load=self.inputs.load_model(edges, self.settings.headroom, self.per_slot),
        )
        return TopologyProblem(
            problem=problem,
            executors={name: it for it, name in ids.items()},
            supervisors={self.names[it.supervisor.id]: it.supervisor.id for it in nodes},
            known=self.known,
            assumptions=(
                *assumed,
                *self._left_out(),
                *(it for it in (self.known.vague, self._remembered()) if it),
            ),
            delays_assumed=self.known.assumption,
            rates_unknown=self._rates_unknown(),
            loads_unknown=self._loads_unknown(),
            cpu_measured=self.cpu_measured,
            interchangeable=tuple(
                tuple(ids[it] for it in component.executors)
                for component in self.topology.components
                if len(component.executors) > 1
            ),
        )

    def _remembered(self) -> Message | None:
        tasks = len(self.measured.remembered) if self.cpu_measured else 0
        return message(Code.CPU_REMEMBERED, tasks=tasks) if tasks else None

    def _rates_unknown(self) -> Message | None:
        unknown = unknown_streams(self.topology, self.settings.rate_hints, self.measured)
        if not unknown or not self.is_measured:
            return None
        return message(Code.RATES_UNKNOWN, streams=unknown, doubtful=self.measured.doubtful)

    def _loads_unknown(self) -> Message | None:
        used = {self.capacities[it].supervisor.host for it in self.running.values()}
        hosts = sorted(used & self.unseen)
        return message(Code.LOADS_UNKNOWN, hosts=hosts) if hosts else None

    def _left_out(self) -> Iterator[Message]:
        """Yield which hosts are left out, in one message for each reason."""
        doubted = [it for it in self.known.left_out if self.known.doubt_about(it)]
        unknown = [it for it in self.known.left_out if it not in doubted]
        if doubted:
            doubt, count = self.known.doubt_about(*doubted), len(doubted)
            yield message(Code.LEFT_OUT_DOUBTED, count=count, doubt=doubt, hosts=doubted)
        if unknown:
            yield message(Code.LEFT_OUT_UNKNOWN, count=len(unknown), hosts=unknown)
        if self.unreadable:
            count = len(self.unreadable)
            yield message(Code.LEFT_OUT_UNREADABLE, count=count, reasons=self._unreadable())
        if self.unseen:
            yield message(Code.LEFT_OUT_UNSEEN, hosts=sorted(self.unseen))
        closed = [it.supervisor.host for it in self.capacities.values() if self._closed(it)]
        if closed:
            yield message(Code.LEFT_OUT_SHARED, hosts=closed)

    def _unreadable(self) -> list[str]:
        return [f"{host}: {why}" for host, why in sorted(self.unreadable.items())]

    def _refuse_what_cannot_be_modelled(self) -> None:
        if self.per_slot == 0:
            heaps = {it.id: heap_alone(self.topology, it) for it in self.executors.values()}
            largest = max(heaps, key=heaps.__getitem__)
            wanted, allowed = heaps[largest], self.topology.worker_max_heap_bytes
            raise ProblemError(
                message(
                    Code.HEAP_TOO_LARGE,
                    component=largest,
                    wanted=wanted >> 20,
                    allowed=allowed >> 20,
                )
            )
        for supervisor in dict.fromkeys(self.running.values()):
            if supervisor not in self.capacities:
                raise ProblemError(message(Code.SUPERVISOR_UNKNOWN, supervisor=supervisor))
            host = self.capacities[supervisor].supervisor.host
            if host in self.unreadable:
                reason = self.unreadable[host]
                raise ProblemError(message(Code.RUNS_UNREADABLE, host=host, reason=reason))

    def _limits(self) -> dict[str, int]:
        """Supervisor id → how many executors it may hold, C_u.

        As long as fresh slots can hold what is missing, workers that run are not filled up: that
        would restart them. With Ecker's score a supervisor serves one topology at most (paper 002,
        section 4): where another one runs, nothing new fits.
        """
        fixed = Counter(self.fixed.values())
        usable = {
            it: 0 if capacity.supervisor.drained or self._closed(capacity) else self.per_slot
            for it, capacity in self.capacities.items()
        }
        fresh = {it: of.fresh_workers * usable[it] for it, of in self.capacities.items()}
        grey = {it for it, of in self.capacities.items() if of.supervisor.greylisted}
        missing = len(self.executors) - len(self.running)
        if missing <= sum(room for it, room in fresh.items() if it not in grey):
            fresh.update(dict.fromkeys(grey, 0))
        if 0 < missing <= sum(fresh.values()):
            return {it: fixed[it] + fresh[it] for it in self.capacities}
        staying = {
            it: sum(self.in_slot[slot] for slot in capacity.withdrawn)
            for it, capacity in self.capacities.items()
        }
        runs = Counter(self.running.values())
        return {
            it: runs[it]
            if capacity.supervisor.host in self.unseen or (it in grey and not missing)
            else max(fixed[it], staying[it] + capacity.workers * usable[it])
            for it, capacity in self.capacities.items()
        }

    def _closed(self, capacity: SupervisorCapacity) -> bool:
        return self.settings.objective.ecker is not None and capacity.shared

    def _usable_pins(self) -> dict[str, list[str]]:
        """Component → hosts that its pins allow and that can hold something."""
        everyone = {**self.traits, **dict.fromkeys(self.unreadable, HostTraits())}
        possible = set(self._possible())
        usable = {}
        for component, names in self.settings.pins.items():
            allowed = pinned_hosts(component, names, everyone)
            usable[component] = [it for it in allowed if it in possible]
            if not usable[component]:
                drained = {
                    it.supervisor.host: "drained"
                    for it in self.capacities.values()
                    if it.supervisor.drained
                }
                unseen = dict.fromkeys(self.unseen, "no load is known")
                reasons = unseen | drained | self.unreadable
                why = [f"{it}: {reasons.get(it, 'no free slot')}" for it in allowed]
                raise ProblemError(message(Code.PIN_FULL, component=component, reasons=why))
        return usable

    def _possible(self) -> list[str]:
        """Hosts that can hold something, or do."""
        roomy = {
            self.capacities[it].supervisor.host for it, limit in self.limits.items() if limit > 0
        }
        roomy |= {self.capacities[it].supervisor.host for it in self.running.values()}
        return [host for host in self.traits if host in roomy]

    def _known_delays(self, signals: Signals, *, trusted: bool) -> KnownDelays:
        """Return the delays between hosts; those where something has to run are never left out."""
        possible = self._possible()
        if not possible:
            is_shared = any(map(self._closed, self.capacities.values()))
            code = Code.NO_UNSHARED_SLOT if is_shared else Code.NO_FREE_SLOT
            least = max((it.least_worker_cores for it in self.capacities.values()), default=0.0)
            if least and not is_shared:
                unfit = {"least": least, "unreadable": self._unreadable()}
                raise ProblemError(message(Code.NO_WORKER_FITS, **unfit))
            raise ProblemError(message(code, unreadable=self._unreadable()))
        used = {self.capacities[it].supervisor.host for it in self.running.values()}
        between, hosts = signals.known_delays.get, tuple(possible)
        known = between(signals.delays, hosts, used, trusted=trusted)
        placed = {com.id for it, com in self.executors.items() if it not in self.fixed}
        stranded = [
            host
            for component, hosts in self.pins.items()
            if component in placed and not set(hosts) & set(known.hosts)
            for host in hosts
        ]
        if not stranded:
            return known
        return between(signals.delays, hosts, used.union(stranded), trusted=trusted)

    def _operator(self, executor: Executor, nodes: list[SupervisorCapacity]) -> Operator:
        component = self.executors[executor]
        candidates: tuple[str, ...] | None = None
        if executor in self.fixed:
            candidates = (self.names[self.fixed[executor]],)
        elif component.id in self.pins or self.topology.shared_by({component.id}):
            allowed = [it for it in nodes if not self._is_pinned_elsewhere(component, it)]
            roomy = with_room(self.topology, component, allowed, self.running.get(executor))
            candidates = tuple(self.names[it.supervisor.id] for it in roomy)
        # CPU is not all that takes time: a declared time may include more.
        cpu_time = self.inputs.execution_time(component)
        execution_time = self.settings.execution_times.get(component.id, cpu_time)
        demand = self.inputs.demand(executor)
        return Operator(
            id=operator_id(component, executor),
            cpu=self._required_cores(executor),
            memory=component.on_heap_bytes + component.off_heap_bytes,
            execution_time=execution_time,
            candidates=candidates,
            demand=demand.value if demand is not None else None,
            demand_error=demand.error if demand is not None else 0.0,
            # What is declared remains a limit, as Storm counts it whatever is used.
            reserved=self.executors[executor].cpu_cores if self.limits_measured else 0.0,
            generic=generic_needs(component),
        )

    def _required_cores(self, executor: Executor) -> float:
        if self.limits_measured and self.inputs.used is not None:
            return self.inputs.used[executor].value
        return self.executors[executor].cpu_cores

    def _memory_left(self, capacity: SupervisorCapacity) -> float:
        """Return what executors have besides all that those that may go there share.

        What runs there has room, whichever part of that it shares.
        """
        left = capacity.memory_bytes
        elsewhere = {
            it.id for it in self.topology.components if self._is_pinned_elsewhere(it, capacity)
        }
        if not (shared := kept_free(self.topology, capacity, elsewhere)):
            return left
        runs = memory_of(self.executors[it] for it in self.runs_on[capacity.supervisor.id])
        return max(left - shared, min(left, runs))

    def _is_pinned_elsewhere(self, component: Component, capacity: SupervisorCapacity) -> bool:
        pins = self.pins.get(component.id)
        return pins is not None and capacity.supervisor.host not in pins

    def _node(self, capacity: SupervisorCapacity) -> Node:
        """Build a node that can at least hold the executors that stay on it."""
        supervisor = capacity.supervisor
        traits = self.traits[supervisor.host]
        load = self.loads.get(supervisor.host)
        speedup = max(SLOWEST, traits.speed * (load.progress if load else 1.0))
        left = capacity.cpu_cores
        if self.limits_measured and (measured := self.inputs.cores_left(supervisor)) is not None:
            left = min(left, measured * speedup)
        fixed = [it for it, there in self.fixed.items() if there == supervisor.id]
        staying = [self.executors[it] for it in fixed]
        cpu = max(left, sum(self._required_cores(it) for it in fixed))
        reserved = inf
        if self.limits_measured:
            reserved = max(capacity.cpu_cores, sum(it.cpu_cores for it in staying))
        cores, background = self.inputs.cores(supervisor, cpu)
        return Node(
            id=self.names[supervisor.id],
            cpu=cpu,
            memory=max(self._memory_left(capacity), memory_of(staying)),
            operators=self.limits[supervisor.id],
            speedup=speedup,
            availability=traits.availability,
            coordinates=self.coordinates.get(supervisor.host),
            cores=cores,
            background=background,
            reserved=reserved,
            generic=generic_offers(self.topology.components, staying, capacity),
        )
