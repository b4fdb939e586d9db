"""What a library knows about the shipped skills, whose own files it never writes: health, quarantine, other names.

One file, ``<library>/skill/shipped.json``.
"""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.library_files import Writer, read_limited
from personalized_shopping.shared_libraries.skills.model import Health, Skill, Status

MAX_OVERLAY_BYTES = 8 << 20


class Overlay(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known about one shipped skill. ``digest`` names the file that it was learned about."""

    digest: str
    health: Health = Health()
    status: Status | None = None
    aliases: list[str] = []


Overlays = dict[str, Overlay]


def digest_of(data: bytes) -> str:
    """Return what names the content of a shipped skill's file."""
    return hashlib.sha256(data).hexdigest()[:16]


def overlay_path(root: Path) -> Path:
    """Return where the overlays of a library lie."""
    return root / "skill" / "shipped.json"


def read_overlays(root: Path) -> Overlays:
    """Return the overlays by key.

    Raises:
        SkillError: if the file holds none.
    """
    path = overlay_path(root)
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(read_limited(path, MAX_OVERLAY_BYTES), type=Overlays)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SkillError(f"{path} cannot be read: {error}. Delete it; the shipped skills then start anew.") from None


def write_overlays(writer: Writer, overlays: Overlays) -> None:
    """Write the overlays. For the holder of the library's lock."""
    data = msgspec.json.format(msgspec.json.encode(overlays, order="sorted"), indent=1) + b"\n"
    writer.write(overlay_path(writer.root), data)


def overlaid(skill: Skill, digest: str, overlay: Overlay | None) -> Skill:
    """Return a shipped skill with what is known about it. Another file than was learned about starts anew."""
    if overlay is None:
        return skill
    meta = msgspec.structs.replace(skill.meta, aliases=_joined(skill.meta.aliases, overlay.aliases))
    if overlay.digest != digest:
        return msgspec.structs.replace(skill, meta=meta)
    return msgspec.structs.replace(skill, meta=meta, health=overlay.health, status=overlay.status or skill.status)


def overlay_of(skill: Skill, digest: str, shipped_status: Status, overlay: Overlay | None) -> Overlay:
    """Return the overlay that makes a shipped skill's health and status these.

    Args:
        skill: as it should be from now on.
        digest: of its file.
        shipped_status: the status in its file.
        overlay: what was known so far.
    """
    status = None if skill.status == shipped_status else skill.status
    return Overlay(digest=digest, health=skill.health, status=status, aliases=overlay.aliases if overlay else [])


def with_aliases(overlay: Overlay | None, digest: str, aliases: list[str]) -> Overlay:
    """Return the overlay with further names of the skill."""
    overlay = overlay or Overlay(digest=digest)
    return msgspec.structs.replace(overlay, aliases=_joined(overlay.aliases, aliases))


def _joined(first: list[str], second: list[str]) -> list[str]:
    return list(dict.fromkeys([*first, *second]))
