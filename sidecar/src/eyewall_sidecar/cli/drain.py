"""`eyewall drain` and `eyewall undrain`: empty a host, for its maintenance, and bring it back."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from eyewall_contracts.proto import operations_pb2 as pb

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import (
    BAD_INPUT,
    NO_ROUND_YET,
    UNAVAILABLE,
    OperationsError,
    as_dict,
)
from eyewall_sidecar.cli.console import counted, show_progress
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar  # noqa: TC001 - typer reads them
from eyewall_sidecar.cli.switch_desk import Held, SwitchDesk, ZooKeeper, ended, open_desk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyewall_contracts.switches import Switches

POLL_SECONDS = 1.0
LONGEST_WAIT = 86_400.0
AUTO = "auto"
"""`eyewall.mode` of topologies that the sidecar moves."""

Host = Annotated[
    str,
    typer.Argument(help="The host, as Storm has it.", autocompletion=completion.supervisors),
]


class Occupants(NamedTuple):
    """What is still on a host.

    Parameters
    ----------
    executors
        Topology → its executors that are assigned to the host; None if that is not known now.
    workers
        Worker processes by the report of the host's agent; None if there is none.
    doubt
        Why something is not known; empty if all is, or could be.
    """

    executors: Mapping[str, int] | None = None
    workers: int | None = None
    doubt: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is assigned to it, and no process is known to be there."""
        return self.executors is not None and not self.executors and not self.workers

    def __str__(self) -> str:
        if self.executors is None:
            return f"perhaps something ({self.doubt})"
        parts = [f"{counted(n, 'executor')} of {it}" for it, n in sorted(self.executors.items())]
        if self.workers and not parts:
            noun = "process" if self.workers == 1 else "processes"
            parts = [f"{self.workers} worker {noun} that did not end yet"]
        return ", ".join(parts) or "nothing"


def drain(
    host: Host,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Also if the other hosts have no room for all of it.")
    ] = False,
    wait: Annotated[
        float, typer.Option(help="Seconds to wait until it is empty; 0: do not.")
    ] = 300.0,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
    as_json: AsJson = False,
) -> None:
    """Move all topologies off a host, and place none there until `eyewall undrain`.

    Topologies with eyewall.moves: overlap leave without a gap where hosts have the agent for it;
    others restart elsewhere. Exit code 0 once the host is empty, 2 for an unknown host, the last
    one or a bad option, 1 if the other hosts have no room (then nothing is written), if it is not
    empty in time, or if ZooKeeper or the sidecar is away.
    """
    if not 0 <= wait <= LONGEST_WAIT:
        allowed = f"it must be from 0 to {LONGEST_WAIT:,.0f} seconds"
        raise ended("drain", f"--wait {wait:g}: {allowed}", BAD_INPUT)
    with open_desk("drain", sidecar, config, zookeeper) as desk:
        status = desk.operations.status()
        switches = desk.read()
        _require_host(host, status)
        _require_another(host, status, switches)
        with show_progress(f"asking whether the other hosts have room for what is on {host} …"):
            obstacles = tuple(_obstacles(desk, status, switches, host))
        if obstacles and not force:
            raise OperationsError(
                f"{host} is not drained: {'; '.join(obstacles)} (--force drains it all the same: "
                "what has room elsewhere leaves)"
            )

        def turned(before: Switches) -> Switches:
            _require_another(host, status, before)  # somebody may drain another one meanwhile
            return before.with_host(host, drained=True)

        after = desk.change(turned)
        if not as_json:
            typer.echo(f"{host} is drained: Eyewall places nothing there")
        held = desk.wait(lambda it: host in it.drained_hosts)
        left = _wait_until_empty(desk, host, wait) if wait and not held.wrong else None
    wrong = held.wrong
    if left is not None and not left.is_empty:
        wrong = f"{host} is drained, but after {wait:g} s there is still {left}; `eyewall status` "
        wrong += "says why topologies stay"
    if as_json:
        sys.stdout.write(f"{_as_json(after, held, left)}\n")
    if wrong:
        raise ended("drain", wrong, UNAVAILABLE)
    if not as_json:
        if left is None:
            typer.echo("the sidecar holds it; whether the host is empty is not waited for")
        elif left.workers is None:
            no_agent = "nothing is assigned to it; no agent reports whether its workers have ended"
            typer.echo(f"{host}: {no_agent}")
        else:
            typer.echo(f"{host} is empty")


