"""The offline shopper: a deterministic shopping policy that stands in for a language model.

``OfflineShopper`` is loaded on first use, so that the policy itself can be used where google-adk is not installed.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personalized_shopping.models.offline.shopper import OfflineShopper

__all__ = ["OfflineShopper"]


def __getattr__(name: str) -> Any:
    if name == "OfflineShopper":
        from personalized_shopping.models.offline.shopper import OfflineShopper

        return OfflineShopper
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
