"""Which thread of a worker runs which tasks.

Storm names an executor's thread `Thread-12-count-executor[3, 3]`: the JVM's number of the thread,
the component, the first and the last task. Linux keeps 15 bytes of a name. Java up to 20 keeps the
beginning (`Thread-12-count`), later ones both ends (`Thread-..[3, 3]`). The rest is
found in the worker's log, where every line has its thread's whole name. Threads that remain
indistinguishable form a group with all tasks that they can have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LINUX_KEEPS: Final = 15
_BOTH_ENDS: Final = re.compile(r"Thread-\.\.(?P<end>.{6})")
_BEGINNING: Final = re.compile(r"Thread-(?P<number>\d+)-.+")
_WHOLE: Final = re.compile(r"Thread-(\d+)-(\S.{0,200}?)-executor\[(\d{1,9}), (\d{1,9})\]")


@dataclass(frozen=True, slots=True)
class Name:
    """The whole name of an executor's thread."""

    number: int
    component: str
    first: int
    last: int

    @property
    def tasks(self) -> tuple[int, ...]:
        """The tasks that it runs."""
        return tuple(range(self.first, self.last + 1)) if self.last - self.first < 10_000 else ()


@dataclass(frozen=True, slots=True)
class TaskThreads:
    """Threads that together run these tasks; mostly one thread."""

    threads: tuple[int, ...]
    tasks: tuple[int, ...]


def names_in(text: str) -> list[Name]:
    """Names of executors' threads in a piece of a worker's log."""
    found = {match.groups(): None for match in _WHOLE.finditer(text)}
    return [Name(int(n), component, int(a), int(b)) for n, component, a, b in found]


def groups(
    threads: Sequence[tuple[int, str]],
    components: Mapping[int, str],
    logged: Iterable[Name],
) -> list[TaskThreads]:
    """Find which threads run which tasks.

    Parameters
    ----------
    threads
        Linux's number and name of each.
    components
        The component of each task that the worker is known to have.
    logged
        What the worker's log says.
    """
    by_number = {name.number: name for name in logged}
    made = []
    left = []
    taken: set[int] = set()
    for thread, kept in threads:
        tasks = _exactly(kept, components, by_number)
        if tasks:
            made.append(TaskThreads((thread,), tasks))
            taken.update(tasks)
        elif _BEGINNING.fullmatch(kept) or _BOTH_ENDS.fullmatch(kept):
            left.append((thread, kept))
    others = {task: name for task, name in components.items() if task not in taken and task > 0}
    by_tasks: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for thread, kept in left:
        candidates = tuple(sorted(t for t, c in others.items() if _may_run(kept, t, c)))
        if candidates:
            by_tasks[candidates].append(thread)
    made += [TaskThreads(tuple(found), tasks) for tasks, found in by_tasks.items()]
    return sorted(_without_overlap(made), key=lambda group: group.tasks)


def unnamed(threads: Iterable[str], logged: Iterable[Name]) -> bool:
    """Whether the log may yet say more about these threads."""
    known = {name.number for name in logged}
    found = (_BEGINNING.fullmatch(kept) for kept in threads)
    return any(match and int(match["number"]) not in known for match in found)


def _exactly(
    kept: str, components: Mapping[int, str], by_number: Mapping[int, Name]
) -> tuple[int, ...]:
    beginning = _BEGINNING.fullmatch(kept)
    if beginning is None:
        return ()
    name = by_number.get(int(beginning["number"]))
    if name is None or not _kept(name).startswith(kept):
        return ()
    return tuple(task for task in name.tasks if task in components) or name.tasks


def _kept(name: Name) -> str:
    whole = f"Thread-{name.number}-{name.component}-executor[{name.first}, {name.last}]"
    return whole.encode()[:_LINUX_KEEPS].decode(errors="ignore")


def _may_run(kept: str, task: int, component: str) -> bool:
    """Whether a thread of this name may run this task; a component's dots came as underscores."""
    both_ends = _BOTH_ENDS.fullmatch(kept)
    if both_ends:
        return f"-executor[{task}, {task}]".endswith(both_ends["end"])
    number = kept.split("-")[1]
    whole = f"Thread-{number}-{component}-executor["
    return whole.encode()[:_LINUX_KEEPS].decode(errors="ignore") == kept.replace(".", "_")


def _without_overlap(made: Iterable[TaskThreads]) -> list[TaskThreads]:
    """Join groups that share a task: `count` and `counter` look the same behind a short number."""
    joined: list[TaskThreads] = []
    for group in made:
        shared = [other for other in joined if set(other.tasks) & set(group.tasks)]
        joined = [other for other in joined if other not in shared]
        threads = [*group.threads, *(t for other in shared for t in other.threads)]
        tasks = {*group.tasks, *(t for other in shared for t in other.tasks)}
        joined.append(TaskThreads(tuple(sorted(threads)), tuple(sorted(tasks))))
    return joined
