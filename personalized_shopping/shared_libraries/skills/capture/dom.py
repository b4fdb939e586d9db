"""A page read from its HTML: elements with Chromium's indexes, roles, names, visible texts, and selectors on them."""

from functools import cached_property

from personalized_shopping.shared_libraries.skills.capture.css import match_css
from personalized_shopping.shared_libraries.skills.capture.names import Names, collapse
from personalized_shopping.shared_libraries.skills.capture.roles import compute_roles
from personalized_shopping.shared_libraries.skills.capture.selectors import (
    CssSelector,
    IndexSelector,
    RoleSelector,
    TextSelector,
    bad_selector,
    matching_text,
    parse_selector,
)
from personalized_shopping.shared_libraries.skills.capture.states import States, match_state, read_states
from personalized_shopping.shared_libraries.skills.capture.styles import read_styles
from personalized_shopping.shared_libraries.skills.capture.texts import MAX_TEXT_CHARS, text_of, texts_to_match
from personalized_shopping.shared_libraries.skills.capture.tree import Document, Tree
from personalized_shopping.shared_libraries.skills.capture.visibility import Visibility, read_visibility

MAX_MATCHES = 10_000
"""Elements that one selector gives; further ones are left out."""


class Dom:
    """A page's elements, each known by its place in the document.

    ``index`` is the place in ``document.querySelectorAll('*')`` of a browser that runs scripts and has just parsed the
    same HTML. What scripts and loaded style sheets would do is not seen. Everything is computed when it is asked for,
    in time that grows with the page and not with how it is nested.

    Args:
        html: the page.
    """

    def __init__(self, html: str) -> None:
        self._document = Document(html)
        self._states: dict[str, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self.tree.tags)

    @property
    def is_quirky(self) -> bool:
        """Whether the page has no doctype, so that ids and classes match in any case."""
        return self._document.is_quirky

    @property
    def tree(self) -> Tree:
        """The elements as flat arrays."""
        return self._document.tree

    @cached_property
    def visibility(self) -> Visibility:
        """What the page's own markup and styles show and hide."""
        return read_visibility(self.tree, read_styles(self._document))

    @cached_property
    def roles(self) -> list[str | None]:
        """The role of every element."""
        return compute_roles(self.tree, self.visibility)

    @cached_property
    def names(self) -> Names:
        """The accessible names."""
        return Names(self.tree, self.visibility, self.roles)

    @cached_property
    def states(self) -> list[States]:
        """What is checked, disabled and the like, of every element."""
        return read_states(self.tree)

    @cached_property
    def title(self) -> str:
        """The document's title."""
        for index, tag in enumerate(self.tree.tags):
            parent = self.tree.parents[index]
            if tag == "title" and (parent is None or self.tree.tags[parent] != "svg"):
                return collapse("".join(part for part in self.tree.contents[index] if isinstance(part, str)))
        return ""

    def tag(self, index: int) -> str:
        """Return an element's tag, in lower case."""
        return self.tree.tags[index]

    def attributes(self, index: int) -> dict[str, str]:
        """Return an element's attributes; one without a value has an empty one."""
        return self.tree.attributes[index]

    def parent(self, index: int) -> int | None:
        """Return an element's parent; ``None`` for the root."""
        return self.tree.parents[index]

    def closest(self, index: int, tag: str) -> int | None:
        """Return the nearest element of this tag, beginning with the element itself."""
        return self.tree.closest(index, tag)

    def by_id(self, name: str) -> int | None:
        """Return the first element of this id."""
        return self.tree.ids.get(name)

    def role(self, index: int) -> str | None:
        """Return an element's role."""
        return self.roles[index]

    def name(self, index: int) -> str:
        """Return an element's accessible name."""
        return self.names.of(index)

    def labels(self, index: int) -> list[int]:
        """Return the ``label`` elements of a control."""
        return self.names.labels_of(index)

    def is_hidden(self, index: int) -> bool:
        """Return whether the page's own markup and styles keep an element from being shown.

        A see-through element is shown in this sense; what a loaded style sheet hides is not known.
        """
        return not self.visibility.seen[index]

    def own_text(self, index: int) -> str:
        """Return an element's own text, without that of the elements in it."""
        return collapse(" ".join(part for part in self.tree.contents[index] if isinstance(part, str)))

    def text(self, index: int, limit: int = MAX_TEXT_CHARS) -> str:
        """Return the text that an element shows, its white space collapsed, at most ``limit`` characters of it."""
        return text_of(self.tree, self.visibility, index, limit)

    def page_text(self) -> str:
        """Return the text that the page shows."""
        return self.text(0) if len(self) else ""

    def select(self, selector: str, visible: bool = False) -> list[int]:
        """Return the elements that match, in document order.

        Args:
            selector: CSS, or one of the other engines (see ``selectors``).
            visible: leave out what is hidden.

        Raises:
            WorldError: ``failed`` for a selector that cannot be read.
        """
        found = self._select(selector)
        if visible:
            found = [index for index in found if self.visibility.seen[index]]
        return found[:MAX_MATCHES]

    def match_css(self, css: str) -> list[int]:
        """Return the elements that CSS matches, in document order.

        Raises:
            WorldError: ``failed`` for a selector that cannot be read.
        """
        return match_css(css, self.tree.parents, self._document.match_compound, self._state)

    def _state(self, name: str) -> frozenset[int]:
        if name not in self._states:
            self._states[name] = match_state(self.tree, name)
        return self._states[name]

    @cached_property
    def _by_role(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, role in enumerate(self.roles):
            if role is not None:
                found.setdefault(role, []).append(index)
        return found

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        return texts_to_match(self.tree, self.visibility)

    def _select(self, selector: str) -> list[int]:
        wanted = parse_selector(selector)
        match wanted:
            case CssSelector(css):
                return self.match_css(css)
            case RoleSelector():
                return self._with_role(wanted)
            case TextSelector(text):
                return self._with_text(matching_text(text))
            case IndexSelector(place):
                return [place] if place < len(self) else []
        raise bad_selector(selector, "no engine knows it")

    def _with_role(self, wanted: RoleSelector) -> list[int]:
        found = self._by_role.get(wanted.role, [])
        if wanted.name is None:
            return list(found)
        name = matching_text(wanted.name)
        if wanted.exact:
            return [index for index in found if matching_text(self.name(index)) == name]
        return [index for index in found if name.lower() in matching_text(self.name(index)).lower()]

    def _with_text(self, text: str) -> list[int]:
        """Return the innermost elements whose whole text this is; the words on a button count as its text."""
        found = set(self._by_text.get(text, ()))
        return sorted(found - {self.tree.parents[index] for index in found})
