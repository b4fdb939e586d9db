"""What an agent sees of the website's pages: WebShop's page without everything that the site adds for people."""

from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import parse_html


def as_observed(html: str) -> str:
    """Return a page's HTML as the environment knows it.

    Elements that carry ``data-chrome`` are ours and go. Those with ``data-observed`` hold what only a website knows
    of a purchase (the code, the goal); the attribute has what the environment's page says instead.
    """
    page = parse_html(html)
    for element in page.select("[data-chrome]"):
        if not element.decomposed:
            element.decompose()
    for element in page.select("[data-observed]"):
        element.string = str(element["data-observed"])
    return str(page)
