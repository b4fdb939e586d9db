"""Making the files of the shipped skills: the single controls and the hand-written ones, each run before it counts."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.library_files import skill_key, skill_path
from personalized_shopping.shared_libraries.skills.model import Skill, skill_bytes
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.shipped.composites import shipped_composites
from personalized_shopping.shared_libraries.skills.shipped.primitives import demo_shop, shipped_primitives
from personalized_shopping.shared_libraries.skills.verify import verify_in_shop

LIBRARY = Path(__file__).with_name("library")


def shipped_skills(runtime: ProgramRuntime) -> list[Skill]:
    """Return all shipped skills, verified in the small demo shop.

    Raises:
        SkillError: when one of them does not work, or names a part that is not shipped.
    """
    with demo_shop() as shop:
        skills = [*shipped_primitives(shop), *shipped_composites()]
        found = list(verify_in_shop(skills, shop, runtime))
    failed = [f"{one.skill_id}: {one.why}" for one in found if not one.is_green]
    if failed:
        raise SkillError(f"Some shipped skills do not work. {' '.join(failed)}")
    known = {skill.id for skill in skills}
    unknown = {step for skill in skills for step in skill.steps} - known
    if unknown or len(known) < len(skills):
        raise SkillError(f"Shipped skills name unknown parts ({sorted(unknown)}), or two have one id.")
    return [msgspec.structs.replace(skill, status="verified") for skill in skills]


def shipped_files(runtime: ProgramRuntime) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of the shipped skills: where each lies below a library, and its text."""
    for skill in shipped_skills(runtime):
        yield skill_path(Path(), skill_key(skill.domain, skill.id)), skill_bytes(skill)


def write_shipped(runtime: ProgramRuntime, root: Path = LIBRARY) -> list[Path]:
    """Write the files of the shipped skills, remove what is no longer shipped, and return what changed."""
    wanted = {root / path: data for path, data in shipped_files(runtime)}
    changed = [path for path in sorted(root.rglob("*.json")) if path not in wanted]
    for path in changed:
        path.unlink()
    for path, data in wanted.items():
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            changed.append(path)
    return changed
