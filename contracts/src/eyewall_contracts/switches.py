"""The operators' switches: what people turn while everything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from eyewall_contracts.codec import RecordCodec
from eyewall_contracts.field_types import HostName, Name, Rows

if TYPE_CHECKING:
    from collections.abc import Collection


class Switches(Struct, frozen=True):
    """What is switched off, and which hosts are to be empty."""

    frozen: bool = False
    """Nothing that runs is moved."""
    frozen_topologies: Annotated[frozenset[Name], Rows] = frozenset()
    """The same for single topologies, by Storm's id."""
    drained_hosts: Annotated[frozenset[HostName], Rows] = frozenset()
    """Nothing is placed there, and what runs there leaves."""

    def with_all(self, *, frozen: bool) -> Switches:
        """Freeze or unfreeze everything; topologies frozen by themselves stay so."""
        return replace(self, frozen=frozen)

    def with_topology(self, topology: str, *, frozen: bool) -> Switches:
        """Freeze or unfreeze one topology, by Storm's id."""
        others = self.frozen_topologies - {topology}
        return replace(self, frozen_topologies=others | {topology} if frozen else others)

    def with_host(self, host: str, *, drained: bool) -> Switches:
        """Drain a host, or let it be used again."""
        others = self.drained_hosts - {host}
        return replace(self, drained_hosts=others | {host} if drained else others)

    def without_gone(self, known: Collection[str]) -> Switches:
        """Drop topologies that no longer exist; Storm never reuses an id."""
        return replace(self, frozen_topologies=self.frozen_topologies & frozenset(known))


CODEC: Final = RecordCodec("switches", Switches)
encode_switches: Final = CODEC.encode
decode_switches: Final = CODEC.decode
