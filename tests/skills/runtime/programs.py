"""Programs and a world for the tests of the runtimes."""

from typing import Any

from personalized_shopping.shared_libraries.skills.world import WorldError

ENTRY = "program__x"
CLICK = '''def program__x(env, locators, args, options):
    """Press it."""
    try:
        env.click(locators["selector"], timeout_ms=2000)
    except Exception as error:
        return {"ok": False, "message": str(error), "evidence": {}}
    return {"ok": True, "message": "pressed", "evidence": {"url": env.current_url()}}
'''


def program(*lines: str, entry: str = ENTRY) -> str:
    """Return a program of these lines."""
    given = "env, ctx, options" if entry == "prepare" else "env, locators, args, options"
    return "\n    ".join([f"def {entry}({given}):", *lines]) + "\n"


class FakeEnv:
    """A world with one button, that remembers what was done and holds what no program may see."""

    secret = "the host's secret"

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.hidden = {"token": self.secret}

    def click(self, selector: str, timeout_ms: int | None = None) -> None:
        if selector != "#a":
            raise WorldError("missing", f"No element matches {selector}.")
        self.done.append(("click", selector, timeout_ms))

    def click_role(self, role: str, name: str) -> dict[str, Any]:
        self.done.append(("click_role", role, name))
        return {"url": "http://shop/", "page_kind": "item"}

    def exists(self, selector: str, timeout_ms: int | None = None) -> bool:
        return selector == "#a"

    def texts(self, selector: str) -> list[str]:
        return ["one", "two"]

    def text(self, selector: str) -> str:
        return "x" * 2_000_000

    def type(self, selector: str, text: str, delay_ms: int | None = None) -> None:
        self.done.append(("type", selector, text))

    def current_url(self) -> str:
        return "http://shop/"
