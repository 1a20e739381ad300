"""Reads the available machine types and their prices from a TOML file.

```toml
currency = "€"          # what prices are in
unit = "cores"          # what cpu counts, here and of operators

[[types]]
name = "small"
cpu = 2
card_gbit = 10          # Gbit/s that the network card sends and receives together
price = 70
memory_gb = 8           # 10⁹ bytes; unlimited without it
count = 3               # how many are available; unlimited without it
```

Two are shipped: `dell-2008.toml`, table 1 of paper 003, and the invented `made-up-cloud.toml`.
"""

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Annotated, Any

from eyewall_sidecar.model.errors import ProblemError, listed, require_unique, unknown
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eyewall_papers.provisioning.problem import MachineType

BYTES_PER_GBIT = 1e9 / 8
BYTES_PER_GB = 1e9
MOST_OF_A_TYPE = 10**15
"""As many operators as a node of a problem file may hold."""

_FOLDER = files("eyewall_papers.provisioning") / "catalogues"

Name = Annotated[str, Field(min_length=1)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class CatalogueError(ProblemError):
    """A catalogue that cannot be used; names the file, the type, its value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Machine types.

    Parameters
    ----------
    currency
        What their prices are in.
    unit
        What their `cpu` counts: GHz or cores.
    types
        In the file's order; names are unique.
    """

    currency: str
    unit: str
    types: tuple[MachineType, ...]


class _Type(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Name
    cpu: Amount
    card_gbit: Amount
    price: Amount
    memory_gb: Amount | None = None
    count: Annotated[int, Field(ge=1, le=MOST_OF_A_TYPE)] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    currency: Name
    unit: Name
    types: Annotated[list[_Type], Field(min_length=1)]


def list_shipped() -> tuple[str, ...]:
    """Return the names of the catalogues that are here."""
    names = (it.name for it in _FOLDER.iterdir())
    return tuple(sorted(it.removesuffix(".toml") for it in names if it.endswith(".toml")))


def read_shipped(name: str) -> Catalogue:
    """Read one of the catalogues that are here."""
    if name not in list_shipped():
        raise CatalogueError(unknown("catalogue", name, list_shipped()))
    return parse_catalogue(name, (_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def read_catalogue(path: Path) -> Catalogue:
    """Read a catalogue from a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CatalogueError(f"{path}: {error}") from None
    return parse_catalogue(str(path), text)


def parse_catalogue(source: str, text: str) -> Catalogue:
    """Read a catalogue from its TOML text; a complaint calls it by `source`."""
    try:
        content = tomllib.loads(text)
        entries = _File.model_validate(content)
    except RecursionError:
        raise CatalogueError(f"{source}: values are nested too deep") from None
    except ValidationError as error:
        raise CatalogueError(f"{source}: {_complaint(error, content)}") from None
    except ValueError as error:
        raise CatalogueError(f"{source}: {error}") from None
    try:
        require_unique("machine type", [it.name for it in entries.types])
        return Catalogue(entries.currency, entries.unit, tuple(map(_machine_type, entries.types)))
    except ProblemError as error:
        raise CatalogueError(f"{source}: {error}") from None


def _machine_type(entry: _Type) -> MachineType:
    return MachineType(
        entry.name,
        cpu=entry.cpu,
        card=entry.card_gbit * BYTES_PER_GBIT,
        price=entry.price,
        memory=inf if entry.memory_gb is None else entry.memory_gb * BYTES_PER_GB,
        count=inf if entry.count is None else entry.count,
    )


def _complaint(error: ValidationError, content: Any) -> str:
    first = min(error.errors(), key=lambda it: it["type"] != "extra_forbidden")
    *owner, key = first["loc"]
    where = _owner(owner, content)
    match first["type"]:
        case "model_type":
            return f"machine type {int(key) + 1} must be a table of its own, below [[types]]"
        case "missing":
            return f"{where}: {key} is missing"
        case "extra_forbidden":
            keys = list((_Type if owner else _File).model_fields)
            near = get_close_matches(str(key), keys, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            return f"{where}: no key {key}; keys there are {listed(keys)}{hint}"
        case "too_short":
            return f"{where}: {key} is empty; at least one machine type must be there to choose"
        case _:
            message = first["msg"]
            return f"{where}: {key} is {first['input']!r:.80}: {message[0].lower()}{message[1:]}"


def _owner(place: list[int | str], content: Any) -> str:
    """Name the key's owner: the type's name if it has one, else its place in the file."""
    if len(place) < 2:
        return "catalogue"
    entry = content["types"][place[1]]
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"machine type {name or int(place[1]) + 1}"
