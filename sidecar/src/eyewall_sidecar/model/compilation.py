"""How functions over arrays become machine code: once for a machine, kept on its disk.

- `kernel`: what Python calls. Its code, and that of all it calls, is one file on the disk.
- `subroutine`: what kernels call, and other subroutines; it makes no arrays.
- `compiled`: the same for what makes arrays.

numba keeps code together with a stamp of the one file that a function is in, and would go on using
code that was compiled with older versions of what it calls. `SourceDigestLocator` therefore names
the folder after a digest of that file and of all sources that it imports from our distributions
and benchmarks.
The folder is the same wherever these are installed, and another one for each CPU and each numba.
"""

import fcntl
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory, TemporaryFile
from types import CodeType
from typing import Any, Self, TypeVar, cast

import numba
from numba.core.registry import cpu_target
from numba.extending import typeof_impl

LOG = logging.getLogger("eyewall.compilation")

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = Path(__file__).parents[1]
KEPT_SECONDS = 30 * 86_400.0
"""How long code of older sources stays on disk: a release can be rolled back for a month."""

SETTING = "CACHE_LOCATOR_CLASSES"
"""Of numba, since 0.62; its stubs lack it."""

_IMPORT = re.compile(
    r"^from (eyewall_\w+|benchmarks)((?:\.\w+)*) import (\([^)]*\)|.*)", re.MULTILINE
)
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Arithmetic is that of IEEE 754, in the order it is written, as without compilation."""
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, **_OPTIONS}
"""A wrapper for Python takes longer to compile than most functions: it unpacks every array."""
_UNCOUNTED: dict[str, Any] = {"_nrt": False, **_INNER}
"""The one private name of a library here. Else numba counts a reference, atomically, each time an
array is passed on or read from a tuple, and a local search takes 1.5 to 3.5 times as long (numba
0.68, `move` and `swap` of hill climbing on 20 operators and 20 nodes)."""


def kernel(function: Function) -> Function:
    """Compile what Python calls, at the first call; later processes find the code on disk.

    Call it with arguments of one type each: other types are another compilation.
    """
    return cast("Function", _Kernel(function))


def subroutine(function: Function) -> Function:
    """Compile what compiled code calls and what makes no arrays. From Python it runs as it is."""
    return cast("Function", _Inner(function, _UNCOUNTED))


def compiled(function: Function) -> Function:
    """Compile what compiled code calls and what makes arrays. From Python it runs as it is."""
    return cast("Function", _Inner(function, _INNER))


class NotCompiledError(Exception):
    """The code of a kernel is not on the disk, and nothing may be compiled now."""


@contextmanager
def only_from_disk() -> Iterator[None]:
    """Have kernels load their code meanwhile, and raise `NotCompiledError` where there is none."""
    _Kernel.may_compile = False
    try:
        yield
    finally:
        _Kernel.may_compile = True


class _Inner:
    """A function that kernels see compiled."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func = function
        self.dispatcher: Any = numba.njit(**options)(function)
        update_wrapper(self, function)

    def __call__(self, *arguments: object) -> Any:
        return self.py_func(*arguments)


