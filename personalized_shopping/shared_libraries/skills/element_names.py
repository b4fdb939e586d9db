"""What names an element: the marks in a skill's locators, and selectors that name one element of a page alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from personalized_shopping.shared_libraries.skills.capture.selectors import css_string, role_selector
from personalized_shopping.shared_libraries.skills.model import RoleLocator, Skill


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
    @property
    def is_control(self) -> bool: ...  # noqa: D102


class CaptureLike(Protocol):
    """What is needed of a capture."""

    @property
    def meta(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def elements(self) -> Sequence[ElementLike]: ...  # noqa: D102


IDENTITY = ("data-testid", "id")
"""The attributes that are made to name one element."""
MAX_VALUE_CHARS = 150
"""Longer texts may have been cut where they were captured, and then name nothing."""


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

    plain = _ATTRIBUTE.sub(take, selector).split(",")[0].strip()
    last = _COMBINATOR.split(plain)[-1] if not re.search(r"\\\s|:\w*\(", plain) else plain
    own = dict(attrs[int(number)] for number in re.findall(r"\[(\d+)\]", last) if int(number) < len(attrs))
    marks = [(kind, _unescaped(name)) for kind, name in _MARK.findall(last)]
    own.update(("id", name) for kind, name in marks if kind == "#")
    tag = _TAG.match(last)
    return _Marks(tag[0].lower() if tag else None, own, {name for kind, name in marks if kind == "."})


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        return chr(code) if 0 < code < 0x110000 else match[2] or ""

    return _ESCAPE.sub(plain, text)


def by_role_of(element: ElementLike) -> dict[str, Any] | None:
    """Return the locator by role and name, in its JSON form."""
    if not element.role_computed:
        return None
    if not element.name_computed:
        return {"role": element.role_computed[:200]}
    return {"role": element.role_computed[:200], "name": element.name_computed[:200], "exact": True}


def proxy_of(element: ElementLike, elements: Sequence[ElementLike]) -> str | None:
    """Return the selector of the visible label that stands for a hidden input."""
    label = next((each for each in elements if each.index == element.proxy_index), None)
    selectors = unique_selectors(label, elements) if label is not None else []
    return selectors[0] if selectors else None


def unique_selectors(element: ElementLike, elements: Sequence[ElementLike]) -> list[str]:
    """Return the selectors that name an element alone on its page, the steadiest first."""
    found = []
    for tag, pairs in _attribute_choices(element):
        if sum(_has(each, tag, pairs) for each in elements) == 1:
            found.append((tag or "") + "".join(f"[{name}={css_string(value)}]" for name, value in pairs.items()))
    role, name = element.role_computed, element.name_computed
    short = role and name and len(name) <= MAX_VALUE_CHARS
    if role and short and sum((each.role_computed, each.name_computed) == (role, name) for each in elements) == 1:
        found.append(role_selector(role, name))
    return found


def _has(element: ElementLike, tag: str | None, pairs: Mapping[str, str]) -> bool:
    same = all(element.attrs.get(name) == value for name, value in pairs.items())
    return same and (tag is None or element.tag == tag)


def _attribute_choices(element: ElementLike) -> Iterator[tuple[str | None, dict[str, str]]]:
    for names in (
        ("data-testid",),
        ("id",),
        ("name",),
        ("name", "value"),
        ("for",),
        ("aria-label",),
        ("placeholder",),
        ("title",),
        ("type", "value"),
    ):
        pairs = {name: element.attrs.get(name) or "" for name in names}
        if all(0 < len(value) <= MAX_VALUE_CHARS for value in pairs.values()):
            yield (None if names[0] in IDENTITY else element.tag), pairs
