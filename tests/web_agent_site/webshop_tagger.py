"""The noun tagger that the reference outputs were made with."""

import re

_NOT_NOUNS = """
off white red blue black casual breathable listed high non slip for and the of in with
"""


def reference_nouns(text: str) -> list[str]:
    """Return the nouns as the tagger of the reference outputs gave them."""
    return [token for token in re.findall(r"[^\W\d_]+", text) if token.lower() not in _NOT_NOUNS.split()]
