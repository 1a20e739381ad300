from pathlib import Path

from eyewall_papers.experiments.paper_004.mapping_quality import (
    Key,
    MappingCase,
    MappingResult,
    MappingTrial,
    ResultFile,
)

OPTIONS: dict[str, float] = {
    "seed": 1,
    "max_null": 2,
    "cooling": 0.5,
    "time_limit": 9.0,
    "networks": 3,
}
KEY = (30, 7, 10)
TRIAL = MappingTrial(30, 7, "exact", 12, ended=True, to_bound=1.5, to_optimum=None)
RESULT = MappingResult(MappingCase(30, 0, 0.5, None), (TRIAL,))
OTHER = MappingResult(MappingCase(30, 4, 0.5, None), (TRIAL,))


def known(file: Path | None, key: Key, **changes: float) -> bool:
    return ResultFile(file, OPTIONS | changes).get(key, lambda: OTHER) == RESULT


def test_a_result_of_an_earlier_run_is_not_computed_again(tmp_path: Path) -> None:
    file = tmp_path / "results"
    ResultFile(file, OPTIONS).get(KEY, lambda: RESULT)
    assert known(file, KEY, networks=9)
    assert not known(file, (30, 8, 10))


def test_results_of_other_settings_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "results"
    ResultFile(file, OPTIONS).get(KEY, lambda: RESULT)
    assert not known(file, KEY, seed=2)


def test_without_a_file_results_are_those_of_this_run() -> None:
    results = ResultFile(None, OPTIONS)
    results.get(KEY, lambda: RESULT)
    assert results.get(KEY, lambda: OTHER) == RESULT
