"""Arguments with which a skill is verified: made from the page on which it runs, as an agent would read them there."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import UNSET

from personalized_shopping.errors import ShoppingError
from personalized_shopping.shared_libraries.skills.args import sample_args
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.world import World

_PRODUCT = "a.product-link"
_NUMBER = re.compile(r"_?\d+$")
_COMPARED = 2
_OPTIONAL = ("pages", "max_price", "tabs")
"""Arguments that are given though they may be left out, if anything is known for them."""


def make_args(skill: Skill, world: World, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that a skill should take on a page.

    Args:
        skill: the skill.
        world: the page.
        hints: arguments by name, for what the page does not tell.

    Raises:
        SkillError: where the schema of the arguments cannot be used.
    """
    sample = sample_args(skill.args_schema)
    required = skill.args_schema.get("required", [])
    page = _Page(skill, world)
    made: dict[str, Any] = {}
    for name, schema in skill.args_schema.get("properties", {}).items():
        value = page.value(name, schema)
        if value is None:
            value = hints.get(name, hints.get(_NUMBER.sub("", name)))
        if name in required:
            made[name] = sample[name] if value is None else value
        elif value is not None and name in _OPTIONAL:
            made[name] = value
    return made


class _Page:
    """What a page offers for arguments."""

    def __init__(self, skill: Skill, world: World) -> None:
        self._skill = skill
        self._world = world

    def value(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Return a value for an argument; ``None`` where the page has none."""
        if name == self._skill.locators.item_param:
            examples = [example for example in schema.get("examples", []) if example in self._items]
            return next(iter([*examples, *self._items]), None)
        if schema.get("enum"):
            return schema["enum"][-1]  # the first value is often chosen already, and choosing it again shows nothing
        kind = _NUMBER.sub("", name)
        if kind in ("asin", "asins"):
            return self._products[:_COMPARED] if kind == "asins" else next(iter(self._products), None)
        if kind == "options":
            return {group: values[-1] for group, values in self._groups.items()} or None
        if kind in ("name", "option"):
            return next(iter(self._groups), None)
        if kind == "value":
            return next((values[-1] for values in self._groups.values()), None)
        return None

    @cached_property
    def _dom(self) -> Dom:
        return Dom(self._world.html())

    @cached_property
    def _products(self) -> list[str]:
        try:
            return self._world.texts(_PRODUCT)
        except ShoppingError:
            return []

    @cached_property
    def _groups(self) -> dict[str, list[str]]:
        """The values of the page's radio buttons, by their names."""
        found: dict[str, list[str]] = {}
        for index in self._dom.select('input[type="radio"]'):
            attributes = self._dom.attributes(index)
            if attributes.get("name") and attributes.get("value"):
                found.setdefault(attributes["name"], []).append(attributes["value"])
        return found

    @cached_property
    def _items(self) -> list[str]:
        """What tells the entries of the skill's list apart, of those that one entry alone has."""
        skill, dom = self._skill, self._dom
        listed = [index for selector in skill.preconditions.exists[:1] for index in dom.select(selector)]
        by_role = skill.locators.by_role
        if by_role is not UNSET:
            names = [matching_text(dom.name(index)) for index in listed if dom.role(index) == by_role.role]
        else:
            attribute = re.search(r"\[([\w-]+)=\"\{item\}\"\]", skill.locators.selector)
            names = [dom.attributes(index).get(attribute[1], "") for index in listed] if attribute else []
        return [name for name in names if name and names.count(name) == 1]
