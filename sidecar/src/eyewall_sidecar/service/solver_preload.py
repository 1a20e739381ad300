"""What each solver process needs: loaded once, by the process that they are forked from.

What starts a lane waits for that, so what would have to be compiled first is left to the lanes.
"""

import os
import signal
import sys
from contextlib import suppress

# Ctrl-C is for the sidecar, which ends this process too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Before numpy is imported: a process with threads is not forked safely.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# multiprocessing starts this process with the working directory first in sys.path.
sys.path[:] = filter(None, sys.path)

from eyewall_sidecar.model.compilation import only_from_disk  # noqa: E402
from eyewall_sidecar.policies.compile_ahead import DEFAULTS, compile_ahead  # noqa: E402
from eyewall_sidecar.service import solver_pool  # noqa: E402, F401 - imported for lanes

# What goes wrong is met again by each lane, and reported.
for policy in DEFAULTS:
    with suppress(Exception), only_from_disk():
        compile_ahead(policy)
