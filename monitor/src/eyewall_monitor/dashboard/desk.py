"""What can be asked and done at the operators' desk, whoever asks; blocking, for any thread."""

from __future__ import annotations

import math
from collections import OrderedDict
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2

from eyewall_monitor.dashboard.decision_view import decision_view, summary, topology_name
from eyewall_monitor.dashboard.plan_view import plan_summary_view, plan_view
from eyewall_monitor.dashboard.provision_view import provision_view
from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperAwayError
from eyewall_monitor.dashboard.response_time_view import response_time_view
from eyewall_monitor.dashboard.signals import ROUND_SECONDS
from eyewall_monitor.dashboard.summaries import metric
from eyewall_monitor.dashboard.switches_view import switches_view
from eyewall_monitor.dashboard.views.decision import DecisionPage
from eyewall_monitor.dashboard.web.problems import ProblemError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyewall_contracts.decision import DecisionRecord, Verdict
    from eyewall_contracts.switches import Switches

    from eyewall_monitor.dashboard.board import Board
    from eyewall_monitor.dashboard.known import Known
    from eyewall_monitor.dashboard.readers.sidecar_reader import SidecarReader
    from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
    from eyewall_monitor.dashboard.sidecar_client import SidecarClient
    from eyewall_monitor.dashboard.views.decision import DecisionView
    from eyewall_monitor.dashboard.views.plan import PlanRequest, PlanSummaryView, PlanView
    from eyewall_monitor.dashboard.views.provision import ProvisionRequest, ProvisionView
    from eyewall_monitor.dashboard.views.response_time import ResponseTimeView
    from eyewall_monitor.dashboard.views.switches import SwitchesView

LARGEST_SEED: Final = 2**31 - 1
_PAGES: Final = 64
"""Pages of the history that are remembered until something new is decided."""


class Desk:
    """Everything but the views that the board makes.

    Parameters
    ----------
    zookeeper
        None: the dashboard was told of none.
    done
        Called when something was changed, so that it is shown soon.
    """

    def __init__(
        self,
        board: Board,
        client: SidecarClient,
        sidecar: SidecarReader,
        zookeeper: ZookeeperReader | None,
        done: Callable[[], None],
    ) -> None:
        self.board = board
        self.client = client
        self._sidecar = sidecar
        self._zookeeper = zookeeper
        self._done = done
        self._pages = _Remembered()

    def topology(self, name: str) -> pb.TopologyStatus:
        """Find a topology by Storm's id or by name; ProblemError if there is none."""
        known = self.board.known
        status = known.sidecar.status
        if status is None:
            raise ProblemError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"which topologies there are is not known: the sidecar at "
                f"{known.sidecar.address} has not answered yet ({known.sidecar.wrong})",
            )
        if known.sidecar.round_age is None:
            raise ProblemError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "which topologies there are is not known: no Nimbus has been heard yet",
            )
        for found in (it for it in status.topologies if it.topology_id == name):
            return found
        for found in (it for it in status.topologies if it.name == name):
            return found
        raise unknown("topology", name, _topology_names(known))

    def response_time(self, name: str, seconds: float) -> ResponseTimeView:
        """Show the response time of a topology over the last seconds."""
        topology = self.topology(name)
        current = metric(topology, "R")
        return response_time_view(self.board.now(), topology.topology_id, current, seconds)

    def decisions(
        self, topology: str | None, verdict: Verdict | None, count: int, before: str | None
    ) -> DecisionPage:
        """Read a page of the history; None of a filter: any."""

        def wanted(record: DecisionRecord) -> bool:
            named = topology in (None, record.topology, topology_name(record.topology))
            return named and verdict in (None, record.verdict)

        known = self.board.now()
        newest = known.zookeeper.decisions[0].id if known.zookeeper.decisions else ""
        key = (topology, verdict, count, before, newest)
        found = self._pages.get(key)
        if found is None:
            try:
                page = self._store().page(count, wanted, before)
            except ContractError as error:
                raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, f"before: {error}") from None
            found = DecisionPage(
                decisions=tuple(summary(it) for it in page.records),
                older=page.older,
                unreadable=page.unreadable,
            )
            if found.decisions:
                self._pages.put(key, found)
        nothing = not found.decisions and found.older is None and before is None
        if nothing and topology is not None and verdict is None:
            names = _topology_names(known)
            if topology not in names:
                raise unknown("decision on a topology", topology, names)
        return found

    def decision(self, id_: str) -> DecisionView:
        """Read one decision, and what became of it."""
        try:
            record = self._store().decision(id_)
        except ContractError as error:
            raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        if record is None:
            why = f"decision {id_} is not there, or not any more: they are kept for 30 days"
            raise ProblemError(HTTPStatus.NOT_FOUND, why)
        return decision_view(record, self.board.now())

    def plans(self) -> tuple[PlanSummaryView, ...]:
        """Every plan that the sidecar remembers, newest first."""
        return tuple(plan_summary_view(it) for it in self.client.plans().plans)

    def make_plan(self, asked: PlanRequest) -> PlanView:
        """Plan without moving anything."""
        request = pb.PlanRequest(
            topology=_text("topology", asked.topology),
            policy=_text("policy", asked.policy),
            objective=_text("objective", asked.objective),
        )
        if asked.time_limit is not None:
            request.time_limit = _above_zero("time_limit", asked.time_limit, " of seconds")
        if asked.seed is not None:
            request.seed = _seed(asked.seed)
        made = plan_view(self.client.make_plan(request))
        self._sidecar.hurry()
        return made

    def apply_plan(self, id_: str) -> PlanView:
        """Hand a plan to Nimbus."""
        applied = plan_view(self.client.apply_plan(_text("plan", id_)))
        self._sidecar.hurry()
        return applied

    def provision(self, topology: str, asked: ProvisionRequest) -> ProvisionView:
        """Look for the cheapest platform; nothing is bought or switched off."""
        request = provisioning_pb2.ProvisionRequest(
            topology=topology,
            catalogue=_text("catalogue", asked.catalogue),
            throughput=_above_zero("throughput", asked.throughput),
            method=_text("method", asked.method),
        )
        if asked.tuple_bytes is not None:
            request.tuple_bytes = _bytes("tuple_bytes", asked.tuple_bytes)
        if asked.time_limit is not None:
            request.time_limit = _above_zero("time_limit", asked.time_limit, " of seconds")
        if asked.seed is not None:
            request.seed = _seed(asked.seed)
        return provision_view(self.client.provision(request))

    def freeze(self, *, frozen: bool) -> SwitchesView:
        """Freeze or unfreeze everything."""
        return self._turned(lambda it: it.with_all(frozen=frozen))

    def freeze_topology(self, name: str, *, frozen: bool) -> SwitchesView:
        """Freeze or unfreeze one topology; by its id even if it has ended."""
        held = self.board.known.zookeeper.switches
        ended = not frozen and held is not None and name in held.frozen_topologies
        id_ = name if ended else self.topology(name).topology_id
        return self._turned(lambda it: it.with_topology(id_, frozen=frozen))

    def _turned(self, turned: Callable[[Switches], Switches]) -> SwitchesView:
        there = _topologies_for_certain(self.board.now())

        def tidied(before: Switches) -> Switches:
            after = turned(before)
            return after if there is None else after.without_gone(there)

        after = self._store().turn(tidied)
        self._sidecar.hurry()
        self._done()
        return switches_view(self.board.now(), after)

    def _store(self) -> ZookeeperReader:
        if self._zookeeper is None:
            raise ZookeeperAwayError("no ZooKeeper is configured ([zookeeper] servers)")
        return self._zookeeper


