from __future__ import annotations

from eyewall_monitor.dashboard.readers.pace import pause_after


def test_what_takes_long_is_done_for_a_twentieth_of_the_time() -> None:
    assert pause_after(0.1) == 1.9  # 0.1 s of 2 s


def test_what_takes_no_time_is_done_as_often_as_it_should_be() -> None:
    assert pause_after(0.001, least=1.0) == 1.0


def test_what_takes_very_long_is_still_done_as_often_as_hosts_report() -> None:
    assert pause_after(3.0) == 5.0
