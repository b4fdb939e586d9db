"""`catalog`, `search` and `index`: from a file to a shop that answers."""

import json

import pytest

from personalized_shopping.cli.exit_codes import ExitCode

ROWS = [
    {"id": "MUG1", "name": "Blue ceramic mug", "cost": "9.50", "about": "Holds tea."},
    {"id": "MUG2", "name": "Red enamel mug", "cost": "7.25", "about": "For the camp."},
    {"id": "", "name": "", "cost": "?", "about": ""},
]
MAPPING = ["--map", "asin=id", "--map", "title=name", "--map", "price=cost", "--map", "description=about"]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "mugs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def good_source(tmp_path):
    path = tmp_path / "good.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:2]))
    return path


def test_build_search_and_describe(cli, source, tmp_path, monkeypatch):
    built = cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING, "--json")
    assert built.code == 0, built.err
    assert built.json["products"] == 2
    assert built.json["counts"]["rejected"] == 1
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "shop"))
    found = cli("search", "red", "mug", "--json")
    assert [hit["asin"] for hit in found.json["results"]] == ["MUG2", "MUG1"]
    assert found.json["results"][0]["price"] == "$7.25"
    described = cli("catalog", "info", "--json")
    assert described.json["indexes"] == ["bm25"]
    assert described.json["products"] == 2
    assert "2" in cli("catalog", "info").out


def test_what_was_set_aside_is_told(cli, source, tmp_path):
    outcome = cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING)
    assert outcome.code == 0
    assert outcome.out.strip() == str(tmp_path / "shop")
    assert "1 rejected" in outcome.err
    assert "record 2" in outcome.err
    assert f"CATALOG_PATH={tmp_path / 'shop'}" in outcome.err


def test_strict_stops_and_leaves_nothing(cli, source, tmp_path):
    outcome = cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING, "--strict")
    assert outcome.code == ExitCode.FAILED
    assert "record 2" in outcome.err
    assert not (tmp_path / "shop").exists()


def test_size_takes_the_first_records(cli, source, tmp_path):
    outcome = cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING, "--size", "1", "--json")
    assert outcome.json["products"] == 1


def test_a_directory_of_somebody_elses_is_not_replaced(cli, source, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.txt").write_text("years of work")
    outcome = cli("catalog", "build", source, "--out", tmp_path / "thesis", *MAPPING)
    assert outcome.code == ExitCode.FAILED
    assert "is no catalogue" in outcome.err
    assert (tmp_path / "thesis" / "chapter1.txt").read_text() == "years of work"


def test_a_catalogue_is_replaced_by_a_new_one(cli, source, good_source, tmp_path):
    cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING, "--size", "1")
    assert cli("catalog", "build", good_source, "--out", tmp_path / "shop", *MAPPING, "--json").json["products"] == 2


def test_validate_builds_nothing_and_fails_on_a_bad_record(cli, source, good_source, tmp_path):
    before = sorted(tmp_path.iterdir())
    bad = cli("catalog", "validate", source, *MAPPING, "--json")
    assert bad.code == ExitCode.FAILED
    assert (bad.json["ok"], bad.json["kept"], bad.json["rejected"]) == (False, 2, 1)
    assert bad.json["set_aside"][0]["position"] == 2
    good = cli("catalog", "validate", good_source, *MAPPING)
    assert good.code == 0
    assert "2 kept" in good.out
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("verb", ["build", "validate"])
def test_a_missing_source_is_exit_code_3(cli, tmp_path, verb):
    outcome = cli("catalog", verb, tmp_path / "nothing.json")
    assert outcome.code == ExitCode.MISSING
    assert "nothing.json" in outcome.err


@pytest.mark.parametrize(
    "arguments", [["search", "mug"], ["catalog", "info"], ["index", "build"], ["chat", "mug"], ["convert"]]
)
def test_a_configured_but_missing_catalogue_is_an_error(cli, monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "gone"))
    outcome = cli(*arguments)
    assert outcome.code == ExitCode.MISSING
    assert f"There is no catalogue at {tmp_path / 'gone'} (CATALOG_PATH names it)" in outcome.err
    assert outcome.out == ""


def test_with_nothing_configured_the_demo_is_made_first(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    first = cli("search", "shirt", "--json")
    assert first.code == 0
    assert first.json["results"]
    assert "demo shop" in first.err
    second = cli("search", "shirt", "--json")
    assert second.out == first.out
    assert second.err == ""


def test_demo_of_a_size_and_seed_is_reproducible(cli, tmp_path):
    one = cli("catalog", "demo", "--products", "60", "--seed", "5", "--out", tmp_path / "a", "--json")
    two = cli("catalog", "demo", "--products", "60", "--seed", "5", "--out", tmp_path / "b", "--json")
    other = cli("catalog", "demo", "--products", "60", "--seed", "6", "--out", tmp_path / "c", "--json")
    assert one.json["products"] == 60
    assert one.json["catalog_id"] == two.json["catalog_id"] != other.json["catalog_id"]


def test_index_build_mends_a_missing_index(cli, tmp_path, monkeypatch):
    cli("catalog", "demo", "--products", "60", "--out", tmp_path / "shop")
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "shop"))
    (tmp_path / "shop" / "index").rename(tmp_path / "elsewhere")
    missing = cli("search", "shirt")
    assert missing.code == ExitCode.MISSING
    assert "index build" in missing.err
    built = cli("index", "build", "--json")
    assert built.json == {"engine": "bm25", "products": 60, "directory": str(tmp_path / "shop" / "index" / "bm25")}
    assert cli("search", "shirt").code == 0


def test_nothing_found_is_said_aside(cli):
    outcome = cli("search", "qqqqzzzz")
    assert (outcome.code, outcome.out) == (0, "")
    assert "Nothing found" in outcome.err


@pytest.mark.parametrize("query", ["'", "[click]", "\x00\x1b[31m", "\ud800", "ש" * 10, "a " * 100_000, "<r> <q>"])
def test_any_query_is_answered(cli, query):
    outcome = cli("search", "--json", "--", query)
    assert outcome.code == 0, outcome.err
    assert outcome.json["engine"] == "bm25"


@pytest.mark.parametrize("damage", ["index of an older version", "no index", "no catalogue"])
def test_a_stale_demo_is_made_anew(cli, monkeypatch, tmp_path, damage):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    directory = cli("catalog", "demo").out.strip()
    manifest = tmp_path / "catalogs" / directory.rpartition("/")[2] / "index" / "bm25" / "manifest.json"
    if damage == "index of an older version":
        stated = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**stated, "format": 0, "format_version": 0}))
    elif damage == "no index":
        manifest.unlink()
    else:
        (manifest.parents[2] / "manifest.json").unlink()
    outcome = cli("search", "shirt", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["results"]
    assert "demo shop" in outcome.err


def test_a_cached_shop_of_an_older_version_is_built_anew(tmp_path, monkeypatch, source, cli):
    """A raw file's shop lies in the cache, where nobody would look for a command that mends it."""
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import open_shop_for

    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    cli("catalog", "build", source, "--out", tmp_path / "shop", *MAPPING)
    part = open_shop_for(tmp_path / "shop", 1)
    manifest = part.directory / "index" / "bm25" / "manifest.json"
    assert manifest.is_relative_to(tmp_path / "data" / "cache")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 0}))
    engine = open_shop_for(tmp_path / "shop", 1).engine()
    assert [hit.docid for hit in engine.search("mug")] == ["MUG1"]
    engine.close()
