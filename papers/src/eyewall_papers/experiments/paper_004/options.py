"""What options of the experiments must be, checked before minutes are spent."""

import argparse
from collections.abc import Callable


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads a whole number and refuses a smaller one."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"{text}; it must be a whole number ≥ {least}")
        return number

    return read
