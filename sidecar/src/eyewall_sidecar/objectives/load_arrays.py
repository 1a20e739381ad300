"""What the load model knows of a problem, as arrays: of an even spread, or of a placement's.

The formulas, their units and what they leave out are in docs/design/load.md.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from eyewall_sidecar.model.array_types import Flags, Floats, Indices, Places
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.model.shuffles import Shuffles
from eyewall_sidecar.model.tuple_bursts import burst_rates
from eyewall_sidecar.objectives.load_scenarios import AS_ESTIMATED, LoadScenario
from eyewall_sidecar.objectives.tuple_ways import TupleWays, tuple_ways

EVEN_PART = 0.01
"""Of the time, in which shuffles send to all alike, as queues nearby are full or not known yet. So
little that it decides only where executors belong that get nothing else: near the others."""
LEAST_WORKING = 2 * EVEN_PART
"""The multiple of an even spread from which on an executor counts among those that tuples cross."""
MOST_CORES = 1e4
"""Of a host, in the exponent of its wait; with more there is practically none below saturation."""
ASSUMED_WORK = 0.1
"""CPU-seconds of a tuple's tree on a host where execution times are unknown: tuples are taken to
wait long on a busy host, so that none is filled for what little a short way saves."""
_LEAST_CORES = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LoadArrays:
    """What the load model knows of a problem at one rate, in one scenario, as arrays.

    L = Σ_i visits_i · (time at i) + Σ_streams passes · (time between its ends) + what the rest of
    a tuple's tree takes longer, as its ack waits for all of it (`tuple_ways`). A tuple begins when
    it is emitted: what its source took for it before is in none of these.

    Parameters
    ----------
    demands
        [operator]: cores in use at speedup 1.
    work
        [operator]: c_i, CPU-seconds for a tuple at speedup 1.
    tree_work
        [operator]: CPU-seconds at speedup 1 for all of a tuple's tree, on average of all tuples.
    assumed_work
        [operator]: CPU-seconds that are assumed of trees on its node, as its own are unknown; 0
        where they are known.
    way_shares
        [operator]: the part of its tree's tuples that are on the tuple's way.
    visits, entries
        [operator]: how often a tuple's way leads through it, and begins there.
    working
        [operator]: whether it gets more than the shuffles' `EVEN_PART`.
    sources, targets, rates, bursts, passes, tuple_passes
        [stream]: its ends, tuples/s, bursts/s (`tuple_bursts`), how often the way of a tuple and
        its ack leads along it, and how often the tuple's alone does.
    cores, background, speedups, exponents
        [node]: all its cores, cores that others use, S_u, and the exponent of its wait.
    delays
        [node, node]: seconds one way.
    path_order, path_sources, path_targets
        As in `ProblemArrays`.
    shuffles
        How tuples spread. All of the above is that of an even spread.
    rate
        The multiple of the problem's rates that `demands` and `rates` are at.
    headroom, executors_per_worker, worker_cpu, crossing_cpu, crossing_half_rate, polling_cpu,
    send_cpu, receive_cpu, crossing_seconds
        As in `LoadModel`; 0 < `executors_per_worker`.
    burstiness, sharing
        κ, γ.
    """

    demands: Floats
    work: Floats
    tree_work: Floats
    assumed_work: Floats
    way_shares: Floats
    visits: Floats
    entries: Floats
    working: Flags
    sources: Indices
    targets: Indices
    rates: Floats
    bursts: Floats
    passes: Floats
    tuple_passes: Floats
    cores: Floats
    background: Floats
    speedups: Floats
    exponents: Floats
    delays: Floats
    path_order: Indices
    path_sources: Indices
    path_targets: Indices
    shuffles: Shuffles
    rate: float
    headroom: float
    executors_per_worker: float
    worker_cpu: float
    crossing_cpu: float
    crossing_half_rate: float
    polling_cpu: float
    send_cpu: float
    receive_cpu: float
    crossing_seconds: float
    burstiness: float
    sharing: float

    @classmethod
    def of(
        cls, arrays: ProblemArrays, rate: float = 1.0, scenario: LoadScenario = AS_ESTIMATED
    ) -> Self:
        """Translate a problem at a multiple of its rates."""
        model = arrays.load
        crossing = scenario.crossing**model.uncertainty
        error = scenario.demand * model.uncertainty * arrays.demand_errors
        ways = tuple_ways(arrays)
        cores = np.maximum(arrays.cores, _LEAST_CORES)
        work = scenario.settled * arrays.execution_times
        return cls(
            demands=rate * np.maximum(0.0, scenario.settled * arrays.demands + error),
            work=work,
            tree_work=work * ways.tree_tuples,
            assumed_work=_assumed_work(arrays, ways),
            way_shares=ways.way_shares,
            visits=ways.visits,
            entries=ways.entries,
            working=np.ones(arrays.operators, dtype=np.bool_),
            sources=arrays.sources,
            targets=arrays.targets,
            rates=rate * arrays.rates,
            bursts=rate
            * burst_rates(
                arrays.sources, arrays.targets, arrays.rates, arrays.system, arrays.operators
            ),
            passes=ways.passes,
            tuple_passes=ways.tuple_passes,
            cores=cores,
            background=arrays.background,
            speedups=arrays.speedups,
            exponents=np.sqrt(2.0 * (np.clip(cores, 1.0, MOST_CORES) + 1.0)) - 1.0,
            delays=arrays.delays,
            path_order=arrays.path_order,
            path_sources=arrays.path_sources,
            path_targets=arrays.path_targets,
            shuffles=arrays.shuffles,
            rate=rate,
            headroom=model.headroom,
            executors_per_worker=float(model.executors_per_worker or max(1, arrays.operators)),
            worker_cpu=model.worker_cpu,
            crossing_cpu=model.crossing_cpu * crossing,
            crossing_half_rate=model.crossing_half_rate,
            polling_cpu=model.polling_cpu * scenario.polling**model.uncertainty,
            send_cpu=model.send_cpu * crossing,
            receive_cpu=model.receive_cpu * crossing,
            crossing_seconds=model.crossing_seconds * crossing,
            burstiness=model.burstiness * scenario.burstiness**model.uncertainty,
            sharing=model.sharing * scenario.sharing**model.uncertainty,
        )

    def spread(self, places: Places) -> Self:
        """Return what shuffles make of it in a placement, but for `EVEN_PART` of an even spread."""
        if not self.shuffles.matter:
            return self
        operators, streams = self.shuffles.multiples([places])
        used, count = streams > 0, len(operators)
        on_paths = np.isin(
            self.path_sources * count + self.path_targets,
            self.sources[used] * count + self.targets[used],
        )
        starved = operators[self.path_order] == 0
        operators = (1.0 - EVEN_PART) * operators + EVEN_PART
        streams = (1.0 - EVEN_PART) * streams + EVEN_PART
        return replace(
            self,
            demands=self.demands * operators,
            tree_work=self.tree_work * operators,
            visits=self.visits * operators,
            working=operators > LEAST_WORKING,
            rates=self.rates * streams,
            bursts=self.bursts * streams,
            passes=self.passes * streams,
            tuple_passes=self.tuple_passes * streams,
            path_order=self.path_order[~starved],
            path_sources=self.path_sources[on_paths],
            path_targets=self.path_targets[on_paths],
        )


def _assumed_work(arrays: ProblemArrays, ways: TupleWays) -> Floats:
    """Return what is assumed of trees where an operator that works has no execution time.

    What a source or an acker takes for a tuple is on no way, as long as anything else is known.
    """
    unknown = arrays.execution_times == 0.0
    if not unknown.all():
        unknown &= (ways.visits > 0) & (ways.entries == 0) & (arrays.demands > 0)
    return np.where(unknown, ASSUMED_WORK, 0.0)
