"""How far the load model's inputs may be off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoadScenario:
    """What the load model's inputs may be instead of their estimates.

    `LoadModel.uncertainty` multiplies `demand`, and is the exponent of the factors.

    Parameters
    ----------
    demand
        What is added to each operator's demand, as a multiple of `demand_error`.
    crossing, burstiness, sharing, polling
        Factors of the costs of a crossing (CPU and seconds), of κ, of γ and of `polling_cpu`.
    settled
        Factor of each operator's demand, before an error is added, and of its execution time.
    """

    demand: float = 0.0
    crossing: float = 1.0
    burstiness: float = 1.0
    sharing: float = 1.0
    polling: float = 1.0
    settled: float = 1.0


AS_ESTIMATED = LoadScenario()
SCENARIOS: tuple[LoadScenario, ...] = (
    AS_ESTIMATED,
    LoadScenario(demand=-1.0),
    LoadScenario(demand=1.0),
    LoadScenario(crossing=0.5),
    LoadScenario(crossing=2.0),
    LoadScenario(burstiness=0.5),
    LoadScenario(burstiness=2.0),
    LoadScenario(sharing=0.5),
    LoadScenario(sharing=2.0),
    LoadScenario(polling=0.5),
    LoadScenario(polling=2.0),
)
"""How far each input may be off, one at a time: demand by its measured error, the others by a
factor of two, which stands for their 95 % interval and was not measured."""
SETTLING: tuple[LoadScenario, ...] = (LoadScenario(settled=0.5), LoadScenario(settled=0.1))
"""What demands and execution times that were measured of workers that have just started may become:
code that is compiled takes a tenth of the CPU, and compiling none."""
