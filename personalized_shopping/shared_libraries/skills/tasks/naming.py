"""The naming task: a label for people and a slug for machines."""

import re
import unicodedata

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.asking import Answer, Ask, BadReply, ask_for, read_json
from personalized_shopping.shared_libraries.skills.model import Label, Skill, Slug
from personalized_shopping.shared_libraries.skills.tasks.proposal import Proposal
from personalized_shopping.shared_libraries.skills.tasks.signals import Page

PROMPT = "skill_naming"
_SIGNS = frozenset(" _-&'.,()/+")


class NamingQuestion(Struct, frozen=True, kw_only=True):
    """What a skill is named after."""

    domain: str
    action: str
    role: str | None
    ax_name: str
    nearby_texts: list[str]
    current: dict[str, str]


class Naming(Struct, frozen=True, kw_only=True):
    """A skill's names."""

    label: Label
    slug: Slug


def name_skill(page: Page, ask: Ask, prompt: str) -> Answer[Proposal]:
    """Return the skill under the names that a model gives it.

    Args:
        page: the page, with the skill.
        ask: asks the model.
        prompt: of the task.
    """
    skill, described = page.skill, page.described()
    current = {"label": skill.label if isinstance(skill.label, str) else "", "slug": str(skill.slug or "")}
    question = NamingQuestion(
        domain=skill.domain,
        action=skill.action,
        role=described.role,
        ax_name=described.name,
        nearby_texts=page.texts(),
        current=current,
    )
    return ask_for(ask, prompt, question, lambda reply: Proposal(renamed(skill, read_naming(reply))))


def read_naming(reply: str) -> Naming:
    """Return the names of a reply.

    Raises:
        BadReply: for names that are too long, or have signs that no name needs.
    """
    naming = read_json(reply, Naming)
    odd = sorted({char for char in naming.label if not (unicodedata.category(char)[0] in "LMN" or char in _SIGNS)})
    if odd or not naming.label.strip():
        raise BadReply(f"A label is made of letters, digits, spaces and _-&'.,()/+; it has {odd!a}.")
    return naming


def renamed(skill: Skill, naming: Naming) -> Skill:
    """Return a skill under other names; its program's function is called after them."""
    entry = f"program__{skill.id.replace('-', '_')}__{naming.slug}"
    old, code = skill.program.entry, skill.program.code
    changed = re.sub(rf"^def {re.escape(old)}\(", f"def {entry}(", code, count=1)
    program = skill.program
    if changed != code:
        program = msgspec.structs.replace(program, entry=entry, code=changed)
    return msgspec.structs.replace(skill, label=naming.label, slug=naming.slug, program=program)
