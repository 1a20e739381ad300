"""What each solver process needs: imported once, by the process that they are forked from.

So a process that is replaced solves again within milliseconds, and loads nothing.
"""

import os
import signal
from contextlib import suppress

# Ctrl-C is for the sidecar, which ends this process too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Before numpy is imported: a process with threads is not forked safely.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from eyewall_sidecar.policies.compile_ahead import DEFAULTS, compile_ahead  # noqa: E402

with suppress(Exception):  # which each solver process meets again, and reports
    for policy in DEFAULTS:
        compile_ahead(policy)

import eyewall_sidecar.service.solver_pool  # noqa: E402, F401
