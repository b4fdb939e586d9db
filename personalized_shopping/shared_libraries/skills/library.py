"""The library of skills: files are the truth, shipped skills lie under the learned ones, and writers take turns.

A skill is named by its domain and its id. What runs teach (health, status) is kept in a learned skill's own file, and
for a shipped skill in an overlay of the library. The index that finds skills is derived from the files.
"""

import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from personalized_shopping.errors import SkillError, SkillNotFound, shorten
from personalized_shopping.shared_libraries.skills import edges, healing, overlay, versions
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.library_files import (
    MAX_SKILL_BYTES,
    Key,
    Writer,
    locked,
    plain_host,
    skill_key,
    skill_path,
)
from personalized_shopping.shared_libraries.skills.library_reader import SkillReader, Stored
from personalized_shopping.shared_libraries.skills.model import Skill, Status, read_skill, skill_bytes, skill_json
from personalized_shopping.shared_libraries.skills.patches import PatchDocument, apply_patch
from personalized_shopping.shared_libraries.skills.patterns import check_pattern
from personalized_shopping.shared_libraries.skills.retrieval import SHOWN, Fits, Retriever
from personalized_shopping.shared_libraries.skills.world import Signals

INDEX_NAME = "index.sqlite3"
"""Derived from the files; may be deleted at any time."""


class Outcome(NamedTuple):
    """How one run of a skill ended.

    ``winner`` is the locator that found the control, ``page_kind`` the kind of the page that the run began on, and
    ``after`` the id of the skill that succeeded before it in the same session.
    """

    domain: str
    skill_id: str
    kind: rules.OutcomeKind
    winner: str | None = None
    page_kind: str | None = None
    after: str | None = None


class Recorded(NamedTuple):
    """What the outcomes led to."""

    quarantined: list[Key]
    promoted: list[Key]
    unknown: list[Key]


