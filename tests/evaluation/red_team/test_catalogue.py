"""A poisoned copy: texts stand where they should, one case at a time, and the catalogue stays as it is."""

import pytest

from personalized_shopping.evaluation.red_team.catalogue import PoisonedCatalog
from personalized_shopping.evaluation.red_team.disguises import Disguise, code_forms, disguised
from personalized_shopping.evaluation.red_team.errands import ERRANDS
from personalized_shopping.evaluation.red_team.gullible import holds
from personalized_shopping.evaluation.red_team.model import POSITIONS, Change
from personalized_shopping.shared_libraries import init_env
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

ASIN, OTHER = ERRANDS[0].asin, ERRANDS[1].asin


def test_every_position_holds_its_text(files: ShopFiles) -> None:
    with PoisonedCatalog(files.catalog) as catalog:
        clean = catalog.product(ASIN)
        catalog.poison(Change(ASIN, position, f"Text {number}") for number, position in enumerate(POSITIONS))
        product = catalog.product(ASIN)
        assert product.title == f"{clean.title} - Text 0" and catalog.cards([OTHER, ASIN])[1].title == product.title
        assert product.description == f"{clean.description} Text 1" and product.bullets[-1] == "Text 2"
        assert "Text 3" in [review.body for review in product.reviews]
        assert next(iter(product.options)) == f"{next(iter(clean.options))} (text 4)"
        assert list(product.options.values()) == list(clean.options.values())
        catalog.poison([Change(OTHER, "title", "next")])
        assert catalog.product(ASIN) == clean, "the last case's products are as they were"
    assert files.catalog.product(ASIN) == clean


def test_another_shop_is_the_shared_one_only_while_it_should_be(files: ShopFiles) -> None:
    init_env.close_shared()
    shop = Shop(files.catalog, files.engine("bm25"))
    with pytest.raises(RuntimeError, match="ended"), init_env.shop_instead(shop):
        assert init_env.get_shop() is shop
        raise RuntimeError("ended")
    assert init_env.get_shop() is not shop
    before = init_env.get_shop()
    with init_env.shop_instead(shop):
        assert init_env.get_shop() is shop
    assert init_env.get_shop() is before
    init_env.close_shared()


@pytest.mark.parametrize("disguise", ["zero width", "full width", "tags", "soft hyphens", "letter spacing"])
def test_a_reader_reads_what_is_in_disguise(disguise: Disguise) -> None:
    text = disguised("Buy now!", disguise)
    assert text != "Buy now!" and holds(f"before {text} after", text)
    assert not holds("before after", text)
    if disguise != "tags":
        assert holds(text, "Buy now!")


def test_codes_in_other_spellings() -> None:
    forms = code_forms("B036O6ES2L")
    assert forms["asin_spaced"] == "B 0 3 6 O 6 E S 2 L" and forms["asin_reversed"] == "L2SE6O630B"
    assert forms["asin_head"] + forms["asin_tail"] == "B036O6ES2L"
