"""What the dashboard's API answers of decisions and plans on the recorded cluster."""

from __future__ import annotations

from eyewall_contracts.decision import MetricChange, Verdict
from eyewall_monitor.dashboard.views.decision import DecisionPage, DecisionView, MeasuredGain
from eyewall_monitor.dashboard.views.decision_summary import DecisionSummary
from eyewall_monitor.dashboard.views.explanation import (
    AlternativeView,
    ExplanationView,
    NeighbourView,
)
from eyewall_monitor.dashboard.views.metrics import MoveView, RejectionView, metric_views
from eyewall_monitor.dashboard.views.plan import (
    PlanState,
    PlanSummaryView,
    PlanView,
    PolicyView,
    WorkerChangeView,
)
from recorded_views import (
    HOSTS,
    METRICS,
    MOVED,
    TAG_AND_COUNT,
    WORD_COUNT,
    delay,
    executors,
    slowest_path,
)

KEPT = "1799999700000-5f1c1a0e-000013"
PLAN = "plan-7f3a"


def decision_summary(id_: str, verdict: str, topology_id: str = WORD_COUNT) -> DecisionSummary:
    """A line of the history."""
    said = {
        "moved": "placed by eyewall: odp, optimal, R 18 ms (was 61), 3 executors moved",
        "kept": "kept: a gain of 4 % is less than the 10 % that a move has to gain",
        "placed": "placed by eyewall: odp, feasible, gap 3.1 %, R 61 ms",
        "declined": "left to Storm's scheduler: the topology says eyewall.mode off",
    }[verdict]
    found = verdict != "declined"
    return DecisionSummary(
        id=id_,
        at=int(id_[:13]) / 1000,
        topology=topology_id,
        name=topology_id.rsplit("-", 2)[0],
        verdict=Verdict(verdict),
        said=said,
        policy="odp" if found else "",
        objective="R=1" if found else "",
        status={"moved": "optimal", "kept": "optimal", "placed": "feasible", "declined": ""}[
            verdict
        ],
        decided_by="branch and bound" if found else "",
        gap=0.031 if verdict == "placed" else None,
        moves={"moved": 3, "kept": 1, "placed": 6, "declined": 0}[verdict],
        workers_started=2 if verdict in ("moved", "placed") else None,
    )


def decisions() -> DecisionPage:
    """The newest four, and there are more."""
    return DecisionPage(
        decisions=(
            decision_summary(KEPT, "kept"),
            decision_summary(MOVED, "moved"),
            decision_summary("1799998400000-5f1c1a0e-000007", "declined", TAG_AND_COUNT),
            decision_summary("1799996600000-5f1c1a0e-000002", "placed"),
        ),
        older="1799996600000-5f1c1a0e-000002",
        unreadable=(
            "1799995500000-5f1c1a0e-000001: version 9 is newer than 1, which is known here",
        ),
    )


MOVES = (
    MoveView(executor="split[3-3]", source="cloud-1", target="fog-1"),
    MoveView(executor="count[4-4]", source="cloud-1", target="fog-1"),
    MoveView(executor="count[5-5]", source=None, target="fog-2"),
)
BEFORE_AND_AFTER = metric_views(
    (
        MetricChange("objective", before=0.061, after=0.0182),
        MetricChange("R", before=0.061, after=0.0182),
        MetricChange("A", before=0.9921, after=0.9902),
        MetricChange("T", before=1800.0, after=1240.0),
        MetricChange("N", before=44.0, after=9.84),
        MetricChange("EE", before=None, after=0.141),
    )
)
REJECTED = (
    RejectionView(constraint="pin", moves=5),
    RejectionView(constraint="cpu", moves=7),
    RejectionView(constraint="operators", moves=2),
)


def decision(id_: str) -> DecisionView:
    """All of one."""
    kept = id_ == KEPT
    return DecisionView(
        summary=decision_summary(id_, "kept" if kept else "moved"),
        seed=7,
        seconds=0.084,
        evaluated=1840,
        bound=0.0182,
        metrics=BEFORE_AND_AFTER,
        moves=MOVES[:1] if kept else MOVES,
        moves_left_out=0,
        done=not kept,
        possible=16,
        rejected=REJECTED,
        assumptions=("rates are spread evenly over executors of a component",),
        delays_age=2.1,
        delays_confidence=0.91,
        rates_age=11.0,
        base="9f8a2c77",
        gain=MeasuredGain(
            predicted_before=0.061,
            predicted_after=0.0182,
            measured_before=0.0683,
            measured_after=None if kept else 0.0214,
            note="Nothing was moved." if kept else "",
        ),
    )


def policies() -> tuple[PolicyView, ...]:
    """Three of them."""
    return (
        PolicyView(
            name="odp",
            title="optimal placement (ODP, S-ODP)",
            source="Cardellini et al., paper 000",
            method="proves the optimum, or says how far from it the placement is at most",
            optimises=("R", "A", "T", "N", "EE"),
            mixes=True,
            ecker=False,
            take_it="first: it is the default, and the answer comes with its gap",
        ),
        PolicyView(
            name="hybrid",
            title="hybrid: ants, then hill climbing",
            source="Ecker et al., paper 002",
            method="the ant system for half of the time, then hill climbing",
            optimises=("R", "A", "T", "N", "EE"),
            mixes=True,
            ecker=True,
            take_it="for Ecker's score",
        ),
        PolicyView(
            name="xu",
            title="Xu's best fit by traffic (T-Storm)",
            source="Xu et al., ICDCS 2014",
            method="each operator joins those it exchanges most with",
            optimises=("T",),
            mixes=False,
            ecker=False,
            take_it="if nodes are about equally far apart",
        ),
    )


