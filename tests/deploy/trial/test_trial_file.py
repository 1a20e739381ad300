import math
import re
from pathlib import Path
from typing import Any

import pytest
from eyewall_deploy.trial import trial_file
from eyewall_deploy.trial.shipped import shipped_trials
from eyewall_deploy.trial.trial_file import TrialFileError, restrict
from trial_texts import TRIAL, parse, refusal

EVENT = "[[events]]\nat = 10\n"


def test_a_trial_has_what_its_file_says_and_defaults() -> None:
    trial = parse()
    assert [it.label for it in trial.schedulers] == ["ras", "quick"]
    assert trial.schedulers[1].settings == {"eyewall.policy": "greedy"}
    assert (trial.repetitions, trial.loads, trial.warm_up) == (1, (1.0,), 30.0)
    # six-unequal: 1.5 cores × 0.22, and so on down to 0.5 × 0.22
    assert trial.host_cores()["h1"] == pytest.approx(0.33)
    assert trial.host_cores()["h6"] == pytest.approx(0.11)


def test_hosts_share_the_cores_in_the_cluster_files_proportions() -> None:
    trial = parse(TRIAL.replace("seconds = 60", "seconds = 60\ncores = 2.0"))
    assert sum(trial.host_cores().values()) == pytest.approx(2.0)
    assert trial.host_cores()["h1"] == pytest.approx(0.6)  # 1.5 of 5


def test_every_shipped_trial_runs_on_two_cores() -> None:
    for name in shipped_trials():
        assert trial_file.load(name, cores=2).name == name


def test_only_hosts_of_the_cluster_are_drained() -> None:
    eyewall_alone = TRIAL.replace('"ras", ', "")
    assert parse(eyewall_alone.replace("[rate]", EVENT + "drain = 'h1'\n[rate]", 1)).drains
    assert not parse(eyewall_alone).drains
    said = refusal(eyewall_alone.replace("[rate]", EVENT + "drain = 'h9'\n[rate]", 1))
    assert "events[0]: h9: six-unequal has no such host" in said


def test_a_delay_rises_only_where_there_is_a_link() -> None:
    event = TRIAL.replace("[rate]", EVENT + "delay = PAIR\nadd_ms = 3\n[rate]", 1)
    reason = refusal(event.replace("PAIR", "['h1', 'h1']"))
    assert "events[0].delay = ['h1', 'h1']: there is no link" in reason
    for pair in ("['h1', 'h2']", "['hall', 'hall']", "['hall', 'h1']"):
        parse(event.replace("PAIR", pair))


def test_workers_serve_on_if_a_topology_or_a_scheduler_asks_for_it() -> None:
    moves = trial_file.load("moves", cores=2)
    assert moves.overlaps
    assert not restrict(moves, schedulers=["restart"]).overlaps
    option = 'name = "chain"\noptions = { "eyewall.moves" = "overlap" }'
    assert parse(TRIAL.replace('name = "chain"', option)).overlaps
    assert not parse().overlaps


def test_loads_follow_one_another_if_file_or_command_line_says_so() -> None:
    assert not restrict(parse()).one_start
    assert restrict(parse(), one_start=True).one_start
    assert restrict(
        parse(TRIAL.replace("seconds = 60", "seconds = 60\none_start = true"))
    ).one_start


@pytest.mark.parametrize(
    ("shipped", "says"),
    [
        (
            "steps",
            "with --one-start: one_start = true: loads follow one another only at a constant rate",
        ),
        (
            "demo-fast",
            r"--one-start: one_start = true: each load would have events \(edge-1 ↔ edge-2 \+200",
        ),
    ],
)
def test_loads_follow_one_another_only_where_nothing_else_changes(shipped: str, says: str) -> None:
    with pytest.raises(TrialFileError, match=says):
        restrict(trial_file.load(shipped, cores=2), one_start=True)
    # A file is checked before the command line: a streamparse topology cannot change its rate.
    topology = 'name = "chain"\nshape = "chain"\narguments = { cpu-us = 500 }'
    streamparse = TRIAL.replace(topology, 'name = "words"\nstreamparse = "word_count"')
    assert "one_start = true: topologies (words): the rate of a streamparse" in refusal(
        streamparse.replace("seconds = 60", "seconds = 60\none_start = true")
    )


