"""`skills` and `guard` from the command line."""

import json

import pytest

from personalized_shopping.shared_libraries.skills import shared


@pytest.fixture(autouse=True)
def own_library(tmp_path, monkeypatch):
    monkeypatch.setenv("SKILL_LIBRARY_DIR", str(tmp_path / "skills"))
    monkeypatch.setenv("SKILL_WORKSPACE_DIR", str(tmp_path / "workspace"))
    monkeypatch.setenv("TRAJECTORY_DIR", str(tmp_path / "trajectories"))
    shared.close_shared()
    yield
    shared.close_shared()


def test_the_shipped_skills_are_listed_found_and_shown(cli):
    listed = {entry["id"]: entry for entry in cli("skills", "list", "--json").json}
    assert {"search_products", "gather_product_info", "compare_items", "buy_now"} <= set(listed)
    assert listed["buy_now"]["effect"] == "purchase"
    assert all(entry["status"] == "verified" for entry in listed.values())
    assert cli("skills", "list", "compare several products", "--json").json[0]["id"] == "compare_items"
    shown = cli("skills", "show", "gather_product_info")
    assert shown.code == 0 and "def program__gather_product_info" in shown.out
    assert cli("skills", "show", "gather_product_info", "--json").json["effect"] == "read"
    assert cli("skills", "stats", "--json").json["by_status"]["verified"] == len(listed)


def test_a_skill_is_run_from_where_it_fits(cli):
    found = cli("skills", "run", "search_products", "--args", '{"query": "shirt"}', "--json")
    assert found.code == 0 and found.json["outcome"] == "ok" and found.json["steps"] == ["search[shirt]"]
    asin = found.json["evidence"]["results"][0]["asin"]
    walk = ("--at", "search[shirt]", "--at", f"click[{asin}]")
    read = cli("skills", "run", "gather_product_info", *walk, "--json")
    assert read.code == 0 and set(read.json["evidence"]["content"]) == {"Description", "Features", "Reviews"}
    assert cli("skills", "run", "buy_now", *walk, "--json").json["outcome"] == "cancelled", "nothing is ever bought"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["show", "no_such_skill"], 1, "no skill"),
        (["run", "search_products", "--args", "{"], 2, "no JSON"),
        (["run", "search_products", "--args", "[1]"], 2, "JSON object"),
        (["run", "search_products"], 1, "query is missing"),
        (["run", "open_result", "--at", "nonsense"], 2, "--at"),
        (["run", "open_result", "--at", "click[nowhere]"], 1, "no button"),
        (["capture"], 2, "name one URL, or --shop"),
        (["capture", "ftp://example.invalid/x"], 1, "neither an http"),
        (["capture", "http://127.0.0.1:9/"], 1, "cannot be read"),
        (["import", "/no/such/file.zip"], 1, ""),
        (["export", "-o", "/tmp/skills.tar"], 1, ".zip or .json"),
        (["rollback", "gather_product_info"], 1, ""),
    ],
)
def test_wrong_input_is_told(cli, arguments, code, said):
    outcome = cli("skills", *arguments)
    assert outcome.code == code, outcome.err
    assert said in outcome.err + outcome.out and "Traceback" not in outcome.err


def test_from_a_page_to_a_skill(cli):
    captured = cli("skills", "capture", "--shop", "--json").json
    kinds = [entry["page_kind"] for entry in captured]
    assert kinds == ["search", "results", "item", "description", "features", "reviews", "done"]
    item = captured[kinds.index("item")]["directory"]
    built = cli("skills", "build", item, "--dry-run", "--json").json
    assert any(entry["effect"] == "purchase" for entry in built) and len(built) >= 6
    assert cli("skills", "build", item).code == 0
    drafts = cli("skills", "list", "--all", "--json").json
    assert any(entry["status"] == "draft" for entry in drafts)


def test_a_model_that_writes_no_json_changes_nothing(cli):
    captured = cli("skills", "capture", "--shop", "--json").json
    search = next(entry["directory"] for entry in captured if entry["page_kind"] == "search")
    plain = cli("skills", "build", search, "--dry-run", "--json").json
    refined = cli("skills", "build", search, "--dry-run", "--json", "--model", "offline/shopper")
    assert refined.json == plain and "no JSON object" in refined.err


def test_a_file_of_html_is_captured(cli, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<title>t</title><form><input type=password name=p value=secret><button>Go</button></form>")
    [captured] = cli("skills", "capture", page, "--json").json
    from pathlib import Path

    for file in Path(captured["directory"]).iterdir():
        assert "secret" not in file.read_text(encoding="utf-8"), file.name


def test_every_shipped_skill_verifies(cli):
    found = cli("skills", "verify", "--json")
    assert found.code == 0 and found.json["failed"] == 0
    assert all(entry["status"] == "verified" for entry in found.json["skills"])


def test_skills_travel(cli, tmp_path):
    bundle = tmp_path / "skills.zip"
    exported = cli("skills", "export", "-o", bundle, "--json").json["skills"]
    assert exported >= 8
    taken = cli("skills", "import", bundle, "--json").json
    assert taken["unchanged"] == exported and taken["refused"] == []
    folders = tmp_path / "folders"
    assert cli("skills", "export", "--agent-skills", "-o", folders).code == 0
    assert (folders / "gather-product-info" / "SKILL.md").read_text(encoding="utf-8").startswith("---")


def test_nothing_is_learned_from_nothing(cli):
    learned = cli("skills", "compose", "--json")
    assert learned.code == 0 and learned.json["admitted"] == []


def test_what_skills_save(cli):
    found = cli("skills", "bench", "--json").json
    for name, share in {"reference": 0.5, "compare3": 0.75}.items():
        entry = found[name]
        saved = 1 - entry["model_calls_with_skills"] / entry["model_calls_without_skills"]
        assert saved >= share and entry["same_outcome"] is True
        assert entry["input_tokens_with_skills"] < entry["input_tokens_without_skills"]


def test_policies_are_listed_and_checked(cli, tmp_path):
    assert cli("guard", "policies", "validate").code == 0
    listed = cli("guard", "policies", "list", "--json").json
    assert len(listed["policies"]) == 12 and len(listed["sha256"]) == 64
    own = tmp_path / "own.json"
    own.write_text(json.dumps([{"id": "OWN-1", "description": "Nothing in pink.", "severity": "high"}]))
    assert cli("guard", "policies", "validate", own, "--json").json["policies"] == 1
    own.write_text(json.dumps([{"id": "OWN-1"}, {"id": "bad id", "description": "x", "weight": 7}, 3]))
    wrong = cli("guard", "policies", "validate", own)
    assert wrong.code == 1 and "policy 0" in wrong.err and "policy 1" in wrong.err and "policy 2" in wrong.err
