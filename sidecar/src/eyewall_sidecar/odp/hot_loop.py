"""How the inner functions of the search are compiled: without counting references to arrays."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def hot(function: Function) -> Function:
    """Compile a function that makes no arrays; what it is given outlives the call anyway.

    As `compiled`, but numba would count a reference, atomically, each time an array is passed on or
    taken from a tuple, which costs several times the arithmetic here.
    """
    options: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}
    return cast("Function", njit(**options)(function))
