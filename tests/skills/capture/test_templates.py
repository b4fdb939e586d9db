"""Which controls are one template, and what pressing them probably leads to."""

import pytest

from personalized_shopping.shared_libraries.skills.capture import Capture, Node, capture_html
from personalized_shopping.shared_libraries.skills.capture.templates import mask_address
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.skills.capture.pages import ShopPage, make_shop, shop_pages

URL = "https://shop.test/a/page"


def captured(html: str, url: str = URL) -> Capture:
    return capture_html(f"<!doctype html>{html}", url=url)


def shop(pages: dict[str, ShopPage], kind: str) -> Capture:
    return capture_html(pages[kind].html, url=pages[kind].url)


@pytest.fixture(scope="module")
def demo_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("templates") / "shop")


def test_all_products_of_a_list_are_one_template(pages: dict[str, ShopPage]) -> None:
    capture = shop(pages, "results")
    links = [node for node in capture.controls if node.role == "link"]
    assert len(links) == 10 and len({node.template_id for node in links}) == 1
    (template,) = {node.template_id for node in links}
    assert {capture.element(node.index).list_template for node in links} == {template}
    assert len({node.template_id for node in capture.controls}) == 3


def test_each_option_is_one_template(pages: dict[str, ShopPage]) -> None:
    capture = shop(pages, "item")
    product = pages["item"].page.product
    assert product is not None and len(product.options) > 1
    toggles = [node for node in capture.controls if node.action == "toggle"]
    templates: dict[str | None, set[str | None]] = {}
    for node in toggles:
        templates.setdefault(node.template_id, set()).add(capture.element(node.index).name)
    assert sorted(next(iter(names)) or "" for names in templates.values()) == sorted(product.options)
    assert all(len(names) == 1 for names in templates.values())
    buttons = [node for node in capture.controls if node.role == "button"]
    assert len({node.template_id for node in buttons}) == len(buttons) == 7
    assert all(capture.element(node.index).list_template is None for node in buttons)


def test_a_template_stays_the_same_for_other_products(demo_shop: Shop) -> None:
    def templates(query: str, kind: str) -> dict[str, str | None]:
        capture = shop(shop_pages(demo_shop, query), kind)
        return {"link" if node.role == "link" else node.name: node.template_id for node in capture.controls}

    shirts, shoes = templates("shirt", "results"), templates("jacket", "results")
    assert shirts["link"] == shoes["link"] and shirts["Next >"] == shoes["Next >"]
    one, other = templates("shirt", "item"), templates("jacket", "item")
    assert {name: one[name] for name in ("Buy Now", "Description", "< Prev")} == {
        name: other[name] for name in ("Buy Now", "Description", "< Prev")
    }


def test_a_button_of_the_same_name_on_another_kind_of_page_is_another_template(pages: dict[str, ShopPage]) -> None:
    prev = {
        kind: next(node for node in shop(pages, kind).controls if node.name == "< Prev") for kind in ("item", "reviews")
    }
    assert prev["item"].template_id != prev["reviews"].template_id


def test_links_of_a_menu_are_templates_of_their_own() -> None:
    nodes = captured("<nav><ul><li><a href=/home>Home</a><li><a href=/about>About</a></ul></nav>").controls
    assert len({node.template_id for node in nodes}) == 2
    items = captured("<ul><li><a href=/item/red-1>Red</a><li><a href=/item/blue>Blue</a></ul>").controls
    assert len({node.template_id for node in items}) == 1
    rows = captured("<ul>" + "<li><button>Add to cart</button>" * 5 + "</ul>").controls
    assert len({node.template_id for node in rows}) == 1


def test_the_products_of_the_website_are_one_template_and_its_tabs_are_not() -> None:
    item = "<div><a class=product-link href='/item_page/s/B0{0}/red/1/%7B%7D'>Product {0}</a></div>"
    tab = "<a class=tab href='/item_sub_page/s/B01/red/1/{0}/%7B%7D'>{0}</a>"
    tabs = ("Description", "Features", "Reviews")
    html = "".join(item.format(name) for name in "ABC") + "".join(tab.format(name) for name in tabs)
    nodes = captured(html, "http://h/search_results/s/red/1").controls
    assert len({node.template_id for node in nodes[:3]}) == 1
    assert len({node.template_id for node in nodes}) == 4


