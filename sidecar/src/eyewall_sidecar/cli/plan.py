"""`eyewall plan` and `eyewall apply`: show what would move, and move exactly that."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer
from eyewall_contracts.objective_terms import describe
from eyewall_contracts.operations import MOST_SEED
from eyewall_contracts.proto import operations_pb2 as pb
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import BAD_INPUT, UNAVAILABLE, OperationsError
from eyewall_sidecar.cli.client import as_json as json_of
from eyewall_sidecar.cli.console import display_unit, printable, show_progress
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, connect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyewall_sidecar.cli.client import OperationsClient

NO_PLACEMENT = {"infeasible": 3, "timed out": 4, "failed": 5}
"""Exit codes of `eyewall plan` where nothing was found, as of `eyewall solve`."""
CHANGES = 10
"""Exit code of `eyewall plan --exit-code` where something would move."""
STALE = 4
REFUSED = 5
POLL_SECONDS = 0.3
FEW = 20
"""As many lines of a kind are shown without --detailed."""
_SIGNS = {
    pb.WorkerChange.STARTED: ("+", "green", "starts"),
    pb.WorkerChange.STOPPED: ("-", "red", "stops"),
    pb.WorkerChange.RESTARTED: ("~", "yellow", "restarts"),
    pb.WorkerChange.UNCHANGED: (" ", "dim", "stays"),
}

Topology = Annotated[
    str,
    typer.Argument(help="By its name or Storm's id.", autocompletion=completion.topologies),
]
PlanId = Annotated[
    str, typer.Argument(metavar="PLAN", help="Its id.", autocompletion=completion.plans)
]


def plan(
    topology: Topology,
    *,
    policy: Annotated[
        str, typer.Option(help="Another one than the topology's own (`eyewall policies`).")
    ] = "",
    objective: Annotated[
        str, typer.Option(help="Another one than the topology's own: R=0.5,A=0.2,N=0.3.")
    ] = "",
    time_limit: Annotated[
        float, typer.Option(help="Seconds, at most 60; 0: as long as the sidecar itself searches.")
    ] = 0.0,
    seed: Annotated[int | None, typer.Option(help="Another one than the sidecar's.")] = None,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="All of it: what stays, the slowest path, signals.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help=f"End with {CHANGES} if something would move.")
    ] = False,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show what a policy would move, and what that gains. Nothing is moved.

    Exit code 0 with a placement, 3 if none is feasible, 4 if the time limit ended the search
    before there was any, 5 if the solver failed; 2 for an unknown name or a bad option, 1 if the
    sidecar is away or has no plan to make now. With --exit-code: 10 if something would move.
    """
    request = pb.PlanRequest(
        topology=topology, policy=policy, objective=objective, time_limit=time_limit
    )
    if seed is not None:
        if not 0 <= seed <= MOST_SEED:
            typer.echo(f"eyewall plan: --seed {seed}: it must be from 0 to {MOST_SEED}", err=True)
            raise typer.Exit(BAD_INPUT)
        request.seed = seed
    with (
        connect("plan", sidecar, config) as client,
        show_progress(f"looking for a plan for {topology} …"),
    ):
        found = client.make_plan(request)
    if as_json:
        sys.stdout.write(f"{json_of(found)}\n")
    else:
        _show(found, Console(), detailed=detailed)
    would_move = exit_code and found.workers_started > 0
    raise typer.Exit(NO_PLACEMENT.get(found.status, CHANGES if would_move else 0))