class _Kernel:
    """A compiled function whose trouble with the disk ends here."""

    may_compile = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self._folder = _folder(function.__module__, Path(function.__code__.co_filename))
        if self._folder is not None:
            _folders[function.__code__] = self._folder
        self.dispatcher: Any = numba.njit(cache=self._folder is not None, **_OPTIONS)(function)
        self._is_loaded = False
        update_wrapper(self, function)
        _kernels.append(self)

    def __call__(self, *arguments: object) -> Any:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # its stubs lack it
            return self.py_func(*arguments)
        if not self._is_loaded:
            self._load(arguments)
            self._is_loaded = True
        return self.dispatcher(*arguments)

    def _load(self, arguments: tuple[object, ...]) -> None:
        """Compile for such arguments, or load from disk what another process has compiled.

        The function does not run yet: others would wait for a search that takes a minute.
        """
        if not (self.may_compile or self._files(".nbi")):
            raise NotCompiledError(self.py_func.__qualname__)
        types = tuple(map(self.dispatcher.typeof_pyval, arguments))
        with self._alone():
            try:
                self.dispatcher.compile(types)
            except (EOFError, UnpicklingError) as error:  # cut off by a power failure
                _warn_once(f"{self._folder}: {error}")
                for it in _kernels:  # it may be the code of a kernel that this one calls
                    it._forget()  # noqa: SLF001 - of its own class
            except OSError as error:  # what numba cannot keep, it has compiled all the same
                _warn_once(f"{self._folder}: {error.strerror}")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other process compile the function meanwhile: it waits, and finds the code."""
        lock = None
        with suppress(OSError):
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
                lock = (self._folder / f"{self.py_func.__name__}.lock").open("w")
                fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if lock is not None:
                lock.close()

    def _forget(self) -> None:
        for file in self._files():
            with suppress(OSError):
                file.unlink()

    def _files(self, suffix: str = "") -> list[Path]:
        """Return what is on the disk of it: an index of its signatures, and the code of each."""
        if self._folder is None:
            return []
        return list(self._folder.glob(f"*.{self.py_func.__name__}-*{suffix}"))


_kernels: list[_Kernel] = []


@typeof_impl.register(_Inner)
@typeof_impl.register(_Kernel)
def _type_of(function: Any, context: Any) -> Any:
    """Let compiled code call what these stand for."""
    return typeof_impl(function.dispatcher, context)


class SourceDigestLocator:
    """Where numba keeps the code of one of our functions (see NUMBA_CACHE_LOCATOR_CLASSES)."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._folder = _folders[function.__code__]
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], _source: str) -> Self | None:
        """Return the locator of a function; None if it is not ours."""
        return cls(function) if function.__code__ in _folders else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what changes with the sources: the folder's own name."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self._line)


_folders: dict[CodeType, Path] = {}
"""The functions that `SourceDigestLocator` looks after."""


def _use_locator() -> None:
    """Have numba ask our locator first, and for functions that are not ours its own."""
    own = f"{SourceDigestLocator.__module__}.{SourceDigestLocator.__qualname__}"
    others = getattr(numba.config, SETTING) or (
        "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,"
        "IPythonCacheLocator,ZipCacheLocator"
    )
    setattr(numba.config, SETTING, f"{own},{others}")


_use_locator()


@cache
def _warn_once(why: str) -> None:
    LOG.warning("compiled code cannot be kept, so each process compiles again: %s", why)


@cache
def _folder(module: str, source: Path) -> Path | None:
    """Return the folder for the module's code, which may not exist yet; None without a home."""
    root = _root()
    if root is None:
        return None
    mine = root / f"{module}-{digest(source)}"
    with suppress(OSError):
        if mine.is_dir():
            os.utime(mine)
        for other in root.glob(f"{module}-*"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                rmtree(other, ignore_errors=True)
    return mine


@cache
def _root() -> Path | None:
    """Return the folder of all compiled code: where it cannot be written to, a copy that can be."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        root = (Path(home) if home else Path("~/.cache").expanduser()) / "eyewall" / "compiled"
    except RuntimeError:  # not even in passwd
        _warn_once("there is no home folder; set NUMBA_CACHE_DIR=FOLDER")
        return None
    try:
        root.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=root).close()
    except OSError as error:
        _warn_once(f"{root}: {error.strerror}")
        return _copy(root)
    return root


def _copy(root: Path) -> Path | None:
    try:
        _temporary.append(TemporaryDirectory(prefix="eyewall-compiled-"))
        writable = Path(_temporary[-1].name)
        if root.is_dir():
            copytree(root, writable, dirs_exist_ok=True)
    except OSError:
        return None
    return writable


_temporary: list[TemporaryDirectory[str]] = []
"""Removed when the process ends."""


@cache
def digest(source: Path) -> str:
    """Return a digest of what code compiled from this file may depend on: sources, CPU, numba."""
    contents = [path.read_bytes() for path in sorted(_imported(source))]
    contents.append(repr((numba.__version__, *_cpu())).encode())
    return sha256(b"\0".join(contents)).hexdigest()[:16]


def _cpu() -> tuple[str, ...]:
    """Return the CPU and what it can do, as numba compiles for it."""
    return tuple(cpu_target.target_context.codegen().magic_tuple())


def _imported(source: Path) -> set[Path]:
    """Return the file and all files of our distributions that it imports, directly or not."""
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
