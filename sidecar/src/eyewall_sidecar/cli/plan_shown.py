"""A plan for a terminal, in the manner of a diff: what starts, stops, moves, and what it gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyewall_contracts.proto import operations_pb2 as pb
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

FEW = 20
"""As many lines of a kind are shown without --detailed."""
_UNITS = {"R": (1e3, "ms"), "A": (100.0, "%"), "T": (1.0, "tuples/s"), "N": (1.0, "tuples")}
_UNITS["EE"] = (1.0, "tuples · s")
_NAMES = {
    "objective": "objective",
    "R": "response time R",
    "A": "availability A",
    "T": "inter-node traffic T",
    "N": "network usage N",
    "EE": "elastic energy EE",
}
_SIGNS = {
    pb.WorkerChange.STARTED: ("+", "green", "starts"),
    pb.WorkerChange.STOPPED: ("-", "red", "stops"),
    pb.WorkerChange.RESTARTED: ("~", "yellow", "restarts"),
    pb.WorkerChange.UNCHANGED: (" ", "dim", "stays"),
}


def show(plan: pb.Plan, console: Console, *, detailed: bool) -> None:
    """Print a plan; `detailed`: all of it."""
    asked = f"{plan.policy}, {plan.objective}, seed {plan.seed}"
    title = f"plan {plan.id} for {plan.topology_id}: {asked}: {plan.status}{_gap(plan)}"
    console.print(_text(f"{title}, {plan.seconds:.3g} s"), soft_wrap=True)
    if plan.moves:
        console.print(_text("executors", "bold"))
        moves = plan.moves if detailed else plan.moves[:FEW]
        _print(console, (_move(it) for it in moves), len(plan.moves) - len(moves))
    changed = [it for it in plan.workers if detailed or it.kind != pb.WorkerChange.UNCHANGED]
    if changed:
        console.print(_text("worker processes", "bold"))
        shown = changed if detailed else changed[:FEW]
        _print(console, (_worker(it) for it in shown), len(changed) - len(shown))
        unchanged = sum(it.kind == pb.WorkerChange.UNCHANGED for it in plan.workers)
        if not detailed:
            console.print(_text(f"    {unchanged} stay as they are", "dim"))
    _show_metrics(plan, console)
    for line in _besides(plan, detailed=detailed):
        console.print(line, soft_wrap=True)


def _gap(plan: pb.Plan) -> str:
    return f", gap {plan.gap:.2%}" if plan.HasField("gap") and plan.status != "optimal" else ""


def _print(console: Console, lines: Iterable[Text], left_out: int) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)
    if left_out:
        console.print(_text(f"    and {left_out} more (--detailed shows all)", "dim"))


def _move(it: pb.ExecutorMove) -> Text:
    source, target = f"{it.source_host}:{it.source_port}", f"{it.target_host}:{it.target_port}"
    if it.source_host == it.target_host:
        return _text(f"  ~ {it.executor}: {source} → {target} (same host)", "dim")
    return _text(f"  ~ {it.executor}: {source} → {target}", "yellow")


def _worker(it: pb.WorkerChange) -> Text:
    sign, style, does = _SIGNS[it.kind]
    line = _text(f"  {sign} {it.host}:{it.port} {does}: ", style)
    if it.kind != pb.WorkerChange.RESTARTED:
        line.append_text(_text(", ".join(it.after or it.before), style))
        return line
    parts = [_text(name, style) for name in it.after if name in it.before]
    parts += [_text(f"-{name}", "red") for name in it.before if name not in it.after]
    parts += [_text(f"+{name}", "green") for name in it.after if name not in it.before]
    return line.append_text(Text(", ").join(parts))


def _show_metrics(plan: pb.Plan, console: Console) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for it in plan.metrics:
        factor, unit = _UNITS.get(it.name, (1.0, ""))
        if not (it.HasField("before") or it.HasField("after")):
            continue
        before = f"{it.before * factor:.4g}" if it.HasField("before") else "unknown"
        after = f"{it.after * factor:.4g}" if it.HasField("after") else "unknown"
        stays = ", as it is" if before == after else ""
        worth = after if stays else f"{before} → {after}"
        value = f"{worth} {unit}".rstrip() + stays
        table.add_row(_text(f"  {_NAMES.get(it.name, it.name)}"), _text(value))
    if table.row_count:
        console.print(_text("by the model", "bold"))
        console.print(table)


def _besides(plan: pb.Plan, *, detailed: bool) -> Iterator[Text]:
    if plan.HasField("gain") and plan.workers_started:
        yield _text(_worth(plan.gain))
    if plan.workers_started == 1:
        yield _text("1 worker process starts: a restart for the executors in it")
    elif plan.workers_started:
        restarts = "each is a restart for the executors in it"
        yield _text(f"{plan.workers_started} worker processes start; {restarts}")
    if detailed:
        yield from _details(plan)
    for remark in plan.remarks:
        yield _text(f"note: {remark}")
    if not plan.workers_started and not plan.moves:
        found = plan.HasField("gain")
        yield _text("nothing would change" if found else "nothing was found that could be applied")
        return
    if plan.held_back:
        yield _text(f"unasked it would not be made: {plan.held_back}", "yellow")
    else:
        yield _text("the rules allow it: it would be made unasked, too")
    yield _text(f"to run exactly this: eyewall apply {plan.id}", "bold")
    yield _text(f"it is kept for {plan.expires_in / 60:.0f} minutes", "dim")


def _worth(gain: float) -> str:
    if gain == 0:
        return "as good by the objective"
    kind = "better" if gain > 0 else "worse"
    return f"{100 * abs(gain):,.4g} % {kind} by the objective"


def _details(plan: pb.Plan) -> Iterator[Text]:
    if plan.slowest_path:
        steps = [f"{it.executor} on {it.host} ({it.work * 1e3:.3g} ms)" for it in plan.slowest_path]
        ways = [f" ─{it.delay * 1e3:.3g} ms→ " for it in plan.slowest_path[1:]]
        path = "".join(a + b for a, b in zip(steps, [*ways, ""], strict=True))
        yield _text(f"slowest path: {path}")
    yield _text(f"found by {plan.decided_by}, {plan.evaluated:,} placements looked at")
    if plan.HasField("bound"):
        yield _text(f"no placement is better than {plan.bound:.6g}")
    if plan.HasField("possible"):
        forbidden = ", ".join(f"{it.constraint} {it.moves:,}" for it in plan.rejected)
        by = f"; forbidden by {forbidden}" if forbidden else ""
        yield _text(f"moves of one executor alone: {plan.possible:,} possible{by}")
    if plan.HasField("delays_age"):
        sure = f", confidence {plan.delays_confidence:.2g} at least"
        sure = sure if plan.HasField("delays_confidence") else ""
        yield _text(f"delays {plan.delays_age:.3g} s old{sure}")
    if plan.HasField("rates_age"):
        yield _text(f"rates {plan.rates_age:.3g} s old")
    yield _text(f"base {plan.base[:16]}")


def _text(text: str, style: str = "") -> Text:
    """Return text for a terminal, which no name shall command."""
    return Text("".join(it if it.isprintable() else "\ufffd" for it in text), style=style)
