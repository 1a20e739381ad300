"""How functions over arrays are compiled: once for a machine, kept on its disk.

numba looks only at the file that a function stands in, and would go on using code that was compiled
with older versions of what it calls. So the cache's folder is named after the sources of the module
and of all that it imports from here. It is a cache of our own: numba's setting for its folder holds
for everything in the process, and numba does not look into a folder that it cannot write to.
"""

import fcntl
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from shutil import rmtree
from typing import Any, Self, TypeVar, cast

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache

LOG = logging.getLogger("eyewall.compilation")

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = Path(__file__).parents[1]
KEPT_SECONDS = 30 * 86_400.0
"""How long code of older sources stays on disk."""

_IMPORT = re.compile(r"^from (eyewall_\w+)((?:\.\w+)*) import (\([^)]*\)|.*)", re.MULTILINE)


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
    dispatcher = njit(error_model="numpy", **options)(function)
    # As `cache=True` would, with numba's own cache.
    if _folder(function.__module__, Path(function.__code__.co_filename)) is not None:
        dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]  # noqa: SLF001
    return cast("Function", dispatcher)


class _Place:
    """Where numba finds the code of one function; it calls this a locator."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        self._folder = cast("Path", _folder(function.__module__, Path(source)))
        self._line = function.__code__.co_firstlineno
        self._py_file = source

    @classmethod
    def from_function(cls, function: Callable[..., Any], source: str) -> Self:
        return cls(function, source)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Places(CompileResultCacheImpl):
    _locator_classes = [_Place]  # noqa: RUF012 – numba's own is a list


class _Cache(FunctionCache):
    """A cache that can do without its folder: what cannot be read or kept is compiled anew."""

    _impl_class = _Places

    def save_overload(self, sig: object, data: object) -> None:
        """Keep code, one process at a time: two could give theirs the same name."""
        with self._guard_against_spurious_io_errors():
            self._impl.locator.ensure_cache_path()
            held = os.open(self._cache_path, os.O_RDONLY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX)
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]
            finally:
                os.close(held)

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Let nothing that goes wrong with the folder end a load or a save, around which it is."""
        try:
            yield
        except OSError as error:
            _say_once(f"{_root()}: {error.strerror}")
        except (EOFError, UnpicklingError):  # cut off, by a full disk or a power failure
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]


@cache
def _say_once(why: str) -> None:
    LOG.warning("compiled code cannot be kept, so that each process compiles anew: %s", why)


@cache
def _folder(module: str, source: Path) -> Path | None:
    """Return the folder for the module's code, which may not be there yet; None without a home."""
    root = _root()
    if root is None:
        _say_once("there is no home folder; say NUMBA_CACHE_DIR=FOLDER")
        return None
    mine = root / f"{module}-{digest(source)}"
    with suppress(OSError):
        if mine.is_dir():
            os.utime(mine)
        for other in root.glob(f"{module}-*"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                rmtree(other, ignore_errors=True)
    return mine


def _root() -> Path | None:
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path("~/.cache").expanduser()) / "eyewall" / "compiled"
    except RuntimeError:  # not even in passwd
        return None


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
        for package, parent, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            root = ROOT if package == "eyewall_sidecar" else _root_of(package)
            if root is None:
                continue
            inner = root / parent.removeprefix(".").replace(".", "/")
            modules = [inner, *(inner / name for name in re.findall(r"\w+", names))]
            files = [it.with_suffix(".py") for it in modules] + [inner / "__init__.py"]
            waiting += [it for it in files if it.is_file()]
    return found


def _root_of(package: str) -> Path | None:
    file = getattr(sys.modules.get(package), "__file__", None)
    return Path(file).parent if file is not None else None
