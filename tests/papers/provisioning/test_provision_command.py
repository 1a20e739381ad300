import json
from pathlib import Path
from typing import Any

import eyewall_papers
import pytest
from eyewall_papers.provisioning.command import ProvisionOptions, from_topology, provision
from eyewall_sidecar.cli import app as cli
from typer.testing import CliRunner, Result

CAMERAS = Path(eyewall_papers.__file__).parents[2] / "examples" / "provisioning" / "cameras.json"


def run(*arguments: str) -> Result:
    quick = [] if "--time-limit" in arguments else ["--time-limit", "30"]
    return CliRunner().invoke(cli.app, ["provision", *arguments, *quick])


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def platform() -> dict[str, Any]:
    """The answer for the cameras from the made-up cloud."""
    return answer(str(CAMERAS), "--catalogue", "made-up-cloud")


def test_the_lines_of_the_shopping_list_sum_to_the_proven_price(platform: dict[str, Any]) -> None:
    # 12 cores are needed: 16 (512), 8 + 4 (259 + 132) or three of 4 (396). gate 3, yard 4, hall
    # 2.5, join 1.5 and alert 1 fit on 8 + 4 as 3 + 2.5 + 1.5 + 1 and 4.
    assert (platform["status"], platform["price"], platform["bound"]) == ("optimal", 391, 391)
    assert [(it["type"], it["count"], it["sum"]) for it in platform["shopping_list"]] == [
        ("large", 1, 259),
        ("medium", 1, 132),
    ]
    assert platform["currency"] == "€"
    assert sorted(platform["placement"]) == ["alert", "gate", "hall", "join", "yard"]


def test_the_answer_has_utilisation_and_the_overloads_at_a_fifth_more(
    platform: dict[str, Any],
) -> None:
    cpu = {it["name"]: it for it in platform["utilisation"] if it["constraint"] == "cpu"}
    assert {name: (it["load"], it["limit"]) for name, it in cpu.items()} == {
        "large-1": (8, 8),
        "medium-1": (4, 4),
    }
    # Both CPUs are full: 9.6 of 8 and 4.8 of 4 at 1.2; the cards are at a few percent.
    broken = [(it["constraint"], it["name"]) for it in platform["breaks_at"]["what"]]
    assert broken == [("cpu", "large-1"), ("cpu", "medium-1")]
    assert platform["breaks_at"]["throughput"] == pytest.approx(1.2)
    assert platform["sustains"] == pytest.approx(1.0)


def test_the_next_cheaper_platform_has_the_rate_that_it_sustains(platform: dict[str, Any]) -> None:
    found = platform["next_cheaper"]
    # Cheaper than 391 are 8 + 2 cores (327): 12ρ ≤ 10 allows ρ ≤ 0.833, and of the subsets for
    # the small one, 2.5 (hall) leaves 9.5ρ ≤ 8, so ρ ≤ 0.8 by 2.5ρ ≤ 2.
    assert found["price"] == 327
    assert found["throughput"] == pytest.approx(0.8)


def test_without_a_catalogue_the_answer_is_the_nodes_that_are_enough() -> None:
    found = answer(str(CAMERAS))
    # 12 cores: a rack (8, price 3) and two edges (4 each, price 1) cost 5, two racks 6.
    assert found["price"] == 5
    assert sorted(it["type"] for it in found["machines"]) == ["edge-1", "edge-2", "rack-1"]
    assert found["not_needed"] == ["rack-2"]
    assert "can be switched off: rack-2" in run(str(CAMERAS)).stdout


