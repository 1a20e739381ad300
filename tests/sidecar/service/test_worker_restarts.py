"""How often a worker was restarted, by the ids of workers."""

from collections.abc import Iterable

from eyewall_sidecar.service.worker_restarts import WorkerRestarts

A, B = ("a", 6700), ("b", 6700)


def after(reported: Iterable[tuple[str, str]], digest: bytes = b"") -> WorkerRestarts:
    """Restarts by the ids of the workers on a and b in each round; none is reported if empty."""
    restarts = WorkerRestarts()
    for a, b in reported:
        workers = {at: it for at, it in ((A, a), (B, b)) if it}
        restarts = restarts.after(workers, digest)
    return restarts


def test_another_worker_in_the_same_slot_is_a_restart() -> None:
    assert after([("w1", "x1"), ("w1", "x1"), ("w2", "x1"), ("w3", "x2")]).counts == {A: 2, B: 1}
    assert after([("w1", "x1"), ("w2", "x1"), ("w3", "x2")]).most == 2
    assert after([("w1", "x1")]).most == 0


def test_a_worker_that_is_not_reported_for_a_while_is_no_restart() -> None:
    assert after([("w1", "x1"), ("", "x1"), ("w1", "x1")]).most == 0
    assert after([("w1", "x1"), ("", "x1"), ("w2", "x1")]).most == 1


def test_what_ends_for_a_move_within_the_same_slots_is_no_restart() -> None:
    before = after([("w1", "x1"), ("w2", "x1"), ("w3", "x1")])
    # Nimbus has another assignment; the old workers are still reported, then the new ones.
    moved = before.after({A: "w3", B: "x1"}, b"moved")
    assert moved.most == 0
    still = moved.after({A: "w3", B: "x1"}, b"moved")
    started = still.after({A: "w4", B: "x2"}, b"moved")
    assert started.most == 0
    assert started.after({A: "w5", B: "x2"}, b"moved").counts == {A: 1}
