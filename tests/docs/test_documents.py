"""What the documents promise: settings that exist, links that lead somewhere, nothing about anybody's machine."""

import re
from pathlib import Path

import pytest

from personalized_shopping.config import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deployment/*.md"), *ROOT.glob("eval/*.md")]
)


def table(text: str, heading: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading, by their first cell."""
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]
    return {row[0]: row[1:] for row in rows[2:]}


def test_the_readme_lists_every_setting() -> None:
    shown = table((ROOT / "README.md").read_text(encoding="utf-8"), "Settings")
    assert list(shown) == [setting.name for setting in SETTINGS]
    for setting in SETTINGS:
        assert shown[setting.name][0] == setting.default


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_machine_is_named(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(?:work|root|tmp|home)/", text)
    assert "index-url" not in text


def test_both_readmes_name_the_same_commands() -> None:
    def commands(name: str) -> set[str]:
        blocks = re.findall(r"```bash\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.S)
        return {line.split("#")[0].strip() for block in blocks for line in block.splitlines()}

    assert commands("README.md") == commands("README.zh.md")
