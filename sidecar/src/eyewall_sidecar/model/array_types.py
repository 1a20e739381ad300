"""Types of the arrays that a problem is made of."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
"""Of operators, nodes or streams: their places in the problem's tuples."""
Places = Indices
