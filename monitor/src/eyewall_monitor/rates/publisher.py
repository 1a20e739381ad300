"""Writes a batch's figures to ZooKeeper: once, however often the batch is done."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.errors import ContractError, IncompatibleVersionError
from eyewall_contracts.rates import decode_rates
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from eyewall_monitor.rates.rates_document import Batch, encode_fitting, merge_batch

if TYPE_CHECKING:
    from eyewall_contracts.rates import Rates
    from eyewall_contracts.znodes import Znodes

LOG: Final = logging.getLogger("eyewall.rates")


class ZookeeperAwayError(Exception):
    """ZooKeeper does not answer; says which."""


class Publisher:
    """The rates of all topologies of one Storm cluster, in ZooKeeper.

    A batch continues from the document found there. Nothing is kept in memory, so that a job
    that starts again needs nothing but its checkpoint.
    """

    def __init__(
        self, servers: str, paths: Znodes, timeout: float, window: float, forget: float
    ) -> None:
        self._servers = servers
        self._paths = paths
        self._timeout = timeout
        self._window = window
        self._forget = forget
        self._client: KazooClient | None = None
        self._refused: set[str] = set()

    def publish(self, batch: Batch) -> None:
        """Write what a batch changed; ZookeeperAwayError if that is not possible now."""
        if not batch.topologies:
            return
        try:
            client = self._connect()
            for topology in sorted(batch.topologies):
                self._publish(client, topology, batch)
            self._prune(client, batch)
        except (KazooException, KazooTimeoutError) as error:
            self.close()
            LOG.debug("ZooKeeper: %r", error)
            raise ZookeeperAwayError(f"ZooKeeper at {self._servers} does not answer") from None

    def close(self) -> None:
        """End the session."""
        if self._client is not None:
            self._client.stop()
            self._client.close()
            self._client = None

    def _connect(self) -> KazooClient:
        if self._client is None:
            client = self._client = KazooClient(self._servers, timeout=self._timeout)
            client.start(timeout=self._timeout)
            self._answer(client.ensure_path_async(self._paths.all_rates))
        return self._client

    def _answer(self, asked: Any) -> Any:
        """Wait for an answer; kazoo itself would wait as long as ZooKeeper is away."""
        return asked.get(timeout=self._timeout)

    def _publish(self, client: KazooClient, topology: str, batch: Batch) -> None:
        try:
            path = self._paths.rates(topology)
            found = self._read(client, path)
            after = merge_batch(found, topology, batch, self._window, self._forget)
            if after is None:
                return
            data = encode_fitting(after)
        except ContractError as error:
            if topology not in self._refused:
                self._refused.add(topology)
                LOG.warning("rates of %s are not written: %s", topology, error)
            return
        try:
            self._answer(client.set_async(path, data))
        except NoNodeError:
            self._answer(client.create_async(path, data))

    def _read(self, client: KazooClient, path: str) -> Rates | None:
        try:
            data, _ = self._answer(client.get_async(path))
            return decode_rates(data)
        except NoNodeError:
            return None
        except IncompatibleVersionError:
            raise
        except ContractError as error:
            LOG.warning("%s is replaced: %s", path, error)
            return None

    def _prune(self, client: KazooClient, batch: Batch) -> None:
        """Take away the rates of topologies that nothing was heard of for long."""
        for topology in self._answer(client.get_children_async(self._paths.all_rates)):
            if topology in batch.topologies:
                continue
            path = f"{self._paths.all_rates}/{topology}"
            stat = self._answer(client.exists_async(path))
            if stat is not None and batch.time - stat.mtime / 1000 > self._forget:
                self._answer(client.delete_async(path))
