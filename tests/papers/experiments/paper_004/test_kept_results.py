from pathlib import Path

from eyewall_papers.experiments.paper_004.kept_results import Kept, Result
from eyewall_papers.experiments.paper_004.mapping_figures import Case, Trial

OPTIONS = {"seed": 1, "max_null": 2, "cooling": 0.5, "time_limit": 9.0, "networks": 3}
RESULT = Result(
    Case(30, 0, 0.5, None), (Trial(30, 7, "exact", 12, ended=True, to_bound=1.5, to_optimum=None),)
)


def test_what_was_found_is_known_to_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "results"
    Kept(file, OPTIONS).add((30, 7, 10), RESULT)
    again = Kept(file, OPTIONS | {"networks": 9})
    assert again.get((30, 7, 10)) == RESULT
    assert again.get((30, 8, 10)) is None


def test_results_of_other_settings_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "results"
    Kept(file, OPTIONS).add((30, 7, 10), RESULT)
    assert Kept(file, OPTIONS | {"seed": 2}).get((30, 7, 10)) is None


def test_without_a_file_results_are_those_of_this_run() -> None:
    kept = Kept(None, OPTIONS)
    assert kept.add((30, 7, 10), RESULT) == kept.get((30, 7, 10)) == RESULT
