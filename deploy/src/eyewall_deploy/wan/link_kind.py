"""The two kinds of links between hosts (paper 004, section 2)."""

from enum import StrEnum


class LinkKind(StrEnum):
    """By which kind of link a packet goes."""

    PUBLIC = "public"
    """All to all, free, without a guarantee; limited by the hosts' up- and downlinks."""
    DEDICATED = "dedicated"
    """Between two hosts, steady, paid by the byte; over several of them hop by hop."""
