"""Which language model the agent thinks with."""

from personalized_shopping.models.choose import DEFAULT_GEMINI, OFFLINE_MODEL, choose_model, require_key
from personalized_shopping.models.clean import clean_model_output

__all__ = ["DEFAULT_GEMINI", "OFFLINE_MODEL", "choose_model", "clean_model_output", "require_key"]
