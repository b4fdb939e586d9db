"""What a skill knows of its control: the marks in its locators and its evidence; and what is needed of a capture."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from personalized_shopping.shared_libraries.skills.model import Effect, RoleLocator, Skill


class ElementLike(Protocol):
    """What is needed of a captured element. ``visible`` may be ``"unknown"``; boxes are ``[x, y, width, height]``."""

    @property
    def index(self) -> int: ...  # noqa: D102
    @property
    def tag(self) -> str: ...  # noqa: D102
    @property
    def classes(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def attrs(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def labels(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def role_computed(self) -> str | None: ...  # noqa: D102
    @property
    def name_computed(self) -> str | None: ...  # noqa: D102
    @property
    def visible(self) -> object: ...  # noqa: D102
    @property
    def bbox(self) -> Sequence[float] | None: ...  # noqa: D102
    @property
    def page_bbox(self) -> Sequence[float] | None: ...  # noqa: D102
    @property
    def proxy_index(self) -> int | None: ...  # noqa: D102


class UniqueLike(Protocol):
    """How many elements of the page have a selector, and a role and name."""

    @property
    def css(self) -> int: ...  # noqa: D102
    @property
    def role_name(self) -> int: ...  # noqa: D102


class NodeLike(Protocol):
    """What is needed of a control of the captured tree: the selectors that find it."""

    @property
    def index(self) -> int: ...  # noqa: D102
    @property
    def type(self) -> str: ...  # noqa: D102
    @property
    def action(self) -> str: ...  # noqa: D102
    @property
    def effect(self) -> Effect: ...  # noqa: D102
    @property
    def selector(self) -> str: ...  # noqa: D102
    @property
    def selector_alt(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def unique(self) -> UniqueLike: ...  # noqa: D102
    @property
    def proxy_selector(self) -> str | None: ...  # noqa: D102


class CaptureLike(Protocol):
    """What is needed of a capture."""

    @property
    def meta(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def elements(self) -> Sequence[ElementLike]: ...  # noqa: D102
    @property
    def nodes(self) -> Sequence[NodeLike]: ...  # noqa: D102


IDENTITY = ("data-testid", "id")
"""The attributes that are made to name one element."""


class Sought(NamedTuple):
    """What a skill knows of its control."""

    role: str | None
    name: str | None
    tag: str | None
    attrs: dict[str, str]
    classes: frozenset[str]
    texts: tuple[str, ...]


_ATTRIBUTE = re.compile(
    r"""\[\s*([a-zA-Z][\w:-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]\s"']+))\s*[is]?\s*\]"""
)
_COMBINATOR = re.compile(r"[\s>+~]+(?=[^\s>+~])")
_TAG = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?|\\(.)", re.DOTALL)
_MARK = re.compile(r"([#.])((?:[\w-]|\\[0-9a-fA-F]{1,6}\s?|\\.|[^\x00-\x7f])+)")
_ENGINE = re.compile(r"(role|text|index)=")


def sought_control(skill: Skill) -> Sought:
    """Return what a skill's locators and evidence tell about its control."""
    locators, evidence = skill.locators, skill.evidence
    attrs: dict[str, str] = {}
    classes: set[str] = set()
    tag = evidence.tag if isinstance(evidence.tag, str) else None
    for selector in (locators.selector, *locators.selector_alt):
        if _ENGINE.match(selector):
            continue
        marks = _marks(selector)
        tag = tag or marks.tag
        classes |= marks.classes
        attrs = marks.attrs | attrs
    role, name = evidence.role or None, evidence.name or None
    if isinstance(locators.by_role, RoleLocator):
        role, name = locators.by_role.role, locators.by_role.name or name
    return Sought(
        role=role if isinstance(role, str) else None,
        name=name if isinstance(name, str) else None,
        tag=tag,
        attrs=attrs,
        classes=frozenset(classes),
        texts=tuple(text for text in locators.by_text if text),
    )


class _Marks(NamedTuple):
    tag: str | None
    attrs: dict[str, str]
    classes: set[str]


def _marks(selector: str) -> _Marks:
    """Read what a CSS selector says of the element itself, its ancestors left out; of a list, the first selector."""
    attrs: list[tuple[str, str]] = []

    def take(match: re.Match[str]) -> str:
        value = next((group for group in match.groups()[1:] if group is not None), "")
        attrs.append((match[1].lower(), _unescaped(value)))
        return f"[{len(attrs) - 1}]"

    plain = _ESCAPE.sub(_six_digits, _ATTRIBUTE.sub(take, selector)).split(",")[0].strip()
    last = plain if "(" in plain else _COMBINATOR.split(plain)[-1]
    own = dict(attrs[int(number)] for number in re.findall(r"\[(\d+)\]", last) if int(number) < len(attrs))
    marks = [(kind, _unescaped(name)) for kind, name in _MARK.findall(last)]
    own.update(("id", name) for kind, name in marks if kind == "#")
    tag = _TAG.match(last)
    return _Marks(tag[0].lower() if tag else None, own, {name for kind, name in marks if kind == "."})


def _six_digits(escape: re.Match[str]) -> str:
    """Return an escape in the form that needs no space after it, so that every space left is a combinator."""
    return f"\\{escape[1]:0>6}" if escape[1] else f"\\{ord(escape[2]):06x}"


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        return chr(code) if 0 < code < 0x110000 else match[2] or ""

    return _ESCAPE.sub(plain, text)