def undrain(
    host: Host,
    *,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
    as_json: AsJson = False,
) -> None:
    """Use a host again that was drained; what left it comes back only if that is worth a move.

    Exit code 0 once the sidecar holds it, 2 for a host that is not drained, 1 if ZooKeeper or the
    sidecar is away; the sentence says whether it is written.
    """
    with open_desk("undrain", sidecar, config, zookeeper) as desk:
        drained = sorted(desk.read().drained_hosts)
        if host not in drained:
            known = f"drained are {', '.join(drained)}" if drained else "no host is"
            near = tuple(get_close_matches(host, drained, n=3))
            raise OperationsError(f"{host} is not drained; {known}", near, BAD_INPUT)
        after = desk.change(lambda it: it.with_host(host, drained=False))
        if not as_json:
            typer.echo(f"{host} is no longer drained")
        held = desk.wait(lambda it: host not in it.drained_hosts)
    if as_json:
        sys.stdout.write(f"{_as_json(after, held, None)}\n")
    if held.wrong:
        raise ended("undrain", held.wrong, UNAVAILABLE)
    if not as_json:
        typer.echo("the sidecar holds it")


def _require_host(host: str, status: pb.Status) -> None:
    if not status.HasField("round_age"):
        raise OperationsError(f"host {host}: no host is known yet: {NO_ROUND_YET}")
    hosts = sorted({it.host for it in status.supervisors})
    if host not in hosts:
        near = tuple(get_close_matches(host, hosts, n=3))
        raise OperationsError(f"no host {host}; hosts are {', '.join(hosts)}", near, BAD_INPUT)


def _require_another(host: str, status: pb.Status, switches: Switches) -> None:
    """Refuse to drain the last host that has slots to offer."""
    offering = {it.host for it in status.supervisors if it.ports}
    if not offering - switches.drained_hosts - {host}:
        drained = ", ".join(sorted(switches.drained_hosts - {host}))
        already = f"; drained are {drained} (eyewall undrain)" if drained else ""
        raise OperationsError(
            f"{host} is the last host that takes executors{already}", exit_code=BAD_INPUT
        )


def _obstacles(desk: SwitchDesk, status: pb.Status, switches: Switches, host: str) -> Iterator[str]:
    """Yield why topologies cannot leave a host, each asked for by itself."""
    for topology in status.topologies:
        if not any(it.host == host for it in topology.executors):
            continue
        if topology.mode != AUTO:
            yield f"{topology.name} is not moved: eyewall.mode is {topology.mode}"
        elif (
            status.rules.frozen
            or switches.frozen
            or topology.topology_id in switches.frozen_topologies
        ):
            yield f"{topology.name} is not moved: it is frozen"
        else:
            off = pb.HostShare(host=host, share=0.0)
            id_, policy = topology.topology_id, topology.policy
            request = pb.ForecastRequest(topology=id_, policy=policy, hosts=[off])
            try:
                found = desk.operations.forecast(request)
            except OperationsError as error:
                yield f"{topology.name}: {error.sentence}"
                continue
            if (carried := found.then.sustainable.greatest) < 1:
                yield f"{topology.name}: the other hosts carry {carried:.0%} of its rate"


def _wait_until_empty(desk: SwitchDesk, host: str, seconds: float) -> Occupants:
    """Return what is on the host once that is nothing, or when the time is over.

    A round that began before the sidecar held the switch may have placed something there.
    """
    began = time.monotonic()
    with show_progress(f"{host}: waiting until it is empty …") as show:
        while True:
            left = _occupants(desk, host, time.monotonic() - began)
            show(f"{host}: {left} left")
            if left.is_empty or time.monotonic() >= began + seconds:
                return left
            time.sleep(POLL_SECONDS)


def _occupants(desk: SwitchDesk, host: str, since: float) -> Occupants:
    """Return what is on the host by a round that began in the last `since` seconds."""
    try:
        status, workers = desk.operations.status(), desk.workers_on(host)
    except OperationsError as error:
        return Occupants(doubt=error.sentence)
    if not status.HasField("round_age") or status.round_age + status.round_seconds > since:
        return Occupants(doubt="Nimbus has had no round since")
    executors = Counter(
        topology.name
        for topology in status.topologies
        for it in topology.executors
        if it.host == host
    )
    return Occupants(executors, workers)


def _as_json(after: Switches, held: Held, left: Occupants | None) -> str:
    content: dict[str, object] = {
        "written": {"drained_hosts": sorted(after.drained_hosts)},
        "in_force": not held.wrong,
    }
    if held.status is not None:
        content["held"] = as_dict(held.status.switches)
    if left is not None and left.executors is not None:
        content["executors_left"] = left.executors
        if left.workers is not None:
            content |= {"workers_left": left.workers, "empty": left.is_empty}
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
