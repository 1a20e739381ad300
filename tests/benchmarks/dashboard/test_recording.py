"""The recording that the dashboard's benchmark plays is a consistent cluster."""

from __future__ import annotations

from eyewall_contracts.rates import decode_rates
from eyewall_contracts.sample import decode_sample

from benchmarks.dashboard.recording import MOMENT, SLOTS, ClusterSize, record, stamp


def test_a_recording_has_the_requested_hosts_executors_and_topologies() -> None:
    made = record(ClusterSize(hosts=20, executors=100, topologies=2))
    assert len(made.state.supervisors) == len(made.samples) == len(made.places) == 20
    assert len(made.state.topologies) == len(made.definitions) == len(made.rates) == 2
    for topology, definition in zip(made.state.topologies, made.definitions, strict=True):
        defined = {it.first_task for part in definition.components for it in part.executors}
        placed = [it.first_task for worker in topology.workers for it in worker.executors]
        assert sorted(placed) == sorted(defined)
        assert len(defined) == 50


def test_no_slot_has_two_workers_and_no_host_more_than_it_has_slots() -> None:
    made = record(ClusterSize(hosts=20, executors=200, topologies=2))
    slots = [(it.supervisor_id, it.port) for one in made.state.topologies for it in one.workers]
    assert len(slots) == len(set(slots)) == 40
    assert {port for _, port in slots} <= set(range(6700, 6700 + SLOTS))


def test_stamped_documents_can_be_read_and_have_the_stamped_age() -> None:
    made = record(ClusterSize(hosts=6, executors=24, topologies=2))
    now = MOMENT + 1_000
    for host, data in made.samples.items():
        report = decode_sample(stamp(data, now))
        assert report.host == host
        assert report.age(now + 2) == 2
        assert all(it.until == now for it in report.workers)
    for data in made.rates.values():
        rates = decode_rates(stamp(data, now))
        assert rates.written == now
        assert {it.rate.until for it in rates.streams} == {now}


def test_the_same_seed_gives_the_same_recording() -> None:
    one, other = (record(ClusterSize(6, 24, 2, seed=3)) for _ in range(2))
    assert one == other
