"""Which product images the website shows. The server never opens an address; the browser does, or nobody."""

import base64
import binascii
import re
from functools import lru_cache
from xml.etree import ElementTree

from personalized_shopping.config import SITE_MAX_IMAGE_CHARS

_PICTURE = re.compile(r"data:image/(?:png|jpe?g|webp|gif);base64,[A-Za-z0-9+/]+={0,2}", re.ASCII)
_DRAWING = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/]+={0,2})", re.ASCII)
_HTTPS = re.compile(r"https://[^\s<>\"'`\\]{1,2000}", re.IGNORECASE)
_SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = frozenset({"svg", "g", "rect", "circle", "ellipse", "line", "path", "polygon", "polyline"})
_VALUE = re.compile(r"[A-Za-z0-9#%.,+\- ()]*")
_ATTRIBUTE = re.compile(r"viewBox|[a-z]+(?:-[a-z]+)*[12]?")
_FORBIDDEN = re.compile(r"on.*|style|href|class|id|src|filter|mask|clip-path")
_DRAWING_CHARS = 8_000
"""Longest drawing; one of plain shapes that says more is none of a product."""
_DRAWINGS_KEPT = 2_048


def shown_image(address: str | None) -> str:
    """Return an image's address if the website shows it, else an empty string.

    Shown are images that lie elsewhere behind https, images in the page of the four common kinds, and drawings in the
    page made of plain shapes alone, as the demo catalogue's are.
    """
    if address is None or len(address) > SITE_MAX_IMAGE_CHARS:
        return ""
    if (
        _HTTPS.fullmatch(address)
        or _PICTURE.fullmatch(address)
        or (len(address) <= _DRAWING_CHARS and is_plain_drawing(address))
    ):
        return address
    return ""


@lru_cache(maxsize=_DRAWINGS_KEPT)
def is_plain_drawing(address: str) -> bool:
    """Return whether an address holds an SVG image of nothing but shapes, numbers and colours.

    Browsers run no script in an image, but some shopper opens it in a tab of its own.
    """
    match = _DRAWING.fullmatch(address)
    if match is None:
        return False
    try:
        source = base64.b64decode(match[1], validate=True).decode("ascii")
        if "<!" in source or "<?" in source or "&" in source:
            return False  # no entities and no declarations: what the parser is known to stumble over
        root = ElementTree.fromstring(source)
    except (binascii.Error, UnicodeDecodeError, ElementTree.ParseError):
        return False
    return root.tag == f"{_SVG}svg" and all(map(_is_plain, root.iter()))


def _is_plain(element: ElementTree.Element) -> bool:
    name = element.tag
    if not name.startswith(_SVG) or name.removeprefix(_SVG) not in _SHAPES:
        return False
    if (element.text or "").strip() or (element.tail or "").strip():
        return False
    return all(
        _ATTRIBUTE.fullmatch(key) and not _FORBIDDEN.fullmatch(key) and _VALUE.fullmatch(value) and "url" not in value
        for key, value in element.attrib.items()
    )
