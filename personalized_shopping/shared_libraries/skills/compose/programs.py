"""The program of a composite, written step by step: every step is checked, and a stop says exactly where it was.

Texts of the shop stand in programs as literals only, never inside an f-string, a docstring or a comment.
"""

from collections.abc import Iterator

from personalized_shopping.shared_libraries.skills.capture.selectors import css_string
from personalized_shopping.shared_libraries.skills.compose.templates import Hole, Slot, StepTemplate, Template
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BACK_TO_SEARCH, PREV_PAGE

TEXT_BUDGET = 8_000
"""Characters of page texts that one run may return; with what JSON makes of odd ones they stay below the limit."""
MAX_TEXTS = 8
"""Texts that are read of one page."""
MAX_TEXT_CHARS = 1_000
MAX_TITLE_CHARS = 200

FACTS = ".facts h2, .facts h4"
READS: dict[tuple[str, str], str] = {
    ("open", "item"): FACTS,
    ("choose", "item"): FACTS,
    ("press", "description"): ".product-info",
    ("press", "features"): ".product-info",
    ("press", "reviews"): ".card",
    ("press", "attributes"): ".card",
}
"""What is read after a step, by its verb and the page that it leads to."""
LISTED: dict[str, str] = {"asin": "a.product-link", "title": ".product-title", "price": ".product-price"}
"""What is read of each result on the page of results where a composite ends."""


def program(template: Template, entry: str) -> str:
    """Return the source of a composite's program.

    Args:
        template: the steps.
        entry: the name of its function.
    """
    chars = text_chars(template)
    lines = [
        f"def {entry}(env, locators, args, options):",
        f'    """{"; ".join(stage.partition(" ")[2] for stage in template.stages())}.',
        "",
        f"    Args: {', '.join(template.roles) or 'none'}.",
        "    Returns: the steps that are done, what the pages said after them, and where it stopped if it did.",
        '    """',
        "    done = []",
        "    content = {}",
        '    stage = ""',
        "    try:",
    ]
    for step, stage in zip(template.steps, template.stages(), strict=True):
        lines.append(f"        stage = {literal(stage)}")
        lines += [f"        {line}" for line in _step(step, chars)]
        lines.append("        done.append(stage)")
    if template.leads_to == "results":
        lines += [f"        {line}" for line in _listing()]
    lines += [
        "    except Exception as error:",
        '        message = f"Stopped at {stage}: {error}"',
        '        return {"ok": False, "message": message, "evidence": ' + _evidence() + "}",
        f'    return {{"ok": True, "message": {literal(_ended(template))}, "evidence": '
        '{"done": done, "content": content}}',
    ]
    return "\n".join(lines) + "\n"


