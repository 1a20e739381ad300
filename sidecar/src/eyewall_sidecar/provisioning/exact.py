"""The cheapest platform, proven (paper 003, section 5), or how far from it the answer may be.

Groups of operators that have to stay together are joined (`blobs`). Up to `MOST_BLOBS` of them
are split by the prices of all their subsets (`subsets`, `partition`); more are left to the integer
program (`machine_search`). Both are exact for every problem of the model.
"""

from collections.abc import Callable
from math import inf, isfinite

import numpy as np

from eyewall_sidecar.model import Solution, Status, evaluate_nothing
