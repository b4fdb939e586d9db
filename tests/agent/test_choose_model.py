"""Which model the settings pick."""

import importlib.util
from typing import Any

import pytest
from google.adk.models import Gemini

from personalized_shopping.errors import ModelError, SettingError
from personalized_shopping.models import choose_model
from personalized_shopping.models.offline import OfflineShopper

NO_KEY = "No model is configured: the offline/shopper policy answers"


def test_nothing_configured_picks_the_offline_shopper_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    model = choose_model()
    assert isinstance(model, OfflineShopper) and model.model == "offline/shopper"
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(NO_KEY) and err.count("\n") == 1


def test_asking_for_the_offline_shopper_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODEL_NAME", "offline/shopper")
    assert isinstance(choose_model(), OfflineShopper)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "settings",
    [
        {"GOOGLE_API_KEY": "k"},
        {"GEMINI_API_KEY": "k"},
        {"MODEL_API_KEY": "k"},
        {"GOOGLE_GENAI_USE_ENTERPRISE": "1", "GOOGLE_CLOUD_PROJECT": "p"},
        {"GOOGLE_GENAI_USE_VERTEXAI": "TRUE", "GOOGLE_CLOUD_PROJECT": "p"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_a_google_key_picks_gemini(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    model = choose_model()
    assert isinstance(model, Gemini) and model.model == "gemini-3.5-flash"
    assert capsys.readouterr().err == ""


def test_google_cloud_without_a_project_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_ENTERPRISE", "1")
    assert isinstance(choose_model(), OfflineShopper)


def test_gemini_gets_the_address_and_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_NAME", "gemini-3.1-pro-preview")
    monkeypatch.setenv("MODEL_API_BASE", "https://models.example")
    monkeypatch.setenv("MODEL_API_KEY", "secret")
    model = choose_model()
    assert isinstance(model, Gemini)
    assert (model.model, model.base_url) == ("gemini-3.1-pro-preview", "https://models.example")
    assert model.client_kwargs == {"api_key": "secret"}
    assert "secret" not in repr(model)


@pytest.mark.parametrize("name", ["xai/grok-4", "openai/gpt-5", "ollama_chat/qwen3", "gpt-5"])
def test_other_names_go_to_litellm_with_address_and_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.adk.models.lite_llm", reason="LiteLLM is an extra")
    from google.adk.models.lite_llm import LiteLlm

    monkeypatch.setenv("MODEL_NAME", name)
    monkeypatch.setenv("MODEL_API_BASE", "https://models.example/v1")
    monkeypatch.setenv("MODEL_API_KEY", "secret")
    model = choose_model()
    assert isinstance(model, LiteLlm) and model.model == name
    assert model._additional_args == {"api_base": "https://models.example/v1", "api_key": "secret"}


def test_litellm_that_is_not_installed_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without_litellm(name: str, *rest: Any) -> Any:
        return None if name == "litellm" else find(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without_litellm)
    monkeypatch.setenv("MODEL_NAME", "xai/grok-4")
    with pytest.raises(ModelError, match=r"pip install 'personalized-shopping\[litellm\]'"):
        choose_model()


def test_an_offline_model_that_does_not_exist_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_NAME", "offline/shoper")
    with pytest.raises(ModelError, match="offline/shopper"):
        choose_model()


def test_a_switch_that_is_neither_on_nor_off_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_ENTERPRISE", "perhaps")
    with pytest.raises(SettingError):
        choose_model()
