import json
from math import sqrt
from pathlib import Path
from typing import Any

import eyewall_sidecar
import pytest
from eyewall_contracts.objective_terms import LETTERS
from eyewall_sidecar.cli import app as cli
from eyewall_sidecar.model import PlacementProblem, Solution, Status
from eyewall_sidecar.objective import Objective
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.policies.odp import IDLE_HOSTS
from typer.testing import CliRunner, Result

EXAMPLES = Path(eyewall_sidecar.__file__).parents[2] / "examples"
BASIC = str(EXAMPLES / "basic.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["solve", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_answer_has_the_keys_and_the_figures_of_the_formats_example() -> None:
    found = answer(BASIC, "--objective", "R=1,A=0,N=0", "--time-limit", "5", "--seed", "0")
    assert list(found) == [
        "policy",
        "decided_by",
        "status",
        "placement",
        "objective",
        "bound",
        "gap",
        "seconds",
        "moves",
        "evaluated",
        "alternatives",
        "reasons",
    ]
    assert found["placement"] == {"source": "edge-1", "tag": "cloud-1", "count": "cloud-1"}
    # source 1 ms + 22 ms of network + tag 3 ms; edge-1 holds one operator only.
    assert found["objective"] == pytest.approx(
        {
            "value": 0.026,
            "response_time": 0.026,
            "availability": 0.999 * 0.9999,
            "inter_node_traffic": 10.0,
            "network_usage": 0.22,
            "elastic_energy": 0.00484,
            # tag's cpu of 1 fills its thread: Θ is 1, which costs 1.3 / 1 − 1 s. Its 3 ms wait
            # 49 + 2500 · 0.02 times as long (0.98 / 0.02, then the tangent); source's 1 ms is
            # over when a tuple begins. Each waits for its host: of edge-1's 4 cores 0.2 are
            # used, for 1 ms at a time; of cloud-1's 16 cores 2, and count's work is unknown, so
            # that it is taken for 100 ms.
            "load_response_time": 0.3
            + 0.001 / 4 * 0.05 ** (sqrt(10) - 1) / 0.95
            + 0.022
            + (0.003 * 100 + 0.1 * 0.125 ** (sqrt(34) - 1) / 0.875),
            "sustainable_rate": 1.0,
            "distinct_availability": 0.999 * 0.9999,
            # One of the two streams has no size.
            "data_unit": "tuples",
        }
    )
    assert found["bound"] == pytest.approx(0.026)
    assert (found["policy"], found["status"], found["moves"]) == ("odp", "optimal", 0)
    assert found["gap"] == pytest.approx(0, abs=1e-9)
    assert found["reasons"] == [IDLE_HOSTS]
    # Source is pinned to edge-1, which is full: tag and count cannot join it.
    assert found["alternatives"] == {"possible": 0, "rejected": {"candidates": 1, "operators": 2}}


def test_several_terms_print_the_ranges_that_normalise_them() -> None:
    found = answer(str(EXAMPLES / "speed-and-availability.json"), "--objective", "R=0.6,A=0.4")
    bounds = found["objective"]["bounds"]
    assert list(bounds) == ["R", "A"]
    assert bounds["R"]["better_is"] == "optimum"
    # Worst: all on old at half the speed, 32 ms, and two links of 3 ms.
    assert bounds["R"]["worse"] == pytest.approx(0.038)
    # Worst: all on fast, both streams over the link of 0.999.
    assert bounds["A"]["worse"] == pytest.approx(0.99**3 * 0.999**2)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.json")), ids=lambda it: it.stem)
@pytest.mark.parametrize("objective", ["R=1", "A=1", "R=0.4,A=0.1,T=0.2,N=0.2,EE=0.1"])
def test_every_example_is_solved(example: Path, objective: str) -> None:
    result = run(str(example), "--objective", objective, "--json")
    found = json.loads(result.stdout)
    expected = ("infeasible", 3) if example.stem == "infeasible" else ("optimal", 0)
    assert (found["status"], result.exit_code) == expected


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.json")), ids=lambda it: it.stem)
@pytest.mark.parametrize("objective", ["R=1", "A=1", "R=0.4,A=0.1,T=0.2,N=0.2,EE=0.1"])
def test_the_readable_program_has_the_optimum_of_the_fast_engines(
    example: Path, objective: str
) -> None:
    fast, readable = (
        json.loads(run(str(example), "--objective", objective, "--json", "--engine", it).stdout)
        for it in ("auto", "pulp")
    )
    assert readable["status"] == fast["status"]
    if fast["objective"] is not None:
        assert readable["decided_by"] == "PuLP"
        assert readable["objective"]["value"] == pytest.approx(fast["objective"]["value"])


@pytest.mark.parametrize("engine", ["auto", "pulp"])
def test_an_infeasible_problem_says_what_binds_and_exits_with_3(engine: str) -> None:
    result = run(str(EXAMPLES / "infeasible.json"), "--engine", engine)
    assert result.exit_code == 3
    assert "odp, infeasible" in result.stdout
    assert "cpu of node n" in result.stdout


def test_what_was_assumed_is_among_the_reasons(tmp_path: Path) -> None:
    problem = tmp_path / "problem.json"
    text = (EXAMPLES / "executors-and-groupings.json").read_text(encoding="utf-8")
    problem.write_text(text.replace("local_or_shuffle", "direct"), encoding="utf-8")
    assert answer(str(problem))["reasons"] == [
        IDLE_HOSTS,
        (
            "stream sentences → split: no shares are given for its direct grouping; "
            "assumed that it spreads its tuples evenly"
        ),
    ]


def test_a_sample_of_candidates_is_said_so_with_what_the_answer_then_means(tmp_path: Path) -> None:
    # Half of two candidates is one, drawn by the seed; the pinned one keeps its own.
    problem = tmp_path / "problem.json"
    problem.write_text(
        json.dumps(
            {
                "version": 1,
                "operators": [{"id": "a", "pinned_to": ["u"]}, {"id": "b"}],
                "streams": [{"from": "a", "to": "b"}],
                "nodes": [{"id": "u"}, {"id": "v"}],
                "links": [{"from": "u", "to": "v", "delay": 0.02}],
            }
        )
    )
    found = [answer(str(problem), "--sample", "0.5", "--seed", str(seed)) for seed in range(8)]
    assert {it["placement"]["a"] for it in found} == {"u"}
    assert {it["placement"]["b"] for it in found} == {"u", "v"}
    assert {it["status"] for it in found} == {"optimal"}
    assert found[0]["reasons"] == [
        IDLE_HOSTS,
        (
            "candidates are a random 50 % of each operator's: status, bound and gap hold for "
            "these alone"
        ),
    ]


def test_without_json_a_person_gets_tables() -> None:
    result = run(BASIC)
    assert result.exit_code == 0
    assert "odp, optimal" in result.stdout
    assert "response time R" in result.stdout
    assert "26 ms" in result.stdout
    assert "cloud-1" in result.stdout


def test_a_heuristics_answer_has_a_value_but_no_gap() -> None:
    # source on edge-1 and tag on cloud-1, both pinned or full: 10/s leave a node.
    result = run(BASIC, "--policy", "xu", "--objective", "T=1")
    assert result.exit_code == 0
    headline = result.stdout.splitlines()[0]
    assert headline.startswith("xu, heuristic")
    assert headline.endswith(": T=1 is 10")


def test_a_name_that_looks_like_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "markup.json"
    names = {"operators": [{"id": "[/red]"}], "nodes": [{"id": "[bold]n"}]}
    path.write_text(json.dumps({"version": 1} | names))
    result = run(str(path))
    assert result.exit_code == 0
    assert "[/red]" in result.stdout
    assert "[bold]n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            [BASIC, "--objective", "Q=1"],
            (
                f"eyewall solve: --objective 'Q=1': no term 'Q'; terms are {LETTERS}, each "
                "with a weight, as R=0.5,A=0.2,N=0.3\n"
            ),
        ),
        (
            [BASIC, "--policy", "magic"],
            (
                "eyewall solve: --policy magic: no such policy; policies are "
                f"{', '.join(policy_catalogue())}\n"
            ),
        ),
        (
            [BASIC, "--policy", "xu", "--objective", "R=1"],
            (
                "eyewall solve: --objective R=1: policy xu optimises T alone; ask it for that, or "
                "take another policy\n"
            ),
        ),
        (
            [BASIC, "--time-limit", "0"],
            "eyewall solve: --time-limit 0: it must be a number of seconds > 0\n",
        ),
        (
            [BASIC, "--seed", "-1"],
            "eyewall solve: --seed -1: it must be a whole number ≥ 0\n",
        ),
        (
            [BASIC, "--sample", "0"],
            "eyewall solve: --sample 0: it must be a number > 0 and at most 1\n",
        ),
        (
            [BASIC, "--engine", "glpk"],
            "eyewall solve: --engine glpk: no such engine; engines are auto, pulp\n",
        ),
        (
            [BASIC, "--engine", "pulp", "--policy", "greedy"],
            "eyewall solve: --engine pulp: policy greedy takes auto only; odp takes any\n",
        ),
    ],
)
def test_a_bad_option_is_one_line_and_exits_with_2(arguments: list[str], complaint: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stderr, result.stdout) == (2, complaint, "")


