"""Fetches Storm's jars before the first cluster needs them.

    PYTHONPATH=deploy/src python3.11 -m eyewall_deploy.storm_home

It needs nothing but Python and Maven, so that it can run while packages are installed.
"""

import sys

from eyewall_deploy.failure import Failure
from eyewall_deploy.run_dir import storm_home_cache
from eyewall_deploy.storm_home.assembly import assembled

if __name__ == "__main__":
    home = assembled(storm_home_cache(), lambda text: print(text, flush=True))
    if isinstance(home, Failure):
        sys.exit(home.reason)
