"""The composition root of `eyewall-latency agent`: put together here, and nowhere else."""

import signal
import socket
import time
from collections.abc import Callable
from random import SystemRandom

from eyewall_contracts.config_file import ConfigError
from eyewall_contracts.field_types import is_host_name
from eyewall_contracts.redis_url import server_of
from eyewall_contracts.stores.latency_store import LatencyStore

from eyewall_latency.agent import Agent
from eyewall_latency.config import LatencyConfig, split_address
from eyewall_latency.probe import open_prober
from eyewall_latency.redis_registry import RedisRegistry

BACKLOG = 128


class CannotStartError(Exception):
    """What keeps the agent from starting, other than its configuration."""


def serve(config: LatencyConfig, say: Callable[[str], None]) -> None:
    """Measure and estimate until SIGTERM or SIGINT; `say` gets one line when it begins."""
    host = config.host or socket.getfqdn()
    if not is_host_name(host):
        raise ConfigError(f"host is {host[:60]!r}, this machine's canonical name; set another one")
    stop = _stop_socket()
    listener = _listener(config)
    try:
        prober = open_prober(config.probe.method)  # type: ignore[arg-type]
    except OSError as error:
        raise CannotStartError(
            f"[probe] method is icmp, but the kernel allows no ICMP socket: {error.strerror}"
        ) from None
    registry = _registry(config)
    agent = Agent(host, config, registry, prober, listener, stop, time.monotonic, SystemRandom())
    bound = listener.getsockname()
    say(
        f"eyewall latency agent of {host}: probes by {prober.method}, answers on port {bound[1]}, "
        f"{server_of(config.redis.url)}, prefix {config.redis.prefix}"
    )
    try:
        agent.run()
    finally:
        registry.close()
        prober.close()
        listener.close()


def _registry(config: LatencyConfig) -> RedisRegistry:
    return RedisRegistry(
        LatencyStore(config.redis.url, config.redis.prefix),
        expiry_seconds=config.redis.expiry_seconds,
        rtt_seconds=config.fading.forget_seconds,
    )


def _listener(config: LatencyConfig) -> socket.socket:
    host, port = split_address(config.probe.listen, "[probe] listen")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotStartError(
            f"[probe] listen is {config.probe.listen}: {error.strerror or error}"
        ) from None
    listener.settimeout(0)
    return listener


def _stop_socket() -> socket.socket:
    """Return a socket that becomes readable when SIGTERM or SIGINT arrives."""
    reader, writer = socket.socketpair()
    reader.settimeout(0)
    writer.settimeout(0)
    signal.set_wakeup_fd(writer.detach(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return reader
