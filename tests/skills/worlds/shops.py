"""A small demo shop for the tests of skills."""

from pathlib import Path

from personalized_shopping.shared_libraries.catalog import demo
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, build_shop


def demo_files(directory: Path) -> ShopFiles:
    """Return a small demo shop on disk."""
    return build_shop(demo.demo_source(300, 7), directory / "shop")


def demo_shop(files: ShopFiles) -> Shop:
    """Return the shop, with attribute pages."""
    return Shop(files.catalog, files.engine(), show_attributes=True)


def on_item(shop: Shop, query: str = "shirt", *, options: int = 1, allow_purchase: bool = False) -> ShopWorld:
    """Return a world on the page of the first product found that has so many options, with two values each."""
    world = ShopWorld(shop, shop.start(instruction="Find me a shirt."), allow_purchase=allow_purchase)
    world.type("#search_input", query)
    world.press("#search_input", "Enter")
    for card in world.page.products:
        product = shop.catalog.product(card.asin)
        if len([values for values in product.options.values() if len(values) > 1]) >= options:
            world.click_role("link", card.asin)
            return world
    raise AssertionError(f"no product with {options} options among the results for {query}")
