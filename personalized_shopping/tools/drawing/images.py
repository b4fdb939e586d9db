"""Which product images a saved page shows: those that it carries itself."""

import re
import zlib
from xml.etree.ElementTree import Element

from personalized_shopping.config import MAX_EMBEDDED_IMAGE_CHARS
from personalized_shopping.tools.drawing.xhtml import element

_EMBEDDED = re.compile(r"data:image/(png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
_HUES = 12


def embedded_image(address: str | None) -> str:
    """Return an image's address if the page carries the image in it, else an empty string.

    An image elsewhere would be a request to somebody's server each time the page is looked at.
    """
    if address is None or len(address) > MAX_EMBEDDED_IMAGE_CHARS or not _EMBEDDED.match(address):
        return ""
    return address


def picture(address: str | None, title: str, css_class: str) -> Element:
    """Return the product's image, or a drawn tile with the title's first letter where none is embedded."""
    source = embedded_image(address)
    if source:
        return element("img", css_class=css_class, src=source, alt="")
    letter = next((character for character in title if character.isalnum()), "?").upper()
    # The same product has the same colour everywhere.
    hue = zlib.crc32(title.encode("utf-8", "replace")) % _HUES * (360 // _HUES)
    style = f"background:hsl({hue},32%,90%);color:hsl({hue},30%,42%)"
    return element("div", letter, css_class=f"{css_class} tile", style=style)
