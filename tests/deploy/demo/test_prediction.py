import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.demo.prediction import Prediction, mean_execution_time, pinned_problem, predict
from eyewall_deploy.failure import Failure
from eyewall_deploy.storm.nimbus import RunningExecutor, TopologyStream

SOURCE = RunningExecutor("source", 9, 9)
TAG_5, TAG_6 = RunningExecutor("tag", 5, 5), RunningExecutor("tag", 6, 6)
SINK = RunningExecutor("sink", 2, 2)
ACKER = RunningExecutor("__acker", 1, 1)
HOSTS = {SOURCE: "a", TAG_5: "a", TAG_6: "b", SINK: "b", ACKER: "c"}
STREAMS = (TopologyStream("source", "tag", "shuffle"), TopologyStream("tag", "sink", "fields"))
CONF = {
    "eyewall.rate.hint": {"source": 10.0, "tag": 5.0},
    "eyewall.execution.time.hint.ms": {"tag": 4.0, "sink": 2.0},
}


@pytest.fixture
def problem(make_delays: Any) -> dict[str, Any]:
    speeds = {"a": 1.0, "b": 0.5, "c": 1.0}
    return pinned_problem(HOSTS, STREAMS, CONF, speeds, make_delays("c", "b", "a", a_b=15, a_c=40))


def test_every_executor_is_an_operator_pinned_to_where_it_runs(problem: dict[str, Any]) -> None:
    pinned = {o["id"]: (o["pinned_to"], o["execution_time"]) for o in problem["operators"]}
    assert pinned == {
        "source:9": (["a"], 0.0),
        "tag:5": (["a"], 0.004),
        "tag:6": (["b"], 0.004),
        "sink:2": (["b"], 0.002),
    }


def test_storms_own_executors_and_their_hosts_are_left_out(problem: dict[str, Any]) -> None:
    assert {"id": "b", "speedup": 0.5} in problem["nodes"]
    assert [node["id"] for node in problem["nodes"]] == ["a", "b"]


def test_each_pair_of_executors_carries_its_part_of_the_components_rate(
    problem: dict[str, Any],
) -> None:
    # source: 10/s by one executor to two, 5/s each; tag: 5/s by two executors to one, 2.5/s each.
    assert [(s["from"], s["to"], s["rate"]) for s in problem["streams"]] == [
        ("source:9", "tag:5", 5.0),
        ("source:9", "tag:6", 5.0),
        ("tag:5", "sink:2", 2.5),
        ("tag:6", "sink:2", 2.5),
    ]


@pytest.mark.parametrize(
    ("grouping", "rates"), [("all", [10.0, 10.0]), ("global", [10.0]), ("none", [5.0, 5.0])]
)
def test_groupings_decide_who_receives_what(
    make_delays: Any, grouping: str, rates: list[float]
) -> None:
    streams = (TopologyStream("source", "tag", grouping),)
    made = pinned_problem(HOSTS, streams, CONF, {"a": 1.0, "b": 1.0}, make_delays("a", "b", a_b=15))
    assert [stream["rate"] for stream in made["streams"]] == rates


def test_links_take_the_delay_files_order_of_hosts(problem: dict[str, Any]) -> None:
    assert problem["links"] == [
        {"from": "a", "to": "b", "delay": 0.015},
        {"from": "b", "to": "a", "delay": 0.015},
    ]


def test_mean_execution_time_takes_slow_hosts_into_account(problem: dict[str, Any]) -> None:
    # tag: (4 ms + 4 ms / 0.5) / 2 = 6 ms; sink: 2 ms / 0.5 = 4 ms.
    assert mean_execution_time(problem) == pytest.approx(0.010)


def solver(tmp_path: Path, script: str) -> Path:
    command = tmp_path / "eyewall"
    command.write_text(f"#!{sys.executable}\nimport json, sys\n{script}\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return command


def test_the_mean_path_is_network_usage_over_the_rate_and_the_executions(
    tmp_path: Path, problem: dict[str, Any]
) -> None:
    # 0.3 tuples in flight at 10/s are 30 ms each on the network; executions take 10 ms.
    answer = {"objective": {"response_time": 0.061, "network_usage": 0.3}}
    command = solver(tmp_path, f"json.load(open(sys.argv[2])); print({json.dumps(answer)!r})")
    said = predict(command, tmp_path / "p.json", problem, 10.0)
    assert isinstance(said, Prediction)
    assert said.response_time == 0.061
    assert said.mean_path == pytest.approx(0.040)


def test_a_solver_that_refuses_is_quoted(tmp_path: Path, problem: dict[str, Any]) -> None:
    command = solver(tmp_path, "print('bad: nodes', file=sys.stderr); sys.exit(2)")
    said = predict(command, tmp_path / "p.json", problem, 10.0)
    assert isinstance(said, Failure)
    assert said.reason == f"eyewall solve {tmp_path / 'p.json'}: bad: nodes"
