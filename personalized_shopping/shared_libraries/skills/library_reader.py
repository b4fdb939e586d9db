"""A library to read: the learned skills of one directory over the shipped ones; no file is believed unseen.

Parsed files are kept and read again when they change. A broken file stops nobody: it is told by ``problems``.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from personalized_shopping.errors import SkillError, SkillNotFound, shorten
from personalized_shopping.shared_libraries.skills import overlay, versions
from personalized_shopping.shared_libraries.skills.library_files import (
    Key,
    SkillFile,
    Stamp,
    read_limited,
    sanitize_domain,
    scan,
    skill_key,
    skill_path,
    stamp_of,
)
from personalized_shopping.shared_libraries.skills.model import Skill, Status, parse_skill

Skills = list[Skill]


class Problem(NamedTuple):
    """A file that is no skill, and why."""

    path: Path
    message: str


Problems = list[Problem]


class Stored(NamedTuple):
    """A skill as the files have it."""

    skill: Skill
    shipped: bool
    digest: str
    shipped_status: Status


class SkillReader:
    """The skills of one directory, over the shipped ones.

    Args:
        directory: where learned skills lie; made with the first one.
        builtin: a directory of the same layout that is only read, or ``None``.
    """

    def __init__(self, directory: Path, builtin: Path | None = None) -> None:
        self.directory = directory
        self.builtin = builtin
        self._shipped: dict[Key, SkillFile] | None = None
        self._parsed: dict[Path, tuple[Stamp, Skill, str]] = {}
        self._overlays: tuple[Stamp | None, overlay.Overlays] = (None, {})

    def get(self, domain: str, skill_id: str) -> Skill:
        """Return a skill by its id or by a name that it had before. A composite of a quarantined part is quarantined.

        Raises:
            SkillNotFound: if there is none.
            SkillError: if its file is broken.
        """
        key = skill_key(domain, skill_id)
        try:
            return self.usable(key)
        except SkillNotFound:
            named = self._by_alias(key)
            if named is None:
                raise
        return self.usable(named)

    def usable(self, key: Key) -> Skill:
        """Return a skill by its key only; see ``get``."""
        return self._effective(self.stored(key).skill)

    def find(self, skill_id: str) -> Skills:
        """Return the skills of every domain that have this id, or had it before.

        Raises:
            SkillError: if there is only one whose file is broken.
        """
        keys = {key for key in self.keys() if key.id == skill_id}
        keys = keys or {key for key, skill in self._readable() if skill_id in skill.meta.aliases}
        found, broken = [], None
        for key in sorted(keys):
            try:
                found.append(self._effective(self.stored(key).skill))
            except SkillError as error:
                broken = error
        if broken is not None and not found:
            raise broken
        return found

    def resolve(self, reference: str) -> Skill:
        """Return the skill that ``<domain>/<id>``, or an id that only one domain has, names.

        Raises:
            SkillNotFound: if there is none.
            SkillError: if several domains have it.
        """
        domain, slash, skill_id = reference.rpartition("/")
        if slash:
            return self.get(domain, skill_id)
        found = self.find(reference)
        if len(found) > 1:
            names = ", ".join(f"{sanitize_domain(skill.domain)}/{skill.id}" for skill in found[:5])
            raise SkillError(f"Several domains have a skill {shorten(reference)}. Say which one: {names}.")
        if not found:
            raise SkillNotFound(f"There is no skill {shorten(reference)} in {self.directory}.")
        return found[0]

    def list(self, domain: str | None = None, status: Iterable[Status] | None = None) -> Skills:
        """Return the skills in the order of their domains and ids; broken files are left out (see ``problems``).

        Args:
            domain: only of this domain.
            status: only of these.
        """
        wanted = None if status is None else set(status)
        place = None if domain is None else sanitize_domain(domain)
        all_of_them = dict(self._readable(place))
        skills = [self._effective(skill, all_of_them) for _, skill in sorted(all_of_them.items())]
        return [skill for skill in skills if wanted is None or skill.status in wanted]

    def keys(self) -> set[Key]:
        """Return what names the files, broken ones included."""
        return set(self.files())

    def files(self) -> dict[Key, SkillFile]:
        """Return the files, broken ones included; a learned skill's lies over the shipped one's."""
        return self._shipped_files() | scan(self.directory)

    def stamp(self, key: Key, file: SkillFile | None = None) -> str | None:
        """Return what changes when a skill does, health included; ``None`` if there is no such skill.

        Args:
            key: of the skill.
            file: its file, where it was looked at just now.
        """
        stamp = file.stamp if file else stamp_of(skill_path(self.directory, key))
        shipped = self._shipped_files().get(key)
        if shipped is None or (stamp is not None and stamp != shipped.stamp):
            return None if stamp is None else "-".join(map(str, stamp))
        known = self.overlays().get(str(key))
        learned = overlay.digest_of(msgspec.json.encode(known)) if known else ""
        return "-".join(map(str, (*shipped.stamp, learned)))

    def problems(self) -> Problems:
        """Return the files that are no skills, and why."""
        found = []
        for key in sorted(self.keys()):
            try:
                self.stored(key)
            except SkillNotFound:
                continue  # removed while we looked
            except SkillError as error:
                found.append(Problem(self._path(key), str(error)))
        try:
            overlay.read_overlays(self.directory)
        except SkillError as error:
            found.append(Problem(overlay.overlay_path(self.directory), str(error)))
        return found

    def is_shipped(self, skill: Skill) -> bool:
        """Return whether a skill is the one that comes with the program, not a learned version of it."""
        return self.stored(skill_key(skill.domain, skill.id)).shipped

    def history(self, domain: str, skill_id: str) -> Skills:
        """Return the versions that are kept, the oldest first and the current one last.

        Raises:
            SkillNotFound: if there is no such skill.
        """
        key = skill_key(domain, skill_id)
        current = self.stored(key).skill
        earlier = []
        for version, path in versions.kept(self.directory, key).items():
            if version != current.meta.version:
                try:
                    earlier.append(parse_skill(read_limited(path)))
                except SkillError:
                    continue
        return [*earlier, current]

    def stored(self, key: Key) -> Stored:
        """Return a skill as the files have it: its own status, whatever its parts have.

        Raises:
            SkillNotFound: if there is no such file.
            SkillError: if the file is broken, or lies where another skill belongs.
        """
        path = skill_path(self.directory, key)
        stamp = stamp_of(path)
        if stamp is not None:
            skill, digest = self._parse(key, path, stamp)
            return Stored(skill, False, digest, skill.status)
        shipped = self._shipped_files().get(key)
        if shipped is None:
            raise SkillNotFound(f"There is no skill {shorten(str(key))} in {self.directory}.")
        skill, digest = self._parse(key, *shipped)
        known = self.overlays().get(str(key))
        return Stored(overlay.overlaid(skill, digest, known), True, digest, skill.status)

    def _parse(self, key: Key, path: Path, stamp: Stamp) -> tuple[Skill, str]:
        parsed = self._parsed.get(path)
        if parsed is None or parsed[0] != stamp:
            data = read_limited(path)
            try:
                skill = parse_skill(data)
            except SkillError as error:
                raise SkillError(f"{path}: {error}") from None
            if (sanitize_domain(skill.domain), skill.id) != key:
                raise SkillError(
                    f"{path} holds the skill {shorten(skill.domain)}, {skill.id}. Move it where it belongs."
                )
            parsed = self._parsed[path] = (stamp, skill, overlay.digest_of(data))
        return parsed[1], parsed[2]

    def _shipped_files(self) -> dict[Key, SkillFile]:
        if self._shipped is None:
            self._shipped = scan(self.builtin) if self.builtin else {}
        return self._shipped

    def overlays(self) -> overlay.Overlays:
        """Return what is known about the shipped skills; nothing where its file is broken."""
        stamp = stamp_of(overlay.overlay_path(self.directory))
        if self._overlays[0] != stamp:
            try:
                self._overlays = (stamp, overlay.read_overlays(self.directory))
            except SkillError:
                self._overlays = (stamp, {})  # problems() tells
        return self._overlays[1]

    def _exists(self, key: Key) -> bool:
        return key in self._shipped_files() or stamp_of(skill_path(self.directory, key)) is not None

    def _path(self, key: Key) -> Path:
        path = skill_path(self.directory, key)
        shipped = self._shipped_files().get(key)
        return path if shipped is None or path.exists() else shipped.path

    def _readable(self, domain: str | None = None) -> Iterator[tuple[Key, Skill]]:
        for key in self.keys():
            if domain is None or key.domain == domain:
                try:
                    yield key, self.stored(key).skill
                except SkillError:
                    continue

    def _by_alias(self, key: Key) -> Key | None:
        return min((found for found, skill in self._readable(key.domain) if key.id in skill.meta.aliases), default=None)

    def _effective(self, skill: Skill, known: Mapping[Key, Skill] | None = None) -> Skill:
        if skill.status != "quarantined" and self._has_quarantined_part(skill, known, set()):
            return msgspec.structs.replace(skill, status="quarantined")
        return skill

    def _has_quarantined_part(self, skill: Skill, known: Mapping[Key, Skill] | None, seen: set[Key]) -> bool:
        for step in skill.steps:
            key = Key(sanitize_domain(skill.domain), step)
            if key in seen:
                continue
            seen.add(key)
            part = known.get(key) if known is not None else None
            if part is None:
                try:
                    part = self.stored(skill_key(*key)).skill
                except SkillError:
                    continue  # the composite's program stands on its own
            if part.status == "quarantined" or self._has_quarantined_part(part, known, seen):
                return True
        return False
