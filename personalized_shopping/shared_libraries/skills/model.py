"""A skill as data: S = (Preconditions, Program), with what finds its control and what is known about it.

The JSON form is the file format: one file a skill, ``<library>/<domain>/<id>.json``. Unknown fields are refused.
"""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from personalized_shopping.errors import SkillError, shorten

SCHEMA_VERSION = "skill_schema_v1"
MAX_CODE_CHARS = 20_000
MAX_SELECTOR_CHARS = 1_000
MAX_PATTERN_CHARS = 500
MAX_ALTERNATIVES = 3

ActionKind = Literal["click", "type", "select", "toggle", "navigate", "submit", "open"]
Effect = Literal["read", "navigate", "write", "purchase"]
Status = Literal["draft", "trial", "verified", "quarantined"]
"""``draft``: just built; ``trial``: passed its dry run; ``verified``: ran as its postconditions say; ``quarantined``:
damaged, and kept from use until it is healed."""

SkillId = Annotated[str, Meta(pattern=r"^[a-z0-9_-]{1,64}$")]
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,32}$")]
Label = Annotated[str, Meta(min_length=1, max_length=40)]
Selector = Annotated[str, Meta(min_length=1, max_length=MAX_SELECTOR_CHARS)]
Pattern = Annotated[str, Meta(min_length=1, max_length=MAX_PATTERN_CHARS)]
Text = Annotated[str, Meta(min_length=1, max_length=200)]
Box = Annotated[list[int], Meta(min_length=4, max_length=4)]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all parts have in common."""


class Viewport(_Part, frozen=True, kw_only=True):
    """The smallest window, in CSS pixels."""

    min_width: int | UnsetType = UNSET
    min_height: int | UnsetType = UNSET


class Preconditions(_Part, frozen=True, kw_only=True):
    """What must hold before the program runs.

    ``exists`` are CSS selectors that must match; ``not_exists`` must match nothing that is visible. ``page_kind`` is
    the kind of the shop's page, where the page says so.
    """

    url_matches: Annotated[list[Pattern], Meta(min_length=1)]
    exists: Annotated[list[Selector], Meta(min_length=1)]
    not_exists: list[Selector] = []
    viewport: Viewport | UnsetType = UNSET
    visible: list[Selector] = []
    enabled: list[Selector] = []
    text_contains: list[Text] = []
    login_state: str | UnsetType = UNSET
    cookies: list[Text] = []
    page_kind: list[str] = []


class RoleLocator(_Part, frozen=True, kw_only=True):
    """An element by its ARIA role and its accessible name."""

    role: Text
    name: str | UnsetType = UNSET
    exact: bool | UnsetType = UNSET


class Locators(_Part, frozen=True, kw_only=True):
    """How the control is found, best first: ``selector``, ``by_role``, ``selector_alt``, ``by_text``, ``by_dom_index``.

    ``proxy`` is the visible label that is pressed for a hidden input. ``unique`` tells whether ``selector`` matched one
    element where the skill was captured. ``item_param`` names the argument that picks one of a list: its value stands
    in the place of ``{item}`` in the other locators. Boxes are ``[x, y, width, height]`` in CSS pixels.
    """

    selector: Selector
    selector_alt: Annotated[list[Selector], Meta(max_length=MAX_ALTERNATIVES)] = []
    by_role: RoleLocator | UnsetType = UNSET
    by_text: Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=MAX_ALTERNATIVES)] = []
    by_dom_index: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET
    page_bbox: Box | UnsetType = UNSET
    proxy: Selector | UnsetType = UNSET
    unique: bool = True
    item_param: str | UnsetType = UNSET


class Program(_Part, frozen=True, kw_only=True):
    """Restricted Python: a function ``entry(env, locators, args, options)`` returning ``{ok, message, evidence}``."""

    language: Literal["python"] = "python"
    entry: Annotated[str, Meta(pattern=r"^(program__[a-z0-9_]+|prepare)$", max_length=120)]
    code: Annotated[str, Meta(min_length=1, max_length=MAX_CODE_CHARS)]
    notes: str | UnsetType = UNSET


class Postconditions(_Part, frozen=True, kw_only=True):
    """What must hold after the program ran; an empty part holds always.

    ``url_changes`` is true where the address must be another one, false where it must be the same. ``{name}`` in a text
    or pattern stands for the argument of that name.
    """

    page_kind: list[str] = []
    url_matches: list[Pattern] = []
    url_changes: bool | UnsetType = UNSET
    exists: list[Selector] = []
    not_exists: list[Selector] = []
    text_contains: list[Text] = []


class Evidence(_Part, frozen=True, kw_only=True):
    """Where the skill comes from, for people and for retrieval. ``from`` names the kind of source."""

    tag: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    text_snippets: Annotated[list[str], Meta(max_length=5)] = []
    source: str = msgspec.field(name="from", default="")


class About(_Part, frozen=True, kw_only=True):
    """Origin and versions. Times are UTC, ISO 8601. ``generator`` is ``template``, ``LLM``, ``hybrid`` or ``hand``."""

    created_at: str
    version: str = "v0.1"
    schema_version: str = SCHEMA_VERSION
    updated_at: str | UnsetType = UNSET
    source_dir: str | UnsetType = UNSET
    source_files: Annotated[list[str], Meta(max_length=32)] = []
    detect_spec_version: str | UnsetType = UNSET
    generator: str = "template"
    fingerprint: str | UnsetType = UNSET
    template_id: str | UnsetType = UNSET
    aliases: list[str] = []


class Health(_Part, frozen=True, kw_only=True):
    """How reliable the skill has been lately.

    ``health_score`` is an exponentially weighted mean of the outcomes (0 to 1). Only damage lowers it: a page that does
    not fit, wrong arguments and cancelled runs do not.
    """

    health_score: Annotated[float, Meta(ge=0, le=1)] = 0.6
    success_count: Annotated[int, Meta(ge=0)] = 0
    failure_count: Annotated[int, Meta(ge=0)] = 0
    last_success_at: str | UnsetType = UNSET
    last_failure_at: str | UnsetType = UNSET
    consecutive_damages: Annotated[int, Meta(ge=0)] = 0
    winners: dict[str, int] = {}
    """How often each locator of the chain won, by its place in it (``selector``, ``by_role``, ``selector_alt[0]``)."""
    last_winner: str | UnsetType = UNSET
    winner_streak: Annotated[int, Meta(ge=0)] = 0
    """How many times in a row ``last_winner`` won; a locator that keeps winning takes the place of the first one."""
    notes: str | UnsetType = UNSET


def no_arguments() -> dict[str, Any]:
    """Return the JSON Schema of a skill without arguments."""
    return {"type": "object", "properties": {}, "required": []}


class Skill(_Part, frozen=True, kw_only=True):
    """One skill. A composite has ``steps``, the ids of the skills that its program stands for."""

    id: SkillId
    domain: Annotated[str, Meta(min_length=1, max_length=253)]
    action: ActionKind
    preconditions: Preconditions
    locators: Locators
    program: Program
    meta: About
    slug: Slug | UnsetType = UNSET
    label: Label | UnsetType = UNSET
    description: Annotated[str, Meta(max_length=1_000)] | UnsetType = UNSET
    args_schema: dict[str, Any] = msgspec.field(default_factory=no_arguments)
    prepare: Program | UnsetType = UNSET
    postconditions: Postconditions = Postconditions()
    effect: Effect = "navigate"
    status: Status = "draft"
    steps: list[str] = []
    evidence: Evidence = Evidence()
    health: Health = Health()


def read_skill(value: Any) -> Skill:
    """Return a skill from its JSON form (already parsed).

    Raises:
        SkillError: for unknown fields, missing ones, wrong types and patterns that are no regular expressions.
    """
    try:
        skill = msgspec.convert(value, Skill)
    except (msgspec.ValidationError, RecursionError) as error:
        raise SkillError(f"This is no skill: {error}") from None
    for pattern in (*skill.preconditions.url_matches, *skill.postconditions.url_matches):
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise SkillError(f"The pattern {shorten(pattern)} is no regular expression: {error}.") from None
    return skill


def parse_skill(data: bytes | str) -> Skill:
    """Return a skill from the text of its file.

    Raises:
        SkillError: when it is no JSON, or no skill.
    """
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SkillError(f"This is no JSON: {error}") from None
    return read_skill(value)


def skill_json(skill: Skill) -> dict[str, Any]:
    """Return a skill in its JSON form, defaults left out except what the blueprint always has."""
    value: dict[str, Any] = msgspec.to_builtins(skill)
    value.setdefault("args_schema", no_arguments())
    return value


def skill_bytes(skill: Skill) -> bytes:
    """Return the text of a skill's file."""
    return msgspec.json.format(msgspec.json.encode(skill_json(skill)), indent=2) + b"\n"
