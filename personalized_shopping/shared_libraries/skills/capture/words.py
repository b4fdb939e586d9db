"""Sets of words, written so that one can read them."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
