"""The prompts, as text files beside this one, and their loader."""

from importlib.resources import files

__all__ = ["load_prompt"]


def load_prompt(name: str) -> str:
    """Return the text of ``<name>.md``, without the white space around it.

    Raises:
        FileNotFoundError: when the package holds no such prompt.
    """
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
