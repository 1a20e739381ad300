"""Where the delays between hosts come from, and the delay file.

Another program writes the file and replaces it in one step.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eyewall_sidecar.storm import DelayTable

VERSION = 1

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


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


class DelayFileError(ValueError):
    """A delay file that cannot be used; says why."""


class _Content(BaseModel):
    """The file's content; deviation and bandwidth are for the network's emulation alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: int
    unit: Literal["s"]
    kind: Literal["one_way"]
    source: str
    as_of: Annotated[float, Field(allow_inf_nan=False)]
    hosts: list[str]
    delay: list[list[Seconds | None]]

    @model_validator(mode="after")
    def _is_square(self) -> "_Content":
        count = len(self.hosts)
        if len(set(self.hosts)) < count:
            raise ValueError("hosts: a host is listed twice")
        if len(self.delay) != count or any(len(row) != count for row in self.delay):
            raise ValueError(f"delay: must be {count} rows of {count}, one for each host")
        return self


class _Versioned(BaseModel):
    version: int


class DelayFile:
    """Reads the file again when it changed; keeps the last good table while it is broken."""

    source = "file"

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Read `path`; `clock` returns the seconds since the epoch."""
        self._path = path
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._good: tuple[DelayTable, float] | None = None
        self._wrong = ""

    def read(self) -> DelayTable:
        """Return the delays of the file, or the last good ones with what is wrong now."""
        try:
            status = self._path.stat()
            seen = (status.st_mtime_ns, status.st_ino, status.st_size)
            if seen != self._seen:
                self._good = _parse(self._path.read_bytes())
                self._seen, self._wrong = seen, ""
        except OSError as error:
            self._seen, self._wrong = None, error.strerror or str(error)
        except DelayFileError as error:
            self._seen, self._wrong = seen, str(error)
        except ValueError as error:  # a path that cannot be one
            self._seen, self._wrong = None, str(error)
        return self._table()

    def _table(self) -> DelayTable:
        where = f"delay file {self._path}"
        if self._good is None:
            return DelayTable(remark=f"{where}: {self._wrong}")
        table, as_of = self._good
        age = max(0.0, self._clock() - as_of)
        wrong = f"{where}: {self._wrong}; going on with the last good one" if self._wrong else ""
        return replace(table, age=age, ages=np.full_like(table.seconds, age), remark=wrong)


def _parse(content: bytes) -> tuple[DelayTable, float]:
    """Return the delays, and when they were declared."""
    try:
        version = _Versioned.model_validate_json(content).version
        if version > VERSION:
            raise DelayFileError(f"version {version} is newer than {VERSION}, which is read here")
        parsed = _Content.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DelayFileError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    if parsed.version != VERSION:
        raise DelayFileError(f"version {parsed.version} is not known; {VERSION} is")
    count = len(parsed.hosts)
    seconds = np.array(parsed.delay, dtype=np.float64).reshape(count, count)  # None becomes NaN
    return DelayTable.certain(tuple(parsed.hosts), seconds), parsed.as_of
