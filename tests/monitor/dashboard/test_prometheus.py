"""The scraped metrics, parsed as Prometheus parses them."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from decision_records import FULL_DECISION
from eyewall_contracts.decision import Verdict, record_id
from eyewall_contracts.latency import HostCoordinate
from eyewall_monitor.dashboard.prometheus import collect
from eyewall_monitor.dashboard.snapshot import (
    RedisSnapshot,
    SidecarSnapshot,
    Snapshot,
    ZookeeperSnapshot,
)
from eyewall_monitor.dashboard.totals import ComponentKey, RunningTotals
from eyewall_monitor.dashboard.views.decision_summary import decision_summary
from msgspec import structs
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as parsed
from rate_documents import FULL_RATES, an_estimate
from reports import FULL
from sidecar_answers import a_plan, a_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard_stores import Stores
    from running_dashboard import RunningDashboard
    from scripted_operations import SidecarServer

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "monitor" / "examples" / "prometheus"
COUNT = {"topology": "word_count", "component": "count"}
COUNT_KEY = ComponentKey("word_count", "count")
SENTENCE = {"topology": "word_count", "component": "sentence"}


def values(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in parsed(text):
        for it in family.samples:
            found.setdefault(it.name, []).append((it.labels, it.value))
    return found


def scrape(dashboard: RunningDashboard) -> dict[str, list[tuple[dict[str, str], float]]]:
    return values(dashboard.http.get("/metrics").text)


def of(families: Iterable[Any], name: str) -> list[tuple[dict[str, str], float]]:
    return [(it.labels, it.value) for one in families for it in one.samples if it.name == name]


@pytest.fixture
def whole(
    running: RunningDashboard, stores: Stores, sidecar: SidecarServer
) -> dict[str, list[tuple[dict[str, str], float]]]:
    """All that there can be, after a report and a decision that came while it ran."""
    now = time.time()
    sidecar.operations.plans["p"] = a_plan("p")
    stores.report(structs.replace(FULL, time=now - 5))
    stores.place("edge-1", 0.0, 0.0)
    streams = tuple(structs.replace(it, rate=an_estimate(2000, now)) for it in FULL_RATES.streams)
    stores.rate(structs.replace(FULL_RATES, written=now, streams=streams))
    running.until(
        "health",
        lambda it: all(
            p["signal"]["state"] == "fresh"
            for p in it["parts"]
            if p["name"] in ("zookeeper", "redis", "rates job")
        ),
    )
    running.until("cluster", lambda it: it["supervisors"])
    until(running, lambda it: "eyewall_host_report_age_seconds" in it)
    sequences = count(FULL.sequence + 1)

    def counted(found: dict[str, list[tuple[dict[str, str], float]]]) -> bool:
        empty = structs.replace(FULL, time=time.time(), sequence=next(sequences), workers=())
        stores.remember(empty)  # what came before the first look at the history is not counted
        return found["eyewall_reports_total"][0][1] > 0 and "eyewall_decisions_total" in found

    until(running, counted)
    stores.remember(structs.replace(FULL, time=time.time(), sequence=next(sequences)))
    stores.decide(structs.replace(FULL_DECISION, id=record_id(now, "ab", 1)))
    return until(
        running,
        lambda it: (
            sum(v for _, v in it.get("eyewall_decisions_total", ()))
            and "storm_component_executed_tuples_total" in it
            and "eyewall_plans" in it
            and sum(v for _, v in it["eyewall_plans"])
        ),
    )


def until(dashboard: RunningDashboard, holds: Any) -> dict[str, list[tuple[dict[str, str], float]]]:
    end = time.monotonic() + 90
    while not holds(found := scrape(dashboard)):
        assert time.monotonic() < end, "\n".join(sorted(found))
        time.sleep(0.1)
    return found


def alerts() -> dict[str, str]:
    """Name → expression."""
    rules = yaml.safe_load((EXAMPLES / "alerts.yml").read_text())
    return {it["alert"]: it["expr"] for group in rules["groups"] for it in group["rules"]}


def asked() -> str:
    """Every expression of the examples."""
    dashboard = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())
    found = [it["expr"] for panel in dashboard["panels"] for it in panel["targets"]]
    found += [it["query"]["query"] for it in dashboard["templating"]["list"][1:]]
    return "\n".join([*found, *alerts().values()])


def test_every_metric_in_the_examples_exists(whole: Any) -> None:
    names = set(re.findall(r"\b(?:storm|eyewall)_[a-z_]+\b", asked()))
    assert len(names) > 20
    assert names - set(whole) == set()


def test_every_label_value_in_the_examples_exists(whole: Any) -> None:
    chosen = re.findall(r'(\w+)\{(\w+)=~?"([^"$]+)"\}', asked())
    assert len(chosen) == 4
    for name, label, wanted in chosen:
        assert set(wanted.split("|")) <= {labels[label] for labels, _ in whole[name]}, name


def test_no_alert_uses_an_age_that_ends_with_the_agent() -> None:
    ages = re.compile("eyewall_host_(report|coordinate)_age_seconds")
    assert [name for name, expr in alerts().items() if ages.search(expr)] == []


def test_each_kind_of_failure_has_an_alert() -> None:
    page = (ROOT / "docs/user/troubleshooting.md").read_text()
    section = page.split("## Alerts\n")[1].split("\n## ")[0]
    rows = [it.split("|")[1].strip() for it in section.splitlines() if it.startswith("|")]
    assert rows[2:] == [f"`{it}`" for it in alerts()]


def test_names_and_units_follow_prometheus_conventions(whole: Any) -> None:
    units = ("_seconds", "_bytes", "_ratio", "_total", "_cores", "_sum", "_count")
    counted = (
        "executors",
        "workers",
        "slots",
        "plans",
        "links",
        "pages",
        "up",
        "frozen",
        "unknown",
        "last_hour",
    )
    ours = [it for it in whole if it.startswith(("storm_", "eyewall_"))]
    assert [it for it in ours if not it.endswith((*units, *counted))] == []
    assert "process_resident_memory_bytes" in whole


def test_storm_counters_are_summed_from_reports(whole: Any) -> None:
    # One report came while the dashboard ran (FULL): count executed 1000, of which 980 were acked
    # and 20 failed, and emitted 1000, sent as 2000; sentence emitted 200, 180 whole trees ended
    # well and 20 did not. Its ticks are Storm's own.
    assert (COUNT, 1000) in whole["storm_component_executed_tuples_total"]
    assert (COUNT, 2000) in whole["storm_component_transferred_tuples_total"]
    assert (COUNT, 980) in whole["storm_component_acked_tuples_total"]
    assert (SENTENCE, 180) in whole["storm_component_acked_tuples_total"]
    assert (SENTENCE, 20) in whole["storm_component_failed_tuples_total"]
    assert SENTENCE not in [it for it, _ in whole["storm_component_executed_tuples_total"]]
    # 180 trees of 40.5 ms.
    topology = {"topology": "word_count"}
    assert (topology, 180) in whole["storm_topology_complete_latency_seconds_count"]
    sums = whole["storm_topology_complete_latency_seconds_sum"]
    assert (topology, pytest.approx(7.29)) in sums
    worker = topology | {"host": "edge-1", "port": "6700"}
    assert (worker, 1.75) in whole["storm_worker_cpu_seconds_total"]
    assert (worker, 157_286_400) in whole["storm_worker_memory_bytes"]
    assert (COUNT, 0.25) in whole["storm_component_capacity_ratio"]


def test_eyewall_metrics_have_the_values_of_their_sources(whole: Any) -> None:
    topology = {"topology": "word_count"}
    decisions = [(topology | {"verdict": it.value}, it is Verdict.MOVED) for it in Verdict]
    assert sorted(whole["eyewall_decisions_total"], key=str) == sorted(decisions, key=str)
    assert whole["eyewall_moved_executors_total"] == [(topology, 3)]
    assert whole["eyewall_topology_predicted_response_time_seconds"] == [(topology, 0.041)]
    assert whole["eyewall_topology_measured_response_time_seconds"] == [
        (topology, pytest.approx(0.0405))
    ]
    assert whole["eyewall_frozen"] == [({}, 0)]
    assert ({"state": "proposed"}, 1) in whole["eyewall_plans"]
    assert ({"state": "known"}, 2) in whole["eyewall_links"]
    assert ({"host": "edge-1"}, 0.02) in whole["eyewall_host_delay_median_seconds"]


def test_openmetrics_is_served_on_request(alone: RunningDashboard) -> None:
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    answer = alone.http.get("/metrics", headers=accept)
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    read: Any = open_metrics
    assert {it.name for it in read(answer.text)} > {"eyewall_part_up", "eyewall_plans"}


def test_unknown_values_are_left_out_not_zero() -> None:
    known = Snapshot(now=0.0, sidecar=SidecarSnapshot("nowhere:1"))
    found = list(collect(known, RunningTotals(time.monotonic).read(), 0))
    assert of(found, "eyewall_part_up") == [
        ({"part": it}, 0) for it in ("nimbus", "sidecar", "delays")
    ]
    for name in ("eyewall_part_age_seconds", "eyewall_frozen", "eyewall_topology_workers"):
        assert of(found, name) == []


def test_a_configured_store_that_is_away_is_down() -> None:
    known = Snapshot(
        0.0, SidecarSnapshot("nowhere:1"), zookeeper=ZookeeperSnapshot(configured=True)
    )
    up = of(collect(known, RunningTotals(time.monotonic).read(), 0), "eyewall_part_up")
    assert ({"part": "zookeeper"}, 0) in up
    assert not [it for it in up if it[0]["part"] == "redis"]  # or its alert would never end


def test_slots_of_all_supervisors_of_a_host_are_summed() -> None:
    status = a_status()
    status.supervisors.add(id="another", host="edge-1", ports=[6800, 6801, 6802])
    known = Snapshot(now=0.0, sidecar=SidecarSnapshot("s:1", status=status, age=0.0, error=""))
    slots = of(collect(known, RunningTotals(time.monotonic).read(), 0), "eyewall_host_slots")
    assert ({"host": "edge-1"}, 5) in slots  # 2 and 3


def on_three_hosts(zookeeper: ZookeeperSnapshot, redis: RedisSnapshot) -> Snapshot:
    status = a_status()
    status.supervisors.add(id="another", host="edge-2", ports=[6700])
    sidecar = SidecarSnapshot("s:1", status=status, age=0.0, error="")
    return Snapshot(0.0, sidecar, zookeeper, redis)


def heard_of_two(**changes: Any) -> tuple[ZookeeperSnapshot, RedisSnapshot]:
    """Agents of edge-1 are heard from, those of cloud-1 were 16 s ago, those of edge-2 are gone."""
    zookeeper = ZookeeperSnapshot(
        configured=True, age=0.5, sample_ages={"edge-1": 15.0, "cloud-1": 16.0}
    )
    record = HostCoordinate("10.0.0.1", 7078, (0.0,), at=85.0, error=0.1)
    hosts = {"edge-1": record, "cloud-1": structs.replace(record, at=84.0)}
    redis = RedisSnapshot(configured=True, age=0.5, now=100.0, hosts=hosts)
    return replace(zookeeper, **changes), replace(redis, **changes)


def test_late_and_ended_agents_are_down() -> None:
    found = collect(on_three_hosts(*heard_of_two()), RunningTotals(time.monotonic).read(), 0)
    assert of(found, "eyewall_host_agent_up") == [
        ({"host": host, "agent": agent}, up)
        for host, up in (("edge-1", 1), ("cloud-1", 0), ("edge-2", 0))
        for agent in ("monitor", "latency")
    ]


@pytest.mark.parametrize(
    ("agent", "store"), [("latency", 0), ("monitor", 1)], ids=["ZooKeeper", "Redis"]
)
@pytest.mark.parametrize(
    "changes",
    [{"configured": False, "age": None}, {"age": None}, {"error": "no connection"}],
    ids=["not configured", "not read yet", "away"],
)
def test_agents_are_unknown_while_their_store_is_not_read(
    changes: dict[str, Any], agent: str, store: int
) -> None:
    stores: list[Any] = list(heard_of_two())
    stores[store] = heard_of_two(**changes)[store]
    found = collect(on_three_hosts(*stores), RunningTotals(time.monotonic).read(), 0)
    # Of the other store's all is.
    assert [it["agent"] for it, _ in of(found, "eyewall_host_agent_up")] == [agent] * 3


def test_decision_counters_of_running_topologies_begin_at_zero() -> None:
    topology = {"topology": "word_count"}
    sidecar = SidecarSnapshot("s:1", status=a_status(), age=0.0, error="")
    store = ZookeeperSnapshot(configured=True, age=0.5, decisions_complete=True)
    totals = RunningTotals(time.monotonic)
    totals.add_decisions(store)  # those from before the start are distinguished from here on
    found = list(collect(Snapshot(0.0, sidecar, store), totals.read(), 0))
    verdicts = ("placed", "moved", "kept", "declined")
    assert of(found, "eyewall_decisions_total") == [
        (topology | {"verdict": it}, 0) for it in verdicts
    ]
    assert of(found, "eyewall_moved_executors_total") == [(topology, 0)]
    store = replace(store, decisions=(decision_summary(FULL_DECISION),))
    totals.add_decisions(store)
    found = list(collect(Snapshot(0.0, sidecar, store), totals.read(), 0))
    assert of(found, "eyewall_decisions_total") == [
        (topology | {"verdict": it}, it == "moved") for it in verdicts
    ]
    assert of(found, "eyewall_moved_executors_total") == [(topology, 3)]


def test_decision_counters_are_absent_until_decisions_are_read() -> None:
    sidecar = SidecarSnapshot("s:1", status=a_status(), age=0.0, error="")
    store = ZookeeperSnapshot(configured=True, age=0.5, decisions_complete=False)
    totals = RunningTotals(time.monotonic)
    totals.add_decisions(store)
    found = list(collect(Snapshot(0.0, sidecar, store), totals.read(), 0))
    assert of(found, "eyewall_decisions_total") == []
    assert of(found, "eyewall_moved_executors_total") == []


def test_the_history_lag_is_known_without_the_sidecar() -> None:
    known = Snapshot(
        0.0, SidecarSnapshot("nowhere:1"), redis=RedisSnapshot(configured=True, history_age=2.5)
    )
    lag = of(collect(known, RunningTotals(time.monotonic).read(), 0), "eyewall_history_lag_seconds")
    assert lag == [({}, 2.5)]


def test_no_label_has_a_value_per_pair_of_hosts() -> None:
    status = a_status()
    for number in range(50):
        status.delays.links.add(source=f"h{number}", target=f"h{number + 1}", delay=0.01)
    known = Snapshot(now=0.0, sidecar=SidecarSnapshot("s:1", status=status, age=0.0, error=""))
    found = list(collect(known, RunningTotals(time.monotonic).read(), 0))
    assert len(of(found, "eyewall_host_delay_max_seconds")) == 52
    assert {name for one in found for it in one.samples for name in it.labels} <= {
        "topology", "component", "host", "port", "part", "state", "verdict", "agent"
    }  # fmt: skip


def test_a_report_is_added_once_and_lost_reports_are_counted() -> None:
    totals = RunningTotals(time.monotonic)
    for sequence in (7, 7, 6, 8, 11):
        totals.add(structs.replace(FULL, sequence=sequence))
    totals.add(structs.replace(FULL, run="another", sequence=0))
    found = totals.read()
    assert found.reports == 4  # 7, 8, 11 and the other life's first
    assert found.missed == 2  # 9 and 10


def test_counters_unreported_for_an_hour_are_forgotten() -> None:
    now = [0.0]
    totals = RunningTotals(lambda: now[0])
    (worker, *_) = FULL.workers
    ended = structs.replace(worker, topology="ended-2-1700000000", port=worker.port + 1)
    totals.add(structs.replace(FULL, sequence=1, workers=(worker, ended)))
    before = totals.read()
    assert {it.topology for it in before.cpu_seconds} == {"word_count", "ended"}
    now[0] = 1800.0
    totals.add(structs.replace(FULL, sequence=2, workers=(worker,)))
    assert totals.read().acked_trees.keys() == {"word_count", "ended"}
    now[0] = 3601.0  # since its last report; of the other's, half as long
    found = totals.read()
    for counts in (found.emitted, found.transferred, found.executed, found.acked):
        assert {it.topology for it in counts} == {"word_count"}
    assert {(it.topology, it.port) for it in found.cpu_seconds} == {("word_count", worker.port)}
    assert found.acked_trees.keys() == found.complete_seconds.keys() == {"word_count"}
    # It sent the same twice, and was in the first reading once.
    assert found.executed[COUNT_KEY] == 2 * before.executed[COUNT_KEY] > 0
    assert found.reports == 2
