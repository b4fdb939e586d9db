"""Changes of a skill as data: a patch names the version that it was made for, and can be read before it is applied.

Three operations of JSON Patch (RFC 6902) on the JSON form of a skill are enough; own code, because a patch may come
from a language model and must not reach what it has no business with.
"""

import copy
import hashlib
import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.model import Skill, read_skill, skill_json

MAX_OPERATIONS = 100
UNTOUCHABLE = ("id", "domain", "effect", "steps", "health", "status")
"""What makes a skill this skill, what it may do, and what is found out by running it."""
UNTOUCHABLE_OF_META = ("version", "schema_version", "created_at", "aliases")
_INDEX = re.compile(r"0|[1-9]\d{0,5}")


class Operation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change. ``path`` is a JSON Pointer; ``value`` counts for ``add`` and ``replace``."""

    op: Literal["add", "replace", "remove"]
    path: str
    value: Any = None


class Trial(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a patched skill did: share of passed runs (0 to 1), their number, and their mean time in milliseconds."""

    pass_rate: float | None = None
    trials: int = 0
    avg_latency_ms: float | None = None


class PatchDocument(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of one version of a skill. ``author``: ``similarity``, a model's name or a person's."""

    patch_id: Annotated[str, Meta(max_length=64)]
    skill_id: str
    base_version: str
    ops: Annotated[list[Operation], Meta(max_length=MAX_OPERATIONS)]
    rationale: Annotated[str, Meta(max_length=1_000)]
    created_at: str
    author: str
    eval: Trial = Trial()


def make_patch(skill: Skill, ops: list[Operation], *, rationale: str, created_at: str, author: str) -> PatchDocument:
    """Return the document of these changes. The same changes of the same version have the same ``patch_id``."""
    content = msgspec.json.encode([skill.domain, skill.id, skill.meta.version, ops], order="sorted")
    return PatchDocument(
        patch_id=hashlib.sha256(content).hexdigest()[:16],
        skill_id=skill.id,
        base_version=skill.meta.version,
        ops=ops,
        rationale=rationale[:1_000],
        created_at=created_at,
        author=author,
    )


def read_patch(value: Any) -> PatchDocument:
    """Return a patch from its JSON form.

    Raises:
        SkillError: when it is none.
    """
    try:
        return msgspec.convert(value, PatchDocument)
    except (msgspec.ValidationError, RecursionError) as error:
        raise SkillError(f"This is no patch of a skill: {error}") from None


def apply_patch(skill: Skill, patch: PatchDocument) -> Skill:
    """Return the patched skill. It is to be verified again: its status is ``trial``, or ``draft`` where it was.

    Raises:
        SkillError: for another skill or version, an operation that cannot be done or may not, and a result that is no
            skill.
    """
    if (patch.skill_id, patch.base_version) != (skill.id, skill.meta.version):
        raise SkillError(
            f"The patch {shorten(patch.patch_id)} is for {shorten(patch.skill_id)} {shorten(patch.base_version)}, "
            f"and this is {skill.id} {skill.meta.version}. Make a new one."
        )
    value: Any = copy.deepcopy(skill_json(skill))
    for operation in patch.ops:
        value = _applied(value, operation)
    value["status"] = "draft" if skill.status == "draft" else "trial"
    return read_skill(value)


def _applied(document: Any, operation: Operation) -> Any:
    parts = _parts(operation.path)
    if parts[0] in UNTOUCHABLE or (parts[0] == "meta" and (len(parts) == 1 or parts[1] in UNTOUCHABLE_OF_META)):
        raise SkillError(f"A patch may not change {shorten(operation.path)}.")
    parent = document
    for part in parts[:-1]:
        parent = _child(parent, part, operation.path)
    name = parts[-1]
    if isinstance(parent, list):
        _change_list(parent, name, operation)
    elif isinstance(parent, dict):
        if operation.op != "add" and name not in parent:
            raise _nothing_there(operation.path)
        if operation.op == "remove":
            del parent[name]
        else:
            parent[name] = copy.deepcopy(operation.value)
    else:
        raise _nothing_there(operation.path)
    return document


def _change_list(values: list[Any], name: str, operation: Operation) -> None:
    if operation.op == "add" and name == "-":
        values.append(copy.deepcopy(operation.value))
        return
    if not _INDEX.fullmatch(name) or int(name) >= len(values) + (operation.op == "add"):
        raise _nothing_there(operation.path)
    index = int(name)
    if operation.op == "add":
        values.insert(index, copy.deepcopy(operation.value))
    elif operation.op == "replace":
        values[index] = copy.deepcopy(operation.value)
    else:
        del values[index]


def _child(parent: Any, part: str, path: str) -> Any:
    if isinstance(parent, dict) and part in parent:
        return parent[part]
    if isinstance(parent, list) and _INDEX.fullmatch(part) and int(part) < len(parent):
        return parent[int(part)]
    raise _nothing_there(path)


def _nothing_there(path: str) -> SkillError:
    return SkillError(f"The patch changes {shorten(path)}, where the skill has nothing.")


def _parts(path: str) -> list[str]:
    if not path.startswith("/"):
        raise SkillError(f"{shorten(path)} is no JSON Pointer to a part of a skill: it begins with '/'.")
    return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
