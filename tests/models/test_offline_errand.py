"""Errands without questions: how products are judged, and how the shopper goes about them."""

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.errand import MAX_OPENED
from personalized_shopping.models.offline.fit import Fit, judge, wanted
from personalized_shopping.models.offline.pages import Card
from personalized_shopping.shared_libraries.requests.options import Option
from personalized_shopping.shared_libraries.requests.understanding import understand
from tests.models.fake_shop import Conversation, FakeProduct, FakeShop

SIZES = Option("size", ("small", "large"))


def seen(title: str, price: float = 20.0, *features: str, options: tuple[Option, ...] | None = None) -> Knowledge:
    """Return what is known of a product: only its line where no options are given, else its page and features."""
    card = Card("B0TEST0001", title, price, price, options=options or ())
    if options is None:
        return Knowledge(card)
    return Knowledge(card, opened=True, pages=frozenset({"features"}), features=features)


def fit(request: str, known: Knowledge) -> Fit:
    return judge(wanted(understand(request)), known)


def test_a_list_promises_what_the_title_names() -> None:
    request = "machine washable rugs for men's rooms, under 30 dollars"
    best = fit(request, seen("Machine Washable Rug"))
    assert best.promise > fit(request, seen("Plain Rug")).promise > fit(request, seen("Plain Vase")).promise
    assert best.promise > fit(request, seen("Machine Washable Rug", 35.0)).promise
    assert best.promise > fit(request, seen("Machine Washable Rug for Women")).promise
    assert best.listed(0) > best.listed(3)


def test_words_count_as_a_pair_only_where_they_stand_together() -> None:
    request = "a lamp that is easy to install"
    together = fit(request, seen("Lamp", 20.0, "Very easy to install.", options=()))
    apart = fit(request, seen("Lamp", 20.0, "Easy on the eyes. An electrician may come and install it.", options=()))
    assert together.evidence > apart.evidence
    assert together.complete and together.sure and not apart.complete


def test_options_decide_between_products_that_are_alike() -> None:
    request = "a soft shirt in size: large"
    offers = fit(request, seen("Soft Shirt", options=(SIZES,)))
    lacks = fit(request, seen("Soft Shirt", options=(Option("size", ("small", "medium")),)))
    asks_more = fit(request, seen("Soft Shirt", options=(SIZES, Option("color", ("red", "blue")))))
    assert offers.sure and lacks.hopeless and not lacks.sure
    assert offers.evidence > asks_more.evidence > lacks.evidence
    assert [choice.value for choice in offers.choices] == ["large"]


def test_a_price_beyond_the_limit_is_never_sure() -> None:
    assert fit("a soft shirt under $30", seen("Soft Shirt", 20.0, options=())).sure
    assert not fit("a soft shirt under $30", seen("Soft Shirt", 31.0, options=())).sure


def errand(stock: list[FakeProduct], said: str) -> tuple[FakeShop, list[str]]:
    talk = Conversation(FakeShop(stock, confirm=False))
    talk.say(f"{said}. Choose what fits and buy it for me, without asking back.")
    return talk.shop, talk.calls


def test_what_only_the_features_tell_decides() -> None:
    stock = [
        FakeProduct("B0LAMP0001", "Desk Lamp", (20.0,), bullets=["Heavy base"]),
        FakeProduct("B0LAMP0002", "Desk Lamp", (20.0,), bullets=["Battery powered for camping"]),
    ]
    shop, _ = errand(stock, "a desk lamp that is battery powered")
    assert shop.bought == [("B0LAMP0002", {})]


def test_a_description_is_read_where_no_features_are_listed() -> None:
    stock = [
        FakeProduct("B0LAMP0001", "Desk Lamp", (20.0,), description="It has a heavy base."),
        FakeProduct("B0LAMP0002", "Desk Lamp", (20.0,), description="It is battery powered."),
    ]
    shop, calls = errand(stock, "a desk lamp that is battery powered")
    assert shop.bought == [("B0LAMP0002", {})]
    assert "click:Description" in calls


def test_the_product_that_comes_in_what_was_named_is_bought() -> None:
    stock = [
        FakeProduct("B0SHIRT001", "Soft Shirt", (20.0,), {"size": ["small"], "color": ["red"]}),
        FakeProduct("B0SHIRT002", "Soft Shirt", (20.0,), {"size": ["small", "large"], "color": ["red", "blue"]}),
    ]
    shop, _ = errand(stock, "a soft shirt with color: blue, and size: large")
    assert shop.bought == [("B0SHIRT002", {"size": "large", "color": "blue"})]


def test_only_so_many_products_are_opened() -> None:
    stock = [FakeProduct(f"B0LAMP{number:04}", "Desk Lamp", (20.0,), bullets=["Heavy"]) for number in range(30)]
    shop, calls = errand(stock, "a desk lamp that is battery powered")
    assert len({call for call in calls if call.startswith("click:B0LAMP")}) == MAX_OPENED
    assert len(shop.bought) == 1
