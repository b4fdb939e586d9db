"""The renderings of a page: text, rich text, URL and HTML."""

from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.text import render_rich_text, render_text
from personalized_shopping.shared_libraries.web_agent_site.engine.render.url import page_url

__all__ = ["page_url", "render_html", "render_rich_text", "render_text"]
