"""How functions over arrays are compiled: once for a machine, kept on its disk.

numba looks only at the file that a function stands in, and would go on using code that was compiled
with older versions of what it calls. So the cache's folder is named after the sources of the module
and of all that it imports from here.
"""

import os
import re
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = "eyewall_sidecar"
ROOT = Path(__file__).parents[1]
KEPT_SECONDS = 30 * 86_400.0
"""How long code of older sources stays on disk."""

_IMPORT = re.compile(rf"^from {PACKAGE}((?:\.\w+)*) import (\([^)]*\)|.*)", re.MULTILINE)


def compiled(function: Function) -> Function:
    """Compile at the first call with new types; later processes find the code on disk.

    Arithmetic is that of IEEE 754 in the order it is written, so that the same input gives the
    same result as without compilation.
    """
    return _compiled(function, {})


def allocation_free(function: Function) -> Function:
    """Compile a function that makes no arrays, without counting references to those it is given.

    numba would count one, atomically, each time an array is passed on or taken from a tuple: ten
    times the time of the arithmetic in a search's inner loops. What the function is given must
    outlive the call, which it does; numba refuses to compile one that makes an array.
    """
    return _compiled(function, {"_nrt": False})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    source = Path(function.__code__.co_filename)
    folder = _folder(function.__module__, source)
    if folder is not None:
        config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    cached = folder is not None
    return cast("Function", njit(cache=cached, error_model="numpy", **options)(function))


@cache
def _folder(module: str, source: Path) -> Path | None:
    """Make the folder for the module's code; None where nothing can be written."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(home) if home else Path("~/.cache").expanduser()) / "eyewall" / "compiled"
        mine = folder / f"{module}-{digest(source)}"
        mine.mkdir(parents=True, exist_ok=True)
        os.utime(mine)
        for other in folder.glob(f"{module}-*"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                rmtree(other, ignore_errors=True)
    except (OSError, RuntimeError):  # the latter where there is no home, not even in passwd
        return None
    return mine


@cache
def digest(source: Path) -> str:
    """Return a digest of all sources that code compiled from this file may depend on."""
    contents = [path.read_bytes() for path in sorted(_imported(source))]
    return sha256(b"\0".join(contents)).hexdigest()[:16]


def _imported(source: Path) -> set[Path]:
    """Return the file and those of this package that it imports, by whatever way."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for parent, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            inner = ROOT / parent.removeprefix(".").replace(".", "/")
            modules = [inner, *(inner / name for name in re.findall(r"\w+", names))]
            files = [it.with_suffix(".py") for it in modules] + [inner / "__init__.py"]
            waiting += [it for it in files if it.is_file()]
    return found
