"""Benchmarks of the product; they share real stores, a browser and instances with the tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
