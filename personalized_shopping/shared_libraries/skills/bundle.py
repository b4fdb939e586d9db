"""A library as one file, ``.zip`` or ``.json``, to take somewhere else; and what comes from somewhere else, checked.

A bundle is data of strangers: its size, its names and every skill in it are checked before anything is written. What it
says of its own reliability does not count unless it is trusted.
"""

import io
import os
import re
import secrets
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from personalized_shopping.errors import SkillError, SkillNotFound, shorten
from personalized_shopping.shared_libraries.skills import versions
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import (
    MAX_SKILL_BYTES,
    TREE,
    Key,
    read_limited,
    skill_key,
)
from personalized_shopping.shared_libraries.skills.model import Health, Skill, parse_skill, skill_bytes

FORMAT = "skill_bundle_v1"
MAX_BUNDLE_BYTES = 32 << 20
MAX_UNPACKED_BYTES = 128 << 20
MAX_SKILLS = 20_000
MANIFEST = "bundle.json"
OnConflict = Literal["keep", "replace"]
_NAME = re.compile(r"skill/skill_library/([a-z0-9_]{1,100})/([a-z0-9_-]{1,64})\.json")
_CENTRAL_ENTRY = b"PK\x01\x02"
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Refusal(NamedTuple):
    """A skill of a bundle that was not taken, and why."""

    name: str
    message: str


class ImportReport(NamedTuple):
    """What became of the skills of a bundle. ``kept`` are those that differ from the ones already here, which stay."""

    added: list[Key]
    replaced: list[Key]
    kept: list[Key]
    unchanged: list[Key]
    refused: list[Refusal]


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str


class _Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    skills: list[msgspec.Raw]


def export_bundle(library: SkillLibrary, path: Path, *, domain: str | None = None, learned_only: bool = False) -> int:
    """Write the skills of a library into one file, and return how many. The same skills give the same bytes.

    Args:
        library: whose skills, with what runs taught about them.
        path: ends in ``.zip`` or ``.json``.
        domain: only of this domain.
        learned_only: without the shipped skills.

    Raises:
        SkillError: for another ending, a file that cannot be written, or more than a bundle holds.
    """
    skills = [skill for skill in library.list(domain) if not (learned_only and library.is_shipped(skill))]
    if len(skills) > MAX_SKILLS:
        raise SkillError(f"{len(skills)} skills are more than a bundle holds ({MAX_SKILLS}). Choose a domain.")
    if path.suffix == ".zip":
        data = _zipped(skills)
    elif path.suffix == ".json":
        raw = [msgspec.Raw(skill_bytes(skill)) for skill in skills]
        data = msgspec.json.format(msgspec.json.encode(_Bundle(FORMAT, raw)), indent=1) + b"\n"
    else:
        raise SkillError(f"A bundle ends in .zip or .json, not as {shorten(path.name)} does.")
    if len(data) > MAX_BUNDLE_BYTES:
        raise SkillError(f"The bundle would take {len(data)} bytes, and may take {MAX_BUNDLE_BYTES}. Choose a domain.")
    _write(path, data)
    return len(skills)


