"""What is placed: operators and the streams between them, G_dsp of paper 000, section 3.1."""

from dataclasses import dataclass

from eyewall_sidecar.model.errors import ProblemError, require_amount
from eyewall_sidecar.model.generic_resources import Amounts, amount_of, require_amounts
from eyewall_sidecar.model.limits import LONGEST, MOST


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator i ∈ V_dsp; for Storm one executor.

    Parameters
    ----------
    id
        The name that streams and placements use.
    cpu
        Cores it needs, from 0 to MOST.
    memory
        Bytes it needs, from 0 to MOST.
    reserved
        Cores that are set aside for it where `cpu` is measured, from 0 to MOST.
    execution_time
        R_i: seconds for one tuple on a node of speedup 1, from 0 to LONGEST.
    candidates
        V_res^i: ids of the nodes that may hold it; None means every node.
    demand
        Cores it uses at today's rates on a node of speedup 1, measured, from 0 to MOST; None means
        unknown: `cpu` is then taken for it.
    demand_error
        Half the width of the 95 % interval of `demand`, cores.
    generic
        Generic resources that it needs, from 0 to MOST.
    """

    id: str
    cpu: float = 1.0
    memory: float = 0.0
    execution_time: float = 0.0
    candidates: tuple[str, ...] | None = None
    demand: float | None = None
    demand_error: float = 0.0
    reserved: float = 0.0
    generic: Amounts = ()

    def __post_init__(self) -> None:
        owner = f"operator {self.id}"
        require_amounts(owner, self.generic, MOST)
        require_amount(owner, "cpu", self.cpu, MOST)
        require_amount(owner, "memory", self.memory, MOST)
        require_amount(owner, "reserved", self.reserved, MOST)
        require_amount(owner, "execution_time", self.execution_time, LONGEST)
        if self.demand is not None:
            require_amount(owner, "demand", self.demand, MOST)
        require_amount(owner, "demand_error", self.demand_error, MOST)
        if self.candidates is not None and not self.candidates:
            raise ProblemError(f"{owner}: candidates is empty; name at least one node")

    def requirement(self, resource: str) -> float:
        """Return C_i: how much of the resource it needs; of `operators` one."""
        return 1.0 if resource == "operators" else amount_of(self, self.generic, resource)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream (i, j) ∈ E_dsp.

    Parameters
    ----------
    source, target
        Ids of the operators at its ends.
    rate
        λ: tuples/s, from 0 to MOST.
    tuple_bytes
        Mean size of a tuple in bytes, up to MOST; None means unknown, which is not zero.
    system
        Carries acks or metrics: it counts for everything but the paths of R; L follows acks.
    shuffle
        Streams of one source with the same name share its tuples, and all go to targets on its own
        node if there are any, for L and THETA; `rate` is that of an even spread. None: its rate
        holds wherever operators are.
    """

    source: str
    target: str
    rate: float = 1.0
    tuple_bytes: float | None = None
    system: bool = False
    shuffle: str | None = None

    def __post_init__(self) -> None:
        require_amount(self, "rate", self.rate, MOST)
        if self.tuple_bytes is not None:
            require_amount(self, "tuple_bytes", self.tuple_bytes, MOST)

    def __str__(self) -> str:
        return f"stream {self.source} → {self.target}"
