"""`eyewall plan` and `eyewall apply`: what would move, and exactly that is moved."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.options import BAD_INPUT, NOT_NOW, AsJson, Config, Sidecar, asking
from eyewall_sidecar.cli.progress import waiting

if TYPE_CHECKING:
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_sidecar.cli.client import Desk

NO_PLACEMENT = {"infeasible": 3, "timed out": 4, "failed": 5}
"""Exit codes of `eyewall plan` where nothing was found, as of `eyewall solve`."""
CHANGES = 10
"""Exit code of `eyewall plan --exit-code` where something would move."""
STALE = 4
REFUSED = 5
LOOK_SECONDS = 0.3

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
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_sidecar.cli.client import as_json as json_of

    request = pb.PlanRequest(
        topology=topology, policy=policy, objective=objective, time_limit=time_limit
    )
    if seed is not None:
        if not 0 <= seed < 2**31:
            typer.echo(f"eyewall plan: --seed {seed}: it must be from 0 to {2**31 - 1}", err=True)
            raise typer.Exit(BAD_INPUT)
        request.seed = seed
    with asking("plan", sidecar, config) as desk, waiting(f"looking for a plan for {topology} …"):
        found = desk.make_plan(request)
    if as_json:
        sys.stdout.write(f"{json_of(found)}\n")
    else:
        from rich.console import Console

        from eyewall_sidecar.cli.plan_shown import show

        show(found, Console(), detailed=detailed)
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
    from eyewall_contracts.proto import operations_pb2 as pb

    from eyewall_sidecar.cli.client import as_json as json_of

    with asking("apply", sidecar, config) as desk:
        became, refused = _ordered(desk, id_)
        if wait and not refused:
            became = _awaited(desk, became, time.monotonic() + time_out)
    if as_json:
        sys.stdout.write(f"{json_of(became)}\n")
    if refused:
        code = STALE if became.state == pb.Plan.STALE else REFUSED
        said = f"eyewall apply: {refused}"
    else:
        code, said = _ending(became, wait=wait, time_out=time_out)
    if code or not as_json:
        typer.echo(said, err=bool(code))
    raise typer.Exit(code)


def _ordered(desk: Desk, id_: str) -> tuple[pb.Plan, str]:
    """Apply; return the plan, and why it is refused if it is at once."""
    import grpc

    from eyewall_sidecar.cli.client import DeskError

    try:
        return desk.apply(id_), ""
    except DeskError as error:
        if error.code is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        return desk.plan(id_), str(error)


def _awaited(desk: Desk, became: pb.Plan, until: float) -> pb.Plan:
    """Wait until it is known what became of a plan, or until then."""
    from eyewall_contracts.proto import operations_pb2 as pb

    words = {
        pb.Plan.QUEUED: "waiting for Nimbus's next round",
        pb.Plan.HANDED_OVER: "Nimbus has it; the next round tells whether it runs",
    }
    with waiting(f"{words[pb.Plan.QUEUED]} …") as say:
        while became.state in words and time.monotonic() < until:
            say(f"{became.state_reason or words[became.state]} …")
            time.sleep(LOOK_SECONDS)
            became = desk.plan(became.id)
    return became


def _ending(became: pb.Plan, *, wait: bool, time_out: float) -> tuple[int, str]:
    """Return the exit code and the sentence."""
    from eyewall_contracts.proto import operations_pb2 as pb

    name, reason = f"plan {became.id}", became.state_reason
    match became.state:
        case pb.Plan.APPLIED:
            return 0, f"{name} is applied: {became.topology} runs exactly so"
        case pb.Plan.STALE:
            return STALE, f"eyewall apply: {name} is stale, nothing was changed: {reason}"
        case pb.Plan.REFUSED:
            return REFUSED, f"eyewall apply: {name} was refused, nothing was changed: {reason}"
    if not wait:
        return 0, f"{name} goes to Nimbus with its next round"
    waited = f"{name} is not applied after {time_out:g} s, and stays queued"
    return NOT_NOW, f"eyewall apply: {waited}{f': {reason}' if reason else ''}"
