"""A connection to ZooKeeper for as long as a command takes."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from eyewall_monitor.addresses import are_servers
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.handlers.threading import KazooTimeoutError

PATIENCE = 5.0
"""Seconds for ZooKeeper to answer."""


class ServersError(Exception):
    """No ZooKeeper can be asked there; one sentence."""


class AwayError(ServersError):
    """ZooKeeper does not answer."""


@contextmanager
def connected(servers: str, *, reads_only: bool) -> Iterator[KazooClient]:
    """Connect for as long as it is needed; ServersError if that does not work, or stops to.

    With `reads_only` a server that lost its quorum will do.
    """
    if not are_servers(servers):
        raise ServersError(
            f"--zookeeper {servers}: it must be HOST:PORT, or several with commas between"
        )
    quiet = logging.getLogger("eyewall.command.kazoo")
    quiet.setLevel(logging.CRITICAL)  # what is wrong is said in one line
    client = KazooClient(servers, read_only=reads_only, logger=quiet)
    try:
        client.start(timeout=PATIENCE)
        yield client
    except (KazooException, KazooTimeoutError, OSError) as error:
        why = str(error) or type(error).__name__
        raise AwayError(f"ZooKeeper at {servers} does not answer: {why}") from None
    finally:
        client.stop()
        client.close()
