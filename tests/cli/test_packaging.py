"""pyproject.toml and the lock files: what is declared, what is locked, and that nobody's index is named."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-base.lock", "deployment/requirements.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ]+)(?: ; (.+?))? \\$")


def pins(lock):
    """Return every pin of a lock as name -> versions (a name may have one a Python version)."""
    found = {}
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if match := PINNED.match(line):
            found.setdefault(canonicalize_name(match[1]), []).append(match[2])
    return found


def declared(extra=None):
    """Return the requirements of the package or of one of its extras, extras of extras unfolded."""
    found = []
    for text in PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            found += [inner for name in sorted(requirement.extras) for inner in declared(name)]
        else:
            found.append(requirement)
    return found


def test_the_base_holds_what_every_user_needs():
    names = {requirement.name for requirement in declared()}
    assert {"google-adk", "google-genai", "flask", "gymnasium", "numpy", "beautifulsoup4"} <= names
    assert not {"litellm", "pyserini", "spacy", "torch", "playwright", "pytest"} & names


def test_extras_for_every_optional_part():
    assert {"litellm", "lucene", "spacy", "browser", "eval", "server", "test"} <= set(PROJECT["optional-dependencies"])


def test_malicious_and_vulnerable_litellm_is_out_of_range():
    (litellm,) = declared("litellm")
    for version in ("1.82.7", "1.82.8", "1.83.0", "1.97.0"):
        assert version not in litellm.specifier
    assert "1.84.0" in litellm.specifier


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host_and_carries_hashes(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^--?(index|extra|find|trusted)", text, re.MULTILINE)
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if "==" in line:
            assert PINNED.match(line), line
            assert lines[number + 1].startswith("    --hash=sha256:"), line


@pytest.mark.parametrize(
    ("lock", "extras"),
    [
        ("requirements.lock", [None, "test"]),
        ("requirements-base.lock", [None, "build"]),
        ("deployment/requirements.lock", [None, "build", "server", "litellm"]),
    ],
)
def test_a_lock_holds_what_is_declared(lock, extras):
    locked = pins(lock)
    for extra in extras:
        for requirement in declared(extra):
            versions = locked.get(canonicalize_name(requirement.name))
            assert versions, f"{requirement.name} is not in {lock}: make lock"
            assert all(version in requirement.specifier for version in versions), f"{requirement} in {lock}: make lock"


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_the_locks_agree(lock):
    whole = pins("requirements.lock")
    for name, versions in pins(lock).items():
        assert whole.get(name) == versions, f"{name} in {lock}: make lock"


def test_prompts_and_templates_are_inside_the_package():
    package = ROOT / "personalized_shopping"
    assert list(package.glob("prompts/*.txt")) + list(package.glob("prompts/*.md"))
    assert list(package.glob("shared_libraries/web_agent_site/templates/*.html"))
