"""What other distributions add to Eyewall: the entry points of a group.

A distribution that cannot be used is a value here, a `PluginFault`; it stops neither the process
nor the other distributions.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
NAME_RULE = "a lower-case letter, then at most 39 of a-z, 0-9, _ and -"


class FaultKind(StrEnum):
    """What is wrong with a plug-in."""

    METADATA = "metadata"
    """Its entry points cannot be read."""
    NAME = "name"
    """Its name is not allowed."""
    CLASH = "clash"
    """Its name belongs to another one."""
    IMPORT = "import"
    """What it names cannot be imported."""
    CONTENT = "content"
    """What it names is not of the kind that the group needs."""


@dataclass(frozen=True, slots=True)
class PluginFault:
    """A plug-in that cannot be used.

    Parameters
    ----------
    group, name, distribution
        The entry point, and who has it; the name is empty where none could be read.
    kind
        What is wrong.
    detail
        The offending value and what is allowed, as the end of a sentence.
    """

    group: str
    name: str
    distribution: str
    kind: FaultKind
    detail: str

    def __str__(self) -> str:
        """Return one line for a person."""
        entry = f" {self.name!r}" if self.name else ""
        return f"{self.distribution}: entry point{entry} of {self.group}: {self.detail}"


class PluginError(Exception):
    """A plug-in that cannot be used, where its user waits for it."""

    def __init__(self, fault: PluginFault) -> None:
        """Carry the fault; its line is the message."""
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point that another distribution registers.

    Parameters
    ----------
    entry_point
        Its name, group, and what it names.
    distribution
        Name and version.
    """

    entry_point: EntryPoint
    distribution: str

    def fault(self, kind: FaultKind, detail: str) -> PluginFault:
        """Return what is wrong with it."""
        it = self.entry_point
        return PluginFault(it.group, it.name, self.distribution, kind, detail)

    def load(self) -> Any:
        """Import what it names; PluginError if that fails, however it fails."""
        try:
            return self.entry_point.load()
        except (Exception, SystemExit) as error:
            detail = f"{self.entry_point.value} cannot be imported: {described(error)}"
            raise PluginError(self.fault(FaultKind.IMPORT, detail)) from error


@dataclass(frozen=True, slots=True)
class Plugins:
    """The entry points of a group.

    Parameters
    ----------
    usable
        Name → plug-in. None is imported yet.
    faults
        What is left out, and why.
    """

    usable: Mapping[str, Plugin]
    faults: tuple[PluginFault, ...]


def find_plugins(group: str, reserved: Collection[str] = ()) -> Plugins:
    """Return the plug-ins of a group, without importing them.

    A reserved name stays with Eyewall itself. A name that two distributions register stays with
    the one whose own name comes first, so that all processes agree.
    """
    usable: dict[str, Plugin] = {}
    faults: list[PluginFault] = []
    for plugin in _read(group, faults):
        name = plugin.entry_point.name
        if not NAME.fullmatch(name):
            faults.append(plugin.fault(FaultKind.NAME, f"a name must be {NAME_RULE}"))
        elif name in reserved:
            detail = "the name is Eyewall's own; register another one"
            faults.append(plugin.fault(FaultKind.CLASH, detail))
        elif name in usable:
            detail = f"the name is taken by {usable[name].distribution}; register another one"
            faults.append(plugin.fault(FaultKind.CLASH, detail))
        else:
            usable[name] = plugin
    return Plugins(usable, tuple(faults))


def described(error: BaseException) -> str:
    """Return an exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _read(group: str, faults: list[PluginFault]) -> Iterator[Plugin]:
    """Yield what each distribution registers, in the order of their names.

    `importlib.metadata.entry_points` raises if the file of any distribution is malformed, whatever
    its groups; here only that distribution is left out.
    """
    found: dict[str, tuple[str, Distribution]] = {}
    for distribution in distributions():
        if group in (distribution.read_text("entry_points.txt") or ""):
            name = distribution.metadata["Name"] or "a distribution without a name"
            normal = re.sub(r"[-_.]+", "-", name).lower()
            # As imports do: the first one on the path hides those behind it.
            found.setdefault(normal, (f"{name} {distribution.version}", distribution))
    for _, (title, distribution) in sorted(found.items()):
        try:
            entry_points = distribution.entry_points.select(group=group)
        except Exception as error:  # noqa: BLE001 - whatever a malformed file makes of it
            detail = f"entry_points.txt cannot be read: {described(error)}"
            faults.append(PluginFault(group, "", title, FaultKind.METADATA, detail))
        else:
            yield from (Plugin(it, title) for it in entry_points)
