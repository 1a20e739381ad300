"""A problem file as its entries, before it is known what is asked of it."""

import sys
from pathlib import Path

from pydantic import ValidationError

from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file.complaints import complaints
from eyewall_sidecar.problem_file.schema import ProblemEntry

STDIN = Path("-")


def read_text(path: Path) -> str:
    """Read the file, of `-` standard input; `ProblemError` says why it cannot be read."""
    try:
        return sys.stdin.read() if path == STDIN else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"cannot be read: {error}") from error


def parse_entries(text: str) -> ProblemEntry:
    """Check JSON text against the schema."""
    try:
        return ProblemEntry.model_validate_json(text)
    except ValidationError as error:
        raise ProblemError(complaints(error)) from error


def mapping_keys(file: ProblemEntry) -> list[str]:
    """Say what in the file is about two kinds of links: it means nothing for a placement alone."""
    links = file.links or []
    return [
        *(f"link {it.source} → {it.target} is dedicated" for it in links if it.kind == "dedicated"),
        *(f"link {it.source} → {it.target} has a price" for it in links if it.price is not None),
        *(f"node {it.id} has an uplink" for it in file.nodes if it.uplink is not None),
        *(f"node {it.id} has a downlink" for it in file.nodes if it.downlink is not None),
        *(
            f"stream {it.source} → {it.target} has a budget"
            for it in file.streams
            if it.budget is not None
        ),
    ]


def provisioning_keys(file: ProblemEntry) -> list[str]:
    """Say what in the file is about buying machines: it means nothing for a placement alone."""
    return [
        *(f"operator {it.id} has objects" for it in file.operators if it.objects),
        *(f"node {it.id} has a card" for it in file.nodes if it.card is not None),
        *(f"node {it.id} has a price" for it in file.nodes if it.price is not None),
        *(["machine_link is given"] if file.machine_link is not None else []),
        *(f"object {it.id} is given" for it in file.objects),
        *(f"server {it.id} is given" for it in file.servers),
    ]


def require_none(keys: list[str], command: str) -> None:
    """Refuse keys that only another command takes into account: leaving them out would lie."""
    if keys:
        raise ProblemError(f"{keys[0]}: only `eyewall {command}` takes that into account")
