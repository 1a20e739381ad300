"""Load topologies of a trial: their shapes, arguments and costs, and rates that nothing carries."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.trial.load_shapes import (
    ARGUMENTS,
    SHAPES,
    TEXTS,
    LoadArgument,
    operator_work,
)
from eyewall_deploy.trial.trial_checks import find_impossible_rate, find_no_room
from eyewall_deploy.trial.trial_file import restrict
from trial_texts import TRIAL, parse, refusal

REPOSITORY = Path(__file__).resolve().parents[3]


def test_a_rate_that_no_placement_carries_is_refused() -> None:
    # 0.5 ms for each tuple at one of two threads, and the largest host has 0.33 cores: two of its
    # size have 0.66, and 0.66 / 0.0005 = 1320 tuples/s.
    fast = TRIAL.replace("constant = 40", "constant = 1400")
    assert find_impossible_rate(parse(fast)) == (
        "rate: 1400 tuples/s of chain, 0.5 ms of CPU each in operator-1, need 0.7 cores; its 2 "
        "executors can have 0.66 on six-unequal; allowed is up to 1320 tuples/s, or max = true"
    )
    slow = parse(fast.replace("1400", "700"))
    assert find_impossible_rate(slow) is None
    doubled = find_impossible_rate(restrict(slow, loads=[1, 2]))
    assert doubled is not None
    assert doubled.startswith("rate: 1400 tuples/s")


def test_operators_that_need_more_than_all_hosts_together_are_refused() -> None:
    # Each of the chain's three operators fits: 0.375 cores at 750/s. Together they need 1.125, and
    # six-unequal has 1.1: 1.1 / 0.0015 = 733 tuples/s.
    fast = TRIAL.replace("constant = 40", "constant = 750")
    assert find_impossible_rate(parse(fast)) == (
        "rate: 750 tuples/s, 1.5 ms of CPU each in all operators, need 1.12 cores; the hosts of "
        "six-unequal have 1.1; allowed is up to 733.3 tuples/s, or max = true"
    )


def test_what_no_placement_can_give_all_executors_is_refused() -> None:
    # Three operators of two executors, a source and a sink: 8. six-unequal has 150, 2 · 100 and
    # 3 · 50 % of a core, 500 in all and 62.5 for each; and 3 · 2048 and 3 · 1024 MB, 1152 for each.
    greedy = parse(TRIAL.replace("cpu-us = 500", "cpu-us = 500, declared = 100"))
    assert find_no_room(greedy) == (
        "topologies (chain).arguments.declared = 100: 8 executors ask for 800 % of a core; the "
        "hosts of six-unequal have 500 together and 150 at most; allowed is up to 62.5"
    )
    forgetful = parse(TRIAL.replace("cpu-us = 500", "cpu-us = 500, memory-mb = 2000"))
    assert find_no_room(forgetful) == (
        "topologies (chain).arguments.memory-mb = 2000: 8 executors ask for 16000 MB; the hosts of "
        "six-unequal have 9216 together and 2048 at most; allowed is up to 1152"
    )
    assert find_no_room(parse(TRIAL)) is None
    by_default = restrict(greedy, schedulers=["ras"])
    scheduler = replace(by_default.schedulers[0], scheduler="default")
    assert find_no_room(replace(by_default, schedulers=(scheduler,))) is None


@pytest.mark.parametrize(
    ("shape", "arguments", "milliseconds"),
    [
        ("chain", {"stages": 2, "selectivity": 3}, {"operator-1": 1, "operator-2": 3}),
        ("fan-out", {"stages": 2}, {"operator": 1, "branch-1": 1, "branch-2": 1}),
        ("fan-in", {}, {"operator": 1}),
        # Each of two branches gets the 2 tuples of the operator, and the join 2 × 2 of each.
        (
            "diamond",
            {"stages": 2, "selectivity": 2},
            {"operator": 1, "branch-1": 2, "branch-2": 2, "join": 8},
        ),
        ("word-count", {"words": 7}, {"split": 1, "count": 7}),
        # A tenth of the tuples costs ten times as much.
        ("mix", {}, {"heavy": 1, "light": 0.9}),
        # a sends all that it emits, 2, to b and to c, and c all of its 2 × 2 to b and back to a.
        (
            "graph",
            {
                "graph": "source:a,a:b,a:c,c:b,b:sink",
                "back": "c:a",
                "selectivities": "b=0.5",
                "selectivity": 2,
            },
            {"a": 1 + 4, "b": 2 + 4, "c": 2},
        ),
    ],
)
def test_what_each_tuple_of_the_source_costs_follows_from_the_shape(
    shape: str, arguments: dict[str, Any], milliseconds: dict[str, float]
) -> None:
    found = operator_work(shape, {"cpu-us": 1000} | arguments)
    assert found is not None
    assert {it.name: pytest.approx(1000 * it.seconds) for it in found} == milliseconds


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("{ stages = 65 }", "arguments.stages = 65: it must be a whole number from 1 to 64"),
        ("{ stages = 3.5 }", "arguments.stages = 3.5: it must be a whole number from 1 to 64"),
        ('{ stages = "some" }', "arguments.stages = 'some': it must be a whole number"),
        ("{ parallelism = inf }", "arguments.parallelism = inf: it must be a whole number"),
        ("{ selectivity = nan }", "arguments.selectivity = nan: it must be a number from 0 to 100"),
        ("{ selectivity = true }", "arguments.selectivity = True: it must be a number from 0 to"),
        ("{ payload = 2000000 }", "arguments.payload = 2000000: it must be a whole number from 0"),
        ("{ stage = 2 }", "arguments.stage = 2: a shape has no such argument; "),
        ("{ stage = 2 }", "(did you mean stages?)"),
        ("{ shape = 'mix' }", "arguments.shape = 'mix': a shape has no such argument"),
        ("['--stages', '65']", "arguments.stages = '65': it must be a whole number from 1 to 64"),
        ("{ graph = 3 }", "arguments.graph = 3: it must be a text"),
        ("{ graph = 'source:a' }", "arguments.graph source:a: allowed are a way from source to si"),
        ("['--stages']", "arguments = ['--stages']: those of a shape are pairs of --NAME and VALU"),
        ("['stages', '2']", "arguments = ['stages', '2']: those of a shape are pairs of --NAME"),
    ],
)
def test_what_a_load_topology_would_refuse_is_refused_before_anything_starts(
    arguments: str, says: str
) -> None:
    reason = refusal(TRIAL.replace("{ cpu-us = 500 }", arguments))
    assert reason.startswith("folder/mine.toml: topologies (chain).arguments")
    assert says in reason


@pytest.mark.parametrize("value", ["2020-01-01", "[1]", "{ b = 1 }"])
def test_an_argument_of_another_jar_is_a_text_or_a_number(value: str) -> None:
    jar = TRIAL.replace('shape = "chain"', 'jar = "mine.jar"\nclass = "Mine"')
    reason = refusal(jar.replace("{ cpu-us = 500 }", f"{{ a = {value} }}"))
    assert "topologies (chain).arguments.a = " in reason
    assert reason.endswith(": it must be text, a number, true or false")
    parse(jar.replace("{ cpu-us = 500 }", "{ a = 'b', c = 1.5, d = true }"))


def test_a_shape_is_one_of_the_load_topologies() -> None:
    reason = refusal(TRIAL.replace('shape = "chain"', 'shape = "chian"'))
    assert "topologies (chain).shape = 'chian': no such shape; shapes are chain, fan-out" in reason
    assert reason.endswith("(did you mean chain?)")


def test_arguments_and_shapes_are_those_of_the_load_topologies() -> None:
    source = next(REPOSITORY.glob("topologies/**/LoadOptions.java")).read_text()
    number = r"[0-9][0-9_.e]*"
    texts = re.findall(r'values\.text\("([a-z-]+)"', source)
    assert [it for it in texts if it not in ("shape", "name", "rate", "driver")] == list(TEXTS)
    read = rf'values\.(whole|number)\("([a-z-]+)", ({number}), ({number}), ({number})\)'
    assert {
        name: LoadArgument(float(usual), float(least), float(most), whole=kind == "whole")
        for kind, name, usual, least, most in re.findall(read, source)
        if name != "settle"
    } == ARGUMENTS
    (shapes,) = re.findall(r"SHAPES =\s+List\.of\((.*?)\);", source, re.DOTALL)
    assert re.findall(r'"([a-z-]+)"', shapes) == list(SHAPES)


def test_a_rate_that_is_too_large_for_a_while_is_none_that_nothing_carries() -> None:
    burst = TRIAL.replace("constant = 40", "steps = [[0, 40], [20, 1400], [30, 40]]")
    assert find_impossible_rate(parse(burst)) is None
    free = TRIAL.replace("constant = 40", "constant = 1400").replace("cpu-us = 500", "cpu-us = 0")
    assert find_impossible_rate(parse(free)) is None
