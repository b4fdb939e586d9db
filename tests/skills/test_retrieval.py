"""Finding the few skills that fit a page and a goal."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import index, retrieval
from personalized_shopping.shared_libraries.skills.index import query_words
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import Key, skill_path
from personalized_shopping.shared_libraries.skills.model import Skill, skill_bytes
from personalized_shopping.shared_libraries.skills.world import Signals
from tests.skills.store_samples import NOW, make_skill

ITEM = Signals("http://127.0.0.1:3000/item_page/s/B01/1", "item", "Item", None)
RESULTS = Signals("http://127.0.0.1:3000/search_results/s/red/1", "results", "Results", None)
ELSEWHERE = Signals("https://www.example.com/start?x=1", None, "Start", None)


def everything(_: str) -> bool:
    return True


def only(*selectors: str) -> Callable[[str], bool]:
    return lambda selector: selector in selectors


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path, clock=lambda: NOW)


def ids(fits: list[retrieval.Fit]) -> list[str]:
    return [fit.skill.id for fit in fits]


def put(library: SkillLibrary, *skills: Skill) -> None:
    for skill in skills:
        library.put(skill)


def test_the_kind_of_page_and_the_address_come_first(library: SkillLibrary) -> None:
    put(
        library,
        make_skill("item", preconditions={"page_kind": ["item"]}),
        make_skill("both", preconditions={"page_kind": ["results", "item"], "url_matches": ["^http"]}),
        make_skill("any", preconditions={"page_kind": [], "url_matches": ["^http"]}),
        make_skill("other-address", preconditions={"url_matches": ["^https://shop"]}),
        make_skill("results", preconditions={"page_kind": ["results"], "url_matches": ["/search_results/"]}),
    )
    assert sorted(ids(library.fitting(ITEM, "", everything))) == ["any", "both", "item"]
    assert sorted(ids(library.fitting(RESULTS, "", everything))) == ["any", "both", "results"]
    assert library.fitting(ELSEWHERE, "", everything) == []


def test_skills_of_other_sites_fit_their_hosts(library: SkillLibrary) -> None:
    conditions = {"page_kind": [], "url_matches": [r"^https?://([^/]*\.)?example\.com/"]}
    put(
        library,
        make_skill("site", domain="example.com", preconditions=conditions),
        make_skill("sub", domain="shop.example.com", preconditions=conditions),
        make_skill(
            "twin", domain="example-com", preconditions={**conditions, "url_matches": ["^https://example-com/"]}
        ),
        make_skill("shop", preconditions={**conditions, "url_matches": ["."]}),
    )
    assert ids(library.fitting(ELSEWHERE, "", everything)) == ["site"]
    at_sub = Signals("https://m.shop.example.com/", None, "", None)
    assert sorted(ids(library.fitting(at_sub, "", everything))) == ["site", "sub"]


@pytest.mark.parametrize("url", ["", "about:blank", "http://[", "x" * 100_000, "file:///etc/passwd", "http://\ud800/"])
def test_strange_addresses(library: SkillLibrary, url: str) -> None:
    put(library, make_skill())
    assert library.fitting(Signals(url, "item", "", None), "", everything) == []


def test_what_must_be_on_the_page_and_what_must_not(library: SkillLibrary) -> None:
    put(
        library,
        make_skill("there", preconditions={"exists": ["#a"]}),
        make_skill("gone", preconditions={"exists": ["#a", "#b"]}),
        make_skill("covered", preconditions={"exists": ["#a"], "not_exists": ["#a"]}),
        make_skill("free", preconditions={"exists": ["#a"], "not_exists": [".modal"]}),
        make_skill("asks", preconditions={"exists": ["#a", '[value="{item}"]']}),
    )
    assert sorted(ids(library.fitting(ITEM, "", only("#a")))) == ["asks", "free", "there"]
    seen = library.fitting(ITEM, "", only("#a", ".modal"), visible=lambda selector: selector == "#a")
    assert sorted(ids(seen)) == ["asks", "free", "there"], "a hidden .modal covers nothing"


def test_a_selector_that_cannot_be_read_fits_no_page(library: SkillLibrary) -> None:
    put(library, make_skill("bad", preconditions={"exists": ["::("]}), make_skill("good"))

    def exists(selector: str) -> bool:
        if selector.startswith("::"):
            raise SkillError("no selector")
        return True

    assert ids(library.fitting(ITEM, "", exists)) == ["good"]


def test_each_selector_is_looked_for_once(library: SkillLibrary) -> None:
    put(library, *(make_skill(f"d{number}", preconditions={"exists": ["#no"]}) for number in range(30)))
    asked: list[str] = []

    def exists(selector: str) -> bool:
        asked.append(selector)
        return False

    assert library.fitting(ITEM, "", exists) == []
    assert asked == ["#no"]


def test_only_what_was_tried_is_shown(library: SkillLibrary) -> None:
    put(library, *(make_skill(status, status=status) for status in ("draft", "trial", "verified", "quarantined")))
    put(library, make_skill("whole", steps=["quarantined"]))
    assert sorted(ids(library.fitting(ITEM, "", everything))) == ["trial", "verified"]
    assert ids(library.search("", status=["draft"])) == ["draft"]


def test_the_goals_words_order_what_fits(library: SkillLibrary) -> None:
    put(
        library,
        make_skill("back", label="Back to results"),
        make_skill("reviews", label="Customer reviews"),
        make_skill("price", label="Filter", description="Only results that cost less than a price"),
    )
    assert ids(library.fitting(ITEM, "What do customers say in their review?", everything))[0] == "reviews"
    assert ids(library.fitting(ITEM, "a dress for a low PRICE", everything))[0] == "price"
    assert len(library.fitting(ITEM, "price", everything, limit=2)) == 2
    assert library.fitting(ITEM, "price", everything, limit=0) == []


def test_health_orders_what_the_words_do_not(library: SkillLibrary) -> None:
    put(library, *(make_skill(name) for name in ("a-new", "b-proven", "c-better")))
    runs = [Outcome("webshop", "b-proven", "ok")] * 8 + [Outcome("webshop", "b-proven", "damage")]
    library.record_outcomes([*runs, *[Outcome("webshop", "c-better", "ok")] * 9])
    found = library.fitting(ITEM, "", everything)
    assert ids(found) == ["c-better", "b-proven", "a-new"]
    assert found[2].health == pytest.approx(0.1)
    assert [fit.score for fit in found] == sorted((fit.score for fit in found), reverse=True)


def test_equals_are_ordered_by_name(library: SkillLibrary) -> None:
    put(library, *(make_skill(f"d{number}") for number in (3, 1, 2)))
    assert ids(library.fitting(ITEM, "", everything)) == ["d1", "d2", "d3"]


def test_what_succeeded_after_the_last_skill_comes_forward(library: SkillLibrary) -> None:
    put(library, *(make_skill(name) for name in ("a", "b", "c")))
    for name in "abc":  # the same health for all
        library.record_outcome("webshop", name, "ok", page_kind="elsewhere")
    library.record_outcomes([Outcome("webshop", "b", "ok", page_kind="item", after="a")] * 3)
    library.record_outcomes([Outcome("webshop", name, "ok", page_kind="elsewhere") for name in "ac" for _ in range(3)])
    assert library.fitting(ITEM, "", everything, after="a")[0].skill.id == "b"
    assert library.fitting(ITEM, "", everything, after="c")[0].prior == pytest.approx(0.6), "what is usual on the page"
    assert library.fitting(RESULTS, "", everything) == []


def test_a_failed_run_leaves_no_habit(library: SkillLibrary) -> None:
    put(library, make_skill("a"), make_skill("b"))
    library.record_outcome("webshop", "b", "mismatch", page_kind="item", after="a")
    assert [fit.prior for fit in library.fitting(ITEM, "", everything, after="a")] == [0, 0]


HOSTILE = [
    "",
    "   ",
    '"',
    "'",
    '"unbalanced AND (',
    "NEAR(a b) OR NOT *",
    "names:price",
    "{names} : price",
    "price*",
    "^price",
    "-price + -",
    "\x00price\x00",
    "\ud800 price",
    "価格 цена 🛒",
    "price " * 20_000,
    "x" * 100_000,
    "_ __ ___",
    "'; DROP TABLE skills; --",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_goals_find_what_fits(library: SkillLibrary, text: str) -> None:
    put(library, make_skill("price", label="Price"))
    assert ids(library.fitting(ITEM, text, everything)) == ["price"]
    assert len(library.search(text)) <= 1
    assert ids(library.search("price")) == ["price"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_words_are_plain_words(text: str) -> None:
    words = query_words(text)
    assert all(word.replace("_", "x").isalnum() for word in words)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    query = " OR ".join(f'"{word}"' for word in words) or '"x"'
    assert connection.execute("SELECT * FROM t WHERE t MATCH ?", (query,)).fetchall() == []
    connection.close()


def test_search_looks_on_every_page(library: SkillLibrary) -> None:
    put(library, make_skill("item"), make_skill("far", domain="example.com", label="Sign in"))
    assert ids(library.search("signing in")) == ["far"]
    assert sorted(ids(library.search(""))) == ["far", "item"]
    assert ids(library.search("", domain="www.example.com")) == ["far"]
    assert library.search("nothing of the kind") == []


# What changes under a library that is open


def test_every_change_is_found_at_once(library: SkillLibrary) -> None:
    other = SkillLibrary(library.directory, clock=lambda: NOW)
    assert library.fitting(ITEM, "", everything) == []
    put(library, make_skill("a"))
    for each in (library, other):
        assert ids(each.fitting(ITEM, "", everything)) == ["a"]
    put(other, make_skill("b"))
    assert ids(library.fitting(ITEM, "", everything)) == ["a", "b"]
    put(other, make_skill("a", label="Reviews", preconditions={"page_kind": ["results"], "url_matches": ["."]}))
    assert ids(library.fitting(ITEM, "", everything)) == ["b"]
    assert ids(library.fitting(RESULTS, "", everything)) == ["a"]
    library.record_outcomes([Outcome("webshop", "b", "damage")] * 2)
    assert other.fitting(ITEM, "", everything) == []
    other.remove("webshop", "a")
    assert library.fitting(RESULTS, "", everything) == []
    put(library, make_skill("c"))
    assert ids(other.fitting(ITEM, "reviews", everything)) == ["c"]


def test_files_that_are_moved_by_hand_are_found(library: SkillLibrary) -> None:
    put(library, make_skill("a"), make_skill("b"))
    assert len(library.fitting(ITEM, "", everything)) == 2
    skill_path(library.directory, Key("webshop", "a")).unlink()
    assert ids(library.fitting(ITEM, "", everything)) == ["b"]
    path = skill_path(library.directory, Key("webshop", "c"))
    path.write_bytes(skill_bytes(make_skill("c")))
    assert ids(library.fitting(ITEM, "", everything)) == ["b", "c"]


def test_files_that_are_edited_in_place_are_believed(library: SkillLibrary) -> None:
    put(library, make_skill("a"), make_skill("b"))
    assert len(library.fitting(ITEM, "", everything)) == 2
    path = skill_path(library.directory, Key("webshop", "a"))
    path.write_bytes(skill_bytes(make_skill("a", preconditions={"exists": ["#no"]})))
    assert ids(library.fitting(ITEM, "", only("#desc"))) == ["b"]
    path.write_text("{")
    assert ids(library.fitting(ITEM, "", everything)) == ["b"]


def test_the_index_is_derived(library: SkillLibrary) -> None:
    put(library, make_skill("a", label="Reviews"))
    assert ids(library.search("reviews")) == ["a"]
    library.close()
    path = library.directory / "skill" / "index.sqlite3"
    assert path.stat().st_mode & 0o077 == 0
    for damage in (b"", b"this is no database" * 100, path.read_bytes()[: path.stat().st_size // 2]):
        path.write_bytes(damage)
        again = SkillLibrary(library.directory, clock=lambda: NOW)
        assert ids(again.search("reviews")) == ["a"]
        again.close()
    path.unlink()
    path.mkdir()
    assert ids(SkillLibrary(library.directory, clock=lambda: NOW).search("reviews")) == ["a"]


def test_an_index_that_is_damaged_while_it_is_open(library: SkillLibrary) -> None:
    put(library, make_skill("a", label="Reviews"))
    assert ids(library.search("reviews")) == ["a"]
    connection = sqlite3.connect(library.directory / "skill" / "index.sqlite3", isolation_level=None)
    connection.execute("DROP TABLE texts")
    connection.close()
    put(library, make_skill("b", label="Reviews"))
    assert sorted(ids(library.search("reviews"))) == ["a", "b"]


def test_an_index_that_somebody_else_holds(library: SkillLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    put(library, make_skill("a", label="Reviews"))
    library.search("")
    connection = sqlite3.connect(library.directory / "skill" / "index.sqlite3", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        put(library, make_skill("b", label="Reviews"))
        assert sorted(ids(library.search("reviews"))) == ["a", "b"]
    finally:
        connection.close()


def test_the_index_is_closed_with_its_library(library: SkillLibrary) -> None:
    put(library, make_skill("a"))
    assert ids(library.search("")) == ["a"]
    again = SkillLibrary(library.directory, clock=lambda: NOW)
    again.search("")
    snapshot = weakref.ref(again._retriever._snapshot)
    del again
    assert snapshot() is None, "something keeps the library alive"
    library.close()
    assert ids(library.search("")) == ["a"], "it opens again"


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_process_that_forked_has_an_index_of_its_own(library: SkillLibrary) -> None:
    put(library, make_skill("a"))
    assert ids(library.search("")) == ["a"]
    pid = os.fork()
    if pid == 0:
        try:
            put(library, make_skill("b"))
            os._exit(0 if ids(library.search("")) == ["a", "b"] else 1)
        finally:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert ids(library.search("")) == ["a", "b"]


def test_nothing_is_written_by_looking(tmp_path: Path) -> None:
    library = SkillLibrary(tmp_path / "library", clock=lambda: NOW)
    assert library.search("x") == []
    assert library.fitting(ITEM, "x", everything) == []
    assert list(tmp_path.iterdir()) == []


def test_shipped_skills_fit_and_change_with_their_health(tmp_path: Path) -> None:
    package = SkillLibrary(tmp_path / "package", clock=lambda: NOW)
    package.put(make_skill("a"))
    library = SkillLibrary(tmp_path / "library", package.directory, clock=lambda: NOW)
    assert ids(library.fitting(ITEM, "", everything)) == ["a"]
    library.record_outcome("webshop", "a", "ok")
    assert library.fitting(ITEM, "", everything)[0].skill.health.success_count == 1
    library.record_outcomes([Outcome("webshop", "a", "damage")] * 2)
    assert library.fitting(ITEM, "", everything) == []
    assert SkillLibrary(library.directory, package.directory, clock=lambda: NOW).fitting(ITEM, "", everything) == []


def test_several_threads_may_look(library: SkillLibrary) -> None:
    put(library, *(make_skill(f"d{number}") for number in range(20)))
    failures: list[Exception] = []

    def look(name: str) -> None:
        try:
            for _ in range(20):
                library.record_outcome("webshop", name, "ok")
                assert len(library.fitting(ITEM, "description", everything)) == 5
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=look, args=(f"d{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert library.get("webshop", "d3").health.success_count == 20


def test_common_words_are_left_out_of_a_large_library(library: SkillLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_SCORED", 3)
    put(library, *(make_skill(f"d{number}", label="Common words") for number in range(9)))
    put(library, make_skill("rare", label="Common and rare words"))
    assert ids(library.fitting(ITEM, "common rare words", everything))[0] == "rare"
    assert [fit.text > 0 for fit in library.fitting(ITEM, "common words", everything, limit=10)] == [True] * 10
    assert ids(library.search("absent rare")) == ["rare"]
    assert library.search("absent") == []


@pytest.mark.parametrize("chunk", [128, 7])
def test_many_skills_are_the_same_found_fast_or_slowly(
    library: SkillLibrary, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index, the arrays and the order agree with a plain look at every skill."""
    monkeypatch.setattr(retrieval, "_CHUNK", chunk)
    words = ("red", "blue", "green", "reviews", "price", "size")
    kinds = ("item", "results")
    for number in range(60):
        put(
            library,
            make_skill(
                f"d{number}",
                label=f"{words[number % 6]} {words[number % 5]}",
                preconditions={
                    "page_kind": [kinds[number % 2]],
                    "url_matches": ["/item_page/" if number % 2 == 0 else "/search_results/"],
                    "exists": [f"#s{number % 7}"],
                },
                health={"health_score": number / 60, "success_count": number},
            ),
        )
    page = only("#s1", "#s2", "#s3")
    for signals in (ITEM, RESULTS):
        slow = [
            skill.id
            for skill in library.list()
            if signals.page_kind in skill.preconditions.page_kind and page(skill.preconditions.exists[0])
        ]
        found = library.fitting(signals, "reviews of the red one", page, limit=100)
        assert sorted(ids(found)) == sorted(slow)
        assert [fit.score for fit in found] == sorted((fit.score for fit in found), reverse=True)
        with_words = {fit.skill.id for fit in found if fit.text > 0}
        assert with_words == {fit.skill.id for fit in found if {"red", "reviews"} & set(str(fit.skill.label).split())}
