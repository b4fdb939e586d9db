"""What the occurrences of a pattern have in common: constants stay, and what varies becomes a parameter."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from personalized_shopping.shared_libraries.skills.compose.actions import ROLES, Symbol
from personalized_shopping.shared_libraries.skills.compose.mining import Occurrence, Pattern
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import (
    BACK_TO_SEARCH,
    NEXT_PAGE,
    PREV_PAGE,
    SUB_PAGES,
)

KEY_PREFIX = "steps:"
LABELS = frozenset((BACK_TO_SEARCH, NEXT_PAGE, PREV_PAGE, *SUB_PAGES))
"""The shop's own buttons; whatever else is pressed may be called anything."""
_SHOWABLE = re.compile(r"[\w .,'%/&+-]{1,40}")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_MAX_NAME_CHARS = 24


class Hole(NamedTuple):
    """The place of a parameter."""

    name: str


Slot = str | Hole


class StepTemplate(NamedTuple):
    """One step: what it is, and what it is told, in the order of ``ROLES``."""

    symbol: Symbol
    slots: tuple[Slot, ...]

    def told(self, args: Mapping[str, str]) -> tuple[str, ...]:
        """Return what the step is told with these arguments."""
        return tuple(args[slot.name] if isinstance(slot, Hole) else slot for slot in self.slots)

    @property
    def name(self) -> str:
        """What is done, in two words, with nothing in it that needs to be quoted."""
        verb, _, label, _ = self.symbol
        if verb == "press":
            return f"press {label if label in LABELS else 'a button'}"
        option = self.slots[0] if verb == "choose" else None
        return f"choose {shown(option)}" if isinstance(option, str) and shown(option) else verb

    @property
    def sentence(self) -> str:
        """What is done, in words; parameters stand in back quotes."""
        verb, _, label, _ = self.symbol
        told = [f"`{slot.name}`" if isinstance(slot, Hole) else shown(slot) or "a fixed text" for slot in self.slots]
        if verb == "press":
            return f"press {label if label in LABELS else 'a button'}"
        if verb == "choose":
            return f"choose {told[1]} for the option {told[0]}"
        return f"search for {told[0]}" if verb == "search" else f"open the product {told[0]}"


class Template(NamedTuple):
    """Steps with parameters; ``roles`` tells of each parameter what it stands for, in the order of first use."""

    steps: tuple[StepTemplate, ...]
    roles: dict[str, str]

    @property
    def page_kind(self) -> str:
        """The kind of page on which it begins; empty where it begins with a search, which is possible everywhere."""
        return self.steps[0].symbol.page_kind

    @property
    def leads_to(self) -> str:
        """The kind of page on which it ends."""
        return self.steps[-1].symbol.leads_to

    @property
    def key(self) -> str:
        """The steps as one line of JSON; parameters are numbers, so that their names do not count."""
        numbers = {name: number for number, name in enumerate(self.roles)}
        slots = [[numbers[slot.name] if isinstance(slot, Hole) else slot for slot in step.slots] for step in self.steps]
        steps = [[*step.symbol, told] for step, told in zip(self.steps, slots, strict=True)]
        return KEY_PREFIX + json.dumps(steps, separators=(",", ":"))

    @property
    def fingerprint(self) -> str:
        """A short name of the steps."""
        return hashlib.sha1(self.key.encode()).hexdigest()[:12]

    def stages(self) -> list[str]:
        """Return the steps' numbered names, as a program reports them."""
        return [f"{number}. {step.name}" for number, step in enumerate(self.steps, start=1)]

    def arguments(self, occurrence: Occurrence) -> dict[str, str]:
        """Return the arguments with which an occurrence is this template."""
        found: dict[str, str] = {}
        for step, move in zip(self.steps, occurrence.moves, strict=True):
            for slot, value in zip(step.slots, move.values, strict=True):
                if isinstance(slot, Hole):
                    found[slot.name] = value
        return found


def generalise(pattern: Pattern) -> Template:
    """Return the least general template that all occurrences of a pattern are (anti-unification).

    Values that are the same everywhere are constants; values that vary together are one parameter.
    """
    columns: list[list[tuple[str, ...]]] = [
        [tuple(found.moves[place].values[slot] for found in pattern.occurrences) for slot, _ in enumerate(roles)]
        for place, roles in enumerate(ROLES[symbol.verb] for symbol in pattern.symbols)
    ]
    variables: dict[tuple[str, tuple[str, ...]], str] = {}
    for symbol, column in zip(pattern.symbols, columns, strict=True):
        for role, base, values in _named(ROLES[symbol.verb], column):
            if len(set(values)) > 1:
                variables.setdefault((base, values), role)
    names = _names([base for base, _ in variables])
    by_variable = dict(zip(variables, names, strict=True))
    steps = []
    for symbol, column in zip(pattern.symbols, columns, strict=True):
        slots: list[Slot] = []
        for _, base, values in _named(ROLES[symbol.verb], column):
            slots.append(Hole(by_variable[base, values]) if (base, values) in by_variable else values[0])
        steps.append(StepTemplate(symbol, tuple(slots)))
    return Template(tuple(steps), dict(zip(names, variables.values(), strict=True)))


def is_instance(key: str, of: str) -> bool:
    """Return whether the steps of one template are those of another one, with constants in the place of parameters."""
    one, other = _steps(key), _steps(of)
    if one is None or other is None or len(one) != len(other):
        return False
    bound: dict[int, Any] = {}
    for (*symbol, told), (*wanted, slots) in zip(one, other, strict=True):
        if symbol != wanted or len(told) != len(slots):
            return False
        for value, slot in zip(told, slots, strict=True):
            expected = bound.setdefault(slot, value) if isinstance(slot, int) else slot
            if value != expected:
                return False
    return True


def shown(text: str) -> str:
    """Return a text of the shop if it can stand in a sentence as it is, else nothing: names may be anything."""
    return text if _SHOWABLE.fullmatch(text) and text.isprintable() else ""


def _named(roles: tuple[str, ...], column: list[tuple[str, ...]]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return role, parameter name and values of each slot of a step; an option's value is named like the option."""
    found = []
    for role, values in zip(roles, column, strict=True):
        base = role
        if role == "value" and len(set(column[0])) == 1:
            slug = _NO_NAME.sub("_", column[0][0].lower()).strip("_")[:_MAX_NAME_CHARS]
            base = slug if slug[:1].isalpha() and slug not in ("query", "asin", "option") else role
        found.append((role, base, values))
    return found


def _names(bases: list[str]) -> list[str]:
    """Return the bases, numbered where several are the same."""
    total, seen = Counter(bases), Counter[str]()
    names: list[str] = []
    for base in bases:
        seen[base] += 1
        name = base if total[base] == 1 else f"{base}_{seen[base]}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def _steps(key: str) -> list[list[Any]] | None:
    if not key.startswith(KEY_PREFIX):
        return None
    try:
        steps = json.loads(key.removeprefix(KEY_PREFIX))
    except ValueError:
        return None
    known = isinstance(steps, list) and all(isinstance(step, list) and len(step) == 5 for step in steps)
    return steps if known and all(isinstance(step[4], list) for step in steps) else None
