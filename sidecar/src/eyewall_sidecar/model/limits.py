"""The greatest values a problem may have: beyond any cluster, and far from where products overflow.

A million streams at MOST tuples/s over links of LONGEST come to 1e31 tuple · s; floating point ends
at 1e308.
"""

MOST = 1e15
"""Bytes, tuples/s, cores; coordinates either way."""
MOST_OFFERED = MOST * MOST
"""What a node or a link offers, if that is limited: MOST tuples/s of MOST bytes fit."""
LONGEST = 86_400.0
"""Seconds: a day."""
SLOWEST, FASTEST = 1e-6, 1e6
"""Speedups."""
