"""Commands of other distributions in `eyewall`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from eyewall_sidecar.cli.app import app
from eyewall_sidecar.cli.extensions import GROUP
from installed_plugins import install_plugin
from typer.testing import CliRunner, Result

if TYPE_CHECKING:
    from pathlib import Path

GREET = '''
def greet(name: str, times: int = 1) -> None:
    """Greet somebody."""
    print(" ".join([f"hello {name}"] * times))
'''


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_a_command_of_another_distribution_is_listed_and_run(plugins: Path) -> None:
    install_plugin(plugins, "sample", {GROUP: {"greet": "sample_module:greet"}}, GREET)
    assert "Greet somebody." in run("--help").stdout
    assert run("greet", "you", "--times", "2").stdout == "hello you hello you\n"
    assert run("greet").exit_code == 2


@pytest.mark.parametrize(
    "code",
    [
        "import no_such_module",
        "raise SystemExit",
        "greet = 3",
        "def greet(it: 'NoSuchType'): ...",
    ],
)
def test_a_command_that_cannot_be_loaded_says_so_when_it_is_run_and_stops_no_other(
    plugins: Path, code: str
) -> None:
    install_plugin(plugins, "sample", {GROUP: {"greet": "sample_module:greet"}}, code)
    broken = run("greet", "you", "--times", "2")
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert "sample 1.0" in broken.stderr
    assert broken.stderr.count("\n") == 1
    helped = run("--help")
    assert helped.exit_code == 0
    assert "greet" in helped.stdout
    assert run("policies", "--json").exit_code == 0


def test_a_name_of_eyewalls_own_stays_with_eyewall_and_help_names_who_asked_for_it(
    plugins: Path,
) -> None:
    install_plugin(plugins, "sample", {GROUP: {"policies": "sample_module:greet"}}, GREET)
    assert run("policies", "--json").stdout.startswith("[")
    assert "sample 1.0" in run("--help").stderr


def test_commands_of_others_are_not_imported_for_a_command_of_eyewalls_own(plugins: Path) -> None:
    install_plugin(plugins, "sample", {GROUP: {"greet": "sample_module:greet"}}, GREET)
    assert run("policies", "--json").exit_code == 0
    assert "sample_module" not in sys.modules


def test_help_lists_the_commands_of_papers_and_imports_no_solver() -> None:
    program = (
        "import sys; from eyewall_sidecar.cli.app import app; sys.argv = ['eyewall', '--help']\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "print(*{'numba', 'numpy', 'scipy', 'pulp', 'highspy', 'grpc'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    *shown, imported = done.stdout.split("\n")[:-1]
    assert imported == ""
    listed = {line.split()[1] for line in shown if line.startswith("│ ") and line[2] != " "}
    assert {"map", "provision", "links", "solve", "serve"} <= listed
