"""The command `eyewall-deploy trial`: what it refuses before anything starts."""

from pathlib import Path

import pytest
from eyewall_deploy.cli import app
from trial_texts import TRIAL
from typer.testing import CliRunner


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--seconds", "nan"], "should be"),
        (["--sustainable", "--resolution", "nan"], "should be"),
        (["--load", "nan"], "--load nan: input should be a finite number"),
        (["--load", "0.5", "--load", "0.5"], "0.5 is given 2 times; each load once"),
        (["--cores", "nan"], "should be"),
        (["--sustainable", "--p99-limit", "nan"], "should be"),
        (["--p99-limit", "500"], "--p99-limit 500: only with --sustainable"),
    ],
)
def test_a_number_that_means_nothing_is_refused_in_one_line(options: list[str], says: str) -> None:
    ended = CliRunner().invoke(app, ["trial", "constant-chain", *options])
    assert ended.exit_code != 0
    assert says in " ".join(ended.output.split())
    assert "Traceback" not in ended.output


def test_a_search_of_the_largest_rate_makes_no_plans(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    planned = '{ scheduler = "eyewall", name = "xu", plan_every = 30 }'
    file.write_text(TRIAL.replace('"ras"', planned))
    ended = CliRunner().invoke(app, ["trial", str(file), "--sustainable"])
    assert ended.exit_code == 1
    said = " ".join(ended.output.split())
    assert "--sustainable: scheduler xu: plan_every is for runs of a given rate" in said
