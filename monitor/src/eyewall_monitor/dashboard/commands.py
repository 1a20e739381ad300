"""What the API answers beyond the cached views: the history, plans, provisioning, and freezing.

All of it blocks, and may be called from any thread.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final

from eyewall_contracts.errors import ContractError
from eyewall_contracts.proto import operations_pb2 as pb
from eyewall_contracts.proto import provisioning_pb2 as provisioning
from eyewall_contracts.topology_id import topology_name

from eyewall_monitor.dashboard.errors import Reason, RequestError, unknown_name
from eyewall_monitor.dashboard.views.decision import DecisionPage, decision_view
from eyewall_monitor.dashboard.views.decision_summary import decision_summary
from eyewall_monitor.dashboard.views.explanation import explanation_view
from eyewall_monitor.dashboard.views.forecast import forecast_view
from eyewall_monitor.dashboard.views.metrics import present_value
from eyewall_monitor.dashboard.views.plan import PolicyView, plan_summary_view, plan_view
from eyewall_monitor.dashboard.views.provision import CatalogueView, provision_view
from eyewall_monitor.dashboard.views.response_time import response_time_view, throughput_view
from eyewall_monitor.dashboard.views.signal import ROUND_SECONDS
from eyewall_monitor.dashboard.views.switches import switches_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyewall_contracts.decision import DecisionRecord, Verdict
    from eyewall_contracts.switches import Switches

    from eyewall_monitor.dashboard.readers.sidecar_reader import SidecarReader
    from eyewall_monitor.dashboard.readers.zookeeper_reader import ZookeeperReader
    from eyewall_monitor.dashboard.sidecar_client import SidecarClient
    from eyewall_monitor.dashboard.snapshot import Snapshot
    from eyewall_monitor.dashboard.view_cache import ViewCache
    from eyewall_monitor.dashboard.views.decision import DecisionView
    from eyewall_monitor.dashboard.views.explanation import ExplanationView
    from eyewall_monitor.dashboard.views.forecast import ForecastView
    from eyewall_monitor.dashboard.views.plan import PlanRequest, PlanSummaryView, PlanView
    from eyewall_monitor.dashboard.views.provision import ProvisionRequest, ProvisionView
    from eyewall_monitor.dashboard.views.response_time import ResponseTimeView, ThroughputView
    from eyewall_monitor.dashboard.views.switches import SwitchesView

_MOST_PAGES: Final = 64
"""Of the history, that are cached until the next decision."""


class Commands:
    """The commands.

    Parameters
    ----------
    zookeeper
        None: none is configured.
    changed
        Called after a change, so that it is shown soon.
    """

    def __init__(
        self,
        views: ViewCache,
        client: SidecarClient,
        sidecar: SidecarReader,
        zookeeper: ZookeeperReader | None,
        changed: Callable[[], None],
    ) -> None:
        self._views = views
        self._client = client
        self._sidecar = sidecar
        self._zookeeper = zookeeper
        self._changed = changed
        self._lock = Lock()
        self._pages: OrderedDict[object, DecisionPage] = OrderedDict()

    def topology(self, name: str) -> pb.TopologyStatus:
        """Find a topology by Storm's id or by name."""
        sidecar = self._views.snapshot.sidecar
        if sidecar.status is None:
            raise RequestError(
                Reason.AWAY,
                f"topologies are unknown: the sidecar at {sidecar.address} has not answered yet "
                f"({sidecar.error})",
            )
        if sidecar.round_age is None:
            why = "topologies are unknown: Nimbus has not asked the sidecar yet"
            raise RequestError(Reason.AWAY, why)
        topologies = sidecar.status.topologies
        by_id = (it for it in topologies if it.topology_id == name)
        found = next(by_id, None) or next((it for it in topologies if it.name == name), None)
        if found is None:
            raise unknown_name("topology", name, _topology_names(self._views.snapshot))
        return found

    def response_time(self, name: str, seconds: float) -> ResponseTimeView:
        """Return the response time of a topology over the last seconds."""
        topology = self.topology(name)
        current = present_value(topology.metrics, "R")
        return response_time_view(self._views.now(), topology.topology_id, current, seconds)

    def explain(self, topology: str, executor: str, host: str) -> ExplanationView:
        """Ask why an executor runs where it runs."""
        return explanation_view(self._client.explain(topology, executor, host))

    def throughput(self, name: str, seconds: float) -> ThroughputView:
        """Return the throughput of a topology over the last seconds."""
        return throughput_view(self._views.now(), self.topology(name), seconds)

    def forecast(self, name: str, rate: float, off: Sequence[str], policy: str) -> ForecastView:
        """Ask what to expect at a multiple of the present rate, without hosts, or placed again."""
        found = self._client.forecast(name, rate, off, policy)
        return forecast_view(self._views.now(), found, rate, off, policy)

    def decisions(
        self, topology: str | None, verdict: Verdict | None, count: int, before: str | None
    ) -> DecisionPage:
        """Read a page of the history; None of a filter: any."""

        def matches(record: DecisionRecord) -> bool:
            named = topology in (None, record.topology, topology_name(record.topology))
            return named and verdict in (None, record.verdict)

        snapshot = self._views.now()
        newest = snapshot.zookeeper.decisions[0].id if snapshot.zookeeper.decisions else ""
        key = (topology, verdict, count, before, newest)
        with self._lock:
            found = self._pages.get(key)
        if found is None:
            try:
                page = self._store().page(count, matches, before)
            except ContractError as error:
                raise RequestError(Reason.BAD_VALUE, f"before: {error}") from None
            found = DecisionPage(
                decisions=tuple(map(decision_summary, page.records)),
                older=page.older,
                unreadable=page.unreadable,
            )
            self._cache(key, found)
        nothing = not found.decisions and found.older is None and before is None
        if nothing and topology is not None and verdict is None:
            names = _topology_names(snapshot)
            if topology not in names:
                raise unknown_name("decision on a topology", topology, names)
        return found

    def decision(self, id_: str) -> DecisionView:
        """Read one decision, and its measured gain."""
        try:
            record = self._store().decision(id_)
        except ContractError as error:
            raise RequestError(Reason.BAD_VALUE, str(error)) from None
        if record is None:
            why = f"there is no decision {id_}, or it is older than 30 days"
            raise RequestError(Reason.UNKNOWN_NAME, why)
        return decision_view(record, self._views.now())

    def policies(self) -> tuple[PolicyView, ...]:
        """Return the policies that plans can be made with."""
        return tuple(map(PolicyView.of, self._client.policies().policies))

    def plans(self) -> tuple[PlanSummaryView, ...]:
        """Return every plan that the sidecar keeps, newest first."""
        return tuple(map(plan_summary_view, self._client.plans().plans))

    def plan(self, id_: str) -> PlanView:
        """Return one plan."""
        return plan_view(self._client.plan(id_))

    def make_plan(self, request: PlanRequest) -> PlanView:
        """Plan without moving anything."""
        made = plan_view(self._client.make_plan(pb.PlanRequest(**request.model_dump())))
        self._sidecar.hurry()
        return made

    def apply_plan(self, id_: str) -> PlanView:
        """Hand a plan to Nimbus."""
        applied = plan_view(self._client.apply_plan(id_))
        self._sidecar.hurry()
        return applied

    def catalogues(self) -> tuple[CatalogueView, ...]:
        """Return the catalogues of machine types that come with the sidecar."""
        return tuple(map(CatalogueView.of, self._client.catalogues().catalogues))

    def provision(self, topology: str, request: ProvisionRequest) -> ProvisionView:
        """Look for the cheapest platform; nothing is bought or switched off."""
        message = provisioning.ProvisionRequest(topology=topology, **request.model_dump())
        return provision_view(self._client.provision(message))

    def freeze(self, *, frozen: bool) -> SwitchesView:
        """Freeze or unfreeze everything."""
        return self._change_switches(lambda it: it.with_all(frozen=frozen))

    def freeze_topology(self, name: str, *, frozen: bool) -> SwitchesView:
        """Freeze or unfreeze one topology; one that has ended is found by its id."""
        switches = self._views.snapshot.zookeeper.switches
        ended = not frozen and switches is not None and name in switches.frozen_topologies
        id_ = name if ended else self.topology(name).topology_id
        return self._change_switches(lambda it: it.with_topology(id_, frozen=frozen))

    def _change_switches(self, change: Callable[[Switches], Switches]) -> SwitchesView:
        running = _running_topologies(self._views.now())

        def change_and_tidy(before: Switches) -> Switches:
            after = change(before)
            return after if running is None else after.without_gone(running)

        after = self._store().change_switches(change_and_tidy)
        self._sidecar.hurry()
        self._changed()
        return switches_view(self._views.now(), after)

    def _store(self) -> ZookeeperReader:
        if self._zookeeper is None:
            raise RequestError(Reason.AWAY, "no ZooKeeper is configured ([zookeeper] servers)")
        return self._zookeeper

    def _cache(self, key: object, page: DecisionPage) -> None:
        if page.decisions:
            with self._lock:
                self._pages[key] = page
                while len(self._pages) > _MOST_PAGES:
                    self._pages.popitem(last=False)


def _topology_names(snapshot: Snapshot) -> set[str]:
    """Return names and ids of topologies that run or were decided on lately."""
    status = snapshot.sidecar.status
    running = status.topologies if status is not None else ()
    ids = {it.topology_id for it in running} | {it.topology for it in snapshot.zookeeper.decisions}
    return ids | {it.name for it in running} | {topology_name(it) for it in ids}


def _running_topologies(snapshot: Snapshot) -> set[str] | None:
    """Return the ids of all topologies; None unless Nimbus has just reported them."""
    sidecar = snapshot.sidecar
    fresh = sidecar.round_age is not None and sidecar.round_age <= ROUND_SECONDS
    if sidecar.status is None or sidecar.error or not fresh:
        return None
    return {it.topology_id for it in sidecar.status.topologies}
