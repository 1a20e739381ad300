"""The same agents as processes of this machine that talk over TCP (paper 004, section 4.2).

The paper's nodes were processes on UDP ports. Lost datagrams would leave acks missing, so these use
TCP. The computation ends as in the algorithm: when the portal's count is 0.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Timer

from eyewall_sidecar.model import ProblemError

from eyewall_papers.bimodal.mapping import Resources
from eyewall_papers.bimodal.messages import (
    HostOrders,
    PortalReport,
    Record,
    Start,
    as_line,
    from_line,
)
from eyewall_papers.bimodal.network import TwoKindNetwork
from eyewall_papers.bimodal.surroundings import Stock, Surroundings
from eyewall_papers.bimodal.task import Task

MOST_HOSTS = 12
"""Each is a Python interpreter with numpy: about 60 MB and half a second to start."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What processes made of a task.

    Parameters
    ----------
    settled
        The portal's report; None if the time limit or the end of a process ended it.
    records
        Node id → what its process heard; empty if it was ended.
    """

    settled: PortalReport | None
    records: Mapping[str, Record]


def converse(
    network: TwoKindNetwork,
    free: Resources,
    task: Task,
    *,
    pruning: str,
    metric: str,
    seed: int,
    time_limit: float,
) -> Conversation:
    """Map one task by a process for each node, for at most so many seconds.

    A process that ends early leaves acks missing: then nothing is settled, at once if the portal
    finds its connection closed, else when the time is up.

    `pruning` and `metric` are names among PRUNINGS and METRICS. `ProblemError` if there are more
    than MOST_HOSTS nodes.
    """
    if len(network.nodes) > MOST_HOSTS:
        raise ProblemError(
            f"{len(network.nodes)} nodes; as processes there may be at most {MOST_HOSTS}"
        )
    try:
        with ExitStack() as stack:
            hosts = {node.id: stack.enter_context(_host()) for node in network.nodes}
            timer = Timer(time_limit, _kill, [hosts])
            timer.start()
            stack.callback(timer.cancel)
            return _conversation(network, free, task, hosts, (pruning, metric), seed)
    except (BrokenPipeError, _SilentError):
        # The pipe of a process that has ended breaks when it is written to, or else when it closes.
        return Conversation(None, {})


class _SilentError(Exception):
    """A process ended before it had sent the whole line that was expected."""


def _conversation(
    network: TwoKindNetwork,
    free: Resources,
    task: Task,
    hosts: Mapping[str, subprocess.Popen[str]],
    names: tuple[str, str],
    seed: int,
) -> Conversation:
    for place, (node, host) in enumerate(hosts.items()):
        here, stock = Surroundings.of(network, node), Stock.of(network, free, node)
        _send(host, as_line(HostOrders(here, stock, *names, (seed, place))))
    ports = {node: int(_hear(host)) for node, host in hosts.items()}
    # The portal is started last: it begins at once, and others must know the ports by then.
    for node, host in hosts.items():
        if node != task.sink:
            _send(host, as_line(Start(ports)))
    _send(hosts[task.sink], as_line(Start(ports, task)))
    settled = from_line(PortalReport, _hear(hosts[task.sink]))
    records = {}
    for node, host in hosts.items():
        if host.stdin is not None:
            host.stdin.close()
        records[node] = from_line(Record, _hear(host))
    return Conversation(settled, records)


@contextmanager
def _host() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "eyewall_papers.bimodal.host"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as host:
        try:
            yield host
        finally:
            host.kill()


def _kill(hosts: Mapping[str, subprocess.Popen[str]]) -> None:
    for host in hosts.values():
        host.kill()


def _send(host: subprocess.Popen[str], line: str) -> None:
    if host.stdin is not None:
        host.stdin.write(line)
        host.stdin.flush()


def _hear(host: subprocess.Popen[str]) -> str:
    line = host.stdout.readline() if host.stdout is not None else ""
    if not line.endswith("\n"):
        raise _SilentError
    return line
