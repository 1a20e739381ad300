"""A dry run: what a policy would move, slot by slot, and what the rules would say to it.

Solved beside the rounds, from what the last one went by. Nothing is moved until somebody has the
plan applied (`ordering`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from threading import BoundedSemaphore
from typing import TypeVar

from eyewall_sidecar.model import ProblemError, Solution
from eyewall_sidecar.model.errors import listed
from eyewall_sidecar.objective import Objective, ObjectiveError
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.service.asking import LookedAt, ask, question_of
from eyewall_sidecar.service.drafting import Draft
from eyewall_sidecar.service.names import (
    BadQuestionError,
    NotNowError,
    UnknownNameError,
    nearest,
    require_seen,
    topology_named,
)
from eyewall_sidecar.service.ordering import as_it_stands, order
from eyewall_sidecar.service.plan import Plan, names_of
from eyewall_sidecar.service.scheduling import SchedulingService
from eyewall_sidecar.service.solving import Failed, Job, Question, Solvers
from eyewall_sidecar.storm import Mode, Settings, SettingsError, TopologyState, read_settings
from eyewall_sidecar.storm.settings import require_taken

LONGEST_SOLVE = 60.0
MOST_AT_ONCE = 3
"""Plans that are made at a time: whoever waits for one holds a thread that rounds need, too."""
LOOK_SECONDS = 0.5
"""Between two looks whether anybody still waits for a plan."""
MOST_SEED = 2**31 - 1

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asks for.

    Parameters
    ----------
    topology
        By its name or Storm's id.
    policy, objective
        Empty: the topology's own.
    time_limit
        In seconds; 0: the sidecar's.
    seed
        None: the sidecar's.
    """

    topology: str
    policy: str = ""
    objective: str = ""
    time_limit: float = 0.0
    seed: int | None = None


class Planning:
    """Makes plans for what a service runs; may be asked by several threads."""

    def __init__(
        self, service: SchedulingService, solvers: Solvers, make_id: Callable[[], str]
    ) -> None:
        """Plan for `service`; `make_id` returns another short id each time."""
        self._service = service
        self._solvers = solvers
        self._make_id = make_id
        self._places = BoundedSemaphore(MOST_AT_ONCE)

    def make(self, wanted: Wanted, is_awaited: Callable[[], bool]) -> Plan:
        """Return a plan, as soon as it is solved; NotNowError once nobody awaits it any more.

        UnknownNameError and BadQuestionError name what is wrong with what is wanted, NotNowError
        says why there can be no plan now. That nothing was found is a plan, too.
        """
        seen = require_seen(self._service.seen)
        topology = topology_named(seen, wanted.topology)
        own = self._own_settings(topology)
        settings = _as_wanted(own, wanted)
        usual = min(self._service.rules.improvement_seconds, settings.time_limit)
        limit = limit_of(wanted.time_limit, usual)
        seed = seed_of(wanted.seed, self._service.rules.seed)
        memory = seen.memory.get(topology.topology.id)
        before = memory.asked if memory is not None else None
        asked = ask(before, seen.state, topology, settings, seen.delays, seen.measured, LookedAt())
        draft = Draft(self._service, seen, asked, own, seed, self._make_id())
        problem = asked.problem
        if isinstance(problem, ProblemError):
            plan = draft.nothing(str(problem))
        else:
            answer = self._solved(question_of(problem, settings, seed), limit, is_awaited)
            plan = draft.found(problem, answer)
        self._service.plans.add(plan)
        # What runs may have changed while it was solved.
        return as_it_stands(plan, self._service.seen, self._service.now())

    def get(self, id_: str) -> Plan:
        """Return a plan and what has become of it by now; UnknownNameError if it is gone."""
        plan = self._service.plans.get(id_)
        return as_it_stands(plan, self._service.seen, self._service.now())

    def all(self) -> tuple[Plan, ...]:
        """Return all plans that are remembered, newest first."""
        seen, now = self._service.seen, self._service.now()
        return tuple(as_it_stands(it, seen, now) for it in self._service.plans.all())

    def apply(self, id_: str) -> Plan:
        """Have a plan applied in the next round; NotNowError says why it cannot be."""
        plan, seen = self._service.plans.get(id_), require_seen(self._service.seen)
        frozen = self._service.frozen(plan.topology_id, self._service.switches())
        return order(self._service.plans, plan, seen, frozen, self._service.now())

    def _own_settings(self, topology: TopologyState) -> Settings:
        """Return the topology's own settings; NotNowError if nothing of it can be moved."""
        name = topology.topology.name
        try:
            own = read_settings(topology.topology, self._service.defaults, policy_catalogue())
        except SettingsError as error:
            raise NotNowError(f"{name}: {error}") from None
        if own.mode is Mode.OFF:
            raise NotNowError(f"{name}: eyewall.mode is off: nothing of it is moved")
        if reason := topology.topology.refused:
            raise NotNowError(f"{name}: {reason}")
        if missing := topology.missing():
            names = names_of(topology)
            lacking = listed([names[it] for it in missing], 3)
            raise NotNowError(f"{name} does not run whole: {lacking} without a slot")
        return own

    def _solved(
        self, asked: Question, limit: float, is_awaited: Callable[[], bool]
    ) -> Solution | Failed:
        if not self._places.acquire(blocking=False):
            raise NotNowError(f"{MOST_AT_ONCE} plans are being made already; try again in a moment")
        try:
            return awaited(self._solvers.plan(asked, limit), self._service.now, is_awaited)
        finally:
            self._places.release()


def limit_of(wanted: float, usual: float) -> float:
    """Return the time limit that is meant, in seconds; 0 is the usual one."""
    if wanted == 0:
        return min(usual, LONGEST_SOLVE)
    if isfinite(wanted) and 0 < wanted <= LONGEST_SOLVE:
        return wanted
    raise BadQuestionError(
        f"time limit {wanted:g}: it must be a number of seconds > 0 and at most {LONGEST_SOLVE:g}"
    )


def seed_of(wanted: int | None, usual: int) -> int:
    """Return the seed that is meant; None is the usual one."""
    seed = usual if wanted is None else wanted
    if not 0 <= seed <= MOST_SEED:
        raise BadQuestionError(f"seed {seed}: it must be a whole number from 0 to {MOST_SEED}")
    return seed


def awaited(
    job: Job[Found], now: Callable[[], float], is_awaited: Callable[[], bool]
) -> Found | Failed:
    """Wait for an answer; NotNowError once nobody else does any more."""
    while (outcome := job.outcome(now() + LOOK_SECONDS)) is None:
        if not is_awaited():
            job.drop()
            raise NotNowError("nobody waits for the answer any more")
    return outcome


def _as_wanted(own: Settings, wanted: Wanted) -> Settings:
    """Return the settings with the policy and objective that are wanted."""
    if wanted.policy and wanted.policy not in policy_catalogue():
        there = f"policies are {', '.join(policy_catalogue())}"
        near = nearest(wanted.policy, policy_catalogue())
        raise UnknownNameError(f"no policy {wanted.policy}; {there}", near)
    settings = replace(own, policy=wanted.policy) if wanted.policy else own
    try:
        if wanted.objective:
            settings = replace(settings, objective=Objective.parse(wanted.objective))
        require_taken("policy", settings, policy_catalogue())
    except (ObjectiveError, SettingsError) as error:
        raise BadQuestionError(str(error)) from None
    return settings
