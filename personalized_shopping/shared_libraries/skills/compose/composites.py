"""A pattern with parameters as a skill: where it fits, what it takes, its program, and what it is made of."""

import re

import msgspec

from personalized_shopping.config import MAX_QUERY_CHARS
from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.compose.mining import Pattern
from personalized_shopping.shared_libraries.skills.compose.programs import program
from personalized_shopping.shared_libraries.skills.compose.templates import Hole, StepTemplate, Template
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.model import (
    About,
    Effect,
    Evidence,
    Locators,
    Postconditions,
    Preconditions,
    Program,
    Skill,
)
from personalized_shopping.shared_libraries.skills.retrieval import SHOP_DOMAIN
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import PREV_PAGE

SOURCE = "trajectories"
EFFECTS: tuple[Effect, ...] = ("read", "navigate", "write")
"""From the least to the most; a purchase is in no composite."""
MAX_VALUE_CHARS = 500
_SLUG_CHARS = 32

_ANY_SHOP = r"^https?://[^/]+/"
_SUB_PAGES = ("description", "features", "reviews", "attributes")
_MARKS = {"search": "#search_input", "results": "#product-list", "item": ".purchase"}
_EVERY_PAGE = "#instruction-text"
_PRIMITIVES = {"search": ("search",), "open": ("open_product", "open_result"), "choose": ("select_option",)}
"""What the skills of single steps are called; those of buttons like their labels."""
_MEANING = {
    "query": "The words to search for",
    "asin": "The product's code, as the page of results lists it",
    "option": "The name of an option of the product",
    "value": "The value to choose, as the product's page shows it",
}
_NO_WORD = re.compile(r"[^a-z0-9]+")


def composite(template: Template, pattern: Pattern, page_kinds: list[str], library: SkillLibrary, now: str) -> Skill:
    """Return the skill that takes the steps of a template in one call; a draft until it was replayed.

    Args:
        template: the steps.
        pattern: where they come from.
        page_kinds: the kinds of pages on which it begins.
        library: which tells what the skills of the single steps are called.
        now: the time, as it stands in files.
    """
    slug = _slug(template)
    unique = f"learned_{slug}_{template.fingerprint}"
    mark = _MARKS.get(template.page_kind, _EVERY_PAGE)
    entry = f"program__{slug}__{template.fingerprint}"
    return Skill(
        id=unique,
        domain=SHOP_DOMAIN,
        slug=slug,
        label=f"{slug.title()[:35].rstrip('_')}_{template.fingerprint[:4]}",
        description=description(template),
        action="navigate",
        preconditions=Preconditions(url_matches=[_ANY_SHOP], exists=[mark], page_kind=page_kinds),
        locators=Locators(selector=mark),
        args_schema=args_schema(template),
        program=Program(entry=entry, code=program(template, entry)),
        postconditions=Postconditions(page_kind=[template.leads_to]),
        effect=max((_effect(step) for step in template.steps), key=EFFECTS.index),
        steps=primitives(template, library),
        evidence=Evidence(source=SOURCE, text_snippets=[_seen(pattern)]),
        meta=About(created_at=now, generator="template", template_id=template.key, fingerprint=template.fingerprint),
    )


def verified(skill: Skill, recorded: int, others: int, page_kinds: list[str]) -> Skill:
    """Return a composite as it is admitted.

    Args:
        skill: the draft.
        recorded: how often it was replayed with recorded arguments.
        others: how often with others.
        page_kinds: the kinds of pages on which it then began.
    """
    told = f"Replayed with {recorded} recorded and {others} other sets of arguments: same place, same texts."
    evidence = msgspec.structs.replace(skill.evidence, text_snippets=[*skill.evidence.text_snippets, told])
    preconditions = msgspec.structs.replace(skill.preconditions, page_kind=page_kinds)
    return msgspec.structs.replace(skill, status="verified", evidence=evidence, preconditions=preconditions)


def description(template: Template) -> str:
    """Return what a composite does, step by step: after a stop one goes on from the step that it names."""
    steps = "; ".join(f"{number}. {step.sentence}" for number, step in enumerate(template.steps, start=1))
    return f"In one call: {steps}. Returns what the pages say; if it stops, which steps are done."[:1_000]


def args_schema(template: Template) -> dict[str, object]:
    """Return the schema of a composite's arguments, each with the number of the step that it is for."""
    properties = {}
    for name, role in template.roles.items():
        places = [str(number) for number, step in enumerate(template.steps, start=1) if Hole(name) in step.slots]
        properties[name] = {
            "type": "string",
            "minLength": 1,
            "maxLength": min(MAX_VALUE_CHARS, MAX_QUERY_CHARS),
            "description": f"{_MEANING[role]} (step {' and '.join(places)}).",
        }
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def primitives(template: Template, library: SkillLibrary) -> list[str]:
    """Return the ids of the skills that take the single steps, as far as the library has them."""
    known = {skill.id: skill.id for skill in library.list(SHOP_DOMAIN) if not skill.steps}
    for skill in library.list(SHOP_DOMAIN):
        if isinstance(skill.slug, str) and not skill.steps:
            known.setdefault(skill.slug, skill.id)
    found = []
    for step in template.steps:
        label = _NO_WORD.sub("_", step.symbol.label.lower()).strip("_")
        wanted = _PRIMITIVES.get(step.symbol.verb, (label,))
        found += [known[name] for name in wanted if name in known][:1]
    return list(dict.fromkeys(found))


def known_keys(library: SkillLibrary) -> dict[str, str]:
    """Return the ids of the learned composites by what they do (``Template.key``).

    Raises:
        SkillError: if the library cannot be read.
    """
    found: dict[str, str] = {}
    for skill in library.list(SHOP_DOMAIN):
        if skill.evidence.source == SOURCE and isinstance(skill.meta.template_id, str):
            found[skill.meta.template_id] = skill.id
    return found


def has(library: SkillLibrary, skill_id: str) -> bool:
    """Return whether the library has a skill of the shop that can be used."""
    try:
        return library.get(SHOP_DOMAIN, skill_id).status != "quarantined"
    except SkillError:
        return False


def _slug(template: Template) -> str:
    words = [step.symbol.label or step.symbol.verb for step in template.steps]
    slug = "_".join(_NO_WORD.sub("_", word.lower()).strip("_") for word in words)
    return slug if len(slug) <= _SLUG_CHARS else slug[: _SLUG_CHARS + 1].rpartition("_")[0]


def _effect(step: StepTemplate) -> Effect:
    verb, page_kind, label, leads_to = step.symbol
    if verb == "choose":
        return "write"
    return "read" if leads_to in _SUB_PAGES or (label == PREV_PAGE and page_kind in _SUB_PAGES) else "navigate"


def _seen(pattern: Pattern) -> str:
    return f"Seen in {pattern.support} recorded sessions; saves {len(pattern.symbols) - 1} model calls each time."
