"""`eval` as a person at a terminal uses it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from personalized_shopping.cli.main import shopping
from personalized_shopping.shared_libraries.catalog.demo import demo_source
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("catalogue") / "shop"
    build_shop(demo_source(60, 3), directory)
    return directory


def evaluate(*arguments: object) -> Result:
    return CliRunner().invoke(shopping, ["eval", *map(str, arguments)])


def test_a_run_its_numbers_and_a_comparison(catalogue: Path, tmp_path: Path) -> None:
    common = ("--file-path", catalogue, "--limit", 6, "--seed", 5)
    rule = evaluate("webshop", "--policy", "rule", *common, "--out", tmp_path / "a", "--json-file", tmp_path / "a.json")
    assert rule.exit_code == 0, rule.output
    assert "success rate by product" in rule.stdout and "report.html" in rule.stderr
    numbers = json.loads((tmp_path / "a.json").read_text())
    assert numbers["episodes"] == 6
    for name in ("score", "success_rate", "score_by_product", "success_rate_by_product"):
        assert 0 <= numbers[name] <= 1
    oracle = evaluate("webshop", "--policy", "oracle", *common, "--out", tmp_path / "b", "--json")
    assert json.loads(oracle.stdout)["score"] > numbers["score"]
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text())
    assert manifest["settings"]["seed"] == 5 and str(tmp_path) not in json.dumps(manifest)
    compared = evaluate("compare", tmp_path / "a", tmp_path / "b", "--json", "--out", tmp_path / "c")
    assert json.loads(compared.stdout)["score_difference"] > 0
    assert (tmp_path / "c" / "comparison.html").exists()
    rescored = evaluate("rescore", tmp_path / "a", "--file-path", catalogue)
    assert rescored.exit_code == 0 and "6 purchases graded again, 0 with another score" in rescored.stdout
    assert evaluate("report", tmp_path / "a").exit_code == 0


@pytest.mark.parametrize(("policy", "same"), [("rule", True), ("random", False)])
def test_trials_that_tell_no_more_are_told(catalogue: Path, tmp_path: Path, policy: str, same: bool) -> None:
    arguments = ("--policy", policy, "--file-path", catalogue, "--limit", 1, "--trials", 2, "--out", tmp_path / "a")
    played = evaluate("webshop", *arguments)
    assert played.exit_code == 0 and ("tell no more than one" in played.stderr) is same


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "offline", "--policy", "rule"), "exclude each other"),
        (("--policy", "rule", "--guard", "off"), "need --model"),
        (("--policy", "wizard"), "Invalid value"),
        (("--split", "half"), "Invalid value"),
        (("--limit", "0"), "Invalid value"),
        (("--out", "x", "--resume", "y"), "use one of them"),
        (("--file-path", "/nowhere/at/all"), "no catalogue and no product file"),
        (("--asins", "/nowhere/at/all"), "cannot be read"),
        (("--model", "offline", "--prices", "/nowhere/at/all"), "price table"),
    ],
)
def test_wrong_input_is_explained(catalogue: Path, arguments: tuple[str, ...], said: str) -> None:
    named = () if "--file-path" in arguments else ("--file-path", catalogue)
    result = evaluate("webshop", *arguments, *named)
    assert result.exit_code != 0
    assert said in result.output + str(result.exception)


@pytest.mark.parametrize(
    "arguments", [("webshop", "--model", "gemini-2.5-flash"), ("conversations", "--person", "gemini-2.5-flash")]
)
def test_a_missing_key_is_told_before_anything_is_played(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "MODEL_API_KEY", "MODEL_API_BASE", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.setenv(name, "")
    result = evaluate(*arguments, "--out", tmp_path / "run")
    assert "needs a key" in str(result.exception)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("verb", ["webshop", "conversations", "report", "rescore", "compare"])
def test_each_verb_has_help(verb: str) -> None:
    result = evaluate(verb, "--help")
    assert result.exit_code == 0 and len(result.stdout.splitlines()) > 5
