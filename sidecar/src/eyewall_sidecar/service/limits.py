"""What an operator configures: for how long to solve, and when to move what runs."""

from dataclasses import dataclass, field

from eyewall_sidecar.storm import Settings


@dataclass(frozen=True, slots=True)
class SolverLimits:
    """Time limits of the policies, in seconds, and the seed of everything random."""

    first_placement_seconds: float = 1.2
    improvement_seconds: float = 10.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """When a running topology may be moved without an order.

    Parameters
    ----------
    minimum_gain
        Relative gain of the objective below which nothing moves.
    cool_down_seconds
        How long an assignment runs before anything of it moves.
    frozen
        Nothing that runs is moved.
    workers_per_round, workers_per_hour
        Worker processes that moves may start in the whole cluster; None: any number.
    horizon_seconds
        Within which a move has to save more than it costs; None: not evaluated.
    """

    minimum_gain: float = 0.1
    cool_down_seconds: float = 30.0
    frozen: bool = False
    workers_per_round: int | None = None
    workers_per_hour: int | None = None
    horizon_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """All of it.

    Parameters
    ----------
    defaults
        For a topology that sets nothing itself.
    solver, moves
        How long may be solved, and when a running topology may be moved.
    minimum_confidence
        From 0 to 1; an estimate with less is not believed.
    """

    defaults: Settings = field(default_factory=Settings)
    solver: SolverLimits = SolverLimits()
    moves: MoveLimits = MoveLimits()
    minimum_confidence: float = 0.5
