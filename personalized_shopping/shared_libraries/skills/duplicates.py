"""Skills that are the same: the key of a control's template, and the merging of near-duplicates.

Large libraries of near-duplicates mislead an agent, so of two skills of one name for one kind of page the healthier
stays. The other's id becomes an alias of it, under which it is still found.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import msgspec

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills import overlay, versions
from personalized_shopping.shared_libraries.skills.element_names import sought_control
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import Key, Writer, locked, sanitize_domain, skill_path
from personalized_shopping.shared_libraries.skills.library_reader import Stored
from personalized_shopping.shared_libraries.skills.model import Skill, Status

_STANDING: dict[Status, int] = {"quarantined": 0, "draft": 1, "trial": 2, "verified": 3}
_VARIES = re.compile(r"[0-9a-fA-F]{8,}|[A-Za-z0-9_-]{24,}|(?=\w*\d)(?=\w*[A-Za-z])\w{6,}|\d+")
"""What looks like a key of a session, a product or a page number."""


def mask_address(address: str) -> str:
    """Return the path of a link or form with what varies replaced by ``*``; of a query, only the names."""
    try:
        parts = urlsplit(address)
        names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True, max_num_fields=50)})
    except ValueError:
        return "*"
    path = "/".join("*" if _VARIES.fullmatch(part) or "%" in part else part for part in parts.path.split("/"))
    return path + ("?" + "&".join(names) if names else "")


def fingerprint(
    *,
    host: str,
    page_kind: str | None,
    action: str,
    role: str | None,
    name: str | None,
    address: str | None = None,
    ancestors: Iterable[str] = (),
    repeated: bool = False,
) -> str:
    """Return the key of a control's template: the same for all controls that one skill can stand for.

    Args:
        host: of the page.
        page_kind: of the page, or ``None``.
        action: what is done with the control.
        role: its ARIA role.
        name: its accessible name; of a repeated item it does not count.
        address: where its link or form leads.
        ancestors: tag and classes of what it stands in, from the outside.
        repeated: whether it is one of a list.
    """
    shown = "*" if repeated else " ".join((name or "").split()).casefold()
    where = mask_address(address) if address else ""
    parts = (sanitize_domain(host), page_kind or "", action, role or "", shown, where, *ancestors)
    return hashlib.sha1("\0".join(parts).encode("utf-8", "replace")).hexdigest()


class Merge(NamedTuple):
    """Which skill stayed, and which one is an alias of it now."""

    stayed: Key
    alias: Key


def near_duplicate_key(skill: Skill) -> tuple[object, ...] | None:
    """Return what near-duplicates share; ``None`` for a skill without a label.

    Label and kinds of page decide. Action, effect, arguments and parts must be the same too: a skill that buys is no
    duplicate of one that looks, and two fields of a form that are called the same are two, whatever their labels say.
    """
    if not isinstance(skill.label, str):
        return None
    label = " ".join(re.split(r"[\W_]+", skill.label.casefold())).strip()
    if not label:
        return None
    return (
        sanitize_domain(skill.domain),
        label,
        frozenset(skill.preconditions.page_kind),
        () if skill.preconditions.page_kind else tuple(sorted(skill.preconditions.url_matches)),
        skill.action,
        skill.effect,
        msgspec.json.encode(skill.args_schema, order="sorted"),
        tuple(skill.steps),
        sought_control(skill).attrs.get("name"),
        skill.locators.item_param if isinstance(skill.locators.item_param, str) else None,
    )


def merge_duplicates(library: SkillLibrary, domain: str | None = None) -> list[Merge]:
    """Merge the near-duplicates of a library, and return what was merged.

    A shipped skill stays whatever is learned beside it, unless it is the less healthy one: then both stay.

    Args:
        library: to tidy up.
        domain: only of this domain.
    """
    groups: dict[tuple[object, ...], list[tuple[Key, Stored]]] = {}
    merges: list[Merge] = []
    with locked(library.directory) as writer:
        now = library.clock()
        for key in sorted(library.keys()):
            if domain is not None and key.domain != sanitize_domain(domain):
                continue
            try:
                stored = library.stored(key)
            except SkillError:
                continue
            shared = near_duplicate_key(stored.skill)
            if shared is not None:
                groups.setdefault(shared, []).append((key, stored))
        for members in groups.values():
            members.sort(key=lambda member: _standing(member[0], member[1], now))
            best, *others = members
            losers = [(key, stored) for key, stored in others if not stored.shipped]
            if losers:
                merges += [Merge(best[0], key) for key, _ in losers]
                _give_aliases(library, writer, *best, losers)
        if merges:
            _rename_steps(library, writer, {merge.alias: merge.stayed for merge in merges})
    return merges


def _standing(key: Key, stored: Stored, now: datetime) -> tuple[int, float, bool, Key]:
    """Return what is smallest for the skill that should stay."""
    return -_STANDING[stored.skill.status], -rules.rank(stored.skill.health, now), not stored.shipped, key


def _give_aliases(
    library: SkillLibrary, writer: Writer, key: Key, stored: Stored, losers: list[tuple[Key, Stored]]
) -> None:
    names = [name for loser, other in losers for name in (loser.id, *other.skill.meta.aliases) if name != key.id]
    if stored.shipped:
        overlays = dict(library.overlays())
        overlays[str(key)] = overlay.with_aliases(overlays.get(str(key)), stored.digest, names)
        overlay.write_overlays(writer, overlays)
    else:
        aliases = list(dict.fromkeys([*stored.skill.meta.aliases, *names]))
        meta = msgspec.structs.replace(stored.skill.meta, aliases=aliases)
        library.write(writer, key, stored, msgspec.structs.replace(stored.skill, meta=meta))
    writer.journal(key)
    for loser, _ in losers:  # only now: a crash leaves a duplicate, not a hole
        skill_path(library.directory, loser).unlink(missing_ok=True)
        versions.forget(library.directory, loser)
        writer.journal(loser)


def _rename_steps(library: SkillLibrary, writer: Writer, renamed: dict[Key, Key]) -> None:
    """Let learned composites name the parts that stayed."""
    for key in sorted(library.keys()):
        try:
            stored = library.stored(key)
        except SkillError:
            continue
        steps = [renamed.get(Key(key.domain, step), Key("", step)).id for step in stored.skill.steps]
        if steps != stored.skill.steps and not stored.shipped:
            library.keep(writer, key, stored, msgspec.structs.replace(stored.skill, steps=steps))
