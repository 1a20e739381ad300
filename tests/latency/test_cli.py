import json
from pathlib import Path

import pytest
from delay_shapes import grid
from eyewall_latency.cli import main


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "grid.tsv"
    rows = ("\t".join(str((it or 0) * 1000) for it in row) for row in grid().seconds)
    path.write_text("\n".join(rows) + "\n")
    return path


def test_simulate_prints_these_keys_and_no_others(
    matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(matrix), "--probes-per-host", "8", "--seed", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["probes_per_host", "share_of_pairs_probed", "unprobed", "all"]
    errors = ["median_relative_error", "p90_relative_error", "median_absolute_error_ms"]
    assert list(found["unprobed"]) == list(found["all"]) == errors
    assert found["probes_per_host"] == 8
    # 36 hosts send 8 each: 288 of 630 pairs at most.
    assert 0.3 < found["share_of_pairs_probed"] <= 288 / 630


def test_slices_of_time_are_reported_one_by_one(
    matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["simulate", str(matrix), str(matrix), "--probes-per-host", "4", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["slices"]) == 2
    assert found["slices"][1] == {key: found[key] for key in found if key != "slices"}


def test_the_papers_algorithm_is_a_setting(
    matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(matrix), "--algorithm", "paper"]) == 0
    assert "grid.tsv: 30 probes a host" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0\t1\t2\n", "row 1: 3 cells"),
        ("0\tx\n1\t0\n", "'x' is not a number"),
        ("0\t0\n1\t0", "hole"),
    ],
)
def test_a_bad_matrix_is_one_line_and_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(content)
    assert main(["simulate", str(path), "--json"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert words in output.err


def test_slices_of_different_size_are_refused(
    tmp_path: Path, matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "two.tsv"
    other.write_text("0\t1\n1\t0\n")
    assert main(["simulate", str(matrix), str(other)]) == 2
    assert "2 hosts, but" in capsys.readouterr().err


def test_a_bad_configuration_is_one_line_and_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latency.toml"
    path.write_text("[peers]\nkep = 3\n")
    assert main(["agent", "--config", str(path)]) == 2
    output = capsys.readouterr().err
    assert output == (
        f"eyewall-latency agent: {path}: no key [peers] kep; keys there are mesh_hosts, explore, "
        "keep, keep_fresh_seconds (did you mean keep?)\n"
    )
