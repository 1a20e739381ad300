"""Predicted response time of any placement: `eyewall solve` with every operator pinned.

One formula for Storm's placements and Eyewall's.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyewall_contracts.setting_keys import EXECUTION_TIME, RATE_HINT

from eyewall_deploy.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from eyewall_deploy.storm.nimbus import RunningExecutor, TopologyStream
    from eyewall_deploy.wan.delay_file import EmulatedDelays


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model says of a placement, in seconds.

    Parameters
    ----------
    response_time
        R: the longest path from source to sink, execution times included.
    mean_path
        The mean over the paths of tuples: network usage over the source's rate (Little's law) plus
        the components' mean execution times.
    """

    response_time: float
    mean_path: float


def predict(
    solve: Path, file: Path, problem: Mapping[str, Any], source_rate: float
) -> Prediction | Failure:
    """Ask the `eyewall` command; the problem stays in `file`."""
    file.write_text(json.dumps(problem, indent=1) + "\n", encoding="utf-8")
    ended = subprocess.run(
        [solve, "solve", file, "--policy", "odp", "--objective", "R=1", "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        output = (ended.stderr or ended.stdout).strip().splitlines() or ["no output"]
        return Failure(f"eyewall solve {file}: {output[-1]}")
    objective = json.loads(ended.stdout)["objective"]
    in_flight: float = objective["network_usage"]
    return Prediction(
        response_time=objective["response_time"],
        mean_path=in_flight / source_rate + mean_execution_time(problem),
    )


def pinned_problem(
    hosts: Mapping[RunningExecutor, str],
    streams: Sequence[TopologyStream],
    configuration: Mapping[str, Any],
    speeds: Mapping[str, float],
    delays: EmulatedDelays,
) -> dict[str, Any]:
    """Return the placement as a problem that has no other solution.

    System executors are left out: they are not part of any path. A component without a rate hint
    counts as in the problem format: it emits 1 tuple/s.
    """
    own = {executor: host for executor, host in hosts.items() if not executor.is_system}
    times = configuration.get(EXECUTION_TIME.name) or {}
    used = sorted(set(own.values()))
    return {
        "version": 1,
        "operators": [
            {
                "id": _operator_id(executor),
                "cpu": 0.0,
                "execution_time": times.get(executor.component, 0.0) / 1000.0,
                "pinned_to": [host],
            }
            for executor, host in sorted(own.items())
        ],
        "streams": list(_streams(sorted(own), streams, configuration.get(RATE_HINT.name) or {})),
        "nodes": [{"id": host, "speedup": speeds[host]} for host in used],
        "links": [
            {"from": source, "to": target, "delay": delays.between(source, target)}
            for source in used
            for target in used
            if source != target
        ],
    }


def mean_execution_time(problem: Mapping[str, Any]) -> float:
    """Return the sum over components of their executors' mean execution time on their hosts."""
    speed = {node["id"]: node["speedup"] for node in problem["nodes"]}
    times: dict[str, list[float]] = {}
    for operator in problem["operators"]:
        (host,) = operator["pinned_to"]
        component = operator["id"].rpartition(":")[0]
        times.setdefault(component, []).append(operator["execution_time"] / speed[host])
    return sum(sum(each) / len(each) for each in times.values())


def _operator_id(executor: RunningExecutor) -> str:
    return f"{executor.component}:{executor.first_task}"


def _streams(
    executors: Sequence[RunningExecutor],
    streams: Sequence[TopologyStream],
    rates: Mapping[str, float],
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
                yield {"from": _operator_id(sender), "to": _operator_id(receiver), "rate": rate}