def test_a_link_is_found_by_its_address_where_that_lasts() -> None:
    home, item = captured("<a href=/home>Home</a><a href=/item/B01>Item</a>").controls
    assert home.selector == 'a[href="/home"]' and home.selector_kind == "attribute"
    assert item.selector == "a" and item.unique.css == 2


@pytest.mark.parametrize(
    ("address", "mask"),
    [
        ("/item_page/s/B01/a+b/1/{}", "/item_page/{session}/{asin}/{keywords}/{page}/{options}"),
        ("/?session_id=x&asin=B01&page=2", "/?asin&page&session_id"),
        (
            "/item_page/s/B01/%5B'a'%5D/1/%7B%7D?sort=price",
            "/item_page/{session}/{asin}/{keywords}/{page}/{options}?sort",
        ),
        ("/products/red-shoe", "/products/*"),
        ("/12/34", "/*/*"),
        ("https://other.test/a/b?q=1#f", "other.test/a/*?q"),
        ("", "/"),
        ("http://[bad", ""),
        ("/?" + "&".join(f"a{n}" for n in range(200)), ""),
    ],
)
def test_an_address_is_known_by_its_form(address: str, mask: str) -> None:
    assert mask_address(address) == mask


def effect_of(html: str) -> str:
    node: Node = captured(html).controls[-1]
    return node.effect


@pytest.mark.parametrize(
    "html",
    [
        "<button>Buy Now</button>",
        "<form method=post><button>buy now</button></form>",
        "<input type=submit value='Place your order'>",
        "<button>Proceed to checkout</button>",
        "<button>Pay $12.00</button>",
        "<button aria-label='Complete purchase'><svg></svg></button>",
        "<form method=post action=/done/s/B01/{}><button>Continue</button></form>",
        "<button formmethod=post formaction=/checkout>OK</button>",
        "<a href=/c>Check out</a>",
        "<div role=button>Order now</div>",
    ],
)
def test_what_buys_is_a_purchase(html: str) -> None:
    assert effect_of(html) == "purchase"


@pytest.mark.parametrize(
    ("html", "effect"),
    [
        ("<a href=/x>Buyer's guide</a>", "navigate"),
        ("<a href=/x>Pants that pay for themselves: the long story of a very long title</a>", "navigate"),
        ("<a href=/x>Home</a>", "navigate"),
        ("<a href=/logout>Log out</a>", "write"),
        ("<form><input><button>Search</button></form>", "navigate"),
        ("<form method=post><input><button>Search</button></form>", "navigate"),
        ("<form method=post><input><button>Go on then</button></form>", "navigate"),
        ("<form method=post><input><button>Send</button></form>", "write"),
        ("<form method=post><button>Frobnicate</button></form>", "write"),
        ("<button>Delete</button>", "write"),
        ("<button>Tab two</button>", "navigate"),
        ("<input>", "read"),
        ("<select><option>a</select>", "read"),
        ("<input type=checkbox>", "read"),
        ("<input type=checkbox role=switch aria-label='Notify me'>", "write"),
        ("<input type=radio data-url=/x>", "navigate"),
        ("<details><summary>More</summary></details>", "read"),
        ("<input type=file>", "read"),
    ],
)
def test_other_effects_are_guessed_with_care(html: str, effect: str) -> None:
    assert effect_of(html) == effect


def test_only_buying_is_a_purchase_in_the_shop(pages: dict[str, ShopPage]) -> None:
    for kind in pages:
        for node in shop(pages, kind).controls:
            expected = "purchase" if node.name == "Buy Now" else "read" if node.action == "type" else "navigate"
            assert node.effect == expected, (kind, node.name)
