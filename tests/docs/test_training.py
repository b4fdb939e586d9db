"""The Python of docs/training.md runs as it stands."""

import re
from pathlib import Path

import pytest

BLOCKS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).resolve().parents[2] / "docs" / "training.md").read_text(encoding="utf-8"),
    re.S,
)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_runs(block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CATALOG_PATH", raising=False)
    exec(compile(block, "docs/training.md", "exec"), {"__name__": "training"})
    assert capsys.readouterr().out.strip()


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 3