class SkillLibrary(SkillReader):
    """The skills of one directory, over the shipped ones; to read and to write.

    Args:
        directory: where learned skills lie; made with the first one.
        builtin: a directory of the same layout that is only read, or ``None``.
        clock: tells the time; tests pass their own.
    """

    def __init__(
        self, directory: Path, builtin: Path | None = None, *, clock: Callable[[], datetime] = rules.utc_now
    ) -> None:
        super().__init__(directory, builtin)
        self.clock = clock
        # A proxy, so that the index is closed as soon as nobody refers to the library.
        self._retriever = Retriever(weakref.proxy(self), directory / "skill" / INDEX_NAME)

    def close(self) -> None:
        """Close the index; the library can still be used, and opens it again."""
        self._retriever.close()

    def fitting(
        self,
        signals: Signals,
        goal_text: str,
        exists: Callable[[str], bool],
        limit: int = 5,
        *,
        after: str | None = None,
        visible: Callable[[str], bool] | None = None,
    ) -> Fits:
        """Return the verified and tried skills that fit a page, the best for the goal first.

        Args:
            signals: where the page stands.
            goal_text: what is wanted, in any words.
            exists: tells whether a selector matches anything on the page.
            limit: at most so many.
            after: the id of the skill that succeeded just before, if any did.
            visible: tells whether a selector matches anything visible; ``exists`` where it is not given.
        """
        return self._retriever.fitting(signals, goal_text, exists, limit, self.clock(), after=after, visible=visible)

    def search(
        self, query: str, limit: int = 20, *, domain: str | None = None, status: Sequence[Status] = SHOWN
    ) -> Fits:
        """Return the skills whose texts match a query, whatever page they are for; all by health for an empty one."""
        return self._retriever.search(query, limit, self.clock(), domain=domain, status=status)

    def put(self, skill: Skill, *, healed: bool = False, note: str | None = None) -> Skill:
        """Keep a skill, and return it as it is kept. A changed one is a new version; the last five are kept.

        Args:
            skill: its version and health count for nothing where it is there already.
            healed: whether this mends the skill; its health is then as good as new at least.
            note: what the notes of its health should say.

        Raises:
            SkillError: if it is none by the schema, too large, its place is another domain's, or one of its address
                patterns cannot be matched in linear time.
        """
        key = skill_key(skill.domain, skill.id)
        try:
            skill = read_skill(skill_json(skill))
            size = len(skill_bytes(skill))
        except (UnicodeEncodeError, TypeError, ValueError, RecursionError) as error:
            raise SkillError(f"The skill {key} cannot become JSON: {error}") from None
        for pattern in skill.preconditions.url_matches:
            check_pattern(pattern)
        if size > MAX_SKILL_BYTES:
            raise SkillError(f"The skill {key} takes {size} bytes; a skill has at most {MAX_SKILL_BYTES}.")
        with locked(self.directory) as writer:
            old = self._stored_or_none(key)
            if skill.status == "quarantined" and self._has_quarantined_part(skill, None, set()):
                own: Status = old.skill.status if old else "trial"  # the quarantine that was got is its part's
                skill = msgspec.structs.replace(skill, status=own)
            return self.keep(writer, key, old, skill, healed=healed, note=note)

    def update(
        self, domain: str, skill_id: str, change: Callable[[Skill], Skill], *, healed: bool = False, note: str = ""
    ) -> Skill:
        """Change a skill as it is now, while nobody else can, and return it as it is kept.

        Raises:
            SkillNotFound: if there is none.
            SkillError: if its file is broken, or the change makes no skill of it.
        """
        key = skill_key(domain, skill_id)
        with locked(self.directory) as writer:
            stored = self.stored(key)
            changed = read_skill(skill_json(change(stored.skill)))
            if skill_key(changed.domain, changed.id) != key:
                raise SkillError(f"A change of the skill {key} may not make it {changed.domain}, {changed.id}.")
            return self.keep(writer, key, stored, changed, healed=healed, note=note or None)

    def set_status(self, domain: str, skill_id: str, status: Status) -> Skill:
        """Say what a verification found. Ends quarantine where the status is another one.

        Raises:
            SkillNotFound: if there is no such skill.
        """
        key = skill_key(domain, skill_id)
        with locked(self.directory) as writer:
            stored = self.stored(key)
            freed = stored.skill.status == "quarantined" and status != "quarantined"
            health = rules.healed(stored.skill.health) if freed else stored.skill.health
            return self.write(writer, key, stored, msgspec.structs.replace(stored.skill, status=status, health=health))

    def apply(self, domain: str, patch: PatchDocument) -> Skill:
        """Apply a patch that mends a skill, and return the new version. It is to be verified.

        Raises:
            SkillNotFound: if there is no such skill.
            SkillError: if the patch is for another version, or makes no skill of it.
        """
        note = f"{patch.author}: {patch.rationale}"[:300]
        return self.update(domain, patch.skill_id, lambda skill: apply_patch(skill, patch), healed=True, note=note)

    def rollback(self, domain: str, skill_id: str, to: str | None = None) -> Skill:
        """Make an earlier version the current one; the one that it replaces is kept.

        Args:
            domain: of the skill.
            skill_id: of the skill.
            to: the version, such as ``v0.1``; the one before the current one where it is ``None``.

        Raises:
            SkillNotFound: if there is no such skill.
            SkillError: if the version is not kept.
        """
        key = skill_key(domain, skill_id)
        with locked(self.directory) as writer:
            stored = self.stored(key)
            old = versions.read_version(self.directory, key, stored.skill.meta.version, to)
            status: Status = "trial" if old.status == "quarantined" else old.status
            restored = msgspec.structs.replace(old, health=rules.new_version(stored.skill.health), status=status)
            versions.keep(writer, key, stored.skill)
            restored = self.write(writer, key, None, restored)
            versions.drop(writer.root, key, restored.meta.version)
            return restored

    def remove(self, domain: str, skill_id: str) -> None:
        """Remove a learned skill with its versions; a shipped one under it is there again.

        Raises:
            SkillNotFound: if there is no such skill.
            SkillError: if it is a shipped one.
        """
        key = skill_key(domain, skill_id)
        with locked(self.directory) as writer:
            path = skill_path(self.directory, key)
            if not path.exists():
                if self.stored(key).shipped:
                    raise SkillError(f"The skill {key} comes with the program and cannot be removed.")
                return
            path.unlink()
            versions.forget(self.directory, key)
            writer.journal(key)

    def record_outcome(
        self,
        domain: str,
        skill_id: str,
        kind: rules.OutcomeKind,
        *,
        winner: str | None = None,
        page_kind: str | None = None,
        after: str | None = None,
    ) -> Recorded:
        """Record how one run ended; see ``record_outcomes``."""
        return self.record_outcomes([Outcome(domain, skill_id, kind, winner, page_kind, after)])

    def record_outcomes(self, outcomes: Iterable[Outcome]) -> Recorded:
        """Record how runs ended, each skill's file written once. Damage may quarantine, a winning fallback be promoted.

        Raises:
            SkillError: for an outcome that there is not, or a library that cannot be written.
        """
        recorded = Recorded([], [], [])
        with locked(self.directory) as writer:
            now = self.clock()
            found: dict[Key, tuple[Stored, Skill]] = {}
            followed: list[tuple[str | None, Key, Key | None]] = []
            for outcome in outcomes:
                key = skill_key(outcome.domain, outcome.skill_id)
                try:
                    key = key if self._exists(key) else self._by_alias(key) or key
                    if key not in found:
                        stored = self.stored(key)
                        found[key] = stored, stored.skill
                except SkillError:
                    recorded.unknown.append(key)
                    continue
                stored, skill = found[key]
                health = rules.after_run(skill.health, outcome.kind, now, outcome.winner)
                if rules.quarantines(skill.health, health, now) and skill.status != "quarantined":
                    recorded.quarantined.append(key)
                    skill = msgspec.structs.replace(skill, status="quarantined")
                found[key] = stored, msgspec.structs.replace(skill, health=health)
                if outcome.kind == "ok":
                    after = skill_key(outcome.domain, outcome.after) if outcome.after else None
                    followed.append((outcome.page_kind, key, after))
            for key, (stored, skill) in found.items():
                kept = self.write(writer, key, stored, skill)
                better = healing.promoted(kept)
                if better is not None:
                    note = healing.promotion_note(kept)
                    self.keep(writer, key, self.stored(key), better, note=note)
                    recorded.promoted.append(key)
            if followed:
                edges.record(writer, followed)
        return recorded

    def _stored_or_none(self, key: Key) -> Stored | None:
        try:
            return self.stored(key)
        except SkillNotFound:
            return None
        except SkillError:
            path = skill_path(self.directory, key)
            os.replace(path, path.with_suffix(".broken"))  # somebody may want to mend what they typed
            return None

    def keep(
        self, writer: Writer, key: Key, old: Stored | None, new: Skill, *, healed: bool = False, note: str | None = None
    ) -> Skill:
        """Put a skill in another's place, as a new version where it is one. For the holder of the library's lock."""
        if old is None:
            version = new.meta.version if versions.number(new.meta.version) else versions.FIRST
            return self.write(
                writer, key, None, msgspec.structs.replace(new, meta=msgspec.structs.replace(new.meta, version=version))
            )
        if plain_host(old.skill.domain) != plain_host(new.domain):
            raise SkillError(
                f"The place of {key} belongs to {shorten(old.skill.domain)}. Give the skill of {shorten(new.domain)} "
                "another id."
            )
        known = versions.kept(self.directory, key)
        kept = versions.successor(old.skill, new, known, self.clock(), healed=healed, note=note)
        if kept.meta.version != old.skill.meta.version:
            versions.keep(writer, key, old.skill)
            old = None
        return self.write(writer, key, old, kept)

    def write(self, writer: Writer, key: Key, old: Stored | None, new: Skill) -> Skill:
        """Write what changed: a shipped skill's health into the overlay, anything else into the skill's own file.

        For the holder of the library's lock. Without ``old`` a file is written in any case.
        """
        if old is not None and old.skill == new:
            return new
        if old is not None and old.shipped:
            overlays = dict(self.overlays())
            overlays[str(key)] = overlay.overlay_of(new, old.digest, old.shipped_status, overlays.get(str(key)))
            overlay.write_overlays(writer, overlays)
        else:
            writer.write(skill_path(self.directory, key), skill_bytes(new))
        writer.journal(key)
        return new
