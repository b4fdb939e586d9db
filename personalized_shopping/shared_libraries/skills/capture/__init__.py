"""From a page to what is known about it: its elements, their roles and names, and the tree of its controls."""

from personalized_shopping.shared_libraries.skills.capture.browser import capture_page
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.files import read_capture, write_capture
from personalized_shopping.shared_libraries.skills.capture.model import AxNode, Capture, Element, Node
from personalized_shopping.shared_libraries.skills.capture.static import capture_html

__all__ = [
    "AxNode",
    "Capture",
    "Dom",
    "Element",
    "Node",
    "capture_html",
    "capture_page",
    "read_capture",
    "write_capture",
]
