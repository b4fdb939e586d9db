"""`doctor`: a tick or a cross for every requirement, and the command that mends it."""

import pytest

from personalized_shopping.cli import checks
from personalized_shopping.cli.exit_codes import ExitCode

EXPECTED = {
    "Python",
    "catalogue",
    "index",
    "engine bm25",
    "engine lucene",
    "engine hybrid",
    "Java for Lucene",
    "model",
    "noun tagger",
    "browser",
    "trajectories",
}


def by_name(outcome):
    return {check["name"]: check for check in outcome.json["checks"]}


def test_everything_needed_is_here(cli):
    outcome = cli("doctor", "--json")
    assert outcome.code == 0, outcome.out
    assert outcome.json["ok"] is True
    found = by_name(outcome)
    assert set(found) == EXPECTED
    assert "1,200 products" in found["catalogue"]["detail"]
    assert found["model"]["detail"].startswith("offline/shopper")
    assert all(check["fix"] for check in found.values() if not check["ok"]), "a cross without a way to mend it"
    assert all(check["meaning"] for check in found.values())


def test_the_table_has_a_tick_or_a_cross_for_each(cli):
    lines = cli("doctor").out.splitlines()
    for name in EXPECTED:
        assert any(line.startswith((f"✓ {name}", f"✗ {name}")) for line in lines), name


def test_a_missing_catalogue_fails(cli, monkeypatch):
    monkeypatch.setenv("CATALOG_PATH", "/does/not/exist")
    outcome = cli("doctor", "--json")
    assert outcome.code == ExitCode.FAILED
    found = by_name(outcome)
    assert not found["catalogue"]["ok"]
    assert "catalog build" in found["catalogue"]["fix"]
    assert "Something needed is missing: catalogue, index." in cli("doctor").out


def test_an_index_of_another_catalogue_fails(cli, tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        assert cli("catalog", "demo", "--products", "60", "--seed", seed, "--out", tmp_path / name).code == 0
    (tmp_path / "a" / "index").rename(tmp_path / "index")
    (tmp_path / "b" / "index").rename(tmp_path / "a" / "index")
    outcome = cli("doctor", "--catalog", tmp_path / "a", "--json")
    assert outcome.code == ExitCode.FAILED
    index = by_name(outcome)["index"]
    assert not index["ok"]
    assert f"index build --engine bm25 --catalog {tmp_path / 'a'}" in index["fix"]


def test_an_old_python_is_a_cross():
    assert not checks.check_python((3, 10, 9)).ok
    assert checks.check_python((3, 11, 0)).ok
    assert checks.check_python((4, 0, 0)).ok


@pytest.mark.parametrize(
    ("settings", "ok", "words"),
    [
        ({}, True, "no key is configured"),
        ({"GOOGLE_API_KEY": "k"}, True, "a key is configured"),
        ({"MODEL_NAME": "gemini-3.5-flash"}, False, "but no key"),
        ({"MODEL_NAME": "gemini-3.5-flash", "GEMINI_API_KEY": "k"}, True, "gemini-3.5-flash, a key is configured"),
        ({"GOOGLE_GENAI_USE_ENTERPRISE": "1", "GOOGLE_CLOUD_PROJECT": "p"}, True, "through Google Cloud"),
        ({"GOOGLE_GENAI_USE_ENTERPRISE": "perhaps"}, False, "neither on nor off"),
        ({"MODEL_NAME": "offline/shopper"}, True, "offline/shopper"),
        ({"MODEL_NAME": "offline/nobody"}, False, "there is no 'offline/nobody'"),
        ({"MODEL_NAME": "xai/grok-4", "MODEL_API_KEY": "k"}, True, "through LiteLLM, MODEL_API_KEY is set"),
    ],
)
def test_the_model_and_its_key(monkeypatch, settings, ok, words):
    pytest.importorskip("litellm" if "xai/grok-4" in settings.values() else "json")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    check = checks.check_model()
    assert (check.ok, check.required) == (ok, True)
    assert words in check.detail


@pytest.mark.parametrize(("setting", "ok"), [("auto", True), ("builtin", True), ("guess", False)])
def test_the_noun_tagger(monkeypatch, setting, ok):
    monkeypatch.setenv("NOUN_TAGGER", setting)
    assert checks.check_noun_tagger().ok is ok


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ('IMPLEMENTOR="X"\nJAVA_VERSION="21.0.8"\n', 21),
        ('JAVA_VERSION="25"\n', 25),
        ('JAVA_VERSION="1.8.0_402"\n', 8),
        ('JAVA_VERSION=""\n', 0),
        ("nothing of use", 0),
    ],
)
def test_the_version_of_a_java(tmp_path, release, version):
    (tmp_path / "release").write_text(release)
    assert checks.java_version(tmp_path) == version


def test_an_old_java_is_a_cross_and_a_new_one_a_tick(monkeypatch, tmp_path):
    monkeypatch.setattr(checks.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.15"')
    assert not checks.check_java(required=True).ok
    (tmp_path / "release").write_text('JAVA_VERSION="21.0.1"')
    assert checks.check_java(required=True).ok


def test_a_browser_needs_its_driver(monkeypatch):
    monkeypatch.setattr(checks, "find_browser", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(checks.importlib.util, "find_spec", lambda name: None)
    assert "Playwright is missing" in checks.check_browser().detail
    monkeypatch.setattr(checks.importlib.util, "find_spec", lambda name: object())
    assert checks.check_browser().ok
    monkeypatch.setattr(checks, "find_browser", lambda: None)
    check = checks.check_browser()
    assert (check.ok, check.required) == (False, False)
