"""What a process knows of a library's skills without looking at their files again: rows in memory over the index.

Asking whether anything changed costs a look at the journal and at the folders, not at every file.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.index import Entry, Row, SkillIndex, row_of, texts_of
from personalized_shopping.shared_libraries.skills.library_files import (
    MAX_JOURNAL_BYTES,
    Key,
    Stamp,
    domain_times,
    journal_path,
    read_limited,
    stamp_of,
)
from personalized_shopping.shared_libraries.skills.library_reader import SkillReader
from personalized_shopping.shared_libraries.skills.model import Status

Group = tuple[str, tuple[str, ...]]
"""Kind of page (empty for any) and address patterns."""
USABLE: tuple[Status, ...] = ("verified", "trial")
_SPARE = 64


class Snapshot:
    """The rows of a library, each at a place of its own, with what orders them as arrays.

    Args:
        reader: the library.
        index_path: where the index lies; ``None`` keeps it in memory.
    """

    def __init__(self, reader: SkillReader, index_path: Path | None) -> None:
        self._reader = reader
        self._index_path = index_path
        self._index: SkillIndex | None = None
        self._journal: tuple[Stamp | None, bytes] = (None, b"")
        self._folders: dict[str, int] = {}
        self._noted: set[Key] = set()
        self._clear()

    def _clear(self) -> None:
        self.keys: list[Key | None] = []
        self.rows: list[Row | None] = []
        self.place: dict[Key, int] = {}
        self._groups: dict[str, dict[Group, set[int]]] = {}
        self._places: dict[tuple[str, str, tuple[str, ...]], NDArray[np.int64]] = {}
        self._free: list[int] = []
        self.score = np.zeros(0)
        self.runs = np.zeros(0)
        self.last_s = np.zeros(0)
        self.usable = np.zeros(0, dtype=bool)
        self._order: NDArray[np.int64] | None = None

    def close(self) -> None:
        """Close the index; the next ``refresh`` opens it again."""
        if self._index is not None:
            self._index.close()
            self._index = None
        self._clear()

    def __del__(self) -> None:
        if getattr(self, "_index", None) is not None:
            self.close()

    def match(self, words: list[str], groups: list[str] | None, limit: int) -> dict[Key, float]:
        """Return how well known skills match any of the words; see ``SkillIndex.match``."""
        found = self._index.match(words, groups, limit) if self._index else {}
        return {key: figure for key, figure in found.items() if key in self.place}

    def groups_of(self, domain: str) -> list[Group]:
        """Return the groups of a domain's skills."""
        return list(self._groups.get(domain, ()))

    def places(self, group: tuple[str, str, tuple[str, ...]]) -> NDArray[np.int64]:
        """Return the places of a group's skills."""
        found = self._places.get(group)
        if found is None:
            members = self._groups.get(group[0], {}).get(group[1:], set())
            found = self._places[group] = np.array(sorted(members), dtype=np.int64)
        return found

    @property
    def alphabetical(self) -> NDArray[np.int64]:
        """The rank of each place in the order of the keys, so that equals are always ordered the same way."""
        if self._order is None:
            order = sorted(range(len(self.keys)), key=lambda place: self.keys[place] or Key("", ""))
            self._order = np.empty(len(order), dtype=np.int64)
            self._order[order] = np.arange(len(order))
        return self._order

    def note(self, key: Key) -> None:
        """Remember that a skill's file is another one than the row says."""
        self._noted.add(key)

    def refresh(self) -> None:
        """Take in what changed since the last time."""
        if self._index is not None and not self._index.is_of_this_process:
            self.close()
        folders = domain_times(self._reader.directory)
        stamp = stamp_of(journal_path(self._reader.directory))
        if self._index is not None and folders == self._folders and stamp == self._journal[0] and not self._noted:
            return
        told = self._told()
        changed = None if self._index is None or told is None else told | self._noted
        if changed is not None:
            moved = {name for name, time_ns in folders.items() if self._folders.get(name) != time_ns}
            if not moved | (self._folders.keys() - folders.keys()) <= {key.domain for key in changed}:
                changed = None  # somebody moved files by hand
        self._noted = set()
        self._folders = folders
        if changed is None or not self._take_in({key: self._reader.stamp(key) for key in changed}):
            self._take_in_all()

    def _told(self) -> set[Key] | None:
        """Return what the journal tells since it was read last; ``None`` if that cannot be said."""
        path = journal_path(self._reader.directory)
        stamp, before = stamp_of(path), self._journal[1]
        try:
            data = read_limited(path, 2 * MAX_JOURNAL_BYTES) if stamp else b""
        except SkillError:
            data = b""
        whole = data[: data.rfind(b"\n") + 1]
        self._journal = (stamp if whole == data else None, whole)
        if not before or not whole.startswith(before):
            return None
        names = (line.partition("/") for line in whole[len(before) :].decode("ascii", "replace").splitlines())
        return {Key(domain, skill_id) for domain, _, skill_id in names}

    def _take_in_all(self) -> None:
        self._clear()
        for _ in range(2):  # once more where the index had to start anew
            if self._index is None:
                self._index = SkillIndex(self._index_path)
            known = self._index.load()
            stamps = {key: self._reader.stamp(key, file) for key, file in self._reader.files().items()}
            for key, (stamp, row) in known.items():
                if stamps.get(key) == stamp:
                    self._set(key, row)
            stale = {key: stamp for key, stamp in stamps.items() if key not in self.place}
            stale |= dict.fromkeys(known.keys() - stamps.keys())
            if self._take_in(stale):
                return
            self._clear()

    def _take_in(self, stamps: dict[Key, str | None]) -> bool:
        """Read these skills again. Return false where the index had to start anew."""
        entries, gone = [], []
        for key, stamp in stamps.items():
            try:
                skill = self._reader.stored(key).skill if stamp else None
            except SkillError:
                skill = None
            if skill is None or stamp is None:
                gone.append(key)
                self._unset(key)
            else:
                row = row_of(skill)
                entries.append(Entry(key, stamp, row, texts_of(skill)))
                self._set(key, row)
        assert self._index is not None
        return not stamps or self._index.change(entries, gone)

    def _unset(self, key: Key) -> None:
        place = self.place.pop(key, None)
        if place is None:
            return
        self._leave(key, place)
        self.keys[place] = self.rows[place] = None
        self.usable[place] = False
        self._free.append(place)
        self._order = None

    def _leave(self, key: Key, place: int) -> None:
        row = self.rows[place]
        if row is None:
            return
        for kind in row.kinds:
            group = (kind, row.patterns)
            members = self._groups[key.domain][group]
            members.discard(place)
            if not members:
                del self._groups[key.domain][group]
            self._places.pop((key.domain, *group), None)

    def _set(self, key: Key, row: Row) -> None:
        place = self.place.get(key)
        if place is None:
            place = self._free.pop() if self._free else self._grown()
            self.place[key] = place
            self.keys[place] = key
            self._order = None
        old = self.rows[place]
        if old is None or (old.kinds, old.patterns) != (row.kinds, row.patterns):
            self._leave(key, place)
            for kind in row.kinds:
                self._groups.setdefault(key.domain, {}).setdefault((kind, row.patterns), set()).add(place)
                self._places.pop((key.domain, kind, row.patterns), None)
        self.rows[place] = row
        self.score[place], self.runs[place] = row.score, row.runs
        self.last_s[place] = np.inf if row.last_s is None else row.last_s
        self.usable[place] = row.status in USABLE

    def _grown(self) -> int:
        place = len(self.keys)
        self.keys.append(None)
        self.rows.append(None)
        if place >= len(self.score):
            spare = max(_SPARE, len(self.score))
            self.score = np.concatenate([self.score, np.zeros(spare)])
            self.runs = np.concatenate([self.runs, np.zeros(spare)])
            self.last_s = np.concatenate([self.last_s, np.zeros(spare)])
            self.usable = np.concatenate([self.usable, np.zeros(spare, dtype=bool)])
        return place
