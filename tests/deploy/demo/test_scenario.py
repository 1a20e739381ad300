import json
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.demo.scenario import (
    Scenario,
    count_link_uses,
    default_pins,
    detour,
    make_scenario,
    most_used_link,
)
from eyewall_deploy.failure import Failure
from eyewall_deploy.pins import pinned_hosts
from eyewall_deploy.storm.nimbus import RunningExecutor, TopologyStream
from eyewall_deploy.submit import check_option

SOURCE, CONSUMER = RunningExecutor("source", 9, 9), RunningExecutor("consumer", 2, 2)
TAG_5, TAG_6 = RunningExecutor("tag", 5, 5), RunningExecutor("tag", 6, 6)
SINK = RunningExecutor("sink", 2, 2)
STREAMS = (TopologyStream("source", "tag", "shuffle"), TopologyStream("tag", "sink", "fields"))


def test_source_and_consumer_are_pinned_to_the_hosts_labelled_so(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "consumer"), b=("x",), c=("y", "camera", "source"))
    assert default_pins(cluster) == {"source": ("label:source",), "consumer": ("label:consumer",)}


def test_without_those_labels_the_first_and_the_last_host_are_theirs(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "source"), b=("x",), c=("y",))
    assert default_pins(cluster) == {"source": ("a",), "consumer": ("c",)}


@pytest.mark.parametrize(
    ("pins", "hosts"),
    [(("b",), "b"), (("label:gpu",), "ac"), (("site:y",), "c"), (("a", "site:y"), "ac")],
)
def test_a_pin_is_a_host_a_label_or_a_site(
    make_cluster: Any, pins: tuple[str, ...], hosts: str
) -> None:
    cluster = make_cluster(a=("x", "gpu"), b=("x",), c=("y", "gpu"))
    assert pinned_hosts(cluster, pins) == set(hosts)


def test_a_topology_on_its_pins_has_no_detour(make_delays: Any) -> None:
    delays = make_delays("a", "b", a_b=40)
    pins = {"source": {"a"}, "consumer": {"b"}}
    assert detour({SOURCE: "a", CONSUMER: "b"}, pins, delays) == 0.0


def test_a_detour_leads_from_the_sources_pin_and_to_the_consumers(make_delays: Any) -> None:
    # From a (pin) to c, where the source is: 25; from c, where the consumer is, to b (pin): 10.
    delays = make_delays("a", "b", "c", a_b=40, a_c=25, b_c=10)
    pins = {"source": {"a"}, "consumer": {"b"}}
    assert detour({SOURCE: "c", CONSUMER: "c"}, pins, delays) == pytest.approx(0.035)


def test_of_several_pinned_hosts_the_nearest_counts(make_delays: Any) -> None:
    delays = make_delays("a", "b", "c", a_c=25, b_c=10)
    pins = {"source": {"a", "b"}}
    assert detour({SOURCE: "c", CONSUMER: "c"}, pins, delays) == pytest.approx(0.010)


def test_what_the_topology_is_submitted_with_is_readable_as_options() -> None:
    scenario = Scenario({"source": ("edge-1",)}, 30.0, 1, ("tag_and_count.rate=20",))
    pin, measure, rate = scenario.topology_options(Path("/run/events"))
    assert json.loads(pin.removeprefix("eyewall.pin=")) == {"source": ["edge-1"]}
    assert (measure, rate) == ("measure.dir=/run/events", "tag_and_count.rate=20")
    assert check_option(pin) is None


def test_pins_that_are_asked_for_take_the_place_of_the_clusters_own(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "source"), b=("x", "consumer"))
    asked = ("eyewall.pin={source: b}", "tag_and_count.rate=20")
    scenario = make_scenario(cluster, 30.0, 1, asked)
    assert scenario == Scenario({"source": ("b",)}, 30.0, 1, ("tag_and_count.rate=20",))


@pytest.mark.parametrize(
    ("option", "said"), [("eyewall.pin={source: mars}", "pinned to mars"), ("rate", "KEY=VALUE")]
)
def test_options_that_make_no_sense_are_refused_before_anything_is_submitted(
    make_cluster: Any, option: str, said: str
) -> None:
    refused = make_scenario(make_cluster(a=("x",)), 30.0, 1, (option,))
    assert isinstance(refused, Failure)
    assert said in refused.reason


def test_a_link_is_used_once_for_each_pair_of_executors_across_it() -> None:
    hosts = {SOURCE: "a", TAG_5: "b", TAG_6: "b", SINK: "a"}
    assert count_link_uses(hosts, STREAMS) == {("a", "b"): 2, ("b", "a"): 2}


def test_the_most_used_link_is_raised() -> None:
    # source a → tag b, b (twice), tag b, b → sink c (twice): a tie, the first by name.
    assert most_used_link({SOURCE: "a", TAG_5: "b", TAG_6: "b", SINK: "c"}, STREAMS) == ("a", "b")
    # source a → tag a (no link), a → b (once); tag a, b → sink c (once each).
    assert most_used_link({SOURCE: "c", TAG_5: "b", TAG_6: "b", SINK: "b"}, STREAMS) == ("c", "b")


def test_on_one_host_there_is_no_link_to_raise() -> None:
    assert most_used_link(dict.fromkeys((SOURCE, TAG_5, TAG_6, SINK), "a"), STREAMS) is None
