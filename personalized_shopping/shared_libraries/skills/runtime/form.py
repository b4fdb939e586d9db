"""The form of a program: one function of plain Python that uses nothing but what it is given."""

import ast

from personalized_shopping.shared_libraries.skills.model import MAX_CODE_CHARS
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS

PARAMETERS = ("env", "locators", "args", "options")
PREPARE_PARAMETERS = ("env", "ctx", "options")
MAX_PROBLEMS = 10
"""Problems that are listed; a program with more has enough of them."""

_REFUSED_NODES: dict[type[ast.AST], str] = {
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.Await: "await",
    ast.AsyncFor: "an async for",
    ast.AsyncWith: "an async with",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Delete: "del",
    ast.With: "with",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Match: "match (use if)",
    ast.NamedExpr: "an assignment within an expression",
}
"""What no program needs, or what one of the runtimes does not know; a program runs in each of them."""
_REFUSED_NAMES = frozenset(
    (
        *("eval", "exec", "open", "compile", "input", "breakpoint", "help", "exit", "quit"),
        *("getattr", "setattr", "delattr", "hasattr", "vars", "dir", "globals", "locals"),
        *("BaseException", "SystemExit", "KeyboardInterrupt", "GeneratorExit"),
        *("type", "object", "super", "memoryview", "classmethod", "staticmethod", "property"),
    )
)
_REFUSED_ATTRIBUTES = frozenset({"format", "format_map"})
"""``str.format`` reads attributes of what it is given; f-strings are checked like other code."""
_INSIDES = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_")
"""How the names of what lies inside objects, frames and code begin."""


def parameters(entry: str) -> tuple[str, ...]:
    """Return the names that a function of this name takes."""
    return PREPARE_PARAMETERS if entry == "prepare" else PARAMETERS


def syntax_problems(code: str, entry: str) -> list[str]:
    """Return what is wrong with a program's form, at most ``MAX_PROBLEMS``; nothing is run.

    Args:
        code: the source.
        entry: the name of its one function.
    """
    if len(code) > MAX_CODE_CHARS:
        return [f"The program has {len(code)} characters; at most {MAX_CODE_CHARS} are read."]
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    except (ValueError, RecursionError, MemoryError) as error:
        return [f"It cannot be parsed: {type(error).__name__}."]
    found = _shape_problems(tree, entry)
    for node in ast.walk(tree):
        if len(found) >= MAX_PROBLEMS:
            break
        if problem := _node_problem(node):
            found.append(f"line {getattr(node, 'lineno', 1)}: {problem}")
    return found


def _shape_problems(tree: ast.Module, entry: str) -> list[str]:
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return [f"The program is one function named {entry}, with nothing beside it."]
    function, wanted = tree.body[0], parameters(entry)
    found = []
    if function.name != entry:
        found.append(f"The function is called {function.name[:80]}, not {entry}.")
    given, spec = tuple(arg.arg for arg in function.args.args), function.args
    if given != wanted or spec.posonlyargs or spec.kwonlyargs or spec.vararg or spec.kwarg or spec.defaults:
        found.append(f"{entry} takes ({', '.join(wanted)}) and no other parameters.")
    if function.decorator_list:
        found.append(f"{entry} has a decorator.")
    # A method of env that is called; any other use of the name would hand env on to where nobody looks.
    called = {env_name(node) for node in ast.walk(function)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == "env" and node not in called:
            found.append(f"line {node.lineno}: env is only used as env.<method>(…).")
        if isinstance(node, ast.arg) and node.arg == "env" and node not in function.args.args:
            found.append(f"line {node.lineno}: env is a parameter of {entry} alone.")
    return found


def env_name(node: ast.AST) -> ast.Name | None:
    """Return the name ``env`` in a call of one of its methods."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    return owner if isinstance(owner, ast.Name) and owner.id == "env" else None


def _node_problem(node: ast.AST) -> str | None:
    if kind := _REFUSED_NODES.get(type(node)):
        return f"programs have no {kind}." if not kind.startswith("a") else f"a program may not have {kind}."
    if isinstance(node, ast.Attribute):
        return _attribute_problem(node)
    if isinstance(node, ast.Name) and (node.id.startswith("_") or node.id in _REFUSED_NAMES):
        return f"the name {node.id[:80]} is not for programs."
    if isinstance(node, ast.arg) and node.arg.startswith("_"):
        return "a parameter's name begins with an underscore."
    if isinstance(node, ast.FunctionDef) and (node.name.startswith("_") or node.decorator_list):
        return "an inner function has a decorator, or a name that begins with an underscore."
    if isinstance(node, ast.ExceptHandler) and (node.type is None or (node.name or "").startswith("_")):
        return "an except names the errors that it takes, as in `except Exception as error`."
    if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
        return "write `a[k] = a[k] + b` for `a[k] += b`."
    if isinstance(node, ast.TryStar):
        return "a program may not have except*."
    return None


def _attribute_problem(node: ast.Attribute) -> str | None:
    if node.attr.startswith(_INSIDES):
        return f"the attribute {node.attr[:80]} is not for programs."
    if not isinstance(node.ctx, ast.Load):
        return "attributes are not assigned."
    if node.attr in _REFUSED_ATTRIBUTES:
        return f"write an f-string for .{node.attr}()."
    if isinstance(node.value, ast.Name) and node.value.id == "env" and node.attr not in ENV_METHODS:
        return f"env has no method {node.attr[:80]}; it has {', '.join(sorted(ENV_METHODS))}."
    return None
