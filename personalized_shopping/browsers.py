"""Which browser of this machine takes screenshots, captures pages and plays the website."""

import shutil

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that are looked for on the PATH, the first found is taken."""


def find_browser() -> str | None:
    """Return the path of an installed Chromium or Chrome, or ``None``."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)
