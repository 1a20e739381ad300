"""What commands that turn the operators' switches share: ZooKeeper, the sidecar, and the wait."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from eyewall_sidecar.cli.client import BAD_INPUT, UNAVAILABLE, OperationsClient, OperationsError
from eyewall_sidecar.cli.console import show_progress
from eyewall_sidecar.cli.options import address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from eyewall_contracts.proto import operations_pb2 as pb
    from eyewall_contracts.switches import Switches
    from eyewall_contracts.znodes import Znodes
    from kazoo.client import KazooClient

HELD_SECONDS = 10.0
"""For the sidecar to hold a change of the switches; it reads them every second."""
POLL_SECONDS = 0.3
ANSWER_SECONDS = 5.0

ZooKeeper = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT,…", help="Another ZooKeeper than the configuration's."),
]


class Held(NamedTuple):
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


class SwitchDesk(NamedTuple):
    """The switches in ZooKeeper, and the sidecar that reads them."""

    operations: OperationsClient
    client: KazooClient
    paths: Znodes

    def status(self) -> pb.Status | None:
        """Return the sidecar's status; None if it is away."""
        try:
            return self.operations.status()
        except OperationsError:
            return None

    def read(self) -> Switches:
        """Return the switches as they are written."""
        from eyewall_contracts.stores.switch_store import read_switches

        return read_switches(self.client, self.paths)

    def change(self, turned: Callable[[Switches], Switches]) -> Switches:
        """Write `turned` of them, and return what is written now."""
        from eyewall_contracts.stores.switch_store import change_switches

        return change_switches(self.client, self.paths, turned)

    def workers_on(self, host: str) -> int | None:
        """Return the worker processes by the last report of a host; None if there is none.

        OperationsError if ZooKeeper does not answer now.
        """
        from eyewall_contracts.errors import ContractError
        from eyewall_contracts.sample import decode_sample
        from eyewall_contracts.stores.zookeeper_session import TROUBLES
        from kazoo.exceptions import NoNodeError

        try:
            got = self.client.get_async(self.paths.sample(host)).get(timeout=ANSWER_SECONDS)
            return len(decode_sample(got[0]).workers)
        except (NoNodeError, ContractError):
            return None
        except TROUBLES as error:
            why = str(error) or type(error).__name__
            raise OperationsError(f"ZooKeeper does not answer: {why}") from None

    def wait(self, is_held: Callable[[pb.Switches], bool]) -> Held:
        """Wait until the sidecar holds a change, or as long as it may take.

        Only for that change: somebody else may turn another switch at the same time.
        """
        ends = time.monotonic() + HELD_SECONDS
        with show_progress("waiting until the sidecar holds it …"):
            while True:
                try:
                    status = self.operations.status()
                except OperationsError as error:
                    return Held(None, f"it is written, and holds once the sidecar is back: {error}")
                held = status.switches
                if not held.available:
                    return Held(
                        status,
                        "it is written, but the sidecar holds no switches: its [zookeeper] servers "
                        "is not set",
                    )
                if is_held(held) and held.HasField("age"):
                    return Held(status)
                if time.monotonic() >= ends:
                    reason = f": {held.remark}" if held.remark else ""
                    return Held(
                        status,
                        "it is written, but not held by the sidecar after "
                        f"{HELD_SECONDS:g} s{reason}",
                    )
                time.sleep(POLL_SECONDS)


def ended(command: str, sentence: str, code: int) -> typer.Exit:
    """Print why a command ends, and return its end."""
    typer.echo(f"eyewall {command}: {sentence}", err=True)
    return typer.Exit(code)


@contextmanager
def open_desk(
    command: str, sidecar: str | None, config: Path | None, zookeeper: str | None
) -> Iterator[SwitchDesk]:
    """Connect to both; an error ends the command with one line on standard error."""
    # Only here: solver processes import the command line and need none of this.
    from eyewall_contracts.config_file import ConfigError
    from eyewall_contracts.stores.switch_store import SwitchesError
    from eyewall_contracts.znodes import Znodes

    from eyewall_sidecar.config import USUAL_ZOOKEEPER, read_config
    from eyewall_sidecar.zookeeper import AwayError, ServersError, connected

    try:
        known = read_config(config).zookeeper
        servers = zookeeper or known.servers or USUAL_ZOOKEEPER
        with (
            OperationsClient(address_of(sidecar, config)) as operations,
            connected(servers, reads_only=False) as client,
        ):
            yield SwitchDesk(operations, client, Znodes(known.root))
    except (ConfigError, ServersError) as error:
        code = UNAVAILABLE if isinstance(error, AwayError) else BAD_INPUT
        raise ended(command, str(error), code) from None
    except OperationsError as error:
        raise ended(command, str(error), error.exit_code) from None
    except SwitchesError as error:
        raise ended(command, str(error), UNAVAILABLE) from None
