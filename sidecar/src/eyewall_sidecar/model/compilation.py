"""How functions over arrays are compiled: once for a machine, kept on its disk."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile at the first call with new types; later processes find the code in numba's cache.

    Arithmetic is that of IEEE 754 in the order it is written, so that the same input gives the
    same result as without compilation.
    """
    return cast("Function", njit(cache=True, error_model="numpy")(function))
