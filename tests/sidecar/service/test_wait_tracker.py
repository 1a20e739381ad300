"""What latencies at rest teach of waits for CPU, and what of it outlasts the sidecar."""

from dataclasses import replace

import pytest
from eyewall_contracts.wait_fit import WaitObservation, WaitRecord
from eyewall_sidecar.messages import Code, message
from eyewall_sidecar.model.arrays import ProblemArrays, places_of
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.service.complete_latency import MeasuredLatency
from eyewall_sidecar.service.measurement import Measurement
from eyewall_sidecar.service.performance import Performance
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.wait_tracker import MOST, OLDEST_SECONDS, WaitTracker
from eyewall_sidecar.stores import NoKnowledge
from eyewall_sidecar.storm import LATENCY_MODEL, UNFITTED, MeasuredTopology, TopologyProblem
from kept_knowledge import Kept
from measured_topologies import rates_of, report
from msgspec.structs import replace as with_fields
from obedient_nimbus import Clock, Nimbus
from storm_builders import chain, supervisor, worker

NOW = 1_700_000_000.0
LATENCY = 0.05


def measurement(latency: float, throughput: float = 100.0, waiting: float = 0.0) -> Measurement:
    """With an acker at the spout."""
    return Measurement(throughput, 0.0, 0.3, MeasuredLatency(latency, latency), waiting)


AT_REST = Performance(at_rest=True, measurements=(measurement(LATENCY),) * 12)


def measured(cores: float = 0.3) -> tuple[Nimbus, PlacementRequest]:
    """A chain on two hosts of one core, whose executors use so many cores each."""
    topology = chain(("source", 1), ("tag", 1), ("sink", 1), settings={"objective": "L=1"})
    nimbus = Nimbus([supervisor("a", 2, cpu=1.0), supervisor("b", 2, cpu=1.0)], {("a", "b"): 10})
    nimbus.running[topology.id] = (worker("a", 6700, 1, 2), worker("b", 6700, 3))
    nimbus.measured.wanted = True
    nimbus.measured.rates[topology.id] = rates_of(
        topology, {2: 100, 3: 100}, {1: 100, 2: 100}, cores=cores, until=nimbus.clock.now
    )
    for host in "ab":
        nimbus.measured.hosts[host] = report(
            host, 1, time=nimbus.clock.now, busy=0.3, used={topology.id: 0.3}
        )
    nimbus.round(topology)
    request = nimbus.service.last_round().records[topology.id].request
    assert request is not None
    return nimbus, request


def learned(
    request: PlacementRequest, performance: Performance = AT_REST
) -> tuple[WaitObservation, ...]:
    """What is kept of one round."""
    kept = Kept[WaitRecord]()
    WaitTracker(kept, Clock(NOW)).observe(request, performance)
    return kept.record.observations if kept.record is not None else ()


def test_a_latency_at_rest_is_kept_with_what_the_model_makes_of_its_placement() -> None:
    _, request = measured()
    (found,) = learned(request)
    assert isinstance(request.problem, TopologyProblem)
    problem = request.problem.problem
    assert problem.current is not None
    forecast = evaluate_load(
        LoadArrays.of(ProblemArrays.of(problem)), places_of(problem, problem.current)
    )
    assert (found.topology, found.time) == (request.topology.topology.id, NOW)
    assert (found.latency, found.deviation) == pytest.approx((LATENCY, 0.0))
    # κ = 1 and γ = 0.25 are what the problem was built with.
    expected = pytest.approx(forecast.response_time)
    assert found.base + found.executors + 0.25 * found.hosts == expected
    assert found.model == LATENCY_MODEL
    assert min(found.base, found.executors, found.hosts) > 0


@pytest.mark.parametrize(
    "performance",
    [
        replace(AT_REST, at_rest=False),
        replace(AT_REST, measurements=AT_REST.measurements[:11]),
        # Neighbours differ by 2/3 of the mean: their mean is known within 20 %.
        replace(
            AT_REST,
            measurements=tuple(measurement(it) for it in (0.04, 0.08) * 6),
        ),
        replace(AT_REST, measurements=(Measurement(100.0, 0.0, 0.3),) * 12),
        # 11 of 100 tuples/s wait: more than a tenth of a second's.
        replace(AT_REST, measurements=(measurement(LATENCY, waiting=11.0),) * 12),
        # It was at rest, but its throughput has doubled since.
        replace(
            AT_REST,
            measurements=(
                *AT_REST.measurements[:9],
                *[measurement(LATENCY, 200.0)] * 3,
            ),
        ),
    ],
    ids=[
        "not at rest",
        "only just",
        "uncertain latency",
        "unknown latency",
        "saturated",
        "no longer steady",
    ],
)
def test_nothing_else_teaches_anything(performance: Performance) -> None:
    assert learned(measured()[1], performance) == ()


def test_a_host_that_uses_nine_tenths_of_its_cores_teaches_nothing() -> None:
    # Two executors of 0.3 cores on a core: 0.6; of 0.46: 0.92.
    assert len(learned(measured(0.3)[1])) == 1
    assert learned(measured(0.46)[1]) == ()


