"""Decisions read from ZooKeeper, newest first, page by page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kazoo.exceptions import NoNodeError

from eyewall_contracts.decision import DecisionRecord, day_of, decode_decision, is_id, time_of
from eyewall_contracts.errors import ContractError
from eyewall_contracts.znodes import is_day

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kazoo.client import KazooClient

    from eyewall_contracts.znodes import Znodes

MOST_READ: Final = 2_000
"""Records that are read for one page, however few of them are wanted."""
AT_ONCE: Final = 100
ANSWER_SECONDS: Final = 10.0

Wanted = Callable[[DecisionRecord], bool]


@dataclass(frozen=True, slots=True)
class Page:
    """Some decisions.

    Parameters
    ----------
    records
        Newest first.
    unreadable
        Records that were left out: which, and what is wrong.
    older
        Id to go on before; None: that is all there is.
    """

    records: tuple[DecisionRecord, ...]
    unreadable: tuple[str, ...] = ()
    older: str | None = None


def read_page(
    client: KazooClient,
    paths: Znodes,
    count: int,
    wanted: Wanted = lambda _: True,
    before: str | None = None,
) -> Page:
    """Return up to `count` decisions that are wanted, older than the one with the id `before`.

    May return fewer though there are more, if few are wanted: then `older` says where to go on.
    ContractError if `before` is no id.
    """
    found: list[DecisionRecord] = []
    unreadable: list[str] = []
    looked = 0
    last = before
    last_day = None if before is None else day_of(time_of(before))
    for day in _days(client, paths):
        if last_day is not None and day > last_day:
            continue
        ids = [it for it in _children(client, paths.decisions_of(day)) if is_id(it)]
        ids = sorted((it for it in ids if before is None or it < before), reverse=True)
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            for id_, content in zip(some, read_each(client, paths, some), strict=True):
                if len(found) >= count or looked >= MOST_READ:
                    return Page(tuple(found), tuple(unreadable), older=last)
                looked, last = looked + 1, id_
                if isinstance(content, str):
                    unreadable.append(f"{id_}: {content}")
                elif content is not None and wanted(content):
                    found.append(content)
    return Page(tuple(found), tuple(unreadable))


def read_one(client: KazooClient, paths: Znodes, id_: str) -> DecisionRecord | None:
    """Return one decision; None if it is gone. ContractError if it or its id is unreadable."""
    try:
        data, _ = client.get_async(_path(paths, id_)).get(timeout=ANSWER_SECONDS)
    except NoNodeError:
        return None
    return _decode(data, id_)


def read_each(
    client: KazooClient, paths: Znodes, ids: Sequence[str]
) -> Iterator[DecisionRecord | str | None]:
    """Yield each record, why it cannot be read, or None if it is gone; asks for all at once."""
    asked = [client.get_async(_path(paths, it)) for it in ids]
    for id_, answer in zip(ids, asked, strict=True):
        try:
            data, _ = answer.get(timeout=ANSWER_SECONDS)
            yield _decode(data, id_)
        except NoNodeError:
            yield None
        except ContractError as error:
            yield str(error)


def _path(paths: Znodes, id_: str) -> str:
    return f"{paths.decisions_of(day_of(time_of(id_)))}/{id_}"


def _decode(data: bytes | None, id_: str) -> DecisionRecord:
    record = decode_decision(data or b"")  # a znode without any has None
    if record.id != id_:
        raise ContractError(f"decision: says that it is {record.id}")
    return record


def _days(client: KazooClient, paths: Znodes) -> list[str]:
    return sorted((it for it in _children(client, paths.decisions) if is_day(it)), reverse=True)


def _children(client: KazooClient, path: str) -> list[str]:
    try:
        names: list[str] = client.get_children_async(path).get(timeout=ANSWER_SECONDS)
    except NoNodeError:
        return []
    return names
