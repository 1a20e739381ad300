import pytest
from eyewall_deploy.measure import machine
from eyewall_deploy.measure.machine import (
    MachineTime,
    busy_cores,
    parse_machine_time,
    stolen_share,
)


def test_time_of_guests_is_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_TICKS", 100)
    # user 100, nice 0, system 50, idle 800, iowait 40, irq 0, softirq 10, steal 200; guest 70 is
    # part of user: 1,200 ticks in all.
    stat = "cpu  100 0 50 800 40 0 10 200 70 0\ncpu0 1 1 1\n"
    assert parse_machine_time(stat) == MachineTime(total=12.0, idle=8.4, stolen=2.0)


def test_what_other_guests_had_is_neither_idle_nor_busy() -> None:
    # Of 10 s on two cores 3 were idle and 1 was stolen: 60 % of the time was ours, 1.2 cores.
    before, after = MachineTime(100, 50, 3), MachineTime(110, 53, 4)
    assert stolen_share(before, after) == pytest.approx(0.1)
    assert busy_cores(before, after, cores=2) == pytest.approx(1.2)
    assert stolen_share(before, before) == 0
