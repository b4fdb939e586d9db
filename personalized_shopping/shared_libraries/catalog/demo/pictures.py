"""Pictures of products: small drawings in the product's colour, inline as data URIs."""

import base64
from functools import lru_cache

_CANVAS = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><rect width='100' height='100' fill='{}'/>{}</svg>"
)
_PALE = 205
"""Above this lightness (0 to 255) a colour needs a darker background to be seen."""


@lru_cache(maxsize=4096)
def picture(drawing: str, colour: str) -> str:
    """Draw a product in a colour.

    Args:
        drawing: SVG elements on a canvas of 100 by 100, with ``{c}`` for the colour, ``{d}`` for a darker
            and ``{l}`` for a lighter shade of it.
        colour: ``#rrggbb``.

    Returns:
        A ``data:image/svg+xml;base64,`` URI.
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    lightness = 0.3 * red + 0.59 * green + 0.11 * blue
    dark = _hex(red * 0.68, green * 0.68, blue * 0.68) if lightness > 45 else "#55595f"
    light = _hex(*(part + (255 - part) * 0.55 for part in (red, green, blue)))
    ground = "#d5dade" if lightness > _PALE else "#f5f2ed"
    body = drawing.replace("{c}", colour).replace("{d}", dark).replace("{l}", light)
    return _data_uri(_CANVAS.format(ground, body))


@lru_cache(maxsize=1024)
def swatch(colour: str) -> str:
    """Draw a plain tile of a colour: the cheap picture of very large catalogues."""
    return _data_uri(
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><path fill='{colour}' d='M0 0h1v1H0z'/></svg>"
    )


def _data_uri(svg: str) -> str:
    # Base64 survives every quoting that a page, a JSON file or a shell may put around it.
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


def _hex(*parts: float) -> str:
    return "#" + "".join(f"{min(255, int(part)):02x}" for part in parts)