def test_what_is_remembered_declared_or_assumed_teaches_nothing() -> None:
    _, request = measured()
    assert isinstance(request.problem, TopologyProblem)
    unknown = message(Code.RATES_UNKNOWN, streams=["source:default"], doubtful=())
    operators = tuple(replace(it, execution_time=0.0) for it in request.problem.problem.operators)
    for doubtful in (
        replace(request.problem, problem=replace(request.problem.problem, operators=operators)),
        replace(request.problem, delays_assumed="a to b"),
        replace(request.problem, cpu_measured=False),
        replace(request.problem, rates_unknown=unknown),
    ):
        assert learned(replace(request, problem=doubtful)) == ()
    estimates, name = request.observation.estimates, request.topology.topology.id
    remembered = {
        name: replace(estimates.of(name) or MeasuredTopology(), remembered=frozenset([2]))
    }
    observation = replace(request.observation, estimates=replace(estimates, topologies=remembered))
    assert learned(replace(request, observation=observation)) == ()


def test_a_round_observes_what_runs() -> None:
    nimbus, request = measured()
    nimbus.service._decider.performance = lambda topology: AT_REST  # type: ignore[method-assign]
    assert nimbus.service.waits_age() is None
    nimbus.round(request.topology.topology)
    nimbus.clock.now += 3.0
    assert nimbus.service.waits_age() == 3.0


def test_a_placement_is_observed_once_in_ten_minutes_and_another_one_at_once() -> None:
    _, request = measured()
    kept, clock = Kept[WaitRecord](), Clock(NOW)
    tracker = WaitTracker(kept, clock)
    elsewhere = replace(
        request,
        topology=replace(
            request.topology, assignment=(worker("a", 6700, 1), worker("b", 6700, 2, 3))
        ),
    )
    seen = []
    for wait, what in ((0, request), (590.0, request), (3, elsewhere), (7, request)):
        clock.now += wait
        tracker.observe(what, AT_REST)
        assert kept.record is not None
        seen.append(len(kept.record.observations))
    assert seen == [1, 1, 2, 3]


def test_a_topology_whose_observation_had_to_go_is_not_observed_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Room for one, and two topologies that come to rest together: round after round each would push
    # the other out.
    monkeypatch.setattr("eyewall_sidecar.service.wait_tracker.MOST", 1)
    _, request = measured()
    of = request.topology
    other = replace(request, topology=replace(of, topology=replace(of.topology, id="other")))
    kept, clock = Kept[WaitRecord](), Clock(NOW)
    tracker = WaitTracker(kept, clock)
    seen = []
    for _ in range(6):
        for it in (request, other):
            tracker.observe(it, AT_REST)
            assert kept.record is not None
            seen.append(kept.record.observations[0].topology)
        clock.now += 3.0
    # The first round has time for one of them, the second one for the other.
    assert seen == [of.topology.id] * 3 + ["other"] * 9


def slow(count: int, time: float = NOW) -> tuple[WaitObservation, ...]:
    """Latencies of κ = 3 in as many placements."""
    rows = ((0.01 * (1 + it % 3), 0.01 * (1 + it % 5)) for it in range(count))
    return tuple(
        WaitObservation(
            "t", f"p{at}", time, base + 3 * executors, 0.001, base, executors, 0.0, LATENCY_MODEL
        )
        for at, (base, executors) in enumerate(rows)
    )


def test_a_sidecar_goes_on_with_what_an_earlier_one_kept_as_soon_as_that_is_read() -> None:
    kept = Kept[WaitRecord]()
    tracker = WaitTracker(kept, Clock(NOW))
    tracker.read()
    assert tracker.fit == UNFITTED
    tracker.observe(measured()[1], AT_REST)
    kept.before = WaitRecord(observations=slow(20, NOW - 60.0))
    tracker.read()
    assert tracker.fit.burstiness == pytest.approx(3.0, rel=0.2)
    assert (tracker.fit.is_fitted, tracker.fit.observations) == (True, 21)
    tracker.read()  # not once more
    assert tracker.fit.observations == 21


def test_the_oldest_are_dropped() -> None:
    old = slow(10, NOW - OLDEST_SECONDS - 1.0)
    tracker = WaitTracker(Kept(WaitRecord(observations=(*old, *slow(10)))), Clock(NOW))
    tracker.read()
    assert tracker.fit.observations == 10
    many = tuple(with_fields(it, placement=f"q{it.placement}") for it in slow(MOST + 5))
    tracker = WaitTracker(Kept(WaitRecord(observations=many)), Clock(NOW))
    tracker.read()
    assert tracker.fit.observations == MOST


def test_what_another_model_split_is_dropped() -> None:
    before = tuple(with_fields(it, model=LATENCY_MODEL - 1) for it in slow(20))
    tracker = WaitTracker(Kept(WaitRecord(observations=(*before, *slow(10)))), Clock(NOW))
    tracker.read()
    assert tracker.fit.observations == 10


def test_without_a_store_what_is_learned_is_still_used() -> None:
    clock = Clock(NOW)
    tracker = WaitTracker(NoKnowledge(WaitRecord()), clock)
    tracker.read()
    assert tracker.age() is None
    tracker.observe(measured()[1], AT_REST)
    clock.now += 5.0
    assert (tracker.fit.observations, tracker.age()) == (1, 5.0)


def test_problems_are_built_again_with_values_that_were_fitted() -> None:
    nimbus, request = measured()
    tracker = WaitTracker(Kept(WaitRecord(observations=slow(20))), Clock(NOW))
    nimbus.service._waits = tracker
    nimbus.round(request.topology.topology)
    after = nimbus.service.last_round().records[request.topology.topology.id].request
    assert after is not None
    assert isinstance(request.problem, TopologyProblem)
    assert isinstance(after.problem, TopologyProblem)
    assert (request.problem.problem.load.burstiness, request.problem.problem.load.sharing) == (
        UNFITTED.values
    )
    assert after.problem.problem.load.burstiness == tracker.fit.burstiness
    assert tracker.fit.burstiness == pytest.approx(3.0, rel=0.2)
