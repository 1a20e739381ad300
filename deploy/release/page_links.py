"""Links of a Markdown page that is packed at another place than it has in the repository."""

import posixpath
import re
from collections.abc import Mapping

# A colon: somewhere on the web. Nothing before the anchor: on the page itself.
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s#:]+)(#[^()\s]*)?\)")


def relinked(text: str, page: str, places: Mapping[str, str]) -> str:
    """Return a page's text with links that lead on from its place; to what has none, plain text.

    Parameters
    ----------
    page
        Its path in the repository.
    places
        Of files and folders: path in the repository → path in the tarball.
    """

    def link(found: re.Match[str]) -> str:
        mark, words, path, anchor = found.groups(default="")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if target not in places:
            return words
        if words == target:
            words = places[target]
        way = posixpath.relpath(places[target], posixpath.dirname(places[page]))
        return f"{mark}[{words}]({way}{anchor})"

    return _LINK.sub(link, text)
