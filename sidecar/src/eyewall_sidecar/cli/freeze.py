"""`eyewall freeze` and `eyewall unfreeze`: the operators' switches in ZooKeeper."""

from __future__ import annotations

import json
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import (
    BAD_INPUT,
    NO_ROUND_YET,
    UNAVAILABLE,
    OperationsError,
    as_dict,
)
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar  # noqa: TC001 - typer reads them
from eyewall_sidecar.cli.switch_desk import Held, ZooKeeper, ended, open_desk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.switches import Switches

Topology = Annotated[
    str,
    typer.Argument(
        help="By its name or Storm's id; none: all of them.",
        autocompletion=completion.topologies,
        show_default=False,
    ),
]


def freeze(
    topology: Topology = "",
    *,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
    as_json: AsJson = False,
) -> None:
    """Move nothing that runs any more, of one topology or of all, until `eyewall unfreeze`.

    First placements go on, and so do executors that lost their slot. Exit code 0 once the sidecar
    holds it, 2 for an unknown topology or a bad option, 1 if ZooKeeper or the sidecar is away; the
    sentence says whether it is written. With --json: what is written, and what the sidecar holds.
    """
    where = sidecar, config, zookeeper
    _set_frozen("freeze", topology, where, frozen=True, as_json=as_json)


def unfreeze(
    topology: Topology = "",
    *,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
    as_json: AsJson = False,
) -> None:
    """Let one topology be moved again, or all but those that are frozen by themselves.

    Exit codes and --json as of `eyewall freeze`.
    """
    where = sidecar, config, zookeeper
    _set_frozen("unfreeze", topology, where, frozen=False, as_json=as_json)


def _set_frozen(
    command: str,
    topology: str,
    where: tuple[str | None, Path | None, str | None],
    *,
    frozen: bool,
    as_json: bool,
) -> None:
    with open_desk(command, *where) as desk:
        status = desk.status() if topology else None
        id_ = _id_of(topology, status, desk.read()) if topology else ""
        after = desk.change(_change(id_, frozen=frozen))
        if not as_json:
            typer.echo(_written(id_, after, frozen=frozen))
        held = desk.wait(lambda it: (id_ in it.frozen_topologies if id_ else it.frozen) == frozen)
    if as_json:
        sys.stdout.write(f"{_in_force(after, held)}\n")
    if held.wrong:
        raise ended(command, held.wrong, UNAVAILABLE)
    if not as_json:
        typer.echo("the sidecar holds it")
        if held.status is not None and held.status.rules.frozen and not frozen:
            typer.echo("moves stay frozen: [replacement] frozen in its configuration")


def _change(id_: str, *, frozen: bool) -> Callable[[Switches], Switches]:
    def change(before: Switches) -> Switches:
        if id_:
            return before.with_topology(id_, frozen=frozen)
        return before.with_all(frozen=frozen)

    return change


def _id_of(name: str, status: pb.Status | None, switches: Switches) -> str:
    """Return Storm's id of a topology that runs or is frozen."""
    named = {it.name: it.topology_id for it in status.topologies} if status else {}
    ids = {*named.values(), *switches.frozen_topologies}
    if name in ids:
        return name
    if name in named:
        return named[name]
    if status is None:
        raise OperationsError(
            f"topology {name}: only the sidecar knows Storm's id of it, and it is away"
        )
    if not status.HasField("round_age"):
        raise OperationsError(f"topology {name}: Storm's id of it is not known yet: {NO_ROUND_YET}")
    near = get_close_matches(name, [*named, *sorted(ids)], n=3)
    there = f"topologies are {', '.join(sorted(named))}" if named else "there are no topologies"
    raise OperationsError(f"no topology {name}; {there}", tuple(near), BAD_INPUT)


def _written(id_: str, after: Switches, *, frozen: bool) -> str:
    alone = ", ".join(sorted(after.frozen_topologies))
    if id_:
        said = f"{id_} is {'frozen' if frozen else 'no longer frozen'}"
        return f"{said}; so is everything (eyewall unfreeze)" if after.frozen else said
    if frozen:
        return "everything is frozen: nothing that runs is moved"
    return (
        f"not everything is frozen any more, but still by themselves: {alone}"
        if alone
        else ("nothing is frozen any more")
    )


def _in_force(after: Switches, held: Held) -> str:
    """Return as JSON what is written, what the sidecar holds, and if that is in force."""
    frozen_topologies = sorted(after.frozen_topologies)
    content: dict[str, object] = {
        "written": {"frozen": after.frozen, "frozen_topologies": frozen_topologies},
        "in_force": not held.wrong,
    }
    if held.status is not None:
        content["held"] = as_dict(held.status.switches)
        content["frozen_by_configuration"] = held.status.rules.frozen
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
