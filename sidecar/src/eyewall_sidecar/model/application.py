"""What is placed: operators and the streams between them, G_dsp of paper 000, section 3.1."""

from dataclasses import dataclass

from eyewall_sidecar.model.errors import ProblemError, require_amount


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator i ∈ V_dsp; for Storm one executor.

    Parameters
    ----------
    id
        The name that streams and placements use.
    cpu
        Cores it needs, ≥ 0.
    memory
        Bytes it needs, ≥ 0.
    execution_time
        R_i: seconds for one tuple on a node of speedup 1, ≥ 0.
    candidates
        V_res^i: ids of the nodes that may hold it; None means every node.
    """

    id: str
    cpu: float = 1.0
    memory: float = 0.0
    execution_time: float = 0.0
    candidates: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("cpu", "memory", "execution_time"):
            require_amount(f"operator {self.id}", name, getattr(self, name))
        if self.candidates is not None and not self.candidates:
            raise ProblemError(f"operator {self.id}: candidates is empty; name at least one node")


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream (i, j) ∈ E_dsp.

    Parameters
    ----------
    source, target
        Ids of the operators at its ends.
    rate
        λ: tuples/s, ≥ 0.
    tuple_bytes
        Mean size of a tuple in bytes; None means unknown, which is not zero.
    system
        Carries acks or metrics: it counts for everything but the paths of the response time.
    """

    source: str
    target: str
    rate: float = 1.0
    tuple_bytes: float | None = None
    system: bool = False

    def __post_init__(self) -> None:
        require_amount(self, "rate", self.rate)
        if self.tuple_bytes is not None:
            require_amount(self, "tuple_bytes", self.tuple_bytes)

    def __str__(self) -> str:
        return f"stream {self.source} → {self.target}"