def test_loads_that_follow_one_another_rise() -> None:
    with pytest.raises(TrialFileError, match="allowed are loads that rise"):
        restrict(parse(), loads=[1.0, 0.5], one_start=True)
    assert restrict(parse(), loads=[1.0, 0.5]).loads == (1.0, 0.5)


@pytest.mark.parametrize("loads", [[1.0, 1.0], [0.5, 0.50000001]])
def test_each_load_is_given_once_as_it_is_printed(loads: list[float]) -> None:
    with pytest.raises(TrialFileError, match=f"{loads[0]:g} is given 2 times; each load once"):
        restrict(parse(), loads=loads)
    text = TRIAL.replace("seconds = 60", f"seconds = 60\nloads = {loads}")
    assert f"loads = {loads}: {loads[0]:g} is given 2 times" in refusal(text)


def test_the_command_line_stands_in_for_the_file() -> None:
    chosen = restrict(parse(), seconds=10, repetitions=5, schedulers=["quick"], loads=[0.5])
    assert (chosen.seconds, chosen.repetitions, chosen.loads) == (10, 5, (0.5,))
    assert [it.label for it in chosen.schedulers] == ["quick"]
    with pytest.raises(TrialFileError, match=r"--scheduler quik: .*did you mean quick"):
        restrict(parse(), schedulers=["quik"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seconds": math.nan}, "--seconds nan: input should be a finite number"),
        ({"seconds": 1e9}, "--seconds 1e+09: input should be less than or equal to 86400"),
        ({"seconds": 2}, "--seconds 2: input should be greater than or equal to 5"),
        ({"repetitions": 0}, "--repetitions 0: input should be greater than or equal to 1"),
        ({"loads": [1, -1]}, "--load -1: input should be greater than 0"),
        ({"loads": [math.nan]}, "--load nan: input should be a finite number"),
        ({"loads": [0]}, "--load 0: input should be greater than 0"),
        (
            {"seconds": 20},
            "mine with --seconds 20: events[0].at = 25: the measurement ends after 20 s",
        ),
    ],
)
def test_the_command_line_is_held_to_what_the_file_may_say(
    given: dict[str, Any], says: str
) -> None:
    late = TRIAL + EVENT.replace("10", "25") + "cpu = 'h1'\nfactor = 0.5"
    with pytest.raises(TrialFileError) as caught:
        restrict(parse(late), **given)
    assert str(caught.value) == says


def test_a_rate_as_high_as_possible_has_no_multiples_on_the_command_line_either() -> None:
    fast = parse(TRIAL.replace("constant = 40", "max = true"))
    with pytest.raises(TrialFileError, match=r"mine with --load 2: loads = \[2.0\]: a rate as"):
        restrict(fast, loads=[2])


