from eyewall_deploy.demo.timeline import Moment, timeline
from eyewall_deploy.measure.events import Events, Sighting


def test_latency_over_time_spans_all_that_was_emitted_and_leaves_lost_tuples_unknown() -> None:
    # Emitted at 0, 1.2 and 2 s; the one of 1.2 s never arrives. Windows of 1 s end at 1, 1.5, 2 s:
    # [0, 1) holds "a", [0.5, 1.5) and [1, 2) hold only "b", which never arrived.
    told = Events(
        emitted={"a": 0.0, "b": 1.2, "c": 2.0},
        acked={},
        dropped={},
        failed=(),
        seen=(Sighting("a", 0.0, 0.3), Sighting("c", 2.0, 2.1)),
    )
    assert timeline("ras", told).moments == (
        Moment(1.0, 0.3, 0.3),
        Moment(1.5, None, None),
        Moment(2.0, None, None),
    )


def test_a_topology_that_emitted_nothing_has_no_moments() -> None:
    nothing = Events(emitted={}, acked={}, dropped={}, failed=(), seen=())
    assert timeline("ras", nothing).moments == ()
