"""How functions are compiled that take a `State` and make no arrays."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}


def allocation_free(function: Function) -> Function:
    """Compile like `model.compilation.compiled`, but without counting references to arrays.

    Each use of a tuple of forty arrays would count forty references up and down: a move's delta
    takes ten times as long with it. What the function is given must outlive the call, which it
    does, and the function must create no array; numba refuses to compile one that does.
    """
    return cast("Function", njit(**_OPTIONS)(function))
