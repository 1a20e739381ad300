"""Ends all processes below one, those included whose parents have gone."""

from __future__ import annotations

import ctypes
import os
import time

import psutil

_PR_SET_CHILD_SUBREAPER = 36
_PAUSE = 0.05


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, in place of process 1."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def end_descendants() -> None:
    """Kill every descendant of this process, and return when all are gone.

    This process must have called `adopt_orphans` before it had any, or orphans are missed. New
    ones may be born while others are killed, so it goes on until none is left.
    """
    this = psutil.Process()
    while children := this.children(recursive=True):
        for child in children:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        _reap()
        time.sleep(_PAUSE)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass
