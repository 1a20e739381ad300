"""What each solver process needs: loaded once, by the process that they are forked from.

What starts a lane waits for that. So it takes seconds, and what has to be compiled first is left to
the lanes.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

# Ctrl-C is for the sidecar, which ends this process too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Before numpy is imported: a process with threads is not forked safely.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# multiprocessing starts this process with the working directory first in sys.path.
sys.path[:] = filter(None, sys.path)

from eyewall_sidecar.policies.compile_ahead import DEFAULTS, compile_ahead  # noqa: E402
from eyewall_sidecar.service import solver_pool  # noqa: E402, F401 - imported for lanes

LONGEST = 15.0
"""Seconds for loading what is compiled: that takes two where nothing else needs the cores."""


class _TooLongError(BaseException):
    """Nothing that compiles takes it for an error of its own."""


def _give_up(*_: object) -> NoReturn:
    raise _TooLongError


def load_within(seconds: float, load: Callable[[], None]) -> None:
    """Load for so many seconds at most; what goes wrong is met again by each lane, and reported."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    with suppress(_TooLongError):  # a second one, right after the first
        with suppress(Exception, _TooLongError):
            load()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _load() -> None:
    for policy in DEFAULTS:
        compile_ahead(policy)


load_within(LONGEST, _load)
