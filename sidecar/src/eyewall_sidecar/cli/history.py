"""`eyewall history`: what was decided, from the records in ZooKeeper, for people and scripts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from eyewall_contracts.decision import DecisionRecord, MetricChange, Verdict
from eyewall_contracts.errors import ContractError
from eyewall_contracts.stores.decision_history import Page, read_one, read_page
from eyewall_contracts.topology_id import topology_name
from eyewall_contracts.znodes import Znodes
from kazoo.client import KazooClient
from msgspec import structs
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from eyewall_sidecar.cli.console import display_unit, printable

COLOURS = {
    Verdict.PLACED: "green",
    Verdict.MOVED: "cyan",
    Verdict.KEPT: "",
    Verdict.DECLINED: "yellow",
}


class HistoryError(Exception):
    """Why there is nothing to show; one sentence."""


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    """Which decisions are shown.

    Parameters
    ----------
    topology
        By Storm's id or by name; empty: all.
    verdict
        Only these; None: all.
    """

    topology: str = ""
    verdict: Verdict | None = None

    def __call__(self, record: DecisionRecord) -> bool:
        """Whether this is one."""
        named = self.topology in ("", record.topology, topology_name(record.topology))
        return named and self.verdict in (None, record.verdict)


def page_of(
    client: KazooClient, paths: Znodes, count: int, wanted: DecisionFilter, before: str | None
) -> Page:
    """Read a page; HistoryError if `before` is no id, or nothing is known of the topology."""
    seen: set[str] = set()

    def look(record: DecisionRecord) -> bool:
        seen.update((record.topology, topology_name(record.topology)))
        return wanted(record)

    try:
        page = read_page(client, paths, count, look, before)
    except ContractError as error:
        raise HistoryError(f"--before: {error}") from None
    all_seen = before is None and page.older is None
    if all_seen and wanted.topology and wanted.topology not in seen:
        near = get_close_matches(wanted.topology, sorted(seen), n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise HistoryError(f"no decision on a topology {wanted.topology}{hint}")
    return page


def one(client: KazooClient, paths: Znodes, id_: str) -> DecisionRecord:
    """Read one decision; HistoryError if it is none, or gone."""
    try:
        found = read_one(client, paths, id_)
    except ContractError as error:
        raise HistoryError(str(error)) from None
    if found is None:
        raise HistoryError(f"decision {id_} is not there, or not any more")
    return found


def as_json(record: DecisionRecord) -> str:
    """Return a record as one line of JSON, its time in words too."""
    content: dict[str, Any] = {"at": _moment(record.time).isoformat(), **structs.asdict(record)}
    for name in ("metrics", "moves", "rejected"):
        content[name] = [structs.asdict(it) for it in getattr(record, name)]
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def show_page(page: Page, console: Console) -> None:
    """Print a line for each decision, and how to see those before."""
    if not page.records:
        console.print("no decisions")
    # The id is what comes next: it is not shortened, however narrow the terminal.
    id_ = Column("id", no_wrap=True, min_width=max((len(it.id) for it in page.records), default=0))
    table = Table("when (UTC)", "topology", "decision", "said", id_, box=None, pad_edge=False)
    for it in page.records:
        table.add_row(
            f"{_moment(it.time):%Y-%m-%d %H:%M:%S}",
            printable(topology_name(it.topology)),
            Text(it.verdict, style=COLOURS[it.verdict]),
            printable(it.said),
            it.id,
        )
    if page.records:
        console.print(table)
    for line in notes(page):
        console.print(printable(line))


def notes(page: Page) -> Iterator[str]:
    """Yield what was left out of a page, and how to see those before it."""
    for complaint in page.unreadable:
        yield f"left out: {complaint}"
    if page.older is not None:
        yield f"older ones: --before {page.older}"


def show(record: DecisionRecord, console: Console) -> None:
    """Print all of a record."""
    title = printable(f"{_moment(record.time):%Y-%m-%d %H:%M:%S} UTC  {record.topology}  ")
    title.append(record.verdict, style=COLOURS[record.verdict])
    console.print(title)
    console.print(printable(record.said))
    details = Table(box=None, show_header=False, pad_edge=False)
    for name, value in _details(record):
        details.add_row(printable(name), printable(value))
    console.print(details)
    done = record.verdict.is_executed
    for move in record.moves:
        sign = "~" if move.source else "+"
        line = f"{sign} {move.executor}: {move.source or 'nowhere'} → {move.target}"
        style = ("yellow" if move.source else "green") if done else "dim"
        console.print(printable(line if done else f"{line}  (not done)", style))
    if record.moves_left_out:
        console.print(f"and {record.moves_left_out} more moves")


def _details(record: DecisionRecord) -> Iterator[tuple[str, str]]:
    if record.policy:
        yield "asked", f"{record.policy}, {record.objective}, seed {record.seed}"
    if record.status:
        gap = "" if record.gap is None else f", gap {record.gap:.2%}"
        took = f"{record.seconds or 0:.3g} s, {record.evaluated or 0} placements looked at"
        yield "found by", f"{record.decided_by}: {record.status}{gap}; {took}"
    for metric in record.metrics:
        yield metric.name, _worth(metric)
    if record.workers_started is not None:
        meanwhile = "; old ones serve on meanwhile" if record.overlaps else ""
        yield "workers started", f"{record.workers_started}{meanwhile}"
    if record.possible is not None:
        ways = ", ".join(f"{it.constraint} {it.moves}" for it in record.rejected) or "nothing"
        yield "one move", f"{record.possible} possible; forbidden by {ways}"
    if record.delays_age is not None:
        sure = record.delays_confidence
        least = "" if sure is None else f", confidence {sure:.2g} at least"
        yield "delays", f"{record.delays_age:.3g} s old{least}"
    if record.rates_age is not None:
        yield "rates", f"{record.rates_age:.3g} s old"
    if record.price is not None:
        yield "price", f"{record.price:.3g} s of lateness for each tuple/s"
    if record.gain_least is not None and record.gain_greatest is not None:
        bounds = 1000 * record.gain_least, 1000 * record.gain_greatest
        yield "predicted gain", f"{bounds[0]:.3g} to {bounds[1]:.3g} ms"
    if record.outcome_of:
        yield "outcome", f"of {record.outcome_of}: {record.outcome}"
    for assumption in record.assumptions:
        yield "assumed", assumption
    yield "assignment", record.base or "none"


def _worth(metric: MetricChange) -> str:
    factor, unit = display_unit(metric.name, metric.unit)

    def text(value: float | None) -> str:
        return "unknown" if value is None else f"{value * factor:.4g} {unit}".rstrip()

    if metric.before is None:
        return text(metric.after)
    return f"{text(metric.before)} → {text(metric.after)}"


def _moment(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)
