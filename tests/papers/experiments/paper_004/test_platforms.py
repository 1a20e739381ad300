import pytest
from eyewall_papers.experiments.paper_004.platforms import (
    MEAN_RATE,
    SERVERS,
    dedicated_only,
    preferential_pairs,
    public_only,
    random_platform,
    workload,
)
from numpy.random import default_rng


def test_one_link_less_than_servers_is_a_spanning_tree() -> None:
    reached = {0}
    for one, other in preferential_pairs(100, 99, default_rng(0)):
        assert other in reached
        assert one not in reached
        reached.add(one)
    assert len(reached) == 100


@pytest.mark.parametrize("links", [0, 1, 50, 99, 200, 45])
def test_the_number_of_links_is_the_requested_one_without_duplicates(links: int) -> None:
    servers = 10 if links == 45 else 100  # 45 join each of ten with each
    pairs = preferential_pairs(servers, links, default_rng(1))
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == links
    assert all(one != other for one, other in pairs)


def test_a_server_with_d_links_serves_1_plus_d_services_with_two_instances_of_each() -> None:
    platform = random_platform(99, default_rng(0))
    for node in platform.nodes:
        served = 1 + len(platform.neighbours(node.id))
        assert len(platform.services[node.id]) == served
        assert node.cpu == 2 * served


def test_what_is_taken_away_leaves_servers_and_uplinks_as_they_are() -> None:
    platform = random_platform(99, default_rng(0))
    for less in (dedicated_only(platform), public_only(platform)):
        assert (less.nodes, less.uplinks) == (platform.nodes, platform.uplinks)
    assert dedicated_only(platform).public is None
    assert public_only(platform).dedicated == ()


def test_tasks_are_the_same_at_each_rate_and_arrive_in_proportion() -> None:
    platform = random_platform(99, default_rng(0))
    slow, fast = (workload(platform, 300, rate, 3, default_rng(1)) for rate in (60.0, 120.0))
    assert [it.task for it in slow] == [it.task for it in fast]
    assert [it.at / 2 for it in slow] == pytest.approx([it.at for it in fast])
    # 300 gaps of a minute: a mean within four standard errors of 60 / √300.
    assert slow[-1].at / 300 == pytest.approx(60.0, abs=4 * 60 / 300**0.5)
    mean = sum(it.task.bandwidth(0) for it in slow) / len(slow)
    assert mean == pytest.approx(MEAN_RATE, rel=4 * 0.289 / 300**0.5)


def test_a_platform_has_a_hundred_servers_and_the_same_seed_draws_the_same() -> None:
    assert len(random_platform(50, default_rng(3)).nodes) == SERVERS
    assert random_platform(50, default_rng(3)).dedicated == (
        random_platform(50, default_rng(3)).dedicated
    )