@pytest.mark.parametrize("cores", [math.nan, -1.0, 1e9])
def test_the_cores_of_the_command_line_are_held_to_what_the_file_may_say(cores: float) -> None:
    with pytest.raises(TrialFileError, match=f"^--cores {re.escape(f'{cores:g}')}: input should"):
        trial_file.parse(TRIAL, Path("folder/mine.toml"), 2, share=cores)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"ras"', '"fair"', "scheduler = 'fair': no such scheduler; schedulers are eyewall, ras"),
        ('"greedy" }', '"greedy" }, "ras"', "schedulers: name = 'ras' is given 2 times"),
        (
            '{ scheduler = "eyewall"',
            '{ scheduler = "ras"',
            "only the scheduler eyewall has",
        ),
        (
            'policy = "greedy"',
            'options = { "eyewall.headrom" = 2 }',
            "mean eyewall.headroom?",
        ),
        (
            'policy = "greedy"',
            'options = { "eyewall.headroom" = 0 }',
            "headroom = 0: it must be",
        ),
        ('"six-unequal"', '"six-equal"', "cluster six-equal: no such file"),
        ("seconds = 60", "seconds = 2", "seconds = 2: "),
        ("seconds = 60", "second = 60", "second = 60: unknown key; allowed are "),
        ("constant = 40", "steps = [[5, 1], [0, 2]]", "goes back in time"),
        ('shape = "chain"', "", "give either shape"),
        ('shape = "chain"', 'jar = "x.jar"', "jar and class belong together"),
        ('shape = "chain"', 'shape = "chain"\nproject = "."', "only a streamparse topology has a"),
        ("[rate]", EVENT + "cpu = 'h9'\nfactor = 0.3\n[rate]", "h9: six-unequal has no such host"),
        ("[rate]", EVENT + "delay = ['h1', 'x']\nadd_ms = 3\n[rate]", "x: six-unequal has no"),
        ("[rate]", EVENT + "cpu = 'h1'\n[rate]", "events[0]: give either delay"),
        (
            "[rate]",
            EVENT + "drain = 'h1'\ncpu = 'h1'\nfactor = 2\n[rate]",
            "events[0]: give either delay",
        ),
        (
            "[rate]",
            EVENT + "drain = 'h1'\n[rate]",
            "drain = 'h1': only Eyewall drains hosts, and schedulers has ras",
        ),
        (
            "[rate]",
            EVENT + "kill = 'nimbsu'\n[rate]",
            "events[0].kill = 'nimbsu': no such program; allowed are nimbus, sidecar",
        ),
        (
            "[rate]",
            EVENT + "until = 15\nkill = 'supervisor-h1'\n[rate]",
            "until = 15: what happens at once is not undone",
        ),
        (
            "[rate]",
            EVENT + "until = 15\nstorm = 'rebalance'\n[rate]",
            "until = 15: what happens at once is not undone",
        ),
        ("[rate]", EVENT + "storm = 'stop'\n[rate]", "storm = 'stop': input should be 'activate'"),
        ("[rate]", EVENT + "busy = 'h1'\n[rate]", "events[0]: give either delay"),
        ("[rate]", EVENT + "busy = 'h1'\nshare = 1.5\n[rate]", "share = 1.5: input should be less"),
        ("[rate]", EVENT + "busy = 'h9'\nshare = 0.5\n[rate]", "events[0]: h9: six-unequal has no"),
        ("[rate]", EVENT + "crash_starts = 'h9'\n[rate]", "events[0]: h9: six-unequal has no such"),
        ("[rate]", EVENT + "fail = 'h9'\n[rate]", "events[0]: h9: six-unequal has no such"),
        ("[rate]", EVENT + "kill = 'nimbus'\ndrain = 'h1'\n[rate]", "events[0]: give either delay"),
        ("[rate]", EVENT + "until = 5\ncpu = 'h1'\nfactor = 2\n[rate]", "until = 5: goes back"),
        (
            "[rate]",
            EVENT.replace("10", "60") + "cpu = 'h1'\nfactor = 2\n[rate]",
            "at = 60: ",
        ),
    ],
)
def test_bad_input_is_refused_with_offender_value_and_what_is_allowed(
    old: str, new: str, says: str
) -> None:
    assert old in TRIAL
    reason = refusal(TRIAL.replace(old, new, 1))
    assert reason.startswith("folder/mine.toml: ")
    assert says in reason
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ('eyewall.objective = "L=1"', 'write "eyewall.objective" in quotes'),
        ("topology.workers = 3", 'write "topology.workers" in quotes'),
        ("eyewall.time.limit.ms = 3", 'write "eyewall.time.limit.ms" in quotes'),
        ('eyewall.pin.source = ["h1"]', 'write "eyewall.pin" in quotes'),
        ('[topologies.options.eyewall]\nmoves = "overlap"', 'write "eyewall.moves" in quotes'),
    ],
)
def test_a_setting_whose_name_is_not_quoted_is_refused(options: str, says: str) -> None:
    reason = refusal(f"{TRIAL}\n[topologies.options]\n{options}\n")
    assert reason.startswith("folder/mine.toml: topologies (chain): ")
    assert says in reason
    of_scheduler = TRIAL.replace('policy = "greedy"', 'options = { eyewall.moves = "overlap" }')
    assert "schedulers (quick): eyewall = {'moves': 'overlap'}" in refusal(of_scheduler)


