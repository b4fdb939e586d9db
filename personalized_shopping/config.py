"""Every setting and every limit: its environment variable, default and meaning, in one place.

Settings come from the environment and are read when asked for, never at import. ``SETTINGS`` is the table that
``personalized-shopping settings``, ``.env.example`` and the README are held to.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from personalized_shopping.errors import SettingError, shorten


@dataclass(frozen=True)
class Setting:
    """One environment variable: what it means and what holds when it is unset."""

    name: str
    default: str
    meaning: str
    secret: bool = False
    choices: tuple[str, ...] = ()
    """The values that there are; empty where any text may be one."""
    check: Literal["none", "flag", "limit", "size"] = "none"
    """What else a value has to be: see ``flag``, ``limit`` and ``number_of_products``."""


SETTINGS: tuple[Setting, ...] = (
    Setting("CATALOG_PATH", "", "Catalogue to serve: a built catalogue's directory. Unset: the demo catalogue."),
    Setting(
        "NUM_PRODUCTS", "50000", "How many of the catalogue's records the agent's shop takes, or `all`.", check="size"
    ),
    Setting(
        "SEARCH_ENGINE",
        "bm25",
        "Search engine: `bm25` (embedded), `lucene` (Pyserini) or `hybrid`.",
        choices=("bm25", "lucene", "hybrid"),
    ),
    Setting(
        "NOUN_TAGGER",
        "builtin",
        "Noun tagger of the type reward: `builtin`, `spacy` or `auto` (best one here).",
        choices=("builtin", "spacy", "auto"),
    ),
    Setting("DATA_DIR", "", "Where catalogues, caches and records lie. Unset: the user's data directory."),
    Setting("MODEL_NAME", "", "Model of the agent: `gemini-…`, a LiteLLM name such as `xai/…`, or `offline/shopper`."),
    Setting("MODEL_API_BASE", "", "Base address of the model's API, for LiteLLM models."),
    Setting("MODEL_API_KEY", "", "Key of the model's API, for LiteLLM models.", secret=True),
    Setting("GOOGLE_API_KEY", "", "Gemini key (GEMINI_API_KEY is read too).", secret=True),
    Setting("GEMINI_API_KEY", "", "Gemini key under its other name.", secret=True),
    Setting("GOOGLE_GENAI_USE_ENTERPRISE", "", "`1`: reach Gemini through Google Cloud, with the two variables below."),
    Setting("GOOGLE_CLOUD_PROJECT", "", "Google Cloud project of Gemini and of the deployment."),
    Setting("GOOGLE_CLOUD_LOCATION", "", "Google Cloud region of Gemini and of the deployment."),
    Setting(
        "ALLOW_UNCONFIRMED_PURCHASES",
        "",
        "`1`: a session may set `confirm_purchases: false`. For evaluation.",
        check="flag",
    ),
    Setting("EVAL_JUDGE_MODEL", "", "Judge of the rubrics in ADK's evaluation, named as MODEL_NAME is."),
    Setting(
        "SKILLS_MODE",
        "tools",
        "Skills of the agent: `tools`, `toolset` (ADK's SkillToolset) or `off`.",
        choices=("tools", "toolset", "off"),
    ),
    Setting(
        "SKILL_RUNTIME",
        "monty",
        "Where programs of skills run: `monty` (pydantic-monty) or `restricted`.",
        choices=("monty", "restricted"),
    ),
    Setting("SKILL_LIBRARY_DIR", "", "Where learned skills lie. Unset: below DATA_DIR."),
    Setting("SKILL_WORKSPACE_DIR", "", "Where captures of pages lie. Unset: below DATA_DIR."),
    Setting(
        "SAFETY_SYSTEM",
        "safepred",
        "Guard: `safepred`, `harmonyguard`, `reactive`, `rules` or `off`.",
        choices=("safepred", "harmonyguard", "reactive", "rules", "off"),
    ),
    Setting("SAFETY_MODEL", "", "Model of the guard, named as MODEL_NAME is. Unset: none; the shop itself predicts."),
    Setting("SAFETY_POLICIES", "", "File of policies instead of the shipped ones (JSON)."),
    Setting(
        "SAFETY_TOKEN_BUDGET", "100000", "Tokens that the guard of one conversation may take, or `all`.", check="limit"
    ),
    Setting(
        "SAFETY_PLANNING", "", "`1`: the agent works along a plan, which the guard's guidance can change.", check="flag"
    ),
    Setting("TRAJECTORY_DIR", "", "Where each session's trajectory is recorded, or `off`. Unset: below DATA_DIR."),
    Setting(
        "TRAJECTORY_SCREENSHOTS", "", "`1`: keep a picture of every page, taken by an installed Chromium.", check="flag"
    ),
    Setting(
        "TRAJECTORY_REDACT_CONTACTS",
        "",
        "`1`: e-mail addresses and telephone numbers are not recorded either.",
        check="flag",
    ),
    Setting(
        "TRAJECTORY_REQUIRED", "", "`1`: nothing is bought while the decision to buy cannot be recorded.", check="flag"
    ),
    Setting(
        "TRAJECTORY_KEEP_SESSIONS",
        "10000",
        "How many sessions are kept, the newest; `all` keeps every one.",
        check="limit",
    ),
    Setting("TRAJECTORY_KEEP_DAYS", "90", "For how many days a session is kept; `all` for ever.", check="limit"),
    Setting("SESSION_SERVICE_URI", "", "ADK session storage of the server. Unset: ADK's own default."),
    Setting("ARTIFACT_SERVICE_URI", "", "ADK artifact storage of the server. Unset: ADK's own default."),
    Setting("CHAT_SECRET_KEY", "", "Signs the chat's cookies, 32 characters or more. Unset: a file.", secret=True),
    Setting("ALLOWED_HOSTS", "", "Other names under which the chat is reached, separated by commas."),
    Setting("HOST", "127.0.0.1", "Address that the server binds."),
    Setting("PORT", "8080", "Port of the server."),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}

# Limits. Each is a plain number so that a reader finds all of them here.
MAX_QUERY_CHARS = 2_000
"""Longest search query that the agent and the command line pass on; the rest is cut off and they say so."""
MAX_ACTION_CHARS = 10_000
"""Longest action string that is parsed; longer ones are invalid actions."""
PAGE_SIZE = 10
"""Products on a results page."""
SEARCH_CACHE_SIZE = 4_096
"""Queries whose hits a shop remembers, so that `Next >` and `< Prev` search once."""
MAX_USER_SESSIONS = 10_000
"""Sessions that a compatibility server keeps before it forgets the least recently used."""
MAX_LIVE_SESSIONS = 10_000
"""Conversations whose lock the agent's registry keeps before it forgets the least recently used."""
MAX_OBSERVATION_CHARS = 20_000
"""Longest page text in a tool's answer; a real page has a tenth of it."""
MAX_BLOCK_CHARS = 4_000
"""Longest single text (a title, a description, a review) among the facts of a tool's answer."""
MAX_ANSWER_BLOCKS = 50
"""Most blocks of text (features, reviews) among the facts of a tool's answer."""
MAX_EMBEDDED_IMAGE_CHARS = 200_000
"""Longest `data:` address of a product image that a saved page carries; a longer one is replaced by a drawing."""

