"""What every answer and every body of a request is: frozen, and without undeclared fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """A frozen value of the JSON API. Fields' docstrings are their descriptions in OpenAPI."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )
