"""What the sidecar and those who call its service Operations agree on, beyond the messages."""

from typing import Final

CONTRACT_VERSION: Final = 1
"""A status has it: a caller that knows only an earlier one has to be updated."""
NEAREST: Final = "eyewall-nearest"
"""Trailing metadata of NOT_FOUND: names that were perhaps meant, comma separated."""
LONGEST_SOLVE: Final = 60.0
"""Seconds: the longest time limit that the sidecar accepts for a plan."""
SOLVE_OVERHEAD: Final = 90.0
"""Seconds that a plan may take in addition to solving: the first one waits until its process has
started, which takes half a minute on a busy machine."""
MOST_SEED: Final = 2**31 - 1
