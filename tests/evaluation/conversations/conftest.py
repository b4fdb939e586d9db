"""The demo shop as the process's shop, and the cases over it."""

import importlib.util
import warnings
from collections.abc import Iterator

import pytest

from personalized_shopping.evaluation.conversations import ConversationTask, cases, conversation_shop
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

if importlib.util.find_spec("rouge_score") is None:
    collect_ignore = ["test_simulators.py"]  # google-adk[eval] is an extra
else:
    with warnings.catch_warnings():
        # ADK warns, while it is imported, that its evaluation is experimental.
        warnings.simplefilter("ignore", UserWarning)
        import google.adk.evaluation.local_eval_service  # noqa: F401

_SETTINGS = (
    "SAFETY_SYSTEM",
    "SAFETY_MODEL",
    "SAFETY_POLICIES",
    "SAFETY_PLANNING",
    "SEARCH_ENGINE",
    "CATALOG_PATH",
    "ALLOW_UNCONFIRMED_PURCHASES",
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what this machine is set up for out of the tests."""
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NOUN_TAGGER", "builtin")
    monkeypatch.setenv("MODEL_NAME", "offline/shopper")


@pytest.fixture(scope="package")
def shop() -> Iterator[Shop]:
    with conversation_shop() as opened:
        yield opened


@pytest.fixture(scope="session")
def by_id() -> dict[str, ConversationTask]:
    return {task.id: task for task in cases()}