def _zipped(skills: Sequence[Skill]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        entries = {MANIFEST: msgspec.json.encode(_Manifest(FORMAT))}
        for skill in skills:
            key = skill_key(skill.domain, skill.id)
            entries[(TREE / key.domain / f"{key.id}.json").as_posix()] = skill_bytes(skill)
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o600 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return file.getvalue()


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SkillError(f"{path} cannot be written: {error.strerror}.") from None


def import_bundle(
    library: SkillLibrary,
    path: Path,
    *,
    on_conflict: OnConflict = "keep",
    trusted: bool = False,
    check: Callable[[Skill], Sequence[str]] | None = None,
) -> ImportReport:
    """Take the skills of a bundle into a library.

    Args:
        library: to put them in.
        path: of the bundle.
        on_conflict: whether a skill that is here already and differs is kept, or replaced by a new version.
        trusted: whether status, health and aliases count, as in a backup of one's own; else verified skills are on
            trial, and their health starts anew.
        check: returns what is wrong with a skill beyond its form, such as with its program.

    Raises:
        SkillError: if the file is no bundle, too large, or not what it seems; nothing is taken then.
    """
    report = ImportReport([], [], [], [], [])
    skills: dict[Key, Skill] = {}
    for name, data in list(_entries(path)):
        try:
            skill = parse_skill(data)
            key = skill_key(skill.domain, skill.id)
            place = _NAME.fullmatch(name)
            if place is not None and Key(*place.groups()) != key:
                raise SkillError(f"It lies at {name}, and is {key}.")
            if key in skills:
                raise SkillError(f"The bundle holds {key} twice.")
            problems = check(skill) if check else ()
            if problems:
                raise SkillError("; ".join(problems)[:500])
        except SkillError as error:
            report.refused.append(Refusal(name, str(error)))
            continue
        skills[key] = skill if trusted else _untrusted(skill)
    for key, skill in skills.items():
        try:
            _take(library, key, skill, on_conflict, report)
        except SkillError as error:
            report.refused.append(Refusal(str(key), str(error)))
    return report


def _untrusted(skill: Skill) -> Skill:
    return msgspec.structs.replace(
        skill,
        status="trial" if skill.status == "verified" else skill.status,
        health=Health(),
        meta=msgspec.structs.replace(skill.meta, aliases=[]),
    )


def _take(library: SkillLibrary, key: Key, skill: Skill, on_conflict: OnConflict, report: ImportReport) -> None:
    try:
        here = library.stored(key).skill
    except SkillNotFound:
        library.put(skill)
        report.added.append(key)
        return
    except SkillError:
        if on_conflict == "replace":
            library.put(skill)
            report.replaced.append(key)
        else:
            report.kept.append(key)
        return
    if versions.definition(here) == versions.definition(skill):
        report.unchanged.append(key)
    elif on_conflict == "keep":
        report.kept.append(key)
    else:
        library.put(skill)
        report.replaced.append(key)


def _entries(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and texts of the skills of a bundle."""
    if not path.is_file():
        raise SkillError(f"There is no file {path}.")
    data = read_limited(path, MAX_BUNDLE_BYTES)
    if data.startswith(b"PK"):
        yield from _zip_entries(path, data)
        return
    try:
        bundle = msgspec.json.decode(data, type=_Bundle)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SkillError(f"{path} is no bundle of skills: {error}.") from None
    _check_format(path, bundle.format)
    if len(bundle.skills) > MAX_SKILLS:
        raise SkillError(f"{path} holds {len(bundle.skills)} skills, and may hold {MAX_SKILLS}.")
    for number, raw in enumerate(bundle.skills):
        text = bytes(raw)
        if len(text) > MAX_SKILL_BYTES:
            raise SkillError(f"Skill {number} of {path} is larger than {MAX_SKILL_BYTES} bytes.")
        yield f"skills[{number}]", text


def _check_format(path: Path, found: str) -> None:
    if found != FORMAT:
        raise SkillError(f"{path} has the format {shorten(found)}; this program reads {FORMAT}.")


def _zip_entries(path: Path, data: bytes) -> Iterator[tuple[str, bytes]]:
    if data.count(_CENTRAL_ENTRY) > MAX_SKILLS + 1:
        raise SkillError(f"{path} has more than {MAX_SKILLS} entries.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            for info in infos:
                _check_entry(path, info)
            names = [info.filename for info in infos]
            if len(set(names)) != len(names):
                raise SkillError(f"{path} holds a file twice.")
            if MANIFEST not in names:
                raise SkillError(f"{path} is no bundle of skills: it has no {MANIFEST}.")
            left = MAX_UNPACKED_BYTES
            for info in sorted(infos, key=lambda info: (info.filename != MANIFEST, info.filename)):
                with archive.open(info) as file:
                    content = file.read(MAX_SKILL_BYTES + 1)
                left -= len(content)
                if len(content) > MAX_SKILL_BYTES or left < 0:
                    raise SkillError(f"{path} unpacks to more than it may ({shorten(info.filename)}).")
                if info.filename == MANIFEST:
                    _check_format(path, msgspec.json.decode(content, type=_Manifest).format)
                else:
                    yield info.filename, content
    except (
        zipfile.BadZipFile, zlib.error, msgspec.DecodeError, EOFError, OSError, RuntimeError, ValueError
    ) as error:  # fmt: skip
        raise SkillError(f"{path} is a damaged archive: {shorten(str(error))}.") from None


def _check_entry(path: Path, info: zipfile.ZipInfo) -> None:
    """Refuse an entry that is anything but a plain, small file where a skill lies."""
    name = info.filename
    if name != MANIFEST and not _NAME.fullmatch(name):
        raise SkillError(f"{path} holds {shorten(name)}, where no skill lies.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or info.flag_bits & 1:
        raise SkillError(f"{shorten(name)} in {path} is a link, or locked.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SkillError(f"{shorten(name)} in {path} is packed in a way that is not read here.")
    if info.file_size > MAX_SKILL_BYTES:
        raise SkillError(f"{shorten(name)} in {path} is larger than {MAX_SKILL_BYTES} bytes.")
    if info.orig_filename != name:
        raise SkillError(f"{shorten(info.orig_filename)} in {path} is no plain name.")
