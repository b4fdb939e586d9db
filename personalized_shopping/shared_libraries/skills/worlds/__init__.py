"""The worlds that skills run in: the shop in this process, and a page in a real browser."""

from personalized_shopping.shared_libraries.skills.worlds.page_world import PageWorld
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld

__all__ = ["PageWorld", "ShopWorld"]
