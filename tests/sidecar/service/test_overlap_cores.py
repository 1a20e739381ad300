"""Whether a host has the cores for workers that start beside old ones."""

import pytest
from eyewall_sidecar.messages import Code
from eyewall_sidecar.storm import Assignment
from overlapping_moves import (
    OTHERS,
    REPLAYED,
    TOGETHER,
    USUAL,
    add_worker,
    have_cores,
    pair,
    price,
    reason,
    report_start_cpu,
    running,
)
from said import codes, values
from storm_builders import supervisor, worker


@pytest.mark.parametrize(
    ("used", "starting", "behind"),
    [(0.5, 1, 0.0), (0.8, 1, 3.0), (1.0, 1, 4.0), (0.33, 2, 0.0), (0.66, 2, 5.9), (0.7, 2, 6.3)],
)
def test_old_workers_may_fall_behind_by_six_seconds_while_others_start_beside_them(
    used: float, starting: int, behind: float
) -> None:
    # Of one core each process has an equal share: next to one that starts half, to two a third. Of
    # 0.8 cores that are needed 0.3 are missing for the 4 / 0.5 = 8 s of a start: 8 · 0.3 / 0.8 s.
    topology = pair()
    nimbus = running(topology, used=used)
    nimbus.hosts[0] = supervisor("a", slots=3)
    apart = (worker("a", 6701, 1), worker("a", 6702, 2))
    found = reason(nimbus, topology, TOGETHER if starting == 1 else apart)
    assert codes(found) == ([Code.NO_CPU_FOR_BOTH] if behind > 6.0 else [])
    if found is not None:
        assert values(found, Code.NO_CPU_FOR_BOTH) == {
            "host": "a",
            "cores": 1.0,
            "used": used,
            "seconds": pytest.approx(behind, abs=0.05),
        }


def test_where_old_workers_need_the_cores_a_move_costs_the_workers_start() -> None:
    # Of 0.5 cores they use 0.45 and would keep 0.25: for 4 / 0.25 s, 7.1 s behind.
    topology = pair()
    nimbus = running(topology, used=0.45)
    have_cores(nimbus, 0.5)
    nimbus.round(topology, *OTHERS, obey=False)
    assert price(nimbus, topology) == pytest.approx(REPLAYED * USUAL)


def test_on_a_host_that_other_workers_fill_a_move_takes_as_much_in_either_way() -> None:
    # 0.8 of a's core are another topology's, which loses the same to an ordinary move. Of the 0.2
    # that it leaves a worker that starts takes half, and the old one needs the other half.
    topology = pair()
    nimbus = running(topology)
    add_worker(nimbus, "a", port=6702, topology="o-1", used=0.8)
    assert reason(nimbus, topology) is None


def test_where_none_of_its_workers_ends_a_move_takes_as_much_in_either_way() -> None:
    # b's worker stays and needs 0.9 of one core; one that starts there may take half of it.
    topology = pair()
    nimbus = running(topology, used=0.9)
    assert reason(nimbus, topology, (worker("b", 6701, 1), worker("b", 6700, 2))) is None


def test_on_many_cores_a_start_is_over_before_old_workers_fall_behind() -> None:
    # 9 of 16 cores, 8 are left: 4 core-seconds take half a second, in which a ninth is missing.
    topology = pair()
    nimbus = running(topology, used=9.0)
    have_cores(nimbus, 16.0)
    assert reason(nimbus, topology) is None


@pytest.mark.parametrize(
    ("cores", "starting", "restarts"),
    [(0.034, 1, False), (0.033, 1, True), (0.067, 2, False), (0.066, 2, True)],
)
def test_where_starts_take_longer_than_old_workers_wait_workers_restart(
    cores: float, starting: int, restarts: bool
) -> None:
    # 4 core-seconds take 118 s on 0.034 cores, 121 s on 0.033; 8 take 119 on 0.067, 121 on 0.066.
    topology = pair()
    nimbus = running(topology, used=0.01)
    nimbus.hosts[0] = supervisor("a", slots=3)
    have_cores(nimbus, cores)
    apart = (worker("a", 6701, 1), worker("a", 6702, 2))
    found = reason(nimbus, topology, TOGETHER if starting == 1 else apart)
    assert codes(found) == ([Code.SLOW_START] if restarts else [])


@pytest.mark.parametrize(("cores", "gap"), [(0.14, 1.0), (0.13, 4 / 0.13)])
def test_where_starts_take_half_a_minute_a_move_costs_as_much_as_an_ordinary_one(
    cores: float, gap: float
) -> None:
    # 4 core-seconds take 28.6 s on 0.14 cores, 30.8 s on 0.13. Old workers serve on in both.
    topology = pair()
    nimbus = running(topology, used=0.01)
    have_cores(nimbus, cores)
    assert reason(nimbus, topology) is None
    assert price(nimbus, topology) == pytest.approx(REPLAYED * gap)


def test_a_topology_whose_starts_took_more_cpu_needs_more_of_it() -> None:
    # Of one core old workers that use 0.6 keep 0.5: 0.1 are missing for 4 / 0.5 s, 1.3 s in all.
    # A start of 20 CPU-seconds takes five times as long.
    topology = pair()
    nimbus = running(topology, used=0.6)
    assert reason(nimbus, topology) is None
    report_start_cpu(nimbus, 20.0)
    assert values(reason(nimbus, topology), Code.NO_CPU_FOR_BOTH)["seconds"] == pytest.approx(
        6.67, abs=0.01
    )


def test_the_starts_of_other_topologies_say_nothing() -> None:
    topology = pair()
    nimbus = running(topology, used=0.6)
    add_worker(nimbus, "b", port=6703, topology="o-1", start_cpu=100.0)
    assert reason(nimbus, topology) is None


def test_an_ordinary_move_takes_as_long_as_the_cpu_of_its_starts() -> None:
    # 12 CPU-seconds on 0.5 cores.
    topology = pair(moves="restart")
    nimbus = running(topology)
    have_cores(nimbus, 0.5)
    report_start_cpu(nimbus, 12.0)
    nimbus.round(topology, *OTHERS, obey=False)
    assert price(nimbus, topology) == pytest.approx(REPLAYED * 24.0, rel=0.02)


APART = (worker("a", 6701, 1), worker("a", 6702, 2))


@pytest.mark.parametrize(
    ("cores", "others", "after", "gap"),
    [
        (0.1, 0.0, TOGETHER, 40.0),
        (0.5, 0.0, TOGETHER, USUAL),
        (2.0, 0.0, TOGETHER, USUAL),
        (0.4, 0.0, APART, 20.0),
        (0.5, 0.2, TOGETHER, 4 / 0.3),
        (0.5, 0.5, TOGETHER, 16.0),
    ],
)
def test_a_move_costs_no_less_than_what_starts_take_on_the_cores_that_a_host_has_now(
    cores: float, others: float, after: Assignment, gap: float
) -> None:
    # 4 core-seconds take 40 s on 0.1 cores, and 8 s on half of one, which is usual. Two starts take
    # 8 core-seconds, and next to others one has what they leave, or half.
    topology = pair(moves="restart")
    nimbus = running(topology)
    nimbus.hosts[0] = supervisor("a", slots=3)
    if others:
        add_worker(nimbus, "a", port=6703, topology="o-1", used=others)
    have_cores(nimbus, cores)
    nimbus.round(topology, *OTHERS, obey=False)
    assert price(nimbus, topology, after) == pytest.approx(REPLAYED * gap, rel=0.02)
