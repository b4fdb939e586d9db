"""Make the golden files anew, with a real browser: ``python -m tests.skills.capture.make_golden``.

Each ``golden/<page>.json`` says what Chromium made of ``golden/<page>.html``: one line an element, with its tag, its
parent, its role, its name and its states. The shop's pages are rendered anew as well; the page of torture is by hand.
"""

import json
import tempfile
from pathlib import Path

from personalized_shopping.shared_libraries.skills.capture import capture_page
from tests.skills.capture.browsing import open_browser, open_page
from tests.skills.capture.pages import GOLDEN, TORTURE, TORTURE_URL, make_shop, rows, shop_pages


def main() -> None:
    with tempfile.TemporaryDirectory() as directory, open_browser() as browser:
        pages = shop_pages(make_shop(Path(directory) / "shop"))
        for name, shop_page in pages.items():
            (GOLDEN / f"{name}.html").write_text(shop_page.html, encoding="utf-8")
        urls = {name: shop_page.url for name, shop_page in pages.items()} | {TORTURE: TORTURE_URL}
        for name, url in urls.items():
            html = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
            with open_page(browser, html, url) as page:
                lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows(capture_page(page)))
            head = json.dumps({"browser": browser.version, "url": url}, ensure_ascii=False)
            text = f'{{"made_by": {head}, "elements": [\n{lines}\n]}}\n'
            (GOLDEN / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
