"""Predicted response time of a placement, whoever made it: `eyewall solve` with all of it pinned.

So Storm's placements and Eyewall's own are held against one and the same formula.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.measure.nimbus import Executor, Stream
    from eyewall_deploy.wan.delay_file import DelayTable

_RATES = "eyewall.rate.hint"
_TIMES = "eyewall.execution.time.hint.ms"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model says of a placement, in seconds.

    Parameters
    ----------
    response_time
        R: the longest path from source to sink, execution times included.
    mean_path
        Along the paths that tuples take, in the mean: network usage over the source's rate
        (Little's law) plus the components' mean execution times.
    """

    response_time: float
    mean_path: float


def predict(
    solve: Path, file: Path, problem: Mapping[str, Any], source_rate: float
) -> Prediction | Failure:
    """Ask the `eyewall` command; the problem stays in `file` for whoever wants to look."""
    file.write_text(json.dumps(problem, indent=1) + "\n", encoding="utf-8")
    ended = subprocess.run(
        [solve, "solve", file, "--policy", "odp", "--objective", "R=1", "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["not a word"]
        return Failure(f"eyewall solve {file}: {said[-1]}")
    objective = json.loads(ended.stdout)["objective"]
    in_flight: float = objective["network_usage"]
    return Prediction(
        response_time=objective["response_time"],
        mean_path=in_flight / source_rate + mean_execution_time(problem),
    )


def problem_of(
    hosts: Mapping[Executor, str],
    streams: Sequence[Stream],
    conf: Mapping[str, Any],
    speeds: Mapping[str, float],
    delays: DelayTable,
) -> dict[str, Any]:
    """The placement as a problem that has no other solution.

    System executors are left out: they are no part of any path. A component without a rate hint
    emits what it is told (1 tuple/s), and so counts as in the problem format.
    """
    own = {executor: host for executor, host in hosts.items() if not executor.is_system}
    times = conf.get(_TIMES) or {}
    used = sorted(set(own.values()))
    return {
        "version": 1,
        "operators": [
            {
                "id": name_of(executor),
                "cpu": 0.0,
                "execution_time": times.get(executor.component, 0.0) / 1000.0,
                "pinned_to": [host],
            }
            for executor, host in sorted(own.items())
        ],
        "streams": list(_executor_streams(sorted(own), streams, conf.get(_RATES) or {})),
        "nodes": [{"id": host, "speedup": speeds[host]} for host in used],
        "links": list(_links(used, delays)),
    }


def mean_execution_time(problem: Mapping[str, Any]) -> float:
    """Sum over components of their executors' mean execution time on their hosts."""
    speed = {node["id"]: node["speedup"] for node in problem["nodes"]}
    times: dict[str, list[float]] = {}
    for operator in problem["operators"]:
        (host,) = operator["pinned_to"]
        component = operator["id"].rpartition(":")[0]
        times.setdefault(component, []).append(operator["execution_time"] / speed[host])
    return sum(sum(each) / len(each) for each in times.values())


def name_of(executor: Executor) -> str:
    """Name of an executor as an operator: component and first task."""
    return f"{executor.component}:{executor.first_task}"


def _executor_streams(
    executors: Sequence[Executor], streams: Sequence[Stream], rates: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    for stream in streams:
        senders = [e for e in executors if e.component == stream.source]
        receivers = [e for e in executors if e.component == stream.target]
        if stream.grouping == "global":
            receivers = receivers[:1]
        split = 1 if stream.grouping == "all" else len(receivers)
        rate = rates.get(stream.source, 1.0) / len(senders) / split
        for sender in senders:
            for receiver in receivers:
                yield {"from": name_of(sender), "to": name_of(receiver), "rate": rate}


def _links(hosts: Sequence[str], delays: DelayTable) -> Iterator[dict[str, Any]]:
    place = {host: index for index, host in enumerate(delays.hosts)}
    for source in hosts:
        for target in hosts:
            if source != target:
                delay = delays.delay[place[source]][place[target]]
                yield {"from": source, "to": target, "delay": delay}
