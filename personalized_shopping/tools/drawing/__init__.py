"""A page drawn as one SVG image, so that a chat can show it without a browser on the server."""

from personalized_shopping.tools.drawing.images import embedded_image
from personalized_shopping.tools.drawing.svg import draw_page

__all__ = ["draw_page", "embedded_image"]
