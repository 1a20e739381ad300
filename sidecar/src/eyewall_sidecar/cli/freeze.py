"""`eyewall freeze` and `eyewall unfreeze`: the operators' switches in ZooKeeper."""

from __future__ import annotations

import json
import sys
import time
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from eyewall_sidecar.cli import completion
from eyewall_sidecar.cli.client import (
    BAD_INPUT,
    NO_ROUND_YET,
    UNAVAILABLE,
    OperationsClient,
    OperationsError,
    as_dict,
)
from eyewall_sidecar.cli.console import show_progress
from eyewall_sidecar.cli.options import AsJson, Config, Sidecar, address_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.switches import Switches

HELD_SECONDS = 10.0
"""For the sidecar to hold a change of the switches; it reads them every second."""
POLL_SECONDS = 0.3

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


class _Held(NamedTuple):
    """What the sidecar holds after a change of the switches.

    Parameters
    ----------
    status
        Its last; None if it did not answer.
    wrong
        Why it does not hold the change; empty if it does.
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
    # Only here: solver processes import the command line and need none of this.
    from eyewall_contracts.config_file import ConfigError
    from eyewall_contracts.stores.switch_store import (
        SwitchesError,
        change_switches,
        read_switches,
    )
    from eyewall_contracts.znodes import Znodes

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
        with OperationsClient(address_of(sidecar, config)) as operations:
            status = _status(operations) if topology else None
            with connected(servers, reads_only=False) as client:
                id_ = _id_of(topology, status, read_switches(client, paths)) if topology else ""
                after = change_switches(client, paths, _change(id_, frozen=frozen))
            if not as_json:
                typer.echo(_written(id_, after, frozen=frozen))
            held = _await(operations, id_, frozen=frozen)
    except (ConfigError, ServersError) as error:
        raise ended(
            str(error), UNAVAILABLE if isinstance(error, AwayError) else BAD_INPUT
        ) from None
    except OperationsError as error:
        raise ended(str(error), error.exit_code) from None
    except SwitchesError as error:
        raise ended(str(error), UNAVAILABLE) from None
    if as_json:
        sys.stdout.write(f"{_in_force(after, held)}\n")
    if held.wrong:
        raise ended(held.wrong, UNAVAILABLE)
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


def _status(operations: OperationsClient) -> pb.Status | None:
    """Return the sidecar's status; None if it is away."""
    try:
        return operations.status()
    except OperationsError:
        return None


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


def _await(operations: OperationsClient, id_: str, *, frozen: bool) -> _Held:
    """Wait until the sidecar holds the change, or as long as it may take.

    Only that: somebody else may change another switch at the same time.
    """
    ends = time.monotonic() + HELD_SECONDS
    with show_progress("waiting until the sidecar holds it …"):
        while True:
            try:
                status = operations.status()
            except OperationsError as error:
                return _Held(None, f"it is written, and holds once the sidecar is back: {error}")
            held = status.switches
            if not held.available:
                return _Held(
                    status,
                    "it is written, but the sidecar holds no switches: its [zookeeper] servers is "
                    "not set",
                )
            now = id_ in held.frozen_topologies if id_ else held.frozen
            if now == frozen and held.HasField("age"):
                return _Held(status)
            if time.monotonic() >= ends:
                reason = f": {held.remark}" if held.remark else ""
                return _Held(
                    status,
                    f"it is written, but not held by the sidecar after {HELD_SECONDS:g} s{reason}",
                )
            time.sleep(POLL_SECONDS)


def _in_force(after: Switches, held: _Held) -> str:
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
