"""The renderings of a page: text, rich text, URL, HTML and the accessibility tree."""

from personalized_shopping.shared_libraries.web_agent_site.engine.render.a11y import A11yNode, a11y_tree, render_a11y
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.text import render_rich_text, render_text
from personalized_shopping.shared_libraries.web_agent_site.engine.render.url import page_url

__all__ = [
    "A11yNode",
    "a11y_tree",
    "page_url",
    "render_a11y",
    "render_html",
    "render_rich_text",
    "render_text",
]