@pytest.mark.parametrize("objective", ["L", "R=0.5,X=0.5", "R=2", "R=", "R=0.5", "R=0.5,L=0.5"])
def test_an_objective_is_terms_with_their_weights(objective: str) -> None:
    for given in (
        f'objective = "{objective}"',
        f'options = {{ "eyewall.objective" = "{objective}" }}',
    ):
        reason = refusal(TRIAL.replace('policy = "greedy"', given))
        assert f"eyewall.objective = {objective!r}: allowed are R, A, T, N, EE, L and" in reason
    for allowed in ("L=1", "R=0.5, A=0.5", "ecker", "ecker=lat:1e-6"):
        parse(TRIAL.replace('policy = "greedy"', f'objective = "{allowed}"'))


@pytest.mark.parametrize("key", ["", "a=b"])
def test_the_name_of_a_setting_is_one_that_can_be_told_from_its_value(key: str) -> None:
    reason = refusal(f'{TRIAL}options = {{ "{key}" = 1 }}')
    assert f"topologies (chain): {key!r} = 1: the name of a setting is text without '='" in reason


def test_a_trial_has_a_load() -> None:
    none = TRIAL.replace("seconds = 60", "seconds = 60\nloads = []")
    assert refusal(none) == "folder/mine.toml: loads = []: allowed: at least one"


def test_a_setting_may_be_a_table() -> None:
    pins = """{ "eyewall.pin" = { source = ["h1"] }, "topology.environment" = { A = "b" } }"""
    assert parse(f"{TRIAL}options = {pins}").topologies[0].options == {
        "eyewall.pin": {"source": ["h1"]},
        "topology.environment": {"A": "b"},
    }


@pytest.mark.parametrize("value", ["2020-01-01", "12:30:00", "inf", "[nan]"])
@pytest.mark.parametrize("key", ["eyewall.mode", "topology.x"])
def test_a_setting_that_storm_cannot_be_given_is_refused(key: str, value: str) -> None:
    reason = refusal(f'{TRIAL}options = {{ "{key}" = {value} }}')
    assert f"topologies (chain): {key} = {value}: a setting may be text, a finite number" in reason


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'policy = "greedy"',
            'polcy = "greedy"',
            (
                "schedulers[1].polcy = 'greedy': unknown key; allowed are scheduler, name, policy, "
                "objective, options, plan_every (did you mean policy?)"
            ),
        ),
        ('"ras"', "5", "schedulers[0] = 5: input should be a table"),
        ('"greedy" }', "5 }", "schedulers[1].policy = 5: input should be text in quotes"),
        (
            "schedulers = [",
            'schedulers = "ras"\n#',
            "schedulers = 'ras': input should be a valid list",
        ),
        (
            "schedulers = [",
            "schedulers = []\n#",
            "schedulers = []: allowed: at least one scheduler",
        ),
        (
            f"[[topologies]]{TRIAL.partition('[[topologies]]')[2]}",
            '[topologies]\nname = "chain"',
            "topologies = {'name': 'chain'}: one table, not a list of them: write [[topologies]]",
        ),
        (
            "{ cpu-us = 500 }",
            "5",
            "topologies[0].arguments = 5: allowed is a table, or a list of texts",
        ),
        ("[rate]", "overcommit = 1\n[rate]", "overcommit = 1: input should be true or false"),
        (
            "[rate]",
            EVENT + "delay = ['h1']\nadd_ms = 1\n[rate]",
            "events[0].delay[1]: missing; needed: two hosts or sites",
        ),
        (
            "[rate]",
            EVENT + "delay = ['h1', 'h2', 'h3']\nadd_ms = 1\n[rate]",
            "events[0].delay = ['h1', 'h2', 'h3']: list should have at most 2 items, not 3",
        ),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_file(old: str, new: str, says: str) -> None:
    assert old in TRIAL
    assert refusal(TRIAL.replace(old, new, 1)) == f"folder/mine.toml: {says}"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("9" * 400, "rate.constant is a whole number of 1330 bits; allowed are 64"),
        ("0x" + "f" * 5000, "rate.constant is a whole number of 20001 bits; allowed are 64"),
        ("9" * 5000, "a number has thousands of digits; allowed are whole numbers of 64 bits"),
        ("[" * 60 + "]" * 60, "tables and lists are nested too deeply; allowed are 50 levels"),
        ("[" * 3000 + "]" * 3000, "tables and lists are nested too deeply; allowed are 50 levels"),
    ],
)
def test_numbers_and_tables_of_absurd_size_are_refused(value: str, says: str) -> None:
    reason = refusal(TRIAL.replace("constant = 40", f"constant = {value}"))
    assert reason.startswith(f"folder/mine.toml: {says}")


