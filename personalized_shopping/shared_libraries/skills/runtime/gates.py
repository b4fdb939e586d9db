"""What a program has to pass before it is admitted: its form, its types, and a run on a page that is not there."""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from personalized_shopping.shared_libraries.skills.runtime.base import ProgramResult, ProgramRuntime
from personalized_shopping.shared_libraries.skills.runtime.form import MAX_PROBLEMS, parameters, syntax_problems
from personalized_shopping.shared_libraries.skills.runtime.host_calls import signature
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS, WorldError

__all__ = ["MissingPage", "PresentPage", "dry_run_problems", "gate_problems", "syntax_problems", "type_problems"]

SHOWN_TEXT = "10.00"
"""What every element of the page that is not there says: a program may well read a price."""


def gate_problems(
    code: str,
    entry: str,
    *,
    runtime: ProgramRuntime,
    locators: Mapping[str, Any],
    args: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    check_types: bool = True,
) -> list[str]:
    """Return what keeps a program from being admitted, from the first gate that it does not pass; nothing if all do.

    Args:
        code: the source.
        entry: the name of its function.
        runtime: where the dry run takes place.
        locators: what the dry run is given.
        args: arguments that the skill takes.
        options: options of the run.
        check_types: whether the types are checked, which needs pydantic-monty.

    Raises:
        SkillError: when the types are to be checked and pydantic-monty is not installed.
    """
    if problems := syntax_problems(code, entry):
        return problems
    if check_types and (problems := type_problems(code, entry)):
        return problems
    return dry_run_problems(code, entry, runtime=runtime, locators=locators, args=args, options=options or {})


def type_problems(code: str, entry: str) -> list[str]:
    """Return what the type checker says against a program: unknown methods, wrong keywords, wrong values.

    Raises:
        SkillError: when pydantic-monty is not installed.
    """
    from personalized_shopping.shared_libraries.skills.runtime.monty import type_problems as check

    found = check(annotated(code, entry), stubs())
    return [] if found is None else found.strip().splitlines()[:MAX_PROBLEMS]


def stubs() -> str:
    """Return the declaration of ``env`` for the type checker, made from the world's own methods."""
    lines = ["from typing import Any, Literal", "class Env:"]
    for name in sorted(ENV_METHODS):
        taken = signature(name)
        parts = ["self", *(str(parameter) for parameter in taken.parameters.values())]
        returned = inspect.formatannotation(taken.return_annotation)
        lines.append(f"    def {name}({', '.join(parts)}) -> {returned}: ...".replace("typing.", ""))
    return "\n".join(lines) + "\n"


def annotated(code: str, entry: str) -> str:
    """Return a program whose parameters have types, so that its calls of ``env`` are checked; no line moves."""
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    lines = code.encode().splitlines(keepends=True)
    for name in reversed(parameters(entry)):
        arg = next(arg for arg in function.args.args if arg.arg == name)
        if arg.annotation is None and arg.end_col_offset is not None and arg.end_lineno is not None:
            line = lines[arg.end_lineno - 1]
            kind = b": Env" if name == "env" else b": dict"
            lines[arg.end_lineno - 1] = line[: arg.end_col_offset] + kind + line[arg.end_col_offset :]
    return b"".join(lines).decode()


def dry_run_problems(
    code: str,
    entry: str,
    *,
    runtime: ProgramRuntime,
    locators: Mapping[str, Any],
    args: Mapping[str, Any],
    options: Mapping[str, Any],
) -> list[str]:
    """Return what a program does wrong where everything is there, and where nothing is."""
    present = runtime.run(code, entry, PresentPage(), locators, args, options)
    found = _unfinished(present, "where every element is there")
    if not found and not present.calls:
        found.append("The program never calls env: it cannot have done anything.")
    missing = runtime.run(code, entry, MissingPage(), locators, args, options)
    found += _unfinished(missing, "where no element is there")
    # A `prepare` has nothing to do on such a page, and says so.
    if missing.ok and entry != "prepare":
        found.append("The program says ok where none of its elements is there; it has to return ok=False and say why.")
    return found


def _unfinished(result: ProgramResult, where: str) -> list[str]:
    if result.failure in (None, "reported"):
        return []
    return [f"The program came to no result {where} ({result.failure}): {result.message}"]


class PresentPage:
    """A page on which every locator finds its element and every action works."""

    def __init__(self) -> None:
        self._moves = 0

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method not in ENV_METHODS:
            raise AttributeError(method)
        return lambda **given: self.answer(method, given)

    def answer(self, method: str, given: Mapping[str, Any]) -> Any:
        """Return what a method of ``env`` answers."""
        if method in ("click", "click_role", "press", "select"):
            self._moves += 1
        answers: dict[str, Any] = {
            "exists": True,
            "text": SHOWN_TEXT,
            "texts": [SHOWN_TEXT, SHOWN_TEXT],
            "current_url": self._url(),
            "click_role": {"url": self._url(), "page_kind": None},
            "viewport_size": {"width": 1280, "height": 800},
        }
        return answers.get(method)

    def _url(self) -> str:
        return f"http://localhost/page/{self._moves}"


class MissingPage(PresentPage):
    """A page on which there is nothing: no locator finds its element."""

    def answer(self, method: str, given: Mapping[str, Any]) -> Any:
        """Return what a method of ``env`` answers, or raise as a world does."""
        if method == "exists":
            return False
        if method == "texts":
            return []
        if method == "wait_for_selector" and given.get("state") != "hidden":
            raise WorldError("timeout", "No such element came.")
        if method in ("click", "click_role", "type", "select", "press", "text", "scroll_into_view", "highlight"):
            raise WorldError("missing", "No element matches.")
        return super().answer(method, given)