MAX_RECORDED_CHARS = 1_000_000
"""Longest text in a trajectory; a longer one is cut and the cut is marked."""
MAX_RECORDED_VALUES = 100_000
"""Most values in one record of a trajectory; what is beyond is left out and marked."""
MAX_RECORDED_DEPTH = 60
"""Deepest nesting of a recorded value."""
MAX_INLINE_CHARS = 4_096
"""Longest field of a record that stands in the log itself; longer ones lie beside it, once by content."""
MAX_FIELD_BYTES = 8_000_000
"""Largest field that lies beside the log. A longer one is no JSON any more once cut; only its marker is kept."""
MAX_PAGE_BYTES = 2_000_000
"""Largest rendering of a page that a trajectory keeps; what is beyond is cut and marked."""
MAX_RUN_PAGE_BYTES = 200_000_000
"""Most bytes of page renderings (before compression) that one run keeps; later pages are dropped and counted."""
MAX_PENDING_PAGES = 200
"""Pages that may wait to be written; further ones are dropped and counted. Records are never dropped for this."""
RECORD_TIMEOUT_S = 5.0
"""How long a run waits for a record to be written before it goes on without; a hanging disk must not stop a shopper."""
MAX_INLINE_TREE_CHARS = 8_192
"""Longest accessibility tree inside ``execution_trajectory.json``; a longer one is cut, and its file is named."""

