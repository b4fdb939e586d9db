import time

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.patterns import check_pattern, matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^https?://([^/]*\.)?example\.com/", "https://shop.example.com/x", True),
        (r"^https?://([^/]*\.)?example\.com/", "https://example.com.evil.org/", False),
        (r"^https?://[^/]+/item_page/[^/]+/[^/]+/", "http://127.0.0.1:3000/item_page/s/B01/red+shoes/1/{}", True),
        (r"^https?://[^/]+/item_page/[^/]+/[^/]+/", "http://x/search_results/s/item_page/1", False),
        ("/done/", "http://x/done/s/B01/{}", True),
        ("^a$", "a\n", False),
    ],
)
def test_patterns_are_found(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|a)*$", r"^(.*)*x$", r"^(a?){50}a{50}$", ".*.*.*.*.*.*=.*"])
def test_a_pattern_that_blows_up_elsewhere_takes_no_time(pattern: str) -> None:
    started = time.monotonic()
    matches(pattern, "a" * 8_000 + "!")
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize("pattern", ["(", "[a", r"(a)\1", "(?=a)", "(?<!a)b", "a" * 501, "((a{1,1000}){1,1000})"])
def test_a_pattern_that_cannot_be_used_is_named(pattern: str) -> None:
    with pytest.raises(SkillError, match="pattern"):
        matches(pattern, "a")
    with pytest.raises(SkillError, match="pattern"):
        check_pattern(pattern)


def test_a_long_address_is_cut() -> None:
    assert not matches("z$", "a" * 10_000 + "z")
