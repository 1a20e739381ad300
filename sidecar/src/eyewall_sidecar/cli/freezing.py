"""`eyewall freeze` and `eyewall unfreeze`: the operators' switches in ZooKeeper."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.options import (
    BAD_INPUT,
    NOT_NOW,
    UNHEARD,
    AsJson,
    Config,
    Sidecar,
    address_of,
)
from eyewall_sidecar.cli.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.switches import Switches

    from eyewall_sidecar.cli.client import Desk

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


class Held(NamedTuple):
    """What the sidecar goes by once something was turned.

    Parameters
    ----------
    status
        The last that it said; None if it said nothing.
    wrong
        Why it does not hold what was turned; empty if it does.
    """

    status: pb.Status | None
    wrong: str = ""


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
    _turn("freeze", topology, where, frozen=True, as_json=as_json)


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
    _turn("unfreeze", topology, where, frozen=False, as_json=as_json)


def _turn(
    command: str,
    topology: str,
    where: tuple[str | None, Path | None, str | None],
    *,
    frozen: bool,
    as_json: bool,
) -> None:
    # Only here: solver processes import the command line and need none of this.
    from eyewall_contracts.stores.switch_store import (
        SwitchesError,
        change_switches,
        read_switches,
    )
    from eyewall_contracts.znodes import Znodes
    from eyewall_monitor.config_file import ConfigError

    from eyewall_sidecar.cli.client import Desk, DeskError
    from eyewall_sidecar.config import USUAL_ZOOKEEPER, read_config
    from eyewall_sidecar.zookeeper import AwayError, ServersError, connected

    def ended(sentence: str, code: int) -> typer.Exit:
        typer.echo(f"eyewall {command}: {sentence}", err=True)
        return typer.Exit(code)

    sidecar, config, zookeeper = where
    try:
        known = read_config(config).zookeeper
        servers = zookeeper or known.servers or USUAL_ZOOKEEPER
        paths = Znodes(known.root)
        with Desk(address_of(sidecar, config)) as desk:
            status = _status(desk) if topology else None
            with connected(servers, reads_only=False) as client:
                id_ = _id_of(topology, status, read_switches(client, paths)) if topology else ""
                after = change_switches(client, paths, _turning(id_, frozen=frozen))
            if not as_json:
                typer.echo(_written(id_, after, frozen=frozen))
            held = _await(desk, id_, frozen=frozen)
    except (ConfigError, ServersError) as error:
        raise ended(str(error), NOT_NOW if isinstance(error, AwayError) else BAD_INPUT) from None
    except DeskError as error:
        raise ended(str(error), error.exit_code) from None
    except SwitchesError as error:
        raise ended(str(error), NOT_NOW) from None
    if as_json:
        sys.stdout.write(f"{_in_force(after, held)}\n")
    if held.wrong:
        raise ended(held.wrong, NOT_NOW)
    if not as_json:
        typer.echo("the sidecar holds it")
        if held.status is not None and held.status.rules.frozen and not frozen:
            typer.echo("moves stay frozen all the same: [replacement] frozen in its configuration")


def _turning(id_: str, *, frozen: bool) -> Callable[[Switches], Switches]:
    def turned(before: Switches) -> Switches:
        if id_:
            return before.with_topology(id_, frozen=frozen)
        return before.with_all(frozen=frozen)

    return turned


def _status(desk: Desk) -> pb.Status | None:
    """Return what the sidecar says; None if it is away."""
    from eyewall_sidecar.cli.client import DeskError

    try:
        return desk.status()
    except DeskError:
        return None


def _id_of(name: str, status: pb.Status | None, switches: Switches) -> str:
    """Return Storm's id of a topology that runs or is frozen."""
    from difflib import get_close_matches

    from eyewall_sidecar.cli.client import DeskError

    named = {it.name: it.topology_id for it in status.topologies} if status else {}
    ids = {*named.values(), *switches.frozen_topologies}
    if name in ids:
        return name
    if name in named:
        return named[name]
    if status is None:
        raise DeskError(f"topology {name}: only the sidecar knows Storm's id of it, and it is away")
    if not status.HasField("round_age"):
        raise DeskError(f"topology {name}: Storm's id of it is not known yet: {UNHEARD}")
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


def _await(desk: Desk, id_: str, *, frozen: bool) -> Held:
    """Wait until the sidecar holds what was turned, or as long as it may take.

    Only that: somebody else may turn another switch at the same time.
    """
    from eyewall_sidecar.cli.client import DeskError

    ends = time.monotonic() + PATIENCE
    with waiting("waiting until the sidecar holds it …"):
        while True:
            try:
                status = desk.status()
            except DeskError as error:
                return Held(None, f"it is written, and holds once the sidecar is back: {error}")
            held = status.switches
            if not held.available:
                return Held(
                    status,
                    "it is written, but the sidecar holds no switches: its [zookeeper] servers is "
                    "not set",
                )
            now = id_ in held.frozen_topologies if id_ else held.frozen
            if now == frozen and held.HasField("age"):
                return Held(status)
            if time.monotonic() >= ends:
                why = f": {held.remark}" if held.remark else ""
                return Held(
                    status,
                    f"it is written, but the sidecar does not hold it after {PATIENCE:g} s{why}",
                )
            time.sleep(LOOK_SECONDS)


def _in_force(after: Switches, held: Held) -> str:
    """Return as JSON what is written, what the sidecar holds, and whether that does it."""
    from eyewall_sidecar.cli.client import as_dict

    frozen_topologies = sorted(after.frozen_topologies)
    told: dict[str, object] = {
        "written": {"frozen": after.frozen, "frozen_topologies": frozen_topologies},
        "in_force": not held.wrong,
    }
    if held.status is not None:
        told["held"] = as_dict(held.status.switches)
        told["frozen_by_configuration"] = held.status.rules.frozen
    return json.dumps(told, ensure_ascii=False, allow_nan=False)