def text_chars(template: Template) -> int:
    """Return how much of each text is returned, so that all of them stay within the budget."""
    reads = sum((step.symbol.verb, step.symbol.leads_to) in READS for step in template.steps)
    return min(MAX_TEXT_CHARS, TEXT_BUDGET // (MAX_TEXTS * max(1, reads)))


def navigations(template: Template) -> int:
    """Return how many pages a run opens at most; a search goes back to the search page first."""
    return sum(2 if step.symbol.verb == "search" else 1 for step in template.steps)


def literal(text: str) -> str:
    """Return a text as Python source."""
    plain = text.isascii() and text.isprintable() and not set('"\\') & set(text)
    return f'"{text}"' if plain else repr(text)


def _step(step: StepTemplate, chars: int) -> Iterator[str]:
    verb, page_kind, label, leads_to = step.symbol
    if verb == "search":
        yield from _search(_value(step.slots[0]))
    elif verb == "open":
        yield from _open(step.slots[0])
    elif verb == "choose":
        yield from _choose(*step.slots)
    else:
        turns = page_kind == leads_to == "results"
        if turns and label == PREV_PAGE:
            yield f"if not env.exists({literal(f'role=button[name={css_string(label)}]')}):"
            yield from _stop(literal("This is the first page of results."), "mismatch")
        if turns:
            yield 'before = env.text("#page-number")'
        yield f'env.click_role("button", {literal(label)})'
        yield _arrive(leads_to)
        if turns:
            yield 'if env.text("#page-number") == before:'
            yield from _stop(literal("The page of results is still the same."), None)
    if (verb, leads_to) in READS:
        yield "texts = []"
        yield f"for text in env.texts({literal(READS[verb, leads_to])})[:{MAX_TEXTS}]:"
        yield f"    texts.append(text[:{chars}])"
        yield "content[stage] = texts"


def _search(query: str) -> Iterator[str]:
    yield 'if not env.exists("#search_input"):'
    yield f'    env.click_role("button", "{BACK_TO_SEARCH}")'
    yield '    env.wait_for_selector("#search_input")'
    yield f'env.type("#search_input", {query})'
    yield 'env.press("#search_input", "Enter")'
    yield _arrive("results")


def _open(slot: Slot) -> Iterator[str]:
    yield 'listed = env.texts("a.product-link")'
    yield f"if {_value(slot)} not in listed:"
    if isinstance(slot, Hole):
        yield f'    message = f"{{stage}}: {{{_inner(slot)}}} is not on this page of results."'
    else:
        yield f"    message = {literal(f'The product {slot} is not on this page of results.')}"
    yield f"    evidence = {_evidence(_cause(slot), listed='listed')}"
    yield '    return {"ok": False, "message": message, "evidence": evidence}'
    yield f'env.click_role("link", {_value(slot)})'
    yield _arrive("item")


def _choose(option: Slot, value: Slot) -> Iterator[str]:
    if isinstance(option, Hole):
        yield f'quoted = {_value(option)}.replace("\\\\", "\\\\\\\\").replace(\'"\', \'\\\\"\')'
        yield "group = f'input[name=\"{quoted}\"]'"
    else:
        yield f"group = {literal(f'input[name={css_string(option)}]')}"
    yield "if not env.exists(group):"
    yield from _stop('f"{stage}: the product has no such option."', _cause(option))
    yield "try:"
    yield f"    env.select(group, {_value(value)})"
    yield "except Exception as error:"
    yield from _stop('f"{stage}: {error}"', _cause(value))
    yield _arrive("item")
    yield 'if not env.exists(group + ":checked"):'
    yield from _stop('f"{stage}: the page does not show the choice."', None)


def _listing() -> Iterator[str]:
    for name, selector in LISTED.items():
        yield f"{name}s = env.texts({literal(selector)})"
    yield "results = []"
    yield "for i in range(len(asins)):"
    yield f'    results.append({{"asin": asins[i], "title": titles[i][:{MAX_TITLE_CHARS}], "price": prices[i]}})'
    yield 'content["results"] = results'


def _stop(message: str, cause: str | None) -> Iterator[str]:
    yield f"    message = {message}"
    yield f'    return {{"ok": False, "message": message, "evidence": {_evidence(cause)}}}'


def _evidence(cause: str | None = None, **more: str) -> str:
    told = [f'"cause": "{cause}"'] if cause else []
    told += ['"done": done', '"content": content', '"stopped_at": stage']
    return "{" + ", ".join([*told, *(f'"{name}": {value}' for name, value in more.items())]) + "}"


def _arrive(kind: str) -> str:
    return f'env.wait_for_selector("body.{kind}-page", state="attached")'


def _value(slot: Slot) -> str:
    return f'args["{slot.name}"]' if isinstance(slot, Hole) else literal(slot)


def _inner(slot: Hole) -> str:
    """Return an argument as it stands inside an f-string of double quotes."""
    return f"args['{slot.name}']"


def _cause(slot: Slot) -> str:
    """Return whose fault it is that a value is not there: the caller's, or that of a page without a fixed one."""
    return "bad_args" if isinstance(slot, Hole) else "mismatch"


def _ended(template: Template) -> str:
    return f"All {len(template.steps)} steps are done; the {template.leads_to} page is open."
