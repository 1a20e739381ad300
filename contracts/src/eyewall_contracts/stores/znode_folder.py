"""The documents below one znode, each read again only when it was written again."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from kazoo.exceptions import NoNodeError

from eyewall_contracts.stores.zookeeper_session import ANSWER_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kazoo.client import KazooClient

Content = TypeVar("Content")


class ZnodeFolder(Generic[Content]):
    """What is known of them; used by one thread."""

    def __init__(
        self, path: str, decode: Callable[[bytes], Content], owner: Callable[[Content], str]
    ) -> None:
        """Read below `path`; `owner` tells what a document says that it is of: its znode's name."""
        self._path = path
        self._decode = decode
        self._owner = owner
        self._written: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self.known: dict[str, Content] = {}

    def refused(self) -> Iterator[str]:
        """Say of one document that cannot be used what is wrong with it, and how many there are."""
        refused = self._refused
        if refused:
            first = min(refused)  # the same one as long as it is refused
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            yield f"{self._path}/{first}: {refused[first]}{more}"

    def read(self, client: KazooClient) -> None:
        """Read what was written since."""
        try:
            names = client.get_children_async(self._path).get(timeout=ANSWER_SECONDS)
        except NoNodeError:
            names = []
        looks = [(name, client.exists_async(f"{self._path}/{name}")) for name in names]
        stats = [(name, look.get(timeout=ANSWER_SECONDS)) for name, look in looks]
        same = {it for it, stat in stats if stat and stat.mzxid == self._written.get(it)}
        known = {it: content for it, content in self.known.items() if it in same}
        refused = {it: why for it, why in self._refused.items() if it in same}
        written = {it: at for it, at in self._written.items() if it in same}
        answers = [
            (name, client.get_async(f"{self._path}/{name}"))
            for name, stat in stats
            if stat and name not in same
        ]
        for name, answer in answers:
            with suppress(NoNodeError):
                data, stat = answer.get(timeout=ANSWER_SECONDS)
                written[name] = stat.mzxid
                try:
                    content = self._decode(data or b"")  # a znode without any has None
                except ValueError as error:
                    refused[name] = str(error)
                    continue
                if (owner := self._owner(content)) == name:
                    known[name] = content
                else:
                    refused[name] = f"says that it is of {owner}"
        self.known, self._refused, self._written = known, refused, written
