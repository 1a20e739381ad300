"""The two kinds of emulated network."""

from enum import StrEnum


class Kind(StrEnum):
    """How delays come about."""

    ROUTER = "router"
    NETEM = "netem"
