"""κ and γ, fitted to made-up latencies."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from eyewall_contracts.wait_fit import WaitObservation
from eyewall_sidecar.model import LoadModel
from eyewall_sidecar.model.arrays import ProblemArrays
from eyewall_sidecar.objectives.load import evaluate_load
from eyewall_sidecar.objectives.load_arrays import LoadArrays
from eyewall_sidecar.storm.wait_fit import (
    FEWEST_OBSERVATIONS,
    HALF_LIFE_SECONDS,
    UNFITTED,
    WaitFit,
    fit_waits,
    hold_waits,
    latency_parts,
)
from load_problems import load_problem
from msgspec.structs import replace as with_fields

NOW = 1_700_000_000.0
KAPPA, GAMMA = 0.6, 0.4
CONFIDENCE = 1.96
"""Half the width of a 95 % interval, in standard deviations."""


def observation(
    placement: str, latency: float, base: float, executors: float, hosts: float
) -> WaitObservation:
    return WaitObservation("t", placement, NOW, latency, 0.03 * latency, base, executors, hosts)


def made_up(
    count: int = 40, seed: int = 1, kappa: float = KAPPA, gamma: float = GAMMA
) -> list[WaitObservation]:
    """Return latencies of as many placements with 10 % noise; waits from 1 to 100 ms."""
    rng = Random(seed)
    found = []
    for number in range(count):
        executors, hosts, base = (10 ** rng.uniform(-3, -1) for _ in range(3))
        latency = base + kappa * executors + gamma * hosts
        measured = latency * max(0.1, rng.gauss(1, 0.1))
        found.append(observation(f"p{number}", measured, base, executors, hosts))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_the_parts_of_a_latency_add_up_to_the_load_models_at_any_values(seed: int) -> None:
    arrays = ProblemArrays.of(load_problem(seed))
    places = np.where(
        arrays.allowed, np.random.default_rng(seed).random(arrays.allowed.shape), -1
    ).argmax(axis=1)
    load = LoadArrays.of(arrays)
    parts = latency_parts(load, places)
    for kappa, gamma in ((0.3, 1.7), (2.5, 0.2)):
        expected = evaluate_load(replace(load, burstiness=kappa, sharing=gamma), places)
        assert parts.base + kappa * parts.executors + gamma * parts.hosts == pytest.approx(
            expected.response_time
        )


def test_nothing_measured_leaves_the_usual_values() -> None:
    assert fit_waits([], NOW) == UNFITTED
    assert UNFITTED.values == (1.0, 0.25)


@pytest.mark.parametrize("seed", range(20))
def test_40_latencies_with_10_percent_noise_recover_what_made_them(seed: int) -> None:
    fit = fit_waits(made_up(seed=seed), NOW)
    assert (fit.observations, fit.is_fitted) == (40, True)
    # Three standard errors, as 20 seeds have 40 chances to miss two.
    assert abs(fit.burstiness - KAPPA) < 3 * fit.burstiness_error
    assert abs(fit.sharing - GAMMA) < 3 * fit.sharing_error
    assert CONFIDENCE * fit.burstiness_error < 0.3
    assert CONFIDENCE * fit.sharing_error < 0.45


def test_the_95_percent_interval_nearly_always_has_them() -> None:
    fits = [fit_waits(made_up(seed=seed), NOW) for seed in range(20)]
    inside = [
        abs(it.burstiness - KAPPA) <= CONFIDENCE * it.burstiness_error
        and abs(it.sharing - GAMMA) <= CONFIDENCE * it.sharing_error
        for it in fits
    ]
    # The model error that is assumed, 15 %, is more than the noise.
    assert sum(inside) >= 18


def test_one_wild_latency_moves_the_fit_by_less_than_its_error() -> None:
    observed = made_up()
    before = fit_waits(observed, NOW)
    wild = with_fields(observed[7], latency=20 * observed[7].latency, deviation=0.0)
    after = fit_waits([*observed[:7], wild, *observed[8:]], NOW)
    assert after.is_fitted
    assert abs(after.burstiness - before.burstiness) < before.burstiness_error
    assert abs(after.sharing - before.sharing) < before.sharing_error


def test_waits_for_hosts_alone_tell_nothing_of_executors() -> None:
    # From 0 to 490 ms · γ of waiting after 10 ms of base, with γ = 0.6.
    observed = [observation(f"p{it}", 0.01 + 0.006 * it, 0.01, 0.0, 0.01 * it) for it in range(50)]
    fit = fit_waits(observed, NOW)
    assert fit.sharing == pytest.approx(0.6, abs=0.05)
    assert (fit.burstiness, fit.burstiness_error) == (1.0, 1.0)


def test_a_base_that_is_too_short_by_a_third_is_not_taken_for_waits() -> None:
    # Latencies of κ = 0.6 and γ = 0.4, and a base 1.5 times the model's.
    longer = [with_fields(it, base=it.base / 1.5) for it in made_up(60)]
    fit = fit_waits(longer, NOW)
    # Taken for waits it would raise both.
    assert fit.burstiness < KAPPA + 3 * fit.burstiness_error
    assert fit.sharing < GAMMA + 3 * fit.sharing_error


@pytest.mark.parametrize(
    ("kappa", "gamma", "expected"), [(0.1, 0.02, (0.25, 0.0625)), (6.0, 1.5, (4.0, 1.0))]
)
def test_both_stay_within_a_quarter_and_four_times_the_usual_values(
    kappa: float, gamma: float, expected: tuple[float, float]
) -> None:
    fit = fit_waits(made_up(60, kappa=kappa, gamma=gamma), NOW)
    # An interval from half to double of 0 would be no interval.
    assert fit.values == pytest.approx(expected, rel=0.15)
    assert 0.25 <= fit.burstiness <= 4.0
    assert 0.0625 <= fit.sharing <= 1.0
    LoadModel(burstiness=fit.burstiness, sharing=fit.sharing)


def test_too_few_latencies_change_nothing() -> None:
    few = made_up(FEWEST_OBSERVATIONS - 1)
    assert fit_waits(few, NOW) == replace(UNFITTED, observations=7)
    assert fit_waits(made_up(FEWEST_OBSERVATIONS, kappa=3.0, gamma=2.0), NOW).is_fitted


def test_many_latencies_of_three_placements_change_nothing() -> None:
    observed = made_up(60, kappa=3.0, gamma=2.0)
    three = [with_fields(it, placement=f"p{at % 3}") for at, it in enumerate(observed)]
    assert fit_waits(three, NOW) == replace(UNFITTED, observations=60)


def test_what_one_placement_alone_says_is_not_used_however_often_it_says_it() -> None:
    # 20 latencies of one placement say that κ is 3. The other placements have no waits.
    observed = [
        *(observation("p0", 0.01 + 3 * 0.1, 0.01, 0.1, 0.0) for _ in range(20)),
        *(observation(f"p{it}", 0.01, 0.01, 0.0, 0.0) for it in range(1, 6)),
    ]
    fit = fit_waits(observed, NOW)
    assert (fit.is_fitted, fit.values) == (False, UNFITTED.values)


def test_latencies_that_the_model_does_not_explain_change_nothing() -> None:
    # All tuples take five times as long as κ = 2 and γ = 1 say: larger values would be nearer.
    observed = [with_fields(it, latency=5 * it.latency) for it in made_up(60, kappa=2, gamma=1)]
    assert not fit_waits(observed, NOW).is_fitted


def test_latencies_that_are_as_the_usual_values_say_leave_these() -> None:
    for seed in range(10):
        fit = fit_waits(made_up(seed=seed, kappa=1.0, gamma=0.25), NOW)
        # A fit to noise forecasts as well as what made them; it must be better to be used.
        assert fit.values == UNFITTED.values


def test_a_thousand_latencies_of_one_placement_weigh_as_much_as_one() -> None:
    observed = made_up(20)
    many = [*observed, *[observed[0]] * 1000]
    fit, again = fit_waits(observed, NOW), fit_waits(many, NOW)
    assert again.is_fitted
    assert again.values == pytest.approx(fit.values)


def test_an_old_latency_counts_half_after_a_half_life_and_next_to_nothing_after_ten() -> None:
    observed = made_up()
    aged = [with_fields(it, time=NOW - HALF_LIFE_SECONDS) for it in observed]
    ancient = [with_fields(it, time=NOW - 30 * HALF_LIFE_SECONDS) for it in observed]
    # Both halves weigh as much as one of each placement does at half its weight.
    twice = [with_fields(it, placement=f"{it.placement}'") for it in aged]
    assert fit_waits([*aged, *twice], NOW).burstiness == pytest.approx(
        fit_waits(observed, NOW).burstiness
    )
    assert fit_waits(ancient, NOW).sharing == pytest.approx(UNFITTED.sharing, abs=0.01)


def test_a_fit_is_held_until_it_is_wrong_by_more_than_chance() -> None:
    before = WaitFit(1.0, 0.1, 0.4, 0.05, 30, is_fitted=True)
    closer = replace(before, burstiness=1.05, burstiness_error=0.02, observations=31)
    assert hold_waits(before, closer) == replace(closer, burstiness=1.0)
    moved = replace(before, burstiness=1.2, observations=31)
    assert hold_waits(before, moved) is moved
    assert hold_waits(before, UNFITTED) is UNFITTED
