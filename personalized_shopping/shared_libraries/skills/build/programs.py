"""The programs of skills that are built without a model: one short template an action.

Nothing of the page's own text stands in a program: it works with the locators and the arguments that it is given.
"""

from typing import Literal

from personalized_shopping.shared_libraries.skills.model import Program

Recipe = Literal["press", "key", "type", "search", "select", "option"]
"""``press``: click it; ``key``: press Enter in it, which works where the mouse does not reach; ``type``: fill it in;
``search``: fill it in and press Enter; ``select``: choose a value of a list or of radio buttons; ``option``: press the
entry of this name in a list that the page draws itself."""

_FRAME = '''def {entry}(env, locators, args, options):
    """{summary}

    {taken}Returns: the address that follows.
    """
    target = locators["selector"]
    try:
{steps}
    except Exception as error:
        why = str(error)
        evidence = {{"cause": "mismatch"}} if why.startswith("covered") or why.startswith("disabled") else {{}}
        return {{"ok": False, "message": why, "evidence": evidence}}
    return {{"ok": True, "message": "{done}", "evidence": {{"url": env.current_url()}}}}
'''
_SUMMARIES: dict[Recipe, tuple[str, str]] = {
    "press": ("Press the control.", "Pressed."),
    "key": ("Press Enter in the control.", "Pressed."),
    "type": ("Type a text into the field.", "Typed."),
    "search": ("Type a text into the field and press Enter.", "Searched."),
    "select": ("Choose a value.", "Chosen."),
    "option": ("Choose an entry of the list.", "Chosen."),
}
_STEPS: dict[Recipe, tuple[str, ...]] = {
    "press": ("env.click(target)",),
    "key": ('env.press(target, "Enter")',),
    "type": ('env.type(target, args["{argument}"])',),
    "search": ('env.type(target, args["{argument}"])', 'env.press(target, "Enter")'),
    "select": ('env.select(target, args["{argument}"])',),
    "option": ("env.scroll_into_view(target)", 'env.click_role("option", args["{argument}"])'),
}
_SCROLL = "env.scroll_into_view(target)"
_CLOSE = '''def prepare(env, ctx, options):
    """Close what lies over the page, if it is there.

    Returns: whether there was anything to close.
    """
    if not env.exists({cover}):
        return {{"ok": True, "message": "Nothing lies over the page."}}
    try:
        {step}
    except Exception as error:
        return {{"ok": False, "message": f"What lies over the page could not be closed: {{error}}"}}
    return {{"ok": True, "message": "Closed what lay over the page."}}
'''


def main_program(entry: str, recipe: Recipe, *, argument: str | None = None, scrolls: bool = False) -> Program:
    """Return a skill's program.

    Args:
        entry: the name of its function.
        recipe: what it does.
        argument: the name of the argument that it types or chooses, or that picks one of a list.
        scrolls: whether the control has to be scrolled to first.
    """
    summary, done = _SUMMARIES[recipe]
    steps = [step.format(argument=argument) for step in _STEPS[recipe]]
    if scrolls and _SCROLL not in steps:
        steps.insert(0, _SCROLL)
    code = _FRAME.format(
        entry=entry,
        summary=summary,
        taken=f"Args: {argument}.\n    " if argument else "",
        steps="\n".join(f"        {step}" for step in steps),
        done=done,
    )
    return Program(entry=entry, code=code)


def closing_program(cover: str, close: str | None) -> Program:
    """Return the ``prepare`` that closes what lies over the page.

    Args:
        cover: the selector of what lies there.
        close: the selector of the button that closes it; without one, Escape is pressed in it.
    """
    step = f"env.click({close!r})" if close else f'env.press({cover!r}, "Escape")'
    return Program(entry="prepare", code=_CLOSE.format(cover=repr(cover), step=step))