A2A_MAX_BODY_BYTES = 256_000
"""Largest request of another agent."""

# The website
SITE_PORT = 3000
"""Port on which the website listens; scripts written for WebShop expect it."""
SITE_MAX_SESSIONS = 10_000
"""Shoppers whose state the website holds."""
SITE_BUSY_SESSION_S = 300
"""For how long after a request a shopper's state is never given up for another's; new shoppers are asked to wait."""
SITE_MAX_PURCHASES = 20
"""Purchases that one session may make."""
SITE_MAX_VISITED = 200
"""Opened products that a session remembers, the latest."""
SITE_MAX_PATH_CHARS = 8_192
"""Longest path of an address, decoded."""
SITE_MAX_LITERAL_VALUES = 1_000
"""Most texts in the list of words or the mapping of options that an address carries."""
SITE_MAX_PAGE_NUMBER = 1_000_000
"""Highest page of results that an address may name; pages beyond the last one are empty, as in WebShop."""
SITE_MAX_BODY_BYTES = 64_000
"""Largest request body."""
SITE_MAX_REFINED = 500
"""Results of one query that are filtered and sorted; of longer lists, only the first ones."""
SITE_MAX_IMAGE_CHARS = 200_000
"""Longest `data:` address of a product image that a page shows."""
SITE_MAX_LOG_BYTES = 20_000_000
"""Largest log of one session; what is beyond is not logged."""
SITE_REQUEST_TIMEOUT_S = 30
"""How long a connection may be silent before the website closes it."""
SITE_MAX_CONNECTIONS = 200
"""Connections that the website serves at once; further ones wait."""


def setting(name: str, environ: Mapping[str, str] | None = None) -> str:
    """Return a setting's value, stripped; its default where the variable is unset or empty."""
    known = _BY_NAME[name]
    value = (os.environ if environ is None else environ).get(name, "").strip()
    return value or known.default


def choices(name: str) -> tuple[str, ...]:
    """Return the values that a setting can have; none where any text may be one."""
    return _BY_NAME[name].choices


def flag(name: str) -> bool:
    """Return whether a switch is on: ``1``, ``true``, ``yes`` or ``on``.

    Raises:
        SettingError: for any other non-empty value than those and their opposites.
    """
    value = setting(name).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"", "0", "false", "no", "off"}:
        return False
    raise SettingError(f"{name} is {shorten(value)}, which is neither on nor off. Set it to 1 or 0.")


def limit(name: str) -> int | None:
    """Return a setting that is a whole number above zero, or ``None`` where it says ``all``."""
    text = setting(name).lower().replace("_", "")
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise SettingError(f"{name} is {shorten(text)}. Use a whole number above zero, or `all`.")
    return int(text)


def number_of_products(value: str | None = None) -> int | None:
    """Return how many records the shared shop takes, or ``None`` for all of them."""
    text = (value if value is not None else setting("NUM_PRODUCTS")).lower().replace("_", "")
    if text == "all":
        return None
    factor = 1_000 if text.endswith("k") else 1
    digits = text.removesuffix("k")
    if not digits.isascii() or not digits.isdigit() or int(digits) == 0:
        raise SettingError(f"NUM_PRODUCTS is {shorten(text)}. Use a number such as 50000 or 10k, or `all`.")
    return int(digits) * factor


def check_settings() -> None:
    """See that every setting holds a value that it can have, before anything is done with one.

    Raises:
        SettingError: which names all that do not.
    """
    problems = []
    checks: dict[str, Callable[[str], object]] = {
        "flag": flag,
        "limit": limit,
        "size": lambda name: number_of_products(setting(name)),
    }
    for known in SETTINGS:
        if known.choices and setting(known.name).lower() not in known.choices:
            problems.append(f"{known.name} is {shorten(setting(known.name))}. Use one of: {', '.join(known.choices)}.")
        elif known.check != "none":
            try:
                checks[known.check](known.name)
            except SettingError as error:
                problems.append(str(error))
    if problems:
        raise SettingError(" ".join(problems))
