"""The index of a library: what finding a skill needs, in one SQLite file with full-text search.

It is derived from the skills' files and may be deleted at any time. A file that is damaged or locked is replaced by an
index in memory, or built again.
"""

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.library_files import Key
from personalized_shopping.shared_libraries.skills.model import Skill, Status

FORMAT = 1
MAX_QUERY_CHARS = 2_000
MAX_QUERY_WORDS = 16
MAX_WORD_CHARS = 40
MAX_TEXT_CHARS = 2_000
MAX_GROUPS_IN_QUERY = 32
MAX_SCORED = 1_000
"""In a larger library, so many skills at most are scored for their words, those of one word at least."""
MAX_KNOWN_WORDS = 10_000
WEIGHTS = "0.0, 4.0, 2.0, 1.0"
"""Of the columns, in their order: the group tells where, not what; names say more than descriptions."""
BUSY_TIMEOUT_S = 1.0
_WORD = re.compile(r"\w+")
_STOP_WORDS = (
    "a an and are as at be by can do for from has have i if in is it its me my of on or please so than that the their "
    "them then there this to want was we will with would you your"
)
_DROPPED = frozenset(_STOP_WORDS.split())


class Row(Struct, frozen=True, array_like=True):
    """What is known of a skill without reading its file. ``last_s`` is Unix time, ``None`` if it never ran."""

    kinds: tuple[str, ...]
    patterns: tuple[str, ...]
    exists: tuple[str, ...]
    not_exists: tuple[str, ...]
    status: Status
    score: float
    runs: int
    last_s: float | None


class Entry(NamedTuple):
    """A skill to be put into the index: with the stamp of its file, and the texts that words are looked for in."""

    key: Key
    stamp: str
    row: Row
    texts: tuple[str, str, str]


def row_of(skill: Skill) -> Row:
    """Return what the index knows of a skill."""
    conditions = skill.preconditions
    return Row(
        kinds=tuple(dict.fromkeys(conditions.page_kind)) or ("",),
        patterns=tuple(conditions.url_matches),
        exists=tuple(conditions.exists),
        not_exists=tuple(conditions.not_exists),
        status=skill.status,
        score=skill.health.health_score,
        runs=rules.runs(skill.health),
        last_s=rules.last_run_s(skill.health),
    )


def texts_of(skill: Skill) -> tuple[str, str, str]:
    """Return a skill's names, its description and what stood around its control."""
    evidence, locators = skill.evidence, skill.locators
    names = (skill.label, skill.slug, skill.id, skill.action)
    context = (evidence.name, *evidence.text_snippets, *locators.by_text, *skill.preconditions.page_kind)
    return _text(names), _text((skill.description,)), _text(context)