def test_a_bad_file_is_one_line_and_exits_with_2(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"version": 1, "operators": [{"id": "a"}], "nodes": [{"id": "n", "cpu": -1}]}')
    result = run(str(path))
    assert result.exit_code == 2
    assert result.stderr == f"eyewall solve: {path}: nodes[0].cpu is -1; it must be ≥ 0\n"


@pytest.mark.parametrize(
    ("answers", "said", "has_traceback"),
    [
        (Solution(Status.HEURISTIC, "odp", "x"), "answered heuristic with no placement", False),
        (None, "ValueError: out of ideas", True),
    ],
)
def test_a_policy_that_answers_nonsense_or_raises_exits_with_5_and_only_the_latter_has_a_traceback(
    monkeypatch: pytest.MonkeyPatch, answers: Solution | None, said: str, *, has_traceback: bool
) -> None:
    def answer(
        problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        if answers is None:
            raise ValueError("out of ideas")
        return answers

    monkeypatch.setattr("eyewall_sidecar.policies.invocation.load_policy", lambda _: answer)
    # Eyewall's own are trusted.
    monkeypatch.setattr("eyewall_sidecar.policies.invocation.OWN", ())
    result = run(BASIC)
    assert (result.exit_code, said in result.stderr) == (5, True)
    assert ("Traceback" in result.stderr) == has_traceback
    assert "NoneType" not in result.stderr


@pytest.mark.parametrize(("status", "code"), [(Status.TIMED_OUT, 4), (Status.FAILED, 5)])
def test_a_search_that_ends_without_a_placement_exits_with_4_or_if_the_solver_failed_with_5(
    monkeypatch: pytest.MonkeyPatch, status: Status, code: int
) -> None:
    def ended(
        problem: PlacementProblem, objective: Objective, *, time_limit: float, seed: int
    ) -> Solution:
        return Solution(status, "odp", "integer program", reasons=("too late",))

    monkeypatch.setattr("eyewall_sidecar.policies.invocation.load_policy", lambda _: ended)
    result = run(BASIC, "--json")
    assert result.exit_code == code
    assert json.loads(result.stdout)["reasons"] == ["too late"]


def listed(*arguments: str) -> str:
    result = CliRunner().invoke(cli.app, ["policies", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_policies_are_listed_with_their_paper_what_they_optimise_and_when_to_take_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    table = listed()
    for name, entry in policy_catalogue().items():
        assert name in table
        assert entry.source.split(",")[0] in table
    assert "T alone" in table
    assert "nothing: it takes any objective" in table


def test_policies_are_listed_as_json_for_programs() -> None:
    entries = {entry["policy"]: entry for entry in json.loads(listed("--json"))}
    assert list(entries) == list(policy_catalogue())
    assert entries["xu"]["optimises"] == ["T"]
    assert entries["xu"]["mixes"] is False
    assert entries["odp"]["optimises"] == list(policy_catalogue()["odp"].optimises)
    assert set(entries["xu"]) == {
        "policy",
        "title",
        "source",
        "method",
        "optimises",
        "mixes",
        "ecker",
        "take_it",
    }
