"""What every answer and every body of a request is: frozen, and without undeclared fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """A frozen answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")
