"""`eyewall freeze` and `eyewall unfreeze`: the operators' switches in ZooKeeper."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from eyewall_sidecar.desk import completion
from eyewall_sidecar.desk.options import BAD_INPUT, NOT_NOW, Config, Sidecar, address_of
from eyewall_sidecar.desk.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_monitor.znodes import Switches
    from eyewall_proto import operations_pb2 as pb

    from eyewall_sidecar.desk.client import Desk

PATIENCE = 10.0
"""Seconds for the sidecar to hold what was turned; it looks every second."""
LOOK_SECONDS = 0.3

Topology = Annotated[
    str,
    typer.Argument(
        help="By its name or Storm's id; none: all of them.",
        autocompletion=completion.topologies,
        show_default=False,
    ),
]
ZooKeeper = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT,…", help="Another ZooKeeper than the configuration's."),
]


def freeze(
    topology: Topology = "",
    *,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
) -> None:
    """Move nothing that runs any more, of one topology or of all, until `eyewall unfreeze`.

    First placements go on, and so do executors that lost their slot. Exit code 0 once the sidecar
    holds it, 2 for an unknown topology or a bad option, 1 if ZooKeeper or the sidecar is away; the
    sentence says whether it is written.
    """
    _turn("freeze", topology, True, sidecar, config, zookeeper)  # noqa: FBT003 - which of the two


def unfreeze(
    topology: Topology = "",
    *,
    sidecar: Sidecar = None,
    config: Config = None,
    zookeeper: ZooKeeper = None,
) -> None:
    """Let one topology be moved again, or all but those that are frozen by themselves.

    Exit codes as of `eyewall freeze`.
    """
    _turn("unfreeze", topology, False, sidecar, config, zookeeper)  # noqa: FBT003 - as above


def _turn(
    command: str,
    topology: str,
    frozen: bool,
    sidecar: str | None,
    config: Path | None,
    zookeeper: str | None,
) -> None:
    # Only here: solver processes import the command line and need none of this.
    from eyewall_monitor import switches
    from eyewall_monitor.config_file import ConfigError
    from eyewall_monitor.znodes import Znodes

    from eyewall_sidecar.config import USUAL_ZOOKEEPER, read_config
    from eyewall_sidecar.desk.client import Desk, DeskError
    from eyewall_sidecar.zookeeper import AwayError, ServersError, connected

    def ended(sentence: str, code: int) -> typer.Exit:
        typer.echo(f"eyewall {command}: {sentence}", err=True)
        return typer.Exit(code)

    try:
        known = read_config(config).zookeeper
        servers = zookeeper or known.servers or USUAL_ZOOKEEPER
        paths = Znodes(known.root)
        with Desk(address_of(sidecar, config)) as desk:
            status, away = _status(desk)
            with connected(servers, reads_only=False) as client:
                id_ = _id_of(topology, status, switches.read(client, paths)) if topology else ""
                after = switches.change(client, paths, _turning(id_, frozen=frozen))
            typer.echo(_written(id_, after, frozen=frozen))
            if status is None:
                raise DeskError(f"it is written, and holds once the sidecar is back: {away}")
            _await(desk, id_, frozen=frozen)
    except (ConfigError, ServersError) as error:
        raise ended(str(error), NOT_NOW if isinstance(error, AwayError) else BAD_INPUT) from None
    except DeskError as error:
        raise ended(str(error), error.exit_code) from None
    except switches.SwitchesError as error:
        raise ended(str(error), NOT_NOW) from None
    typer.echo("the sidecar holds it")
    if status is not None and status.rules.frozen and not frozen:
        typer.echo("moves stay frozen all the same: [replacement] frozen in its configuration")


def _turning(id_: str, *, frozen: bool) -> Callable[[Switches], Switches]:
    from eyewall_monitor import switches

    def turned(before: Switches) -> Switches:
        if id_:
            return switches.with_topology(before, id_, frozen=frozen)
        return switches.with_all(before, frozen=frozen)

    return turned


def _status(desk: Desk) -> tuple[pb.Status | None, str]:
    """Return what the sidecar says, or why it says nothing."""
    from eyewall_sidecar.desk.client import DeskError

    try:
        return desk.status(), ""
    except DeskError as error:
        return None, str(error)


def _id_of(name: str, status: pb.Status | None, switches: Switches) -> str:
    """Return Storm's id of a topology that runs or is frozen."""
    from difflib import get_close_matches

    from eyewall_sidecar.desk.client import DeskError

    named = {it.name: it.topology_id for it in status.topologies} if status else {}
    ids = {*named.values(), *switches.frozen_topologies}
    if name in ids:
        return name
    if name in named:
        return named[name]
    if status is None:
        raise DeskError(f"topology {name}: only the sidecar knows Storm's id of it, and it is away")
    near = get_close_matches(name, [*named, *sorted(ids)], n=3)
    there = f"topologies are {', '.join(sorted(named))}" if named else "there are no topologies"
    raise DeskError(f"no topology {name}; {there}", tuple(near), BAD_INPUT)


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


def _await(desk: Desk, id_: str, *, frozen: bool) -> None:
    """Wait until the sidecar holds what was turned; DeskError if it does not.

    Only that: somebody else may turn another switch at the same time.
    """
    from eyewall_sidecar.desk.client import DeskError

    ends = time.monotonic() + PATIENCE
    with waiting("waiting until the sidecar holds it …"):
        while True:
            held = desk.status().switches
            if not held.available:
                raise DeskError(
                    "it is written, but the sidecar holds no switches: its [zookeeper] servers is "
                    "not set"
                )
            now = id_ in held.frozen_topologies if id_ else held.frozen
            if now == frozen and held.HasField("age"):
                return
            if time.monotonic() >= ends:
                why = f": {held.remark}" if held.remark else ""
                raise DeskError(
                    f"it is written, but the sidecar does not hold it after {PATIENCE:g} s{why}"
                )
            time.sleep(LOOK_SECONDS)
