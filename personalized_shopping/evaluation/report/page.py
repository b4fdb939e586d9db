"""Making one HTML file that holds its own style and script, and asks nobody for anything.

The page's security policy runs our own script and style, known by their hashes, and no other; scripts cannot turn text
into HTML. Templates escape whatever they are given.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

_HERE = Path(__file__).parent


def make_page(template: str, scripts: Sequence[str], **content: Any) -> str:
    """Return a page.

    Args:
        template: the file in ``templates``.
        scripts: files in ``static``, in their order.
        content: what the template shows; ``data`` is what the script reads.
    """
    style = "\n" + _static("report.css")
    script = '\n"use strict";\n(() => {\n' + "\n".join(map(_static, scripts)) + "\n})();\n"
    return (
        _environment()
        .get_template(template)
        .render(
            # Our own files, which hold no text of anybody else.
            style=Markup(style),
            script=Markup(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
            **{name: inline_json(value) if name in ("data", "time_data") else value for name, value in content.items()},
        )
    )


def inline_json(value: Any) -> Markup:
    """Return JSON that no HTML parser takes for anything else: it holds no ``<``."""
    return htmlsafe_json_dumps(value, dumps=_dumps)


def _dumps(value: Any, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("\u2028", "\\u2028")


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(_HERE / "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _static(name: str) -> str:
    return (_HERE / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
