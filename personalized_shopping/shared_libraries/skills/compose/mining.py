"""Steps that recorded sessions repeat: the closed contiguous patterns among them, and where they occur.

A pattern is closed if no longer one occurs in as many sessions: what is part of it everywhere belongs to it. Nothing
spans a purchase. Sessions are short and patterns shorter, so that all windows are simply counted.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.compose.actions import Move, Symbol

MIN_STEPS, MAX_STEPS = 2, 8
"""How many steps a pattern has."""

Sequences = Sequence[tuple[int, Sequence[Move]]]
"""Unbroken sequences of steps, each with the number of its session."""


class Occurrence(NamedTuple):
    """Where a pattern was seen: the sequence, the first step in it, and the steps."""

    session: int
    sequence: int
    start: int
    moves: tuple[Move, ...]

    @property
    def end(self) -> int:
        """The place after the last step."""
        return self.start + len(self.moves)


class Pattern(NamedTuple):
    """Steps that are repeated, and where; occurrences do not overlap."""

    symbols: tuple[Symbol, ...]
    occurrences: tuple[Occurrence, ...]

    @property
    def support(self) -> int:
        """In how many sessions it was seen."""
        return len({occurrence.session for occurrence in self.occurrences})

    @property
    def gain(self) -> int:
        """How many calls of a model it would have saved: all but one of each session in which it was seen."""
        return (len(self.symbols) - 1) * self.support

    def parts(self) -> "Iterator[Pattern]":
        """Yield the two patterns that are one step shorter."""
        if len(self.symbols) > MIN_STEPS:
            for first, last in ((0, len(self.symbols) - 1), (1, len(self.symbols))):
                cut = (
                    Occurrence(found.session, found.sequence, found.start + first, found.moves[first:last])
                    for found in self.occurrences
                )
                yield Pattern(self.symbols[first:last], tuple(cut))


def split_at_purchases(sequences: Iterable[tuple[int, Sequence[Move]]]) -> list[tuple[int, list[Move]]]:
    """Return the sequences without their purchases, cut where these were."""
    found: list[tuple[int, list[Move]]] = []
    for session, moves in sequences:
        part: list[Move] = []
        for move in moves:
            if move.symbol.verb == "buy":
                found.append((session, part))
                part = []
            else:
                part.append(move)
        found.append((session, part))
    return [(session, part) for session, part in found if part]


def mine(sequences: Sequences, *, min_support: int) -> list[Pattern]:
    """Return the closed patterns, the one that saves most first.

    Args:
        sequences: what was done; purchases cut out.
        min_support: in how many sessions a pattern must occur.
    """
    supports = [_supports(sequences, length, min_support) for length in range(MIN_STEPS, MAX_STEPS + 1)]
    closed: set[tuple[Symbol, ...]] = set()
    for place, patterns in enumerate(supports):
        absorbed: set[tuple[Symbol, ...]] = set()
        for longer, support in supports[place + 1].items() if place + 1 < len(supports) else ():
            absorbed.update(part for part in (longer[:-1], longer[1:]) if patterns[part] == support)
        closed.update(patterns.keys() - absorbed)
    found = [Pattern(symbols, tuple(_occurrences(sequences, symbols))) for symbols in closed]
    return sorted(found, key=rank)


def rank(pattern: Pattern) -> tuple[int, int, float, tuple[Symbol, ...]]:
    """Return what is smallest for the pattern that saves most; of equal ones, for the longer, and for the earlier."""
    starts = [occurrence.start for occurrence in pattern.occurrences]
    return -pattern.gain, -len(pattern.symbols), sum(starts) / len(starts), pattern.symbols


class Served:
    """Which steps of the sessions a composite serves already, so that no two are learned for the same work."""

    def __init__(self) -> None:
        self._windows: dict[int, list[tuple[int, int]]] = {}

    def add(self, pattern: Pattern) -> None:
        """Take note that a composite does what a pattern does; a longer one takes the place of those within it."""
        for found in pattern.occurrences:
            if self._saves(found):
                kept = [window for window in self._of(found) if not found.start <= window[0] < found.end]
                self._windows[found.sequence] = [*kept, (found.start, found.end)]

    def left(self, pattern: Pattern) -> tuple[int, int]:
        """Return in how many sessions a pattern would save calls beyond what is served, and how many in all of them."""
        best: dict[int, int] = {}
        for found in pattern.occurrences:
            best[found.session] = max(best.get(found.session, 0), self._saves(found))
        return sum(saves > 0 for saves in best.values()), sum(best.values())

    def _saves(self, found: Occurrence) -> int:
        saves = len(found.moves) - 1
        for start, end in self._of(found):
            if start >= found.end or end <= found.start:
                continue
            if start < found.start or end > found.end or (start, end) == (found.start, found.end):
                return 0  # the other one has these steps, or some of them
            saves -= end - start - 1
        return saves

    def _of(self, found: Occurrence) -> list[tuple[int, int]]:
        return self._windows.get(found.sequence, [])


def _supports(sequences: Sequences, length: int, min_support: int) -> dict[tuple[Symbol, ...], int]:
    """Return in how many sessions each sequence of so many steps occurs, the rare ones left out."""
    seen: dict[tuple[Symbol, ...], set[int]] = {}
    for session, moves in sequences:
        symbols = tuple(move.symbol for move in moves)
        for start in range(len(symbols) - length + 1):
            seen.setdefault(symbols[start : start + length], set()).add(session)
    return {symbols: len(sessions) for symbols, sessions in seen.items() if len(sessions) >= min_support}


def _occurrences(sequences: Sequences, wanted: tuple[Symbol, ...]) -> Iterator[Occurrence]:
    length = len(wanted)
    for number, (session, moves) in enumerate(sequences):
        start = 0
        while start + length <= len(moves):
            window = tuple(moves[start : start + length])
            if tuple(move.symbol for move in window) == wanted:
                yield Occurrence(session, number, start, window)
                start += length
            else:
                start += 1
