"""Benchmarks take minutes, so no test runs them: at least the options that they read exist."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchmarks
from benchmarks.__main__ import BENCHMARKS

ROOT = Path(benchmarks.__file__).parent


def option_names(tree: ast.Module) -> Iterator[str]:
    """Yield the attributes that the parser sets, `--old-records` as `old_records`."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".add_argument"):
            for word in call.args:
                if isinstance(word, ast.Constant):
                    yield str(word.value).lstrip("-").replace("-", "_")


def read_names(tree: ast.Module) -> Iterator[str]:
    """Yield the attributes that are read from parsed options."""
    for it in ast.walk(tree):
        if isinstance(it, ast.Attribute) and ast.unparse(it.value) in ("options", "given"):
            yield it.attr


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_option_that_a_benchmark_reads_is_declared(name: str) -> None:
    file = ROOT.joinpath(*BENCHMARKS[name].module.split(".")).with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert set(read_names(tree)) <= set(option_names(tree))


def test_an_undeclared_option_is_found() -> None:
    tree = ast.parse("parser.add_argument('--steps')\nrun(options.steps, options.measure)\n")
    assert set(read_names(tree)) - set(option_names(tree)) == {"measure"}
