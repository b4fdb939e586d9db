"""The few skills that fit a page and a goal: what the page allows first, then the goal's words, health and habit.

A skill fits if host, kind of page, address, elements and status do. The fitting ones are ordered by how well their
texts match the goal (BM25), by their health, and by how often they succeeded after the skill that ran before.
"""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import numpy as np
from numpy.typing import NDArray

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.edges import Edges, edges_path, read_edges
from personalized_shopping.shared_libraries.skills.index import Row, group_token, query_words, row_of
from personalized_shopping.shared_libraries.skills.library_files import Key, Stamp, sanitize_domain, skill_key, stamp_of
from personalized_shopping.shared_libraries.skills.library_reader import SkillReader
from personalized_shopping.shared_libraries.skills.model import Skill, Status
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.skills.snapshot import Snapshot
from personalized_shopping.shared_libraries.skills.world import Signals

SHOP_DOMAIN = "webshop"
"""The domain of the skills of the shop, wherever it is served."""
SHOWN: tuple[Status, ...] = ("verified", "trial")
TEXT_WEIGHT = 1.5
PRIOR_WEIGHT = 0.5
MAX_MATCHES = 256
MAX_SELECTORS = 1_000
"""At most so many different selectors are looked for on the page in one call."""
_CHUNK = 128
_HOLE = re.compile(r"\{[A-Za-z_]\w*\}")


class Fit(NamedTuple):
    """A skill that fits, and why it stands where it does. ``text`` and ``prior`` are 0 to 1."""

    skill: Skill
    score: float
    text: float
    health: float
    prior: float


Fits = list[Fit]
Exists = Callable[[str], bool]


class Retriever:
    """Finds skills of a library. Safe to use from several threads.

    Args:
        reader: the library.
        index_path: where the index lies; ``None`` keeps it in memory.
    """

    def __init__(self, reader: SkillReader, index_path: Path | None) -> None:
        self._reader = reader
        self._snapshot = Snapshot(reader, index_path)
        self._lock = threading.Lock()
        self._edges: tuple[Stamp | None, Edges] = (None, Edges())

    def close(self) -> None:
        """Close the index; it is opened again when it is needed."""
        with self._lock:
            self._snapshot.close()

    def fitting(
        self,
        signals: Signals,
        goal_text: str,
        exists: Exists,
        limit: int,
        now: datetime,
        *,
        after: str | None = None,
        visible: Exists | None = None,
    ) -> Fits:
        """Return the skills that fit a page, the best for the goal first.

        Args:
            signals: of the page.
            goal_text: what is wanted, in any words.
            exists: tells whether a selector matches anything on the page.
            limit: at most so many.
            now: the time.
            after: the id of the skill that succeeded before, if any did.
            visible: tells whether a selector matches anything visible; ``exists`` where it is not given.
        """
        with self._lock:
            snapshot = self._snapshot
            snapshot.refresh()
            groups = list(_groups_here(snapshot, signals))
            if not groups or limit < 1:
                return []
            places = np.concatenate([snapshot.places(group) for group in groups])
            # Full-text search finds what is elsewhere as fast as it leaves it out, unless it is most of the library.
            few = len(places) < len(snapshot.keys) / 2
            tokens = [group_token(*group) for group in groups] if few else None
            places = places[snapshot.usable[places]]
            text = snapshot.match(query_words(goal_text), tokens, MAX_MATCHES)
            prior = self._prior(signals, after)
            page = _Page(exists, visible or exists)
            ranked = _ranked(snapshot, places, text, prior, now)
            return self._first(ranked, limit, lambda row: row.status in SHOWN and _fits(row, signals, page))

    def search(
        self, query: str, limit: int, now: datetime, *, domain: str | None = None, status: Sequence[Status] = SHOWN
    ) -> Fits:
        """Return the skills whose texts match a query, whatever page they are for; by health where it has no words."""
        with self._lock:
            snapshot = self._snapshot
            snapshot.refresh()
            words = query_words(query)
            text = snapshot.match(words, None, MAX_MATCHES)
            wanted = None if domain is None else sanitize_domain(domain)
            places = [
                place
                for place, key in enumerate(snapshot.keys)
                if key is not None and (key in text or not words) and wanted in (None, key.domain)
            ]
            ranked = _ranked(snapshot, np.array(places, dtype=np.int64), text, {}, now)
            return self._first(ranked, limit, lambda row: row.status in status)

    def _first(self, ranked: "Iterator[_Ranked]", limit: int, fits: Callable[[Row], bool]) -> Fits:
        found: Fits = []
        for key, row, score, text, health, prior in ranked:
            if len(found) >= limit:
                break
            if not fits(row):
                continue
            try:
                skill = self._reader.usable(key)
            except SkillError:
                continue  # removed or broken since
            now_row = row_of(skill)
            if now_row != row:
                if msgspec.structs.replace(now_row, status=row.status) != row:
                    self._snapshot.note(key)  # edited in place
                if not fits(now_row):
                    continue  # or a part of it is quarantined
            found.append(Fit(skill, score, text, health, prior))
        return found

    def _prior(self, signals: Signals, after: str | None) -> dict[str, float]:
        stamp = stamp_of(edges_path(self._reader.directory))
        if stamp != self._edges[0]:
            self._edges = (stamp, read_edges(self._reader.directory))
        before = None
        if after:
            domain = SHOP_DOMAIN if signals.page_kind else _host(signals.url)
            before = str(skill_key(domain, after))
        return self._edges[1].prior(signals.page_kind, before)


