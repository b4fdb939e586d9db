"""Which skill succeeded after which, by the kind of the page: what a library learns about likely next steps."""

from pathlib import Path

import msgspec
from msgspec import Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.library_files import Key, Writer, read_limited

MAX_EDGES = 5_000
MAX_EDGES_BYTES = 4 << 20
MAX_COUNT = 1_000
"""Beyond it all counts of the page kind are halved, so that habits can change."""
SMOOTHING = 2.0
"""As if the page had been left so many times without any of the known skills."""


class Edges(Struct, frozen=True):
    """Counts by page kind, by the skill before (``""`` for any) and by the skill itself."""

    counts: dict[str, dict[str, dict[str, int]]] = {}

    def prior(self, page_kind: str | None, after: str | None) -> dict[str, float]:
        """Return how likely each skill succeeds next, by its key, 0 to 1.

        Args:
            page_kind: of the page.
            after: the key of the skill that succeeded before, if any did.
        """
        of_page = self.counts.get(page_kind or "", {})
        counts = of_page.get(after or "") or of_page.get("", {})
        total = sum(counts.values()) + SMOOTHING
        return {name: count / total for name, count in counts.items()}


def edges_path(root: Path) -> Path:
    """Return where the edges of a library lie."""
    return Path(root, "skill", "success_edges.json")


def read_edges(root: Path) -> Edges:
    """Return what is recorded; nothing where the file is missing or broken, for it only orders what fits anyway."""
    try:
        counts = msgspec.json.decode(
            read_limited(edges_path(root), MAX_EDGES_BYTES), type=dict[str, dict[str, dict[str, int]]]
        )
    except (SkillError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Edges()
    return Edges(counts)


def record(writer: Writer, steps: list[tuple[str | None, Key, Key | None]]) -> None:
    """Count successes. For the holder of the library's lock.

    Args:
        writer: of the library.
        steps: page kind, skill, and the skill before it.
    """
    counts = read_edges(writer.root).counts
    for page_kind, key, after in steps:
        of_page = counts.setdefault(page_kind or "", {})
        for before in {"", str(after) if after else ""}:
            followers = of_page.setdefault(before, {})
            followers[str(key)] = followers.get(str(key), 0) + 1
            if followers[str(key)] > MAX_COUNT:
                of_page[before] = {name: count // 2 for name, count in followers.items() if count > 1}
    data = msgspec.json.encode(_bounded(counts), order="sorted")
    writer.write(edges_path(writer.root), data, durable=False)


def _bounded(counts: dict[str, dict[str, dict[str, int]]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the counts without the rarest where they are too many."""
    flat = [
        (count, kind, before, name)
        for kind, of_page in counts.items()
        for before, followers in of_page.items()
        for name, count in followers.items()
    ]
    if len(flat) <= MAX_EDGES:
        return counts
    kept: dict[str, dict[str, dict[str, int]]] = {}
    for count, kind, before, name in sorted(flat, reverse=True)[: MAX_EDGES * 9 // 10]:
        kept.setdefault(kind, {}).setdefault(before, {})[name] = count
    return kept