def _text(values: Iterable[object]) -> str:
    joined = " ".join(value.replace("_", " ") for value in values if isinstance(value, str))
    return joined[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode()


def group_token(domain: str, kind: str, patterns: Sequence[str]) -> str:
    """Return the word that stands for the skills of one domain, kind of page and set of address patterns."""
    return "g" + hashlib.sha1("\0".join((domain, kind, *patterns)).encode("utf-8", "replace")).hexdigest()[:14]


def query_words(text: str) -> list[str]:
    """Return the words of a text that are worth looking for; whatever the text, they are plain words."""
    words = (word.strip("_")[:MAX_WORD_CHARS] for word in _WORD.findall(text[:MAX_QUERY_CHARS].casefold()))
    return list(dict.fromkeys(word for word in words if word and word not in _DROPPED))[:MAX_QUERY_WORDS]


class SkillIndex:
    """The index in one file, or in memory where there is none.

    Args:
        path: of the file; ``None`` keeps it in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._pid = os.getpid()
        self._connection = self._opened()
        self._keys: dict[int, Key] = {}
        self._frequencies: dict[str, int] = {}

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self._connection.close()

    @property
    def is_of_this_process(self) -> bool:
        """Whether the process has not forked since; a connection must not be used on both sides of a fork."""
        return self._pid == os.getpid()

    def _opened(self) -> sqlite3.Connection:
        for path in (self._path, self._path, None):
            connection = None
            try:
                connection = sqlite3.connect(
                    path or ":memory:", timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
                )
                _prepare(connection)
                if path is not None:
                    path.chmod(0o600)
                return connection
            except (sqlite3.Error, OSError):
                if connection is not None:
                    connection.close()
                if path is not None:
                    _discard(path)
        raise AssertionError("SQLite cannot even open a database in memory")

    def load(self) -> dict[Key, tuple[str, Row]]:
        """Return what is in the index: stamps and rows."""
        found: dict[Key, tuple[str, Row]] = {}
        try:
            rows = self._connection.execute("SELECT rowid, domain, skill, stamp, row FROM skills").fetchall()
            for rowid, domain, skill, stamp, data in rows:
                key = Key(domain, skill)
                found[key] = stamp, msgspec.msgpack.decode(data, type=Row)
                self._keys[rowid] = key
        except (sqlite3.Error, msgspec.DecodeError):
            self._start_anew()
            return {}
        return found

    def change(self, entries: Sequence[Entry], gone: Iterable[Key] = ()) -> bool:
        """Put skills in, or take them out. Return false where the index had to start anew, and is empty now."""
        self._frequencies = {}
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for key in [*(entry.key for entry in entries), *gone]:
                self._delete(key)
            for entry in entries:
                self._insert(entry)
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            self._start_anew()
            return False
        return True

    def _delete(self, key: Key) -> None:
        found = self._connection.execute("SELECT rowid FROM skills WHERE domain = ? AND skill = ?", key).fetchone()
        if found:
            self._connection.execute("DELETE FROM texts WHERE rowid = ?", found)
            self._connection.execute("DELETE FROM skills WHERE rowid = ?", found)
            self._keys.pop(found[0], None)

    def _insert(self, entry: Entry) -> None:
        key, row = entry.key, entry.row
        data = msgspec.msgpack.encode(row)
        made = self._connection.execute(
            "INSERT INTO skills(domain, skill, stamp, row) VALUES (?, ?, ?, ?)", (*key, entry.stamp, data)
        )
        tokens = " ".join(group_token(key.domain, kind, row.patterns) for kind in row.kinds)
        self._connection.execute(
            "INSERT INTO texts(rowid, place, names, description, context) VALUES (?, ?, ?, ?, ?)",
            (made.lastrowid, tokens, *entry.texts),
        )
        self._keys[int(made.lastrowid or 0)] = key

    def match(self, words: Sequence[str], groups: Sequence[str] | None, limit: int) -> dict[Key, float]:
        """Return how well skills match any of the words, the best with the highest figure (BM25).

        Args:
            words: plain words; see ``query_words``.
            groups: tokens of the groups to look in; ``None`` looks everywhere.
            limit: at most so many, the best.
        """
        if not words or (groups is not None and not groups):
            return {}
        if groups is None:
            words = self._telling(words)
        query = "{names description context} : (" + " OR ".join(f'"{word}"' for word in words) + ")"
        if groups is not None and len(groups) <= MAX_GROUPS_IN_QUERY:
            query = "place : (" + " OR ".join(f'"{group}"' for group in groups) + ") AND " + query
        statement = "SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        try:
            rows = self._connection.execute(statement, (query, limit)).fetchall()
        except sqlite3.Error:
            return {}  # the next change builds it again; until then health alone orders
        return {self._keys[rowid]: -figure for rowid, figure in rows if rowid in self._keys}

    def _telling(self, words: Sequence[str]) -> Sequence[str]:
        """Return the rarer words, as many as a bounded number of skills have; common ones tell skills hardly apart."""
        if len(self._keys) <= MAX_SCORED:
            return words
        if len(self._frequencies) > MAX_KNOWN_WORDS:
            self._frequencies = {}
        for word in words:
            if word not in self._frequencies:
                self._frequencies[word] = self._frequency(word)
        chosen: list[str] = []
        left = MAX_SCORED
        for word in sorted(words, key=self._frequencies.__getitem__):
            left -= self._frequencies[word]
            if chosen and left < 0:
                break
            if self._frequencies[word]:
                chosen.append(word)
        return chosen or words[:1]

    def _frequency(self, word: str) -> int:
        query = f'"{word}"'
        try:
            found = self._connection.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (query,)).fetchone()
        except sqlite3.Error:
            return 0
        return int(found[0])

    def _start_anew(self) -> None:
        self._connection.close()
        self._keys = {}
        if self._path is not None:
            _discard(self._path)
        self._connection = self._opened()


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, again where they are another version's."""
    connection.execute("PRAGMA synchronous = OFF")  # a torn index is built again
    if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
        connection.execute("SELECT count(*) FROM skills").fetchone()
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DROP TABLE IF EXISTS skills")
    connection.execute("DROP TABLE IF EXISTS texts")
    connection.execute(
        "CREATE TABLE skills(rowid INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT, skill TEXT, stamp TEXT, row BLOB, "
        "UNIQUE(domain, skill))"
    )
    connection.execute(
        "CREATE VIRTUAL TABLE texts USING fts5(place, names, description, context, "
        "tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    connection.execute("INSERT INTO texts(texts, rank) VALUES ('rank', ?)", (f"bm25({WEIGHTS})",))
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _discard(path: Path) -> None:
    for each in (path, path.with_name(f"{path.name}-journal")):
        try:
            each.unlink(missing_ok=True)
        except OSError:
            return  # then an index in memory has to do
