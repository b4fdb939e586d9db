"""Products' codes in free text, also where something stands between their characters."""

import re

from personalized_shopping.invisible import INVISIBLE, JOINERS

_BETWEEN = rf"[\s.\-_{INVISIBLE}{JOINERS}]{{0,2}}"
_CODE = re.compile(rf"(?<![0-9A-Za-z])B{_BETWEEN}0{_BETWEEN}(?:[0-9A-Z]{_BETWEEN}){{7}}[0-9A-Z](?![0-9A-Za-z])")
_SMALL = re.compile(r"(?<![0-9a-z])b0[0-9a-z]{8}(?![0-9a-z])")


def codes_in(text: str) -> list[str]:
    """Return the products' codes that stand in a text, in capitals and without what stands between their characters."""
    found = [re.sub(r"[^0-9A-Z]", "", match[0]) for match in _CODE.finditer(text)]
    found += [match[0].upper() for match in _SMALL.finditer(text)]
    return list(dict.fromkeys(found))
