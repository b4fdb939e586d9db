"""The versions of a skill: what makes a new one, and the last ones that are kept beside its file.

``<domain>/<id>.versions/v0.1.json`` is what the skill was before it became v0.2.
"""

import contextlib
import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.library_files import Key, Writer, read_limited, skill_path
from personalized_shopping.shared_libraries.skills.model import Skill, parse_skill, skill_bytes, skill_json

FIRST = "v0.1"
KEPT_VERSIONS = 5
MAX_NUMBER = 999_999
_VERSION = re.compile(r"v(\d{1,6})\.(\d{1,6})")
_NO_DEFINITION = ("status", "health")
_NO_DEFINITION_OF_META = ("version", "created_at", "updated_at", "source_dir", "source_files", "aliases")


def number(version: str) -> tuple[int, int] | None:
    """Return ``(major, minor)`` of ``v<major>.<minor>``, or ``None`` for any other text."""
    match = _VERSION.fullmatch(version)
    return (int(match[1]), int(match[2])) if match else None


def next_version(versions: Iterable[str]) -> str:
    """Return the version after the highest of these."""
    numbers = [found for found in map(number, versions) if found]
    if not numbers:
        return FIRST
    major, minor = max(numbers)
    return f"v{major}.{minor + 1}" if minor < MAX_NUMBER else f"v{major + 1}.0"


def definition(skill: Skill) -> bytes:
    """Return what makes two skills the same version: everything but status, health and where it came from."""
    value = skill_json(skill)
    for name in _NO_DEFINITION:
        value.pop(name, None)
    for name in _NO_DEFINITION_OF_META:
        value["meta"].pop(name, None)
    return msgspec.json.encode(value, order="sorted")


def successor(
    old: Skill, new: Skill, known: Iterable[str], now: datetime, *, healed: bool = False, note: str | None = None
) -> Skill:
    """Return what a library keeps when one skill takes the place of the other.

    The same definition keeps version, health and origin; only its status may become another one, and quarantine ends
    only by healing. A changed one is a new version.

    Args:
        old: what is kept now.
        new: what should be kept; its version and health count for nothing, the library knows better.
        known: all versions that there are.
        now: the time.
        healed: whether the change mended the skill.
        note: what to write into its health's notes.
    """
    if definition(old) == definition(new):
        stays = new.status == "draft" or old.status == "quarantined"
        status = old.status if stays else new.status
        health, meta, kept_skill = old.health, old.meta, old
    else:
        status, kept_skill = new.status, new
        health = rules.new_version(old.health)
        meta = msgspec.structs.replace(
            new.meta,
            version=next_version([old.meta.version, *known]),
            created_at=old.meta.created_at,
            updated_at=rules.timestamp(now),
            aliases=list(dict.fromkeys([*old.meta.aliases, *new.meta.aliases])),
        )
    if healed:
        health = rules.healed(health)
        status = "trial" if status == "quarantined" else status
    if note:
        health = msgspec.structs.replace(health, notes=note)
    return msgspec.structs.replace(kept_skill, status=status, health=health, meta=meta)


def versions_directory(root: Path, key: Key) -> Path:
    """Return where the earlier versions of a skill lie."""
    return skill_path(root, key).with_suffix(".versions")


def kept(root: Path, key: Key) -> dict[str, Path]:
    """Return the files of the versions that are kept, the oldest first."""
    try:
        paths = list(versions_directory(root, key).iterdir())
    except OSError:
        return {}
    found = {path.stem: path for path in paths if path.suffix == ".json" and number(path.stem)}
    return dict(sorted(found.items(), key=lambda item: number(item[0]) or (0, 0)))


def keep(writer: Writer, key: Key, skill: Skill) -> None:
    """Keep a version, and of all the last few only. For the holder of the library's lock."""
    directory = versions_directory(writer.root, key)
    version = skill.meta.version if number(skill.meta.version) else "v0.0"
    writer.write(directory / f"{version}.json", skill_bytes(skill))
    for path in list(kept(writer.root, key).values())[:-KEPT_VERSIONS]:
        path.unlink(missing_ok=True)


def read_version(root: Path, key: Key, current: str, wanted: str | None) -> Skill:
    """Return an earlier version.

    Args:
        root: the library's directory.
        key: the skill.
        current: its version now.
        wanted: the version; the one before the current one where it is ``None``.

    Raises:
        SkillError: if there is none, or its file is no skill any more.
    """
    files = kept(root, key)
    if wanted is None:
        now = number(current) or (0, 0)
        wanted = next((name for name in reversed(files) if (number(name) or (0, 0)) < now), None)
    if wanted is None or wanted not in files:
        listed = ", ".join(name for name in files if name != current) or "none"
        asked = "an earlier version" if wanted is None else f"the version {shorten(wanted)}"
        raise SkillError(f"The skill {key} does not have {asked} (it is {current} now; kept: {listed}).")
    return parse_skill(read_limited(files[wanted]))


def drop(root: Path, key: Key, version: str) -> None:
    """Remove one kept version, which is the current one again. For the holder of the library's lock."""
    path = kept(root, key).get(version)
    if path is not None:
        path.unlink(missing_ok=True)


def forget(root: Path, key: Key) -> None:
    """Remove all versions that are kept. For the holder of the library's lock."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(versions_directory(root, key))
