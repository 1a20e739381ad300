from eyewall_deploy.demo.link import delay_between, link_to_raise, used_links
from eyewall_deploy.measure.nimbus import Executor, Stream

SOURCE = Executor("source", 9, 9)
TAG_5, TAG_6 = Executor("tag", 5, 5), Executor("tag", 6, 6)
SINK = Executor("sink", 2, 2)
STREAMS = (Stream("source", "tag", "shuffle"), Stream("tag", "sink", "fields"))


def test_a_link_is_used_once_for_each_pair_of_executors_across_it() -> None:
    hosts = {SOURCE: "a", TAG_5: "b", TAG_6: "b", SINK: "a"}
    assert used_links(hosts, STREAMS) == {("a", "b"): 2, ("b", "a"): 2}


def test_the_most_used_link_is_raised() -> None:
    # source a → tag b, b (twice), tag b, b → sink c (twice): a tie, the first by name.
    assert link_to_raise({SOURCE: "a", TAG_5: "b", TAG_6: "b", SINK: "c"}, STREAMS) == ("a", "b")
    # source a → tag a (no link), a → b (once); tag a, b → sink c (once each).
    assert link_to_raise({SOURCE: "c", TAG_5: "b", TAG_6: "b", SINK: "b"}, STREAMS) == ("c", "b")


def test_on_one_host_there_is_no_link_to_raise() -> None:
    assert link_to_raise(dict.fromkeys((SOURCE, TAG_5, TAG_6, SINK), "a"), STREAMS) is None


def test_a_links_delay_is_that_of_its_own_direction(make_delays) -> None:  # type: ignore[no-untyped-def]
    delays = make_delays("a", "b", a_b=15)
    assert delay_between(delays, ("a", "b")) == 0.015
