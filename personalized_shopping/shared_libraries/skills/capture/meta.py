"""The head of a capture: where, when and how a page was captured. No cookies, no users or passwords in addresses."""

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.capture.facts import safe_url
from personalized_shopping.shared_libraries.skills.capture.model import DETECT_SPEC_VERSION, SPEC_VERSION
from personalized_shopping.shared_libraries.skills.capture.webshop_url import path_template

MAX_URL_CHARS = 8_000
MAX_TITLE_CHARS = 500
DEFAULT_VIEWPORT = (1280, 800)
_MAX_DOMAIN_CHARS = 100


def make_meta(
    *,
    url: str,
    title: str,
    page_kind: str | None,
    viewport: tuple[int, int] | None,
    now: datetime | None,
    html: str,
    mode: str,
    warnings: Sequence[dict[str, Any]] = (),
    **browser: Any,
) -> dict[str, Any]:
    """Return the head of a capture.

    Args:
        url: the page's address.
        title: its title.
        page_kind: the kind of the shop's page, or ``None`` elsewhere.
        viewport: the window's width and height in CSS pixels; ``None`` where there is no window.
        now: when the page was captured; the present where it is not given.
        html: the page, of which a checksum is kept.
        mode: ``static`` or ``browser``.
        warnings: what went wrong without stopping the capture: ``{"code", "stage", "error"}``.
        **browser: what only a browser knows: ``user_agent``, ``device_scale_factor``, ``scroll_height``.

    Raises:
        SkillError: for an address that is none.
    """
    url = safe_url(url)[:MAX_URL_CHARS]
    domain = _domain(url)
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    width, height = viewport or DEFAULT_VIEWPORT
    return {
        "url": url,
        "title": title[:MAX_TITLE_CHARS],
        "domain": domain,
        "domain_sanitized": sanitize_domain(domain),
        "path": _path(url),
        "path_template": path_template(url, kind=page_kind),
        "page_kind": page_kind,
        "timestamp": moment.strftime("%Y%m%d%H%M%S"),
        "tz_offset_minutes": 0,
        "started_epoch": moment.timestamp(),
        "viewport": {"width": width, "height": height},
        "viewport_known": viewport is not None,
        "user_agent": None,
        "device_name": None,
        "device_scale_factor": None,
        "capture_mode": mode,
        "tool": "playwright-python" if mode == "browser" else "selectolax",
        "parser": "chromium" if mode == "browser" else "lexbor",
        "spec_version": SPEC_VERSION,
        "detect_spec_version": DETECT_SPEC_VERSION,
        "status": "ok",
        "warnings": list(warnings),
        "dom_sha256": hashlib.sha256(html.encode("utf-8", "replace")).hexdigest(),
        **browser,
    }


def sanitize_domain(domain: str) -> str:
    """Return a host as the name of a directory: no port, no leading ``www.``, letters, digits and underscores only."""
    host = re.sub(r":\d*$", "", domain.lower()).removeprefix("www.")
    return re.sub(r"[^a-z0-9]+", "_", host).strip("_")[:_MAX_DOMAIN_CHARS] or "unknown"


def warning(code: str, stage: str, error: str) -> dict[str, Any]:
    """Return one warning of a capture."""
    return {"code": code, "stage": stage, "error": error}


def _domain(url: str) -> str:
    try:
        domain = urlsplit(url).netloc
    except ValueError:
        domain = ""
    if not domain and not url.startswith(("about:", "file:", "data:")):
        raise SkillError(
            f"{shorten(url)} is no address of a page. Write it in full, with http:// or https:// in front."
        )
    return domain


def _path(url: str) -> str:
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return "/"
