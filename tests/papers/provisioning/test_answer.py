"""The next cheaper platform and its rate, by hand."""

from dataclasses import replace

import pytest
from eyewall_papers.provisioning import Provision, ProvisioningProblem
from eyewall_papers.provisioning.answer import next_cheaper
from eyewall_papers.provisioning.exact import exact
from small_provisioning import LARGE, SMALL, pair, together


def stopped() -> float:
    return 0.0


def cheapest(problem: ProvisioningProblem) -> Provision | None:
    return exact(problem, time_limit=60, seed=0, clock=stopped)[1]


def test_the_next_cheaper_platform_is_found_with_all_that_it_sustains() -> None:
    # 6 cores at 1/s are on a large machine for 16. A small one for 10 has 4 cores: 4 / 6 results/s.
    found = next_cheaper(pair(), together(), cheapest)
    assert found is not None
    assert found.price == 10
    assert found.throughput == pytest.approx(4 / 6)


def test_of_several_cheaper_platforms_the_one_with_the_highest_rate_is_found() -> None:
    # A middle machine for 12 has 5 cores: 5 / 6 results/s, more than the small one's 4 / 6.
    middle = replace(SMALL, name="middle", cpu=5.0, price=12.0)
    problem = pair(types=(SMALL, middle, LARGE))
    found = next_cheaper(problem, together(), cheapest)
    assert found is not None
    assert found.price == 12
    assert found.throughput == pytest.approx(5 / 6)


def test_downloads_alone_can_leave_nothing_cheaper() -> None:
    # k takes 11 bytes/s at any rate, and small machines have cards of 10.
    assert next_cheaper(pair(rate=11), together(), cheapest) is None


def test_a_platform_that_is_dearer_than_it_need_be_has_a_cheaper_one_at_the_full_rate() -> None:
    # The same machine is available for 15 under another name.
    bargain = replace(LARGE, name="bargain", price=15.0)
    found = next_cheaper(pair(types=(SMALL, LARGE, bargain)), together(), cheapest)
    assert found is not None
    assert found.price == 15
    assert found.throughput == pytest.approx(8 / 6)


def test_a_method_that_finds_nothing_leaves_nothing_cheaper() -> None:
    assert next_cheaper(pair(), together(), lambda _: None) is None
