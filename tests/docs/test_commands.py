"""The commands that the pages show exist, with the options that they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import eyewall_deploy.cli
import eyewall_monitor.cli
import eyewall_sidecar.cli.app
import pytest
import typer.main
from eyewall_papers.__main__ import EXPERIMENTS
from markdown_links import REPOSITORY_PAGES, code_in

from benchmarks.__main__ import BENCHMARKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

REPOSITORY = Path(__file__).parents[2]
PROGRAMS = {
    "eyewall": eyewall_sidecar.cli.app.app,
    "eyewall-deploy": eyewall_deploy.cli.app,
    "eyewall-monitor": eyewall_monitor.cli.app,
}
COMMAND = re.compile(r"(eyewall(?:-deploy|-monitor)?) ([a-z][a-z-]*)(?![\w.:=])(.*)")
MODULES: Mapping[str, Collection[str]] = {"benchmarks": BENCHMARKS, "eyewall_papers": EXPERIMENTS}
"""What `python -m MODULE NAME` runs."""
PAGES = [
    str(page.relative_to(REPOSITORY))
    for pattern in REPOSITORY_PAGES
    for page in sorted(REPOSITORY.glob(pattern))
]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_of_a_page_exists(page: str) -> None:
    assert list(unknown_parts((REPOSITORY / page).read_text(encoding="utf-8"))) == []


def test_an_unknown_command_option_or_benchmark_is_found() -> None:
    page = (
        "`eyewall solve --polcy odp`, `eyewall slove`, `eyewall-deploy up --delays declared`\n\n"
        "```sh\n$ eyewall plan x --seed 1   # --any\npython -m benchmarks bst\n```\n"
    )
    assert list(unknown_parts(page)) == [
        "eyewall solve --polcy",
        "eyewall slove",
        "python -m benchmarks bst",
    ]


def unknown_parts(page: str) -> Iterator[str]:
    """Yield each command, option, benchmark and experiment that does not exist."""
    for line in code_in(page):
        shown = line.removeprefix("$ ").partition(" #")[0]
        if found := COMMAND.match(shown):
            program, name, rest = found.groups()
            command = commands(program).get(name)
            if command is None:
                yield f"{program} {name}"
                continue
            known = {it for param in command.params for it in (*param.opts, *param.secondary_opts)}
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", rest.partition(" | ")[0]):
                if option not in known | {"--help"}:
                    yield f"{program} {name} {option}"
        elif found := re.match(r"python -m (\w+) ([a-z0-9][a-z0-9-]*)", shown):
            module, name = found.groups()
            if module in MODULES and name not in MODULES[module]:
                yield f"python -m {module} {name}"


def commands(program: str) -> dict[str, Any]:
    """Return name → command, those of other distributions included."""
    group = typer.main.get_group(PROGRAMS[program])
    context = typer.Context(group)
    return {
        name: command
        for name in group.list_commands(context)
        if (command := group.get_command(context, name))
    }
