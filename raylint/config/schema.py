"""The configuration's JSON Schema, for editors and for whoever makes configurations."""

from __future__ import annotations

import json

from raylint.config.keys import table

__all__ = ["config_schema_text"]


def config_schema_text() -> str:
    """The schema, with the options of the installed rules."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "raylint configuration"}
    return json.dumps({**head, **table().schema()}, indent=2) + "\n"
