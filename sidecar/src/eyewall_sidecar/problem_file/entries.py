"""A problem file as its entries, before it is known what is asked of it."""

from pathlib import Path

from pydantic import ValidationError

from eyewall_sidecar.bimodal.network import LinkKind
from eyewall_sidecar.model import ProblemError
from eyewall_sidecar.problem_file.complaints import complaints
from eyewall_sidecar.problem_file.schema import ProblemEntry


def read_text(path: Path) -> str:
    """Read the file; `ProblemError` says why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
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
        *(
            f"link {it.source} → {it.target} is dedicated"
            for it in links
            if it.kind is LinkKind.DEDICATED
        ),
        *(f"link {it.source} → {it.target} has a price" for it in links if it.price is not None),
        *(f"node {it.id} has an uplink" for it in file.nodes if it.uplink is not None),
        *(f"node {it.id} has a downlink" for it in file.nodes if it.downlink is not None),
        *(
            f"stream {it.source} → {it.target} has a budget"
            for it in file.streams
            if it.budget is not None
        ),
    ]
