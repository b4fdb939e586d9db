"""Pick the model from the settings: Gemini, anything LiteLLM speaks to, or the offline shopper.

Nothing is contacted and no optional package is loaded here; a model's own errors show when it is first used. What
can be known without a network (a missing package, a name that cannot be right) is said at once.
"""

import importlib.util
import os
import re
import sys
from typing import Any

from google.adk.models.base_llm import BaseLlm

from personalized_shopping.config import flag, setting
from personalized_shopping.errors import ModelError, shorten

DEFAULT_GEMINI = "gemini-3.5-flash"
OFFLINE_MODEL = "offline/shopper"

_GEMINI_NAME = re.compile(r"(gemini-|gemma-4|model-optimizer-|projects/)")


def choose_model(name: str | None = None) -> BaseLlm:
    """Return a model by its name, or the one that the settings name.

    Without a name, ``MODEL_NAME`` decides. Unset, a configured Google key (or Google Cloud) picks Gemini, and nothing
    at all picks the offline shopper, which one line on standard error says.

    Raises:
        ModelError: when the name cannot be right or the package that the model needs is not installed.
    """
    name = name or setting("MODEL_NAME") or _default_name()
    if name.startswith("offline/"):
        return _offline(name)
    if _GEMINI_NAME.match(name):
        return _gemini(name)
    return _litellm(name)


def require_key(name: str) -> None:
    """Make sure that there is a key for a Gemini model: many calls would otherwise fail one by one.

    Raises:
        ModelError: when none is configured.
    """
    if _GEMINI_NAME.match(name) and not _has_google_key() and not setting("MODEL_API_BASE"):
        raise ModelError(f"The model {shorten(name)} needs a key: set GOOGLE_API_KEY, or Google Cloud's settings.")


def _has_google_key() -> bool:
    keys = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "MODEL_API_KEY")
    return any(setting(key) for key in keys) or _google_cloud()


def _default_name() -> str:
    if _has_google_key():
        return DEFAULT_GEMINI
    # A person who expects Gemini must learn why the answers are plain; the log of `adk run` goes to a file.
    sys.stderr.write(
        f"No model is configured: the {OFFLINE_MODEL} policy answers, without a language model. "
        "Set MODEL_NAME or GOOGLE_API_KEY to change that.\n"
    )
    return OFFLINE_MODEL


def _google_cloud() -> bool:
    # The second name is deprecated, but still the one that many people have in their environment.
    switched_on = flag("GOOGLE_GENAI_USE_ENTERPRISE") or os.environ.get("GOOGLE_GENAI_USE_VERTEXAI", "").lower() in {
        "1",
        "true",
    }
    return switched_on and bool(setting("GOOGLE_CLOUD_PROJECT"))


def _offline(name: str) -> BaseLlm:
    if name != OFFLINE_MODEL:
        raise ModelError(f"MODEL_NAME is {shorten(name)}, but the only offline model is {OFFLINE_MODEL}.")
    from personalized_shopping.models.offline import OfflineShopper

    return OfflineShopper(model=name)


def _gemini(name: str) -> BaseLlm:
    from google.adk.models import Gemini

    key = setting("MODEL_API_KEY")
    base = setting("MODEL_API_BASE")
    return Gemini(model=name, base_url=base or None, client_kwargs={"api_key": key} if key else None)


def _litellm(name: str) -> BaseLlm:
    if importlib.util.find_spec("litellm") is None:
        raise ModelError(
            f"MODEL_NAME is {shorten(name)}, which needs LiteLLM, and that is not installed. "
            "Install it with: pip install 'personalized-shopping[litellm]'"
        )
    # LiteLLM otherwise fetches a price table from the network while it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from google.adk.models.lite_llm import LiteLlm

    arguments: dict[str, Any] = {}
    if base := setting("MODEL_API_BASE"):
        arguments["api_base"] = base
    if key := setting("MODEL_API_KEY"):
        arguments["api_key"] = key
    return LiteLlm(model=name, **arguments)