class _Remembered:
    """The pages of the history that were asked for last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: OrderedDict[object, DecisionPage] = OrderedDict()

    def get(self, key: object) -> DecisionPage | None:
        with self._lock:
            return self._pages.get(key)

    def put(self, key: object, page: DecisionPage) -> None:
        with self._lock:
            self._pages[key] = page
            while len(self._pages) > _PAGES:
                self._pages.popitem(last=False)


def _topology_names(known: Known) -> set[str]:
    """Names and ids of those that run, and of those that were decided on lately."""
    status = known.sidecar.status
    running = status.topologies if status is not None else ()
    decided = {it.topology for it in known.zookeeper.decisions}
    names = {it.name for it in running} | {topology_name(it) for it in decided}
    return names | {it.topology_id for it in running} | decided


def _topologies_for_certain(known: Known) -> set[str] | None:
    """Ids of the topologies that there are; None unless Nimbus has just told the sidecar."""
    sidecar = known.sidecar
    fresh = sidecar.round_age is not None and sidecar.round_age <= ROUND_SECONDS
    if sidecar.status is None or sidecar.wrong or not fresh:
        return None
    return {it.topology_id for it in sidecar.status.topologies}


def _above_zero(what: str, value: float, of: str = "") -> float:
    if math.isfinite(value) and value > 0:
        return value
    why = f"{what} is {value}: it must be a number{of} above 0"
    raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, why)


def _bytes(what: str, value: float) -> float:
    if math.isfinite(value) and value >= 0:
        return value
    why = f"{what} is {value}: it must be a number of bytes, 0 or more"
    raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, why)


def _seed(value: int) -> int:
    if 0 <= value <= LARGEST_SEED:
        return value
    why = f"seed is {value}: it must be from 0 to {LARGEST_SEED}"
    raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, why)


def _text(what: str, value: str) -> str:
    """Refuse what cannot be sent: half of a character, which JSON can name."""
    try:
        value.encode()
    except UnicodeEncodeError:
        why = f"{what} is {value!r:.80}: no text that can be written down"
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, why) from None
    return value
