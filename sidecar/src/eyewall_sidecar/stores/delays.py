"""Where the delays between hosts come from."""

from typing import Protocol

from eyewall_sidecar.storm import DelayTable


class DelayStore(Protocol):
    """Hands out delays."""

    @property
    def source(self) -> str:
        """Return what people call it: redis, file or none."""
        ...

    def read(self) -> DelayTable:
        """Return what is known now. Never raises: what is wrong is the table's `remark`."""
        ...


class NoDelays:
    """The store of a sidecar that has none configured."""

    source = "none"

    def read(self) -> DelayTable:
        """Return a table in which every delay is unknown."""
        return DelayTable(remark="no delays are configured ([delays] file or redis)")
