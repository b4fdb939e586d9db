"""Arrows point down: who may import whom, read from the source without running it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "personalized_shopping"
PACKAGE = ROOT.name
SHARED = f"{PACKAGE}.shared_libraries"

FLOORS: tuple[tuple[str, ...], ...] = (
    (f"{PACKAGE}.errors", f"{PACKAGE}.config", f"{PACKAGE}.paths", f"{PACKAGE}.browsers", f"{PACKAGE}.invisible"),
    (f"{SHARED}.search_engine", f"{SHARED}.metrics", f"{SHARED}.asking"),
    (f"{SHARED}.catalog", f"{SHARED}.requests"),
    (f"{SHARED}.web_agent_site",),
    (f"{SHARED}.init_env",),
    (f"{SHARED}.trajectory",),
    (f"{SHARED}.skills", f"{SHARED}.safety"),
    (f"{PACKAGE}.session", f"{PACKAGE}.prompts", f"{PACKAGE}.models"),
    (f"{PACKAGE}.tools",),
    (f"{PACKAGE}.plugins",),
    (f"{PACKAGE}.agent",),
    (f"{PACKAGE}.evaluation", f"{PACKAGE}.chat", f"{PACKAGE}.server", f"{PACKAGE}.a2a"),
    (f"{PACKAGE}.cli", f"{PACKAGE}.__main__"),
)
"""From the ground up; a module imports from its own floor and from those below."""
WITHOUT_ADK = (SHARED, *FLOORS[0], f"{PACKAGE}.cli")
MAX_LINES = 400


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported(path: Path, *, at_import_only: bool = False) -> set[str]:
    """Return the names of the modules that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if not at_import_only else iter(tree.body)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; ADK loads the package under another name"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names if f"{node.module}.{alias.name}" in MODULES}
    return names


def floor_of(module: str) -> int | None:
    for number, names in enumerate(FLOORS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return number
    return None


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_from_its_floor_and_below(module: str) -> None:
    floor = floor_of(module)
    if floor is None:
        assert module in {PACKAGE, SHARED}, f"{module} stands on no floor; give it one"
        return
    for name in imported(MODULES[module]):
        other = floor_of(name)
        assert other is None or other <= floor, f"{module} imports {name}, which stands above it"


@pytest.mark.parametrize("module", [name for name in sorted(MODULES) if name.startswith(WITHOUT_ADK)])
def test_the_shop_runs_without_adk(module: str) -> None:
    names = imported(MODULES[module], at_import_only=not module.startswith(SHARED))
    assert not {name for name in names if name.startswith("google")}, f"{module} imports Google's libraries"


def test_no_cycles() -> None:
    arrows = {
        module: {name for name in imported(path, at_import_only=True) if name in MODULES and name != module}
        for module, path in MODULES.items()
    }
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, f"a cycle: {' -> '.join([*above[above.index(module) :], module])}"
        if module in done:
            return
        for name in sorted(arrows[module]):
            # A package's __init__ re-exports what is inside it; that is no arrow of the inner module's.
            if not module.startswith(f"{name}."):
                visit(name, (*above, module))
        done.add(module)

    for module in MODULES:
        visit(module, ())


@pytest.mark.parametrize("module", sorted(MODULES))
def test_modules_are_short(module: str) -> None:
    lines = MODULES[module].read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_LINES, f"{module} has {lines} lines; which second reason to exist can move out?"