@pytest.mark.parametrize("name", ["\\u0000", "a" * 5000])
def test_a_name_that_no_file_can_have_is_the_name_of_none(name: str) -> None:
    assert refusal(TRIAL.replace("six-unequal", name)).startswith("folder/mine.toml: ")
    with pytest.raises(TrialFileError, match="no such file, and shipped trials are"):
        trial_file.load(name.replace("\\u0000", "\0"), cores=2)
    trace = TRIAL.replace("constant = 40", f'trace = "{name}"')
    assert "cannot be read" in refusal(trace)


def test_hosts_that_need_more_than_the_machine_are_refused() -> None:
    # 5 cores × 0.22 = 1.1
    assert "use 1.1 cores together, and this machine has 1" in refusal(TRIAL, cores=1)


def test_hosts_that_need_more_than_the_machine_are_allowed_where_the_trial_says_so() -> None:
    trial = parse(TRIAL.replace("seconds = 60", "seconds = 60\novercommit = true"), cores=1)
    assert sum(trial.host_cores().values()) == pytest.approx(1.1)


@pytest.mark.parametrize("places", ['["h9"]', '"h9"', '["h1", "label:gpu"]', '["site:moon"]'])
def test_what_is_pinned_has_its_place_on_the_trials_cluster(places: str) -> None:
    pin = f'"eyewall.pin" = {{ sink = {places} }}'
    place = re.findall(r"[a-z:0-9]+", places)[-1]
    says = f"eyewall.pin: sink is pinned to {place}, which six-unequal does not have; allowed are h"
    assert f"topologies (chain): {says}" in refusal(f"{TRIAL}options = {{ {pin} }}")
    of_scheduler = TRIAL.replace('policy = "greedy"', f"options = {{ {pin} }}")
    assert f"schedulers (quick): {says}" in refusal(of_scheduler)


def test_a_name_that_is_neither_file_nor_shipped_gets_the_shipped_ones() -> None:
    with pytest.raises(TrialFileError, match="did you mean constant-chain"):
        trial_file.load("constant-chan", cores=2)


def test_the_rate_of_a_streamparse_topology_is_constant() -> None:
    text = TRIAL.replace('shape = "chain"', 'streamparse = "tag_and_count"')
    assert parse(text).topologies[0].streamparse == "tag_and_count"
    changing = text.replace("constant = 40", "steps = [[0, 1], [5, 2]]")
    assert "rate of a streamparse topology cannot change" in refusal(changing)
