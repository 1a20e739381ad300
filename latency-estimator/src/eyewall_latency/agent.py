"""The agent of one supervisor host: rounds that probe, relax and report."""

import logging
import selectors
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import dist
from random import Random

from eyewall_contracts.latency import HostCoordinate
from eyewall_contracts.stores.redis_client import RedisAwayError

from eyewall_latency.config import LatencyConfig
from eyewall_latency.estimator import Estimator
from eyewall_latency.probe import Prober, Target
from eyewall_latency.redis_registry import RedisRegistry
from eyewall_latency.registry import RegistryView

TIDY_SECONDS = 30.0
LEAST_MOVEMENT = 0.0001
"""Seconds. A coordinate that moved less is not reported again: readers need not decode it."""
REPORTS_PER_EXPIRY = 6
"""It is reported this often within the expiry all the same."""
HANDSHAKES_AT_ONCE = 256
"""Accepted before the loop looks at anything else."""

LOG = logging.getLogger("eyewall.latency")


class Agent:
    """One host's agent; sockets, registry and clock are given to it."""

    def __init__(
        self,
        host: str,
        config: LatencyConfig,
        registry: RedisRegistry,
        prober: Prober,
        listener: socket.socket,
        stop: socket.socket,
        clock: Callable[[], float],
        rng: Random,
    ) -> None:
        """Take part as `host`; a byte from `stop` ends it."""
        self._host = host
        self._config = config
        self._registry = registry
        self._prober = prober
        self._listener = listener
        self._stop = stop
        self._clock = clock
        self._rng = rng
        self._estimator = Estimator(host, config, rng)
        self._networks = tuple(ip_network(it) for it in config.probe.networks)
        self._view = RegistryView()
        self._seen_at = clock()
        self._tidied_at = float("-inf")
        self._away = ""
        self._found_address = ""
        self._reported: HostCoordinate | None = None
        self._refused = 0
        self._warned_of_newer = False

    def run(self) -> None:
        """Do rounds until stopped; then take this host out of the registry."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._stop, selectors.EVENT_READ)
            stopped = False
            while not stopped:
                probes = self._round()
                wait = self._config.pace.wait(probes, len(self._view.hosts), self._rng)
                stopped = self._idle(selector, self._clock() + wait)
        try:
            self._registry.leave(self._host)
        except RedisAwayError:
            LOG.info("could not leave the registry: %s", self._away or "redis went away")

    def _round(self) -> int:
        """Probe, relax and report; return how many probes went out."""
        view = self._read()
        count = self._estimator.probes_per_round or self._config.pace.probes_per_round
        peers = self._estimator.next_peers(count, view)
        targets = {peer: _target(view.hosts[peer]) for peer in peers}
        answers = self._prober.probe(
            list(dict.fromkeys(targets.values())), self._config.probe.timeout_seconds
        )
        view = replace(view, now=self._now())
        for peer, target in targets.items():
            if target in answers:
                self._estimator.observe(peer, answers[target], view.now)
        self._estimator.settle(view)
        self._write(view)
        return len(peers)

    def _read(self) -> RegistryView:
        """Read the registry; if it is away, return the last view with the time advanced."""
        try:
            view = self._registry.read(self._host)
        except RedisAwayError as error:
            self._is_away(str(error))
            return replace(self._view, now=self._now())
        self._seen_at = self._clock()
        self._view = replace(view, hosts=self._allowed(view.hosts))
        newer = self._registry.newer_version
        if newer is not None and not self._warned_of_newer:
            self._warned_of_newer = True
            LOG.warning("a host writes version %d of the contract, newer than this agent's", newer)
        return self._view

    def _write(self, view: RegistryView) -> None:
        if not self._view.now:
            return  # Redis's time is not known yet
        unreported = self._estimator.unreported()
        try:
            self._reported = self._record(view.now)
            self._registry.write(self._host, self._reported, unreported)
            if self._clock() >= self._tidied_at + TIDY_SECONDS:
                self._registry.tidy(self._host, view.now)
                self._tidied_at = self._clock()
                self._prober.forget({it.address for it in view.hosts.values()})
                self._count_refused()
        except (RedisAwayError, OSError) as error:
            self._is_away(str(error))
            return
        self._estimator.mark_reported(unreported)
        if self._away:
            LOG.info("redis is back")
            self._away = ""

    def _record(self, now: float) -> HostCoordinate:
        """Return this host's record: the last one while next to nothing has changed."""
        record, reported = self._estimator.record(*self._address(), now), self._reported
        if reported is None or (record.address, record.port, record.resets) != (
            reported.address,
            reported.port,
            reported.resets,
        ):
            return record
        here, there = record.coordinate, reported.coordinate
        moved = dist(here.position, there.position) + abs(here.height - there.height)
        recent = now - reported.at < self._config.redis.expiry_seconds / REPORTS_PER_EXPIRY
        return reported if recent and moved < LEAST_MOVEMENT else record

    def _is_away(self, reason: str) -> None:
        self._found_address = ""
        if not self._away:
            LOG.warning("going on without redis: %s", reason)
        self._away = reason

    def _count_refused(self) -> None:
        refused = self._registry.rejected + self._estimator.refused
        if refused > self._refused:
            LOG.warning("%d values out of range or unreadable refused so far", refused)
        self._refused = refused

    def _now(self) -> float:
        return self._view.now + (self._clock() - self._seen_at)

    def _address(self) -> tuple[str, int]:
        """Return where this host can be probed."""
        bound, port = self._listener.getsockname()[:2]
        configured = self._config.probe.address
        if configured:
            return configured, port
        if not ip_address(bound).is_unspecified:
            return bound, port
        if not self._found_address:
            self._found_address = self._registry.local_address()
        return self._found_address, port

    def _allowed(self, hosts: Mapping[str, HostCoordinate]) -> Mapping[str, HostCoordinate]:
        if not self._networks:
            return hosts
        return {it: hosts[it] for it in hosts if _within(hosts[it].address, self._networks)}

    def _idle(self, selector: selectors.BaseSelector, until: float) -> bool:
        """Answer handshakes until it is time; return whether to stop."""
        left = until - self._clock()
        while True:
            for key, _ in selector.select(max(0.0, left)):
                if key.fileobj is self._stop:
                    return True
                self._answer_handshakes()
            left = until - self._clock()
            if left <= 0:
                return False

    def _answer_handshakes(self) -> None:
        """Close what the kernel has accepted: the handshake was all that the other end wants."""
        for _ in range(HANDSHAKES_AT_ONCE):
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.close()


def _target(record: HostCoordinate) -> Target:
    return Target(record.address, record.port)


@lru_cache(maxsize=4_096)
def _within(address: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    ip = ip_address(address)
    return any(ip in network for network in networks)