class _Page:
    """The page's answers, each asked for once."""

    def __init__(self, exists: Exists, visible: Exists) -> None:
        self._ask = {False: exists, True: visible}
        self._known: dict[tuple[bool, str], bool] = {}

    def has(self, selector: str, *, visible: bool = False) -> bool:
        answer = self._known.get((visible, selector))
        if answer is None:
            if len(self._known) >= MAX_SELECTORS:
                return visible  # as if it did not fit
            try:
                answer = self._ask[visible](selector)
            except SkillError:
                answer = visible  # a selector that cannot be read fits no page
            self._known[visible, selector] = answer
        return answer


class _Ranked(NamedTuple):
    key: Key
    row: Row
    score: float
    text: float
    health: float
    prior: float


def _ranked(
    snapshot: Snapshot, places: NDArray[np.int64], text: dict[Key, float], prior: dict[str, float], now: datetime
) -> Iterator[_Ranked]:
    """Yield the skills at these places, the best first."""
    size = len(snapshot.keys)
    texts, priors = np.zeros(size), np.zeros(size)
    best = max(text.values(), default=0.0)
    for key, figure in text.items():
        texts[snapshot.place[key]] = figure / best if best > 0 else 0.0
    for name, share in prior.items():
        domain, _, skill_id = name.partition("/")
        place = snapshot.place.get(Key(domain, skill_id))
        if place is not None:
            priors[place] = share
    idle_s = np.maximum(0.0, now.timestamp() - snapshot.last_s[places])
    kept = np.exp2(-idle_s / rules.HALF_LIFE_S)
    health = rules.NEUTRAL + (snapshot.score[places] - rules.NEUTRAL) * kept - 0.5 / np.sqrt(snapshot.runs[places] + 1)
    score = TEXT_WEIGHT * texts[places] + health + PRIOR_WEIGHT * priors[places]
    for chunk in _best_first(score, snapshot.alphabetical[places]):
        at = places[chunk]
        figures = (score[chunk].tolist(), texts[at].tolist(), health[chunk].tolist(), priors[at].tolist())
        for place, *of_place in zip(at.tolist(), *figures, strict=True):
            found, row = snapshot.keys[place], snapshot.rows[place]
            if found is not None and row is not None:
                yield _Ranked(found, row, *of_place)


def _best_first(score: NDArray[np.float64], names: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield where the highest scores are, some at a time: mostly the first few are all that is asked for."""
    left = np.arange(len(score))
    while len(left):
        of_left = score[left]
        least = -np.partition(-of_left, _CHUNK)[_CHUNK] if len(left) > _CHUNK else -np.inf
        chunk = left[of_left >= least]
        yield chunk[np.lexsort((names[chunk], -score[chunk]))]
        left = left[of_left < least]


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _groups_here(snapshot: Snapshot, signals: Signals) -> "Iterator[tuple[str, str, tuple[str, ...]]]":
    """Yield the groups of skills for this host, kind of page and address."""
    labels = _host(signals.url).split(".")
    hosts = {sanitize_domain(".".join(labels[first:])) for first in range(max(1, len(labels) - 1))}
    if signals.page_kind:
        hosts.add(SHOP_DOMAIN)
    kinds = {"", signals.page_kind or ""}
    known: dict[tuple[str, ...], bool] = {}
    for host in sorted(hosts):
        for kind, patterns in snapshot.groups_of(host):
            if kind not in kinds:
                continue
            if patterns not in known:
                known[patterns] = _matches_any(patterns, signals.url)
            if known[patterns]:
                yield host, kind, patterns


def _matches_any(patterns: Sequence[str], url: str) -> bool:
    for pattern in patterns:
        try:
            if matches(pattern, url):
                return True
        except SkillError:
            continue  # a pattern that cannot be matched in linear time
    return False


def _fits(row: Row, signals: Signals, page: _Page) -> bool:
    if row.kinds != ("",) and signals.page_kind not in row.kinds:
        return False
    return (
        all(page.has(selector) for selector in row.exists if not _HOLE.search(selector))
        and not any(page.has(selector, visible=True) for selector in row.not_exists if not _HOLE.search(selector))
        and _matches_any(row.patterns, signals.url)
    )
