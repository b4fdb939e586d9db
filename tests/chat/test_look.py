"""The page as it is written: names for everything, colours that can be told apart, nothing from elsewhere."""

import re

import pytest
from bs4 import BeautifulSoup

from personalized_shopping.chat.routes import STATIC_DIR

TEXT_PAIRS = [
    *((text, ground) for text in ("ink", "soft", "accent") for ground in ("ground", "surface", "sunken")),
    ("accent", "tint"),
    ("on-accent", "accent"),
    ("on-accent", "accent-hover"),
    ("on-buy", "buy"),
    ("on-buy", "buy-hover"),
    ("good", "surface"),
    ("bad", "bad-tint"),
    ("bad", "surface"),
]
EDGE_PAIRS = [("strong-line", "surface"), ("strong-line", "ground"), ("star", "surface"), ("accent", "ground")]


def colours(scheme: str) -> dict[str, str]:
    css = (STATIC_DIR / "chat.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", css, re.S)
    )
    return light if scheme == "light" else light | dark


def luminance(colour: str) -> float:
    """Return a colour's relative luminance (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(scheme: str) -> None:
    found = colours(scheme)
    assert contrast("#ffffff", "#000000") == 21.0
    for text, ground in TEXT_PAIRS:
        assert contrast(found[text], found[ground]) >= 4.5, (text, ground)
    for edge, ground in EDGE_PAIRS:
        assert contrast(found[edge], found[ground]) >= 3.0, (edge, ground)


def test_everything_has_a_name_and_nothing_comes_from_elsewhere() -> None:
    page = BeautifulSoup((STATIC_DIR / "chat.html").read_text(encoding="utf-8"), "html.parser")
    ids = [element["id"] for element in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    for element in page.find_all(["button", "a", "iframe"]):
        name = element.get("aria-label") or element.get("title") or element.get_text(strip=True)
        assert name, element
    for name in ("aria-labelledby", "aria-controls", "aria-describedby", "for"):
        assert {element[name] for element in page.find_all(attrs={name: True})} <= set(ids)
    assert not page.find_all(style=True) and not page.find_all("style")
    assert all(script.get("src") and not script.string for script in page.find_all("script"))
    addresses = [element[name] for name in ("src", "href") for element in page.find_all(attrs={name: True})]
    assert all(address.startswith(("chat/", "shop/", "#")) for address in addresses)
    assert page.find("noscript").find("a")["href"] == "shop/"
    icons = {element["id"] for element in page.find_all("symbol")}
    used = {use["href"].removeprefix("#") for use in page.find_all("use")}
    used |= {
        f"icon-{name}" for path in STATIC_DIR.glob("*.js") for name in re.findall(r'icon\("(\w+)"\)', path.read_text())
    }
    assert used == icons


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC_DIR.glob("*.js")))
def test_scripts_build_nodes_and_never_markup(name: str) -> None:
    script = (STATIC_DIR / name).read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|localStorage"
    assert not re.search(forbidden, script)
    assert script.count("\n") <= 400


def test_styles_ask_nobody() -> None:
    for path in STATIC_DIR.glob("*.css"):
        assert not re.search(r"@import|url\(", path.read_text(encoding="utf-8"))