def test_machines_of_a_catalogue_are_never_named_to_switch_off(tmp_path: Path) -> None:
    # 12 cores fit on the big one; the small one is available once, but nobody owns it.
    catalogue = tmp_path / "mine.toml"
    catalogue.write_text(
        'currency = "[/]"\nunit = "cores"\n'
        '[[types]]\nname = "big"\ncpu = 16\ncard_gbit = 10\nprice = 9\n'
        '[[types]]\nname = "small"\ncpu = 2\ncard_gbit = 10\nprice = 8\ncount = 1\n',
        encoding="utf-8",
    )
    found = answer(str(CAMERAS), "--catalogue", str(catalogue))
    assert ([it["id"] for it in found["machines"]], found["not_needed"]) == (["big-1"], [])
    said = run(str(CAMERAS), "--catalogue", str(catalogue))
    assert said.exit_code == 0
    assert "switched off" not in said.stdout
    assert "9 [/]" in said.stdout  # as in the file: rich does not interpret the brackets


def test_a_node_that_others_keep_on_is_not_named_to_switch_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # a runs on n1 alone; n2 runs another topology in any case, n3 nothing.
    text = json.dumps(
        {
            "version": 1,
            "operators": [{"id": "a", "candidates": ["n1"]}],
            "streams": [],
            "nodes": [{"id": "n1"}, {"id": "n2"}, {"id": "n3"}],
        }
    )
    options = ProvisionOptions("", 1.0, None, "subtree-bottom-up", 30.0, 0)
    source = from_topology("words", text, ("n2",), (), options)
    provision(source, options, as_json=True)
    assert json.loads(capsys.readouterr().out)["not_needed"] == ["n3"]


def test_the_printed_answer_has_the_list_the_machines_and_the_next_cheaper_platform() -> None:
    said = run(str(CAMERAS), "--catalogue", "made-up-cloud").stdout
    assert "€391" in said
    assert "medium-1" in said
    assert "at 1.2 results/s would be too full (it sustains 1)" in said
    assert "next cheaper: €327 sustains 0.8 results/s" in said


def test_an_operator_that_no_machine_can_run_is_named_with_its_needs(
    tmp_path: Path,
) -> None:
    text = json.loads(CAMERAS.read_text(encoding="utf-8"))
    text["operators"][1]["cpu"] = 64
    (tmp_path / "problem.json").write_text(json.dumps(text), encoding="utf-8")
    result = run(str(tmp_path / "problem.json"), "--catalogue", "made-up-cloud", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert (found["status"], found["placement"], found["shopping_list"]) == (
        "infeasible",
        None,
        None,
    )
    (reason,) = found["reasons"]
    assert "operator yard" in reason
    assert "at least cpu 64 (the most there is: 32), card 2.4e+07" in reason


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--throughput", "0"], "--throughput 0: it must be a number of results/s > 0"),
        (["--time-limit", "0"], "--time-limit 0: it must be a number of seconds > 0"),
        (["--seed", "-1"], "--seed -1: it must be a whole number ≥ 0"),
        (["--tuple-bytes", "-1"], "--tuple-bytes -1: it must be a number of bytes ≥ 0"),
        (["--method", "exakt"], "no method exakt"),
        (
            ["--catalogue", "dell-2009"],
            (
                "--catalogue dell-2009: no such file, and no shipped catalogue dell-2009; "
                "shipped catalogues are dell-2008, made-up-cloud (did you mean dell-2008?)"
            ),
        ),
    ],
)
def test_a_bad_option_is_refused_with_its_value_and_what_is_allowed(
    arguments: list[str], complaint: str
) -> None:
    result = run(str(CAMERAS), *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_catalogue_with_two_equal_names_is_refused(tmp_path: Path) -> None:
    small = '[[types]]\nname = "small"\ncpu = 2\ncard_gbit = 1\nprice = 3\n'
    catalogue = tmp_path / "mine.toml"
    catalogue.write_text(f'currency = "€"\nunit = "cores"\n{small}{small}', encoding="utf-8")
    result = run(str(CAMERAS), "--catalogue", str(catalogue))
    assert result.exit_code == 2
    assert "machine type small is listed more than once" in result.stderr


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = run(str(tmp_path / "nothing.json"))
    assert result.exit_code == 2
    assert "nothing.json: cannot be read" in result.stderr
