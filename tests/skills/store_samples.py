"""Skills and libraries to test with."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.skills.model import Skill, read_skill

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CODE = """def program__{name}(env, locators, args, options):
    env.click(locators["selector"])
    return {{"ok": True, "message": "pressed"}}
"""


def skill_value(skill_id: str = "d1", **changes: Any) -> dict[str, Any]:
    """Return a skill in its JSON form; a dict among the changes is merged into the part of that name."""
    name = skill_id.replace("-", "_")
    value: dict[str, Any] = {
        "id": skill_id,
        "domain": "webshop",
        "label": "Description",
        "action": "navigate",
        "status": "verified",
        "preconditions": {
            "url_matches": ["^https?://[^/]+/item_page/"],
            "exists": ["#desc"],
            "page_kind": ["item"],
        },
        "locators": {"selector": "#desc", "by_role": {"role": "button", "name": "Description", "exact": True}},
        "program": {"entry": f"program__{name}", "code": CODE.format(name=name)},
        "meta": {"created_at": "2026-01-01T00:00:00+00:00"},
    }
    for part, change in changes.items():
        both = isinstance(change, dict) and isinstance(value.get(part), dict)
        value[part] = value[part] | change if both else change
    return value


def make_skill(skill_id: str = "d1", **changes: Any) -> Skill:
    """Return a skill; see ``skill_value``."""
    return read_skill(skill_value(skill_id, **changes))


def with_status(skill: Skill, status: str) -> Skill:
    """Return the skill with another status."""
    return msgspec.structs.replace(skill, status=status)