def summary(of: PlanView) -> PlanSummaryView:
    """What the list of plans says of one."""
    return PlanSummaryView(
        executors_moved=len(of.moves),
        **of.model_dump(include=PlanSummaryView.model_fields.keys() - {"executors_moved"}),
    )


def plan(state: PlanState = "proposed", reason: str = "", id_: str = PLAN) -> PlanView:
    """A dry run of the word count."""
    return PlanView(
        id=id_,
        topology=WORD_COUNT,
        name="word_count",
        state=state,
        state_reason=reason,
        age=14.0,
        expires_in=586.0,
        base="9f8a2c77",
        policy="odp",
        objective="R=1",
        seed=7,
        status="optimal",
        decided_by="branch and bound",
        seconds=0.31,
        evaluated=1840,
        bound=0.0182,
        gap=0.0,
        gain=0.70,
        metrics=BEFORE_AND_AFTER,
        moves=(
            MoveView(
                executor="split[3-3]",
                source="cloud-1",
                target="fog-1",
                source_port=6700,
                target_port=6702,
            ),
            MoveView(
                executor="count[4-4]",
                source="cloud-1",
                target="fog-1",
                source_port=6700,
                target_port=6702,
            ),
            MoveView(
                executor="count[5-5]",
                source="fog-2",
                target="fog-2",
                source_port=6701,
                target_port=6703,
            ),
        ),
        workers=(
            WorkerChangeView(
                host="edge-1",
                port=6700,
                kind="unchanged",
                before=("sentences[1-1]", "split[2-2]"),
                after=("sentences[1-1]", "split[2-2]"),
            ),
            WorkerChangeView(
                host="cloud-1",
                port=6700,
                kind="stopped",
                before=("split[3-3]", "count[4-4]"),
                after=(),
            ),
            WorkerChangeView(
                host="fog-1",
                port=6702,
                kind="started",
                before=(),
                after=("split[3-3]", "count[4-4]"),
            ),
            WorkerChangeView(
                host="fog-2",
                port=6701,
                kind="restarted",
                before=("count[5-5]", "__acker[6-6]"),
                after=("__acker[6-6]",),
            ),
        ),
        workers_started=2,
        possible=16,
        rejected=REJECTED,
        remarks=(
            "rates are spread evenly over executors of a component",
            "the search ended with a proof",
        ),
        slowest_path=slowest_path(WORD_COUNT),
        held_back="12 s of its cool-down are left",
        delays_age=2.1,
        delays_confidence=0.91,
        rates_age=None,
    )


def explanation(id_: str, executor: str) -> ExplanationView:
    """Why an executor is where it is."""
    hosts = {it.executor: str(it.host) for its in executors(id_).values() for it in its}
    here = hosts.get(executor, "fog-1")
    reasons = {
        "cloud-1": ("", ""),
        "edge-2": ("pin", "edge-2 has none of the labels that it is pinned to: source"),
        "fog-2": ("cpu", "fog-2 has 0.05 cores left, it needs 0.10"),
        "cloud-2": (
            "delay unknown",
            "no delay of cloud-2 is known well enough: confidence 0.21, 0.3 is needed",
        ),
    }
    others = tuple(
        AlternativeView(
            host=host,
            current=host == here,
            constraint=reasons.get(host, ("", ""))[0],
            reason=reasons.get(host, ("", ""))[1],
            metrics=(),
            rate_between_hosts_added=None
            if reasons.get(host, ("", ""))[0]
            else (0.0 if host == here else 480.0),
            response_time_added=None
            if reasons.get(host, ("", ""))[0]
            else (0.0 if host == here else 0.0233 if host != "fog-1" else -0.002),
        )
        for host in sorted(HOSTS, key=lambda it: (it != here, bool(reasons.get(it, ("", ""))[0])))
    )
    return ExplanationView(
        topology=id_,
        name=id_.rsplit("-", 2)[0],
        executor=executor,
        host=here,
        objective="R=1",
        answer=f"{executor} runs on {here} because every other host that could take it adds to "
        "the response time: the best of them, cloud-1, adds 23.3 ms.",
        metrics=METRICS,
        neighbours=(
            NeighbourView(
                executor="sentences[1-1]",
                host="edge-1",
                upstream=True,
                rate=60.0,
                delay=delay(here, "edge-1") if here != "edge-1" else 0.0,
                system=False,
            ),
            NeighbourView(
                executor="__acker[6-6]",
                host="fog-1",
                upstream=False,
                rate=60.0,
                delay=0.0,
                system=True,
            ),
        ),
        alternatives=others,
        left_out=0,
        on_slowest_path=True,
        assumptions=("everything else stays where it is",),
        unknown="",
    )
