"""Runs of a trial as tests make them."""

from collections.abc import Mapping, Sequence
from typing import Any

from eyewall_deploy.trial.records import RunSecond, TrialMove, TrialRun


def second(at: int, **given: Any) -> RunSecond:
    values: dict[str, Any] = {
        "at": at,
        "out": 10,
        "emitted": 10,
        "acked": 10,
        "failed": 0,
        "replayed": 0,
        "pending": 0,
        "behind": 0.0,
        "p50": 0.02,
        "p99": 0.05,
        "cpu": {},
        "stolen": 0.0,
        "busy": 1.0,
    }
    return RunSecond(**values | given)


def run(
    scheduler: str = "ras",
    *,
    load: float = 1.0,
    repetition: int = 1,
    due: float | None = 20.0,
    latency: Mapping[int, int] | None = None,
    seconds: Sequence[RunSecond] = (second(0), second(1)),
    moves: Sequence[TrialMove] = (),
    of: str = "f",
) -> TrialRun:
    return TrialRun(
        scheduler=scheduler,
        load=load,
        repetition=repetition,
        fingerprint=of,
        began=1790000000.0,
        due=due,
        latency={10: 20} if latency is None else latency,
        seconds=tuple(seconds),
        moves=tuple(moves),
        status="placed",
        placement=("h1: sink",),
    )
