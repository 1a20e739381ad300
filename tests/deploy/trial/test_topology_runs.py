from pathlib import Path

from eyewall_deploy.trial.topology_runs import (
    TopologyRate,
    topology_arguments,
    topology_options,
    topology_start,
)
from eyewall_deploy.trial.trial_file import TrialTopology

RATE = TopologyRate("0:25,40:25", 25.0, settle=40.0)


def test_a_load_topology_is_given_shape_rate_and_settling_time() -> None:
    chain = TrialTopology("chain", shape="chain", arguments={"cpu-us": 500})
    assert topology_arguments(chain, RATE) == [
        *("--cpu-us", "500", "--shape", "chain"),
        *("--rate", "0:25,40:25", "--settle", "40"),
    ]


def test_another_class_gets_the_rate_where_it_asks_for_it() -> None:
    own = TrialTopology("mine", jar="x.jar", main_class="Main", arguments=["go", "r={rate}"])
    assert topology_arguments(own, RATE) == ["go", "r=0:25,40:25"]


def test_a_setting_may_be_the_rate() -> None:
    settings = {"tag_and_count.rate": "{rate}", "eyewall.pin": {"source": ["h1"]}}
    assert topology_options(settings, RATE) == [
        "tag_and_count.rate=25.0",
        'eyewall.pin={"source": ["h1"]}',
    ]


def test_a_streamparse_topology_begins_with_its_first_tuple(tmp_path: Path) -> None:
    topology = TrialTopology("tags", streamparse="tag_and_count")
    (tmp_path / "tags").mkdir()
    assert topology_start(topology, tmp_path) is None
    lines = [f'{{"event": "emitted", "id": "{at}", "at": {at}}}\n' for at in (9.5, 9.25)]
    (tmp_path / "tags" / "t.source.jsonl").write_text("".join(lines))
    assert topology_start(topology, tmp_path) == 9.25


def test_load_topologies_share_the_start_once_each_has_begun(tmp_path: Path) -> None:
    chain = TrialTopology("chain", shape="chain")
    (tmp_path / "chain").mkdir()
    (tmp_path / "start").write_text("1790000000000")  # another topology's source wrote it
    assert topology_start(chain, tmp_path) is None
    (tmp_path / "chain" / "source-0.position").write_text("0")
    assert topology_start(chain, tmp_path) == 1790000000.0
