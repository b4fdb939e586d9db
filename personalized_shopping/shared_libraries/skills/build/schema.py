"""The JSON Schema of a skill's file, made from the types that read it."""

from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.skills.model import SCHEMA_VERSION, Skill

SCHEMA_FILE = Path(__file__).parents[1] / "skill.schema.json"


def skill_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a skill's file."""
    schema = msgspec.json.schema(Skill)
    for part in schema["$defs"].values():
        part["description"] = " ".join(part["description"].split())  # Python versions indent docstrings differently
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_VERSION,
        "title": "Skill",
        **schema,
    }


def schema_bytes() -> bytes:
    """Return the text of the schema's file."""
    return msgspec.json.format(msgspec.json.encode(skill_schema()), indent=2) + b"\n"
