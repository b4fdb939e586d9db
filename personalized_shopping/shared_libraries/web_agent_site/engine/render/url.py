"""The address of a page, in WebShop's form: raw, never percent-encoded."""

import json

from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession


def page_url(base_url: str, session_id: str, session: ShopSession) -> str:
    """Return the address under which WebShop shows a session's page.

    The item page writes the chosen options as JSON, its sub-pages and the done page as a Python literal.
    """
    if session.kind == "search":
        return f"{base_url}/{session_id}"
    where = f"{'+'.join(session.keywords or ())}/{session.page_number}"
    if session.kind == "results":
        return f"{base_url}/search_results/{session_id}/{where}"
    asin = (session.asin or "").upper()
    if session.kind == "item":
        return f"{base_url}/item_page/{session_id}/{asin}/{where}/{json.dumps(session.options)}"
    if session.kind == "done":
        return f"{base_url}/done/{session_id}/{asin}/{session.options}"
    return f"{base_url}/item_sub_page/{session_id}/{asin}/{where}/{session.kind.capitalize()}/{session.options}"
