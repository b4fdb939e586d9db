"""The example of training runs as it stands, and what it trains is better than chance."""

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train_choice.py"


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *arguments])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    return capsys.readouterr().out


def test_the_model_beats_chance_on_products_it_never_saw(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CATALOG_PATH", raising=False)
    printed = run(monkeypatch, capsys, "--episodes", "18")
    rates = [float(rate) for rate in re.findall(r"([\d.]+)%", printed)]
    assert len(rates) == 4, printed
    model, chance, model_of_products, chance_of_products = rates
    assert model > 2 * chance > 0 and model_of_products > chance_of_products > 0
    assert run(monkeypatch, capsys, "--episodes", "18") == printed, "one seed, one result"
