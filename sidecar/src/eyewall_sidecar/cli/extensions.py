"""Commands of other distributions: entry points of the group `eyewall.commands`.

Each names a function that Typer can make a command of. A function is imported when its command is
run or listed by `eyewall --help`, so its module imports what is heavy inside the function.
"""

from functools import cached_property
from typing import Any

import typer
from typer.core import TyperGroup

from eyewall_sidecar.plugins import FaultKind, Plugin, PluginError, Plugins, described, find_plugins

GROUP = "eyewall.commands"
BROKEN = 1
"""Exit code of a command that cannot be loaded."""
PAPERS_COMMANDS = ("links", "map", "provision")
"""Commands that the documentation names, and that come with eyewall-papers."""


class ExtensibleGroup(TyperGroup):
    """The `eyewall` command, with the commands of other distributions after its own."""

    @cached_property
    def plugins(self) -> Plugins:
        """What the installed distributions register."""
        return find_plugins(GROUP, reserved=self.commands)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *sorted(self.plugins.usable)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, None if there is none; one that cannot be loaded says so when run."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if plugin := self.plugins.usable.get(cmd_name):
            return _command(plugin)
        reasons = [str(it) for it in self.plugins.faults if it.name == cmd_name]
        if cmd_name in PAPERS_COMMANDS:
            reasons.append("it comes with eyewall-papers, which is not installed")
        return _refusal(cmd_name, "; ".join(reasons), hidden=True) if reasons else None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help, then what is left out of it."""
        super().format_help(ctx, formatter)
        for fault in self.plugins.faults:
            typer.echo(f"eyewall: command left out: {fault}", err=True)


def _command(plugin: Plugin) -> Any:
    name = plugin.entry_point.name
    app = typer.Typer(add_completion=False)
    try:
        app.command(name)(plugin.load())
        return typer.main.get_command(app)
    except PluginError as error:
        return _refusal(name, str(error))
    except Exception as error:  # noqa: BLE001 - whatever Typer says of another one's function
        detail = f"{plugin.entry_point.value} is not a command: {described(error)}"
        return _refusal(name, str(plugin.fault(FaultKind.CONTENT, detail)))


def _refusal(name: str, sentence: str, *, hidden: bool = False) -> Any:
    """Return a command that takes any arguments and says why it does nothing."""

    def refuse(_: typer.Context) -> None:
        typer.echo(f"eyewall {name}: {sentence}", err=True)
        raise typer.Exit(BROKEN)

    app = typer.Typer(add_completion=False)
    any_arguments = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(
        name,
        help=f"Cannot be loaded: {sentence}",
        hidden=hidden,
        add_help_option=False,
        context_settings=any_arguments,
    )(refuse)
    return typer.main.get_command(app)
