"""Answers to what cannot be answered: pages that say what happened and where to go on, never a trace."""

import logging

import flask
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException

from personalized_shopping.shared_libraries.web_agent_site.site.addresses import AddressError
from personalized_shopping.shared_libraries.web_agent_site.site.pages import TooManyPurchases
from personalized_shopping.shared_libraries.web_agent_site.site.rendering import render_error
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import SiteFull

_log = logging.getLogger(__name__)
_TITLES = {
    400: "This request cannot be read",
    403: "This form was not accepted",
    404: "There is no such page",
    405: "This page cannot be used that way",
    409: "Enough bought",
    413: "That is too much at once",
    414: "This address is too long",
    503: "The shop is full",
}
_OURS = (BadRequest, Forbidden)
"""Errors whose text is written here; other libraries' texts speak to programmers."""
_MESSAGES = {
    400: "Something in the address or the form is not what this page expects.",
    404: "The address leads nowhere in this shop. It may be mistyped, or the session it belongs to is not yours.",
    405: "Pages are opened by following links; only a purchase is sent as a form.",
    413: "The form that was sent is larger than this shop accepts.",
}


def add_error_pages(site: flask.Flask) -> None:
    """Give a site a page for everything that can go wrong."""
    site.register_error_handler(HTTPException, _http_error)
    site.register_error_handler(AddressError, lambda error: error_page(error.status, str(error)))
    site.register_error_handler(
        TooManyPurchases, lambda _: error_page(409, "This session has bought as often as it may. Start a new one.")
    )
    site.register_error_handler(SiteFull, _full)
    site.register_error_handler(Exception, _unexpected)


def error_page(status: int, message: str = "") -> flask.Response:
    """Return the page of an error."""
    title = _TITLES.get(status, "Something went wrong")
    message = message or _MESSAGES.get(status, "The shop could not answer this request.")
    root = flask.request.environ.get("SCRIPT_NAME", "")
    page = render_error(status, title, message, lambda name: f"{root}/static/{name}", root)
    return flask.Response(page, status, mimetype="text/html")


def _http_error(error: HTTPException) -> flask.Response:
    status = error.code or 500
    answer = error_page(status, error.description or "" if type(error) in _OURS else "")
    for name, value in error.get_headers():
        if name.lower() in {"allow", "location"}:
            answer.headers[name] = value
    return answer


def _full(error: SiteFull) -> flask.Response:
    answer = error_page(503, "All places are taken at the moment. Please try again in some minutes.")
    answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def _unexpected(error: Exception) -> flask.Response:
    _log.error("an unexpected error", exc_info=error)
    return error_page(500)
