"""What an operator costs and what it lets through."""

import hashlib
import time
from collections.abc import Callable


def burn(seconds: float, cpu_clock: Callable[[], float] = time.thread_time) -> None:
    """Use up this much CPU time.

    Measured on the thread's own CPU clock: on a host whose share of a core is capped or
    contended, the same work takes longer.
    """
    end = cpu_clock() + seconds
    while cpu_clock() < end:
        pass


def passes(message_id: str, share: float) -> bool:
    """Whether the message belongs to the `share` of all messages that a filter lets through."""
    digest = hashlib.blake2b(message_id.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * 2**32
