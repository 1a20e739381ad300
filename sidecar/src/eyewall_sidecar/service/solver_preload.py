"""What each solver process imports: imported once, by the process that they are forked from.

Nothing is solved here: what starts a lane waits until these imports are over.
"""

import os
import signal
import sys

# Ctrl-C is for the sidecar, which ends this process too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Before numpy is imported: a process with threads is not forked safely.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# multiprocessing starts this process with the folder that it is in as the first to import from.
sys.path[:] = filter(None, sys.path)

import numba  # noqa: E402, F401

import eyewall_sidecar.policies.odp  # noqa: E402
import eyewall_sidecar.service.solver_pool  # noqa: E402, F401
