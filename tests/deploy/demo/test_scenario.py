import json
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.demo.scenario import Scenario, detour, pins_for, scenario_for
from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.nimbus import Executor
from eyewall_deploy.pins import pinned_hosts
from eyewall_deploy.submit import wrong_option

SOURCE, CONSUMER = Executor("source", 9, 9), Executor("consumer", 2, 2)


def test_source_and_consumer_are_pinned_to_the_hosts_labelled_so(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "consumer"), b=("x",), c=("y", "camera", "source"))
    assert pins_for(cluster) == {"source": ("label:source",), "consumer": ("label:consumer",)}


def test_without_those_labels_the_first_and_the_last_host_are_theirs(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "source"), b=("x",), c=("y",))
    assert pins_for(cluster) == {"source": ("a",), "consumer": ("c",)}


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
    assert wrong_option(pin) is None


def test_pins_that_are_asked_for_take_the_place_of_the_clusters_own(make_cluster: Any) -> None:
    cluster = make_cluster(a=("x", "source"), b=("x", "consumer"))
    asked = ("eyewall.pin={source: b}", "tag_and_count.rate=20")
    scenario = scenario_for(cluster, 30.0, 1, asked)
    assert scenario == Scenario({"source": ("b",)}, 30.0, 1, ("tag_and_count.rate=20",))


@pytest.mark.parametrize(
    ("option", "said"), [("eyewall.pin={source: mars}", "pinned to mars"), ("rate", "KEY=VALUE")]
)
def test_options_that_make_no_sense_are_refused_before_anything_is_submitted(
    make_cluster: Any, option: str, said: str
) -> None:
    refused = scenario_for(make_cluster(a=("x",)), 30.0, 1, (option,))
    assert isinstance(refused, Failure)
    assert said in refused.reason
