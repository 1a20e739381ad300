"""The few system calls that Python 3.11 has no function for; light to import."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWUTS: Final = 0x0400_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWPID: Final = 0x2000_0000
CLONE_NEWNET: Final = 0x4000_0000
MS_NOSUID: Final = 0x2
MS_NODEV: Final = 0x4
MS_NOEXEC: Final = 0x8
MS_BIND: Final = 0x1000
MS_REC: Final = 0x4000
MS_PRIVATE: Final = 0x4_0000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_TIMERSLACK: Final = 29
_PR_SET_CHILD_SUBREAPER: Final = 36

NAMED: Final = Path("/run/netns")
"""Where `ip netns` and we keep the names of network namespaces."""

_libc = ctypes.CDLL(None, use_errno=True)
_Result = TypeVar("_Result")


def unshare(flags: int) -> None:
    """Leave the namespaces of these kinds for new ones (for PIDs, the next child does)."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def enter_network_namespace(name: str) -> None:
    """Move this thread into the named network namespace."""
    descriptor = os.open(NAMED / name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        result = _libc.setns(ctypes.c_int(descriptor), ctypes.c_int(CLONE_NEWNET))
        _check(result, "setns", str(NAMED / name))
    finally:
        os.close(descriptor)


def in_network_namespace(name: str, action: Callable[[], _Result]) -> _Result:
    """Call the action in a thread of the named network namespace; what it opens stays there."""
    return in_thread(lambda: _enter(name, action))


def in_thread(action: Callable[[], _Result]) -> _Result:
    """Call the action in a thread of its own, so that no other thread shares its namespaces."""
    results: list[_Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as failure:  # noqa: BLE001 - raised again in the calling thread
            failures.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _check(result, "mount", f"{source} on {target}")


def die_with_parent(signal: int) -> None:
    """Have the kernel send this signal to this process when the thread that started it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal), 0, 0, 0), "prctl", "PDEATHSIG")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, in place of process 1."""
    result = _libc.prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0)
    _check(result, "prctl", "CHILD_SUBREAPER")


def set_timer_slack(nanoseconds: int) -> None:
    """Let this thread's waits end at most this much late (50 µs by default)."""
    _check(_libc.prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(nanoseconds), 0, 0, 0), "prctl", "slack")


def _enter(name: str, action: Callable[[], _Result]) -> _Result:
    enter_network_namespace(name)
    return action()


def _check(result: int, call: str, on: str | None = None) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}", on)
