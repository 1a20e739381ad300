"""The delay file: one-way delays that another program writes and replaces in one step."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eyewall_sidecar.stores.delays import DelayTable

VERSION = 1

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


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


@dataclass(frozen=True, slots=True)
class _Good:
    """What the last good file held."""

    hosts: dict[str, int]
    seconds: tuple[tuple[float | None, ...], ...]
    as_of: float


class DelayFile:
    """Reads the file again when it changed; keeps the last good table while it is broken."""

    source = "file"

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Read `path`; `clock` tells the seconds since the epoch."""
        self._path = path
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._good: _Good | None = None
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
        table = DelayTable(
            hosts=self._good.hosts,
            seconds=self._good.seconds,
            age=max(0.0, self._clock() - self._good.as_of),
        )
        if not self._wrong:
            return table
        return replace(table, remark=f"{where}: {self._wrong}; going on with the last good one")


def _parse(content: bytes) -> _Good:
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
    return _Good(
        hosts={host: index for index, host in enumerate(parsed.hosts)},
        seconds=tuple(tuple(row) for row in parsed.delay),
        as_of=parsed.as_of,
    )