def apply(
    id_: PlanId,
    *,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until it runs, or does not.")
    ] = True,
    time_out: Annotated[
        float, typer.Option("--timeout", min=0.0, help="Seconds to wait for it.")
    ] = 120.0,
    sidecar: Sidecar = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Run exactly a plan, in Nimbus's next round.

    Exit code 0 once Nimbus's assignment is the plan (with --no-wait: once it is queued), 4 if the
    plan is stale, 5 if it was refused: frozen, a slot is taken, Nimbus did not take it. 2 if there
    is no such plan, 1 if the sidecar is away or no round came in time; the plan then stays queued.
    """
    with connect("apply", sidecar, config) as client:
        current, refused = _order(client, id_)
        if wait and not refused:
            current = _await(client, current, time.monotonic() + time_out)
    if as_json:
        sys.stdout.write(f"{json_of(current)}\n")
    if refused:
        code = STALE if current.state == pb.Plan.STALE else REFUSED
        said = f"eyewall apply: {refused}"
    else:
        code, said = _ending(current, wait=wait, time_out=time_out)
    if code or not as_json:
        typer.echo(said, err=bool(code))
    raise typer.Exit(code)


def _order(client: OperationsClient, id_: str) -> tuple[pb.Plan, str]:
    """Apply; return the plan, and why it is refused if it is at once."""
    import grpc

    try:
        return client.apply(id_), ""
    except OperationsError as error:
        if error.code is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        return client.plan(id_), str(error)


def _await(client: OperationsClient, current: pb.Plan, until: float) -> pb.Plan:
    """Wait until a plan is applied or is not going to be, or until then."""
    words = {
        pb.Plan.QUEUED: "waiting for Nimbus's next round",
        pb.Plan.HANDED_OVER: "Nimbus has it; the next round shows whether it runs",
    }
    with show_progress(f"{words[pb.Plan.QUEUED]} …") as replace:
        while current.state in words and time.monotonic() < until:
            replace(f"{current.state_reason or words[current.state]} …")
            time.sleep(POLL_SECONDS)
            current = client.plan(current.id)
    return current


def _ending(current: pb.Plan, *, wait: bool, time_out: float) -> tuple[int, str]:
    """Return the exit code and the sentence."""
    name, reason = f"plan {current.id}", current.state_reason
    match current.state:
        case pb.Plan.APPLIED:
            return 0, f"{name} is applied: {current.topology} runs exactly so"
        case pb.Plan.STALE:
            return STALE, f"eyewall apply: {name} is stale, nothing was changed: {reason}"
        case pb.Plan.REFUSED:
            return REFUSED, f"eyewall apply: {name} was refused, nothing was changed: {reason}"
    if not wait:
        return 0, f"{name} goes to Nimbus with its next round"
    waited = f"{name} is not applied after {time_out:g} s, and stays queued"
    return UNAVAILABLE, f"eyewall apply: {waited}{f': {reason}' if reason else ''}"


def _show(plan: pb.Plan, console: Console, *, detailed: bool) -> None:
    """Print a plan; `detailed`: all of it."""
    options = f"{plan.policy}, {plan.objective}, seed {plan.seed}"
    title = f"plan {plan.id} for {plan.topology_id}: {options}: {plan.status}{_gap(plan)}"
    console.print(printable(f"{title}, {plan.seconds:.3g} s"), soft_wrap=True)
    if plan.moves:
        console.print(printable("executors", "bold"))
        moves = plan.moves if detailed else plan.moves[:FEW]
        _print(console, (_move(it) for it in moves), len(plan.moves) - len(moves))
    changed = [it for it in plan.workers if detailed or it.kind != pb.WorkerChange.UNCHANGED]
    if changed:
        console.print(printable("worker processes", "bold"))
        shown = changed if detailed else changed[:FEW]
        _print(console, (_worker(it) for it in shown), len(changed) - len(shown))
        unchanged = sum(it.kind == pb.WorkerChange.UNCHANGED for it in plan.workers)
        if not detailed:
            console.print(printable(f"    {unchanged} stay as they are", "dim"))
    _show_metrics(plan, console)
    for line in _notes(plan, detailed=detailed):
        console.print(line, soft_wrap=True)


def _gap(plan: pb.Plan) -> str:
    return f", gap {plan.gap:.2%}" if plan.HasField("gap") and plan.status != "optimal" else ""


def _print(console: Console, lines: Iterable[Text], left_out: int) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)
    if left_out:
        console.print(printable(f"    and {left_out} more (--detailed shows all)", "dim"))


def _move(it: pb.ExecutorMove) -> Text:
    source, target = f"{it.source_host}:{it.source_port}", f"{it.target_host}:{it.target_port}"
    if it.source_host == it.target_host:
        return printable(f"  ~ {it.executor}: {source} → {target} (same host)", "dim")
    return printable(f"  ~ {it.executor}: {source} → {target}", "yellow")


def _worker(it: pb.WorkerChange) -> Text:
    sign, style, does = _SIGNS[it.kind]
    line = printable(f"  {sign} {it.host}:{it.port} {does}: ", style)
    if it.kind != pb.WorkerChange.RESTARTED:
        line.append_text(printable(", ".join(it.after or it.before), style))
        return line
    parts = [printable(name, style) for name in it.after if name in it.before]
    parts += [printable(f"-{name}", "red") for name in it.before if name not in it.after]
    parts += [printable(f"+{name}", "green") for name in it.after if name not in it.before]
    return line.append_text(Text(", ").join(parts))


def _show_metrics(plan: pb.Plan, console: Console) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for it in plan.metrics:
        factor, unit = display_unit(it.name, it.unit)
        if not (it.HasField("before") or it.HasField("after")):
            continue
        before = f"{it.before * factor:.4g}" if it.HasField("before") else "unknown"
        after = f"{it.after * factor:.4g}" if it.HasField("after") else "unknown"
        stays = ", as it is" if before == after else ""
        worth = after if stays else f"{before} → {after}"
        value = f"{worth} {unit}".rstrip() + stays
        term = describe(it.name)
        name = f"{term.name} {it.name}" if term else it.name
        table.add_row(printable(f"  {name}"), printable(value))
    if table.row_count:
        console.print(printable("by the model", "bold"))
        console.print(table)


def _notes(plan: pb.Plan, *, detailed: bool) -> Iterator[Text]:
    if plan.HasField("gain") and plan.workers_started:
        yield printable(_worth(plan.gain))
    if plan.workers_started:
        one = plan.workers_started == 1
        start = "worker process starts" if one else "worker processes start"
        means = f"{'' if one else 'each is '}a restart for the executors in it"
        if plan.overlaps:
            means = "old ones serve on until new ones carry tuples"
        yield printable(f"{plan.workers_started} {start}: {means}")
    if detailed:
        yield from _details(plan)
    for remark in plan.remarks:
        yield printable(f"note: {remark}")
    if not plan.workers_started and not plan.moves:
        found = plan.HasField("gain")
        yield printable(
            "nothing would change" if found else "nothing was found that could be applied"
        )
        return
    if plan.held_back:
        yield printable(f"without an order it would not be made: {plan.held_back}", "yellow")
    else:
        yield printable("the rules allow it: it would be made without an order")
    yield printable(f"to run exactly this: eyewall apply {plan.id}", "bold")
    yield printable(f"it is kept for {plan.expires_in / 60:.0f} minutes", "dim")


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
        yield printable(f"slowest path: {path}")
    yield printable(f"found by {plan.decided_by}, {plan.evaluated:,} placements looked at")
    if plan.HasField("bound"):
        yield printable(f"no placement is better than {plan.bound:.6g}")
    if plan.HasField("possible"):
        forbidden = ", ".join(f"{it.constraint} {it.moves:,}" for it in plan.rejected)
        by = f"; forbidden by {forbidden}" if forbidden else ""
        yield printable(f"moves of one executor alone: {plan.possible:,} possible{by}")
    if plan.HasField("delays_age"):
        sure = f", confidence {plan.delays_confidence:.2g} at least"
        sure = sure if plan.HasField("delays_confidence") else ""
        yield printable(f"delays {plan.delays_age:.3g} s old{sure}")
    if plan.HasField("rates_age"):
        yield printable(f"rates {plan.rates_age:.3g} s old")
    yield printable(f"base {plan.base[:16]}")
