"""The machines to buy for a running topology, or the supervisors that it does not need.

Solved in parallel to the rounds, like plans. Nothing is bought, moved or switched off.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from threading import BoundedSemaphore

from eyewall_sidecar.model import ProblemError, Solution, Status
from eyewall_sidecar.problem_file.writer import write_without_links
from eyewall_sidecar.service.lookup import (
    InvalidRequestError,
    UnavailableError,
    UnknownNameError,
    nearest_names,
)
from eyewall_sidecar.service.overview import RunningProblem
from eyewall_sidecar.service.planner import ServiceContext
from eyewall_sidecar.service.solver_pool import SolverFailure
from eyewall_sidecar.storm import TopologyState

from eyewall_papers.provisioning.answer import PlatformAnswer, PlatformTask, not_needed
from eyewall_papers.provisioning.catalogue import (
    Catalogue,
    list_shipped,
    parse_catalogue,
    read_shipped,
)
from eyewall_papers.provisioning.methods import METHODS
from eyewall_papers.provisioning.problem_file import (
    ProvisioningFile,
    parse_provisioning,
    priced_to_switch_off,
)
from eyewall_papers.provisioning.problem_file import ProvisioningOptions as WantedOfFile

MOST_AT_ONCE = 2
"""The most concurrent searches: each holds a thread of the server."""
USUAL_METHOD = next(iter(METHODS))
CORES = "cores"
"""The unit of a topology's CPU, and the only one allowed in a catalogue."""
OWN = "own"
"""The name of a catalogue that was sent as text."""


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """A request for a platform.

    Parameters
    ----------
    topology
        By its name or Storm's id.
    catalogue
        A shipped one's name or the TOML text of another; empty: the supervisors that are there.
    throughput
        In multiples of what the topology carries now.
    tuple_bytes
        Mean size of a tuple; None: not known.
    method
        A key of METHODS; empty: the usual one.
    time_limit
        In seconds; 0: the sidecar's.
    seed
        None: the sidecar's.
    """

    topology: str
    catalogue: str = ""
    throughput: float = 1.0
    tuple_bytes: float | None = None
    method: str = ""
    time_limit: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Platform:
    """The platform for a topology.

    Parameters
    ----------
    topology
        For which.
    catalogue, currency
        From which, and what its prices are in; both empty of the supervisors that are there.
    throughput
        In multiples of what the topology carries now.
    answer
        What to buy, or why there is nothing.
    not_needed
        Supervisors, by the names of their nodes, that could be switched off.
    assumptions
        What was measured and what was assumed: sentences for a person.
    """

    topology: TopologyState
    catalogue: str
    currency: str
    throughput: float
    answer: PlatformAnswer
    not_needed: tuple[str, ...]
    assumptions: tuple[str, ...]


class PlatformSearch:
    """Searches platforms for a sidecar's topologies; several threads may use it."""

    def __init__(self, sidecar: ServiceContext) -> None:
        """Search for the topologies of `sidecar`."""
        self._sidecar = sidecar
        self._places = BoundedSemaphore(MOST_AT_ONCE)

    def find(self, wanted: PlatformRequest, is_awaited: Callable[[], bool]) -> Platform:
        """Return the cheapest platform, as soon as it is found; none is also an answer.

        UnknownNameError and InvalidRequestError name what is wrong with what is wanted,
        UnavailableError says why there can be no answer now.
        """
        _require_amounts(wanted)
        method = _method(wanted.method)
        limit = self._sidecar.time_limit(wanted.time_limit)
        seed = self._sidecar.seed(wanted.seed)
        running = self._sidecar.running_problem(wanted.topology)
        catalogue = _catalogue(wanted.catalogue) if wanted.catalogue else None
        file = _file(running, wanted, catalogue)
        answer = self._solve(PlatformTask(file.problem, method, seed), limit, is_awaited)
        spare: tuple[str, ...] = ()
        if catalogue is None and answer.provision is not None:
            spare = not_needed(file.problem, answer.provision.machines, running.shared)
        return Platform(
            topology=running.request.topology,
            catalogue=_catalogue_name(wanted.catalogue),
            currency=catalogue.currency if catalogue else "",
            throughput=wanted.throughput,
            answer=answer,
            not_needed=spare,
            assumptions=(
                *map(str, running.measured),
                *map(str, running.assumptions),
                *file.assumptions,
            ),
        )

    def _solve(
        self, task: PlatformTask, limit: float, is_awaited: Callable[[], bool]
    ) -> PlatformAnswer:
        if not self._places.acquire(blocking=False):
            raise UnavailableError(
                f"{MOST_AT_ONCE} platforms are being looked for already; try again in a moment"
            )
        try:
            outcome = self._sidecar.solve(task, limit, is_awaited)
        finally:
            self._places.release()
        if not isinstance(outcome, SolverFailure):
            return outcome
        failed = Solution(Status.FAILED, task.method, "", reasons=(str(outcome.reason),))
        return PlatformAnswer(failed)


def _require_amounts(wanted: PlatformRequest) -> None:
    if not (isfinite(wanted.throughput) and wanted.throughput > 0):
        raise InvalidRequestError(
            f"throughput is {wanted.throughput:g}; it must be a number > 0, in multiples of what "
            "the topology carries now"
        )
    size = wanted.tuple_bytes
    if size is not None and not (isfinite(size) and size >= 0):
        raise InvalidRequestError(f"tuple_bytes is {size:g}; it must be a number of bytes ≥ 0")


def _method(name: str) -> str:
    if name and name not in METHODS:
        raise UnknownNameError(
            f"no method {name}; methods are {', '.join(METHODS)}", nearest_names(name, METHODS)
        )
    return name or USUAL_METHOD


def _catalogue(given: str) -> Catalogue:
    """Read a catalogue by its name, or from its text if it has a line or an assignment in it."""
    is_text = "\n" in given or "=" in given
    if not is_text and given not in list_shipped():
        there = ", ".join(list_shipped())
        raise UnknownNameError(
            f"no catalogue {given}; catalogues are {there}", nearest_names(given, list_shipped())
        )
    try:
        catalogue = parse_catalogue("catalogue", given) if is_text else read_shipped(given)
    except ProblemError as error:
        raise InvalidRequestError(str(error)) from None
    if catalogue.unit != CORES:
        raise InvalidRequestError(
            f"catalogue {_catalogue_name(given)}: unit is {catalogue.unit}; it must be {CORES}, "
            "which is what is known of a topology that runs"
        )
    return catalogue


def _catalogue_name(catalogue: str) -> str:
    return catalogue if not catalogue or catalogue in list_shipped() else OWN


def _file(
    running: RunningProblem, wanted: PlatformRequest, catalogue: Catalogue | None
) -> ProvisioningFile:
    text = write_without_links(running.problem.problem)  # no bandwidth is known to be limited
    said: tuple[str, ...] = ()
    if catalogue is None:
        text, said = priced_to_switch_off(text, running.shared, wanted.tuple_bytes)
    elif wanted.tuple_bytes is None:
        raise InvalidRequestError(
            "tuple_bytes is not given; what streams carry decides which network cards suffice, and "
            "Storm does not report it"
        )
    types = catalogue.types if catalogue is not None else ()
    try:
        file = parse_provisioning(
            text, Path(), WantedOfFile(wanted.throughput, wanted.tuple_bytes, types)
        )
    except ProblemError as error:
        raise InvalidRequestError(str(error)) from None
    return replace(file, assumptions=(*said, *file.assumptions))
