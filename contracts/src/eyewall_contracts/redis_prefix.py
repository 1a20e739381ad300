"""What the keys of one Storm cluster begin with in Redis."""

import re
from typing import Final

from eyewall_contracts.errors import ContractError

PREFIX: Final = "eyewall"

_PREFIX: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}(?::[A-Za-z0-9_.-]{1,100}){0,8}")


def require_prefix(prefix: str) -> None:
    """Raise ContractError unless keys may begin with this."""
    if _PREFIX.fullmatch(prefix) is None:
        raise ContractError(
            f"Redis prefix {prefix!r:.100}: it must be like {PREFIX} or storm-1:{PREFIX}"
        )
