"""Every setting and every limit: its environment variable, default and meaning, in one place.

Settings come from the environment and are read when asked for, never at import. ``SETTINGS`` is the table that
``personalized-shopping settings``, ``.env.example`` and the README are held to.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from personalized_shopping.errors import SettingError, shorten


@dataclass(frozen=True)
class Setting:
    """One environment variable: what it means and what holds when it is unset."""

    name: str
    default: str
    meaning: str
    secret: bool = False


SETTINGS: tuple[Setting, ...] = (
    Setting("CATALOG_PATH", "", "Catalogue to serve: a built catalogue's directory. Unset: the demo catalogue."),
    Setting("NUM_PRODUCTS", "50000", "How many of the catalogue's records the agent's shop takes, or `all`."),
    Setting("SEARCH_ENGINE", "bm25", "Search engine: `bm25` (embedded), `lucene` (Pyserini) or `hybrid`."),
    Setting("NOUN_TAGGER", "builtin", "Noun tagger of the type reward: `builtin`, `spacy` or `auto` (best one here)."),
    Setting("DATA_DIR", "", "Where catalogues, caches and records lie. Unset: the user's data directory."),
    Setting("MODEL_NAME", "", "Model of the agent: `gemini-…`, a LiteLLM name such as `xai/…`, or `offline/shopper`."),
    Setting("MODEL_API_BASE", "", "Base address of the model's API, for LiteLLM models."),
    Setting("MODEL_API_KEY", "", "Key of the model's API, for LiteLLM models.", secret=True),
    Setting("GOOGLE_API_KEY", "", "Gemini key (GEMINI_API_KEY is read too).", secret=True),
    Setting("GEMINI_API_KEY", "", "Gemini key under its other name.", secret=True),
    Setting("GOOGLE_GENAI_USE_ENTERPRISE", "", "`1`: reach Gemini through Google Cloud, with the two variables below."),
    Setting("GOOGLE_CLOUD_PROJECT", "", "Google Cloud project of Gemini and of the deployment."),
    Setting("GOOGLE_CLOUD_LOCATION", "", "Google Cloud region of Gemini and of the deployment."),
    Setting("ALLOW_UNCONFIRMED_PURCHASES", "", "`1`: a session may set `confirm_purchases: false`. For evaluation."),
    Setting("SESSION_SERVICE_URI", "", "ADK session storage of the server. Unset: ADK's own default."),
    Setting("ARTIFACT_SERVICE_URI", "", "ADK artifact storage of the server. Unset: ADK's own default."),
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


def setting(name: str, environ: Mapping[str, str] | None = None) -> str:
    """Return a setting's value, stripped; its default where the variable is unset or empty."""
    known = _BY_NAME[name]
    value = (os.environ if environ is None else environ).get(name, "").strip()
    return value or known.default


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
