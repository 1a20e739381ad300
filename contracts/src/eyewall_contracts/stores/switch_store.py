"""Reads and changes the operators' switches in ZooKeeper.

Two people may turn switches at the same time. A writer names the version that it read, and starts
over if someone else wrote in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError

from eyewall_contracts.errors import ContractError
from eyewall_contracts.switches import Switches, decode_switches, encode_switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from kazoo.client import KazooClient

    from eyewall_contracts.znodes import Znodes

ANSWER_SECONDS: Final = 5.0
ATTEMPTS: Final = 20


class SwitchesError(RuntimeError):
    """Switches that could not be read or changed; says why."""


def read_switches(client: KazooClient, paths: Znodes) -> Switches:
    """Return the switches as they are; nobody has turned any if there are none.

    SwitchesError if they cannot be understood; kazoo's exceptions if ZooKeeper does not answer.
    """
    return _read(client, paths)[0]


def change_switches(
    client: KazooClient, paths: Znodes, turned: Callable[[Switches], Switches]
) -> Switches:
    """Put `turned` of the switches in their place, and return what is there now.

    `turned` may be called several times: with what another one wrote meanwhile. SwitchesError and
    kazoo's exceptions as of `read_switches`.
    """
    for _ in range(ATTEMPTS):
        before, version = _read(client, paths)
        after = turned(before)
        if after == before and version is not None:
            return before
        try:
            data = encode_switches(after)
        except ContractError as error:
            raise SwitchesError(f"{paths.switches}: {error}") from None
        try:
            if version is None:
                made = client.create_async(paths.switches, data, makepath=True)
                made.get(timeout=ANSWER_SECONDS)
            else:
                client.set_async(paths.switches, data, version).get(timeout=ANSWER_SECONDS)
        except (BadVersionError, NodeExistsError, NoNodeError):
            continue
        return after
    raise SwitchesError(f"{paths.switches}: somebody else keeps changing it; try again")


def _read(client: KazooClient, paths: Znodes) -> tuple[Switches, int | None]:
    """Return the switches and the version of their znode; None: there is none."""
    try:
        data, stat = client.get_async(paths.switches).get(timeout=ANSWER_SECONDS)
    except NoNodeError:
        return Switches(), None
    if not data:  # a znode that somebody made and wrote nothing to
        return Switches(), stat.version
    try:
        return decode_switches(data), stat.version
    except ContractError as error:
        raise SwitchesError(f"{paths.switches}: {error}") from None
