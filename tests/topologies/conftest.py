import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "topologies" / "src"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pystorm looks for msgpack as it is imported
    import streamparse  # noqa: F401
