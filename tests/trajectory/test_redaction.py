"""What must not be written down is not: keys, tokens, card numbers, and contacts where that is wanted.

Every secret is put together at run time, so that no scanner of source code takes this file for a leak.
"""

import gzip
import json
import logging
import random
import string
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.config import MAX_RECORDED_CHARS
from personalized_shopping.shared_libraries.trajectory import (
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    ModelRequest,
    Plan,
    Problem,
    RenderedPage,
    Run,
    RunStart,
    ShopEntered,
    StateChange,
    ToolCall,
    ToolEnd,
    UserMessage,
    read_log,
    write_execution_trajectory,
)
from personalized_shopping.shared_libraries.trajectory.layout import logs_of
from personalized_shopping.shared_libraries.trajectory.plain_json import plain_json
from personalized_shopping.shared_libraries.trajectory.redaction import FAILED, Redactor, configured_redactor, luhn
from personalized_shopping.shared_libraries.trajectory.writer import records_writer

_DRAW = random.Random(20)


def drawn(length: int, characters: str = string.ascii_letters + string.digits) -> str:
    """Return a random text that has a digit and a change of case, as every long enough key has."""
    return "".join(_DRAW.choices(characters, k=length - 3)) + "x" + "Q7"


def pem(kind: str) -> str:
    head, lines = f"PRIVATE{' '}KEY", "\n".join(drawn(64) for _ in range(3))
    return f"-----BEGIN {kind}{head}-----\n{lines}\n-----END {kind}{head}-----"


SECRETS: dict[str, str] = {
    "openai": "sk-" + drawn(48),
    "openai project": "sk-" + "proj-" + drawn(60) + "_" + drawn(40),
    "anthropic": "sk-" + "ant-" + "api03-" + drawn(80),
    "openrouter": "sk-" + "or-" + "v1-" + drawn(64, "0123456789abcdef").lower(),
    "stripe": "sk_" + "live_" + drawn(24),
    "stripe restricted": "rk_" + "test_" + drawn(24),
    "google": "AI" + "za" + drawn(35),
    "google token": "ya" + "29." + drawn(60),
    "aws": "AK" + "IA" + drawn(16).upper(),
    "aws temporary": "AS" + "IA" + drawn(16).upper(),
    "github": "gh" + "p_" + drawn(36),
    "github server": "gh" + "s_" + drawn(36),
    "github fine": "github" + "_pat_" + drawn(22) + "_" + drawn(59),
    "gitlab": "gl" + "pat-" + drawn(20),
    "slack": "xo" + "xb-" + drawn(12) + "-" + drawn(24),
    "xai": "xa" + "i-" + drawn(80),
    "groq": "gs" + "k_" + drawn(52),
    "hugging face": "hf" + "_" + drawn(34),
    "npm": "np" + "m_" + drawn(36),
    "pypi": "py" + "pi-" + drawn(80),
    "jwt": "ey" + "J" + drawn(30) + ".ey" + "J" + drawn(60) + "." + drawn(43),
    "rsa": pem("RSA "),
    "pkcs8": pem(""),
    "ssh": pem("OPENSSH "),
}
"""Each is known by its looks alone."""

SURROUNDINGS = (
    "{}",
    "my key is {}.",
    "({})",
    '"{}",',
    "'{}';",
    "<p>{}</p>",
    '<a href="https://shop.example/?k={}&page=2">x</a>',
    "key={}\n",
    "**{}**",
    "`{}`",
    "[{}]",
    "{}, and then more",
    "ключ:{}。",
)


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_a_key_is_known_wherever_it_stands(kind: str, surrounding: str) -> None:
    secret, redactor = SECRETS[kind], Redactor()
    found = redactor.text(surrounding.format(secret))
    assert secret not in found
    assert not any(piece in found for piece in pieces(secret))
    assert found.startswith(surrounding[: surrounding.index("{")].rstrip("=:"))
    assert sum(redactor.counts.values()) == 1
    assert redactor.text(found) == found, "what is redacted stays as it is"


def pieces(secret: str) -> list[str]:
    """Return parts of a secret that give it away."""
    middle = secret[8:-4] if "\n" in secret else secret[6:]
    return [middle[place : place + 12] for place in range(0, max(len(middle) - 12, 1), 7)]


@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_a_key_is_known_in_a_long_document(kind: str) -> None:
    secret = SECRETS[kind]
    items = [{"asin": f"B0{number:08}", "title": "Red shirt, 100% cotton", "price": 12.5} for number in range(500)]
    items.insert(250, {"note": f"here: {secret}", "nested": {"list": [secret]}})  # type: ignore[dict-item]
    for text in (json.dumps(items), json.dumps({"body": json.dumps(items)}), json.dumps(items, indent=2)):
        found = Redactor().text(text)
        assert not any(piece in found for piece in pieces(secret))
        assert found.count("Red shirt") >= 250


WORD = "hun" + "ter2" + "-Quartz"
ASSIGNMENTS = (
    "password={}",
    "password: {}",
    "Password = '{}'",
    '"password": "{}"',
    "{{'passwd': '{}'}}",
    r"{{\"password\": \"{}\"}}",
    r"{{\\\"api_key\\\": \\\"{}\\\"}}",
    '<div data-state="{{&quot;password&quot;: &quot;{}&quot;}}">',
    "DB_PASSWORD={}",
    "MY_SERVICE_API_KEY={}",
    "aws_secret_access_key = {}",
    "userPassword: '{}'",
    "client_secret={}&grant=x",
    "?access_token={}#top",
    "refresh_token: {}",
    "session-token={};",
    "my api key: {}",
    "passphrase={}",
    "Authorization: Bearer {}",
    "authorization: Basic {}",
    '"Authorization": "Token {}"',
    "postgresql://shop:{}@db.example:5432/shop",
)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_password_is_known_by_what_stands_before_it(assignment: str) -> None:
    found = Redactor().text(f"before {assignment.format(WORD)} after")
    assert WORD not in found
    assert "Quartz" not in found
    assert found.startswith("before ")
    assert found.endswith(" after")


def test_a_document_stays_a_document_without_its_password() -> None:
    document = {"user": "ann", "password": "correct horse, battery", "n": 1}
    assert json.loads(Redactor().text(json.dumps(document))) == document | {"password": "[REDACTED key]"}


@pytest.mark.parametrize(
    "key",
    [
        "password", "Password", "user_password", "x.password", "passwd", "passphrase", "secret", "client_secret",
        "api_key", "api-key", "apiKey", "X-Api-Key", "OPENAI_API_KEY", "private_key", "AWS_SECRET_ACCESS_KEY", "token",
        "access_token", "accessToken", "id_token", "csrf-token", "Authorization", "Cookie", "Set-Cookie", "credentials",
        "api_keys", "passwords", "cookies",
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_key(key: str) -> None:
    redact = Redactor().text
    value = {key: ["apple", {key: "pear"}], "other": "plum", "list": [{key: 12345678}]}
    found = plain_json(value, redact)
    assert found == {
        key: ["[REDACTED key]", {key: "[REDACTED key]"}],
        "other": "plum",
        "list": [{key: "[REDACTED key]" if key != "token" else 12345678}],
    }, "a number of tokens is none"


def test_a_secret_is_known_under_a_key_that_occurs_twice() -> None:
    class Named:
        def __str__(self) -> str:
            return "password"

    assert set(plain_json({"password": "apple", Named(): "pear"}, Redactor().text).values()) == {"[REDACTED key]"}


@pytest.mark.parametrize(
    "key", ["prompt_tokens", "tokenizer", "keyboard", "cookie_flavor", "secretary", "title", "key"]
)
def test_other_keys_hide_nothing(key: str) -> None:
    assert plain_json({key: "walnut", "n": {key: 12}}, Redactor().text) == {key: "walnut", "n": {key: 12}}


def test_a_secret_may_be_a_key_itself() -> None:
    assert plain_json({SECRETS["openai"]: 1}, Redactor().text) == {"[REDACTED key]": 1}


def test_this_process_knows_its_own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_API_KEY", "plain words only")
    monkeypatch.setenv("UNHEARD_OF_API_KEY", "  zebra crossing ")
    monkeypatch.setenv("GEMINI_API_KEY", "short")
    found = configured_redactor().text("say plain words only at the zebra crossing, shortly")
    assert found == "say [REDACTED key] at the [REDACTED key], shortly"


def with_check_digit(digits: str) -> str:
    return next(whole for last in "0123456789" if luhn(whole := digits + last))


def grouped(digits: str, sizes: tuple[int, ...], separator: str) -> str:
    groups, place = [], 0
    for size in sizes:
        groups.append(digits[place : place + size])
        place += size
    return separator.join(group for group in groups if group)


VISA, AMEX = with_check_digit("4111" + "1111" * 2 + "111"), with_check_digit("3782" + "822463" + "1000")
cards = st.builds(
    lambda first, rest: with_check_digit(first + rest),
    st.sampled_from(["4", "51", "55", "2221", "2720", "34", "37", "36", "6011", "62", "50"]),
    st.text("0123456789", min_size=11, max_size=18),
).filter(lambda digits: 13 <= len(digits) <= 19)


@given(cards, st.booleans(), st.sampled_from([" ", "-", "\xa0"]))
@settings(max_examples=300, deadline=None)
def test_a_card_number_is_known_however_it_is_printed(digits: str, in_one: bool, separator: str) -> None:
    sizes = (19,) if in_one else (4, 6, 5) if len(digits) in (14, 15) else (4, 4, 4, 4, 3)
    shown = grouped(digits, sizes, separator)
    assert Redactor().text(f"pay {shown}, please") == "pay [REDACTED card number], please"


@given(cards)
@settings(deadline=None)
def test_with_another_last_digit_it_is_no_card(digits: str) -> None:
    wrong = digits[:-1] + str((int(digits[-1]) + 1) % 10)
    assert Redactor().text(f"pay {wrong}, please") == f"pay {wrong}, please"


@pytest.mark.parametrize("number", [VISA, AMEX, grouped(VISA, (4, 4, 4, 4), " "), grouped(VISA, (4, 4, 4, 4), "-")])
@pytest.mark.parametrize(
    "surrounding",
    [
        "{}", "({})", "card:{}", "card no.{}", "#{}", "<b>{}</b>", "{} 123", "{} 12/27", "{} exp 12/27 cvv 123", "2 {}",
        "order 17: {}", "{}-Visa", "{}.", "{}, 90210", "{} 90210", "Visa-{}", "{};{}", "{}\n{}", "{} {}", "'{}'",
        "+{}", "card={}&cvv=123", "{}…", "n°{}",
    ],
)  # fmt: skip
def test_a_card_number_is_known_beside_other_things(surrounding: str, number: str) -> None:
    found = Redactor().text(surrounding.replace("{}", number))
    assert number not in found
    assert found.count("[REDACTED card number]") == surrounding.count("{}")


@pytest.mark.parametrize(
    "value", [int(VISA), float(VISA), {"card": int(VISA)}, [int(VISA)], {int(VISA): 1}, {"a": [VISA]}]
)
def test_a_card_number_may_be_a_number(value: Any) -> None:
    assert VISA[:12] not in json.dumps(plain_json(value, Redactor().text))


FACTS = (
    "$12.50", "1,299.99", "B09KP78G37", "B0HQEIDTYI", "978-0-306-40615-7", "9780306406157", "0-306-40615-2",
    "4.3 out of 5 stars (12,345 ratings)", "2024-01-15", "2024-01-15T10:20:30.123Z", "20240115@102030", "1700000000000",
    "32 34 36 38 40 42 44 46", "sizes 6 7 8 9 10 11 12 13 14", "fits 2015 2016 2017 2018 2019", "12 x 10 x 8 inches",
    "3.14159265358979323846", "0.4111111111111111", "a32f2030-8f97-43d6-9215-a678e4ad3737", "5000 mAh 3000 mAh",
    "112-1234567-1234567", "Basic Short-Sleeve T-Shirt", "basic comfortable trousers", "Ring Bearer Handkerchief",
    "6-pk-organic-cotton-towels-blue", "sk-ii essence", "token of love, secret: it is silver", "password book",
    "Desk_organizer_with_four_drawers_and_lamp", "a key ring: 2 pieces", "asian food", "Cookie: chocolate chip",
    "https://m.media-amazon.com/images/I/61sk-abcdEFGH123._AC_UL1500_.jpg", "http://localhost:8080/search?q=a@b",
    "https://shop.example/item/B09KP78G37?ref=sr_1_1&qid=1700000000&keywords=red+shirt", "18 650 battery",
)  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
def test_facts_about_products_are_left_alone(fact: str) -> None:
    for text in (fact, f"<p>{fact}</p>", json.dumps({"fact": fact}), f"It is {fact}."):
        assert Redactor().text(text) == text


def test_real_products_are_left_alone(shared_dir: Path) -> None:
    redactor = Redactor()
    for path in sorted((shared_dir / "data" / "webshop_1k").glob("*.json")):
        for line in path.read_text(encoding="utf-8").split("{"):
            assert redactor.text(line) == line


CONTACTS = (
    "ann.lee+shop@mail.example.com",
    "ANN@example.org",
    "+1 415 555 2671",
    "(415) 555-2671",
    "415-555-2671",
    "+4915123456789",
)


@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize(
    "surrounding", ["{}", "write {}, please", "<a href='mailto:{}'>", '{{"contact": "{}"}}', "({})"]
)
def test_contacts_go_by_setting_only(contact: str, surrounding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = surrounding.format(contact)
    monkeypatch.delenv("TRAJECTORY_REDACT_CONTACTS", raising=False)
    assert configured_redactor().text(text) == text
    monkeypatch.setenv("TRAJECTORY_REDACT_CONTACTS", "1")
    redactor = configured_redactor()
    assert contact not in redactor.text(text)
    assert sum(redactor.counts.values()) == 1


@pytest.mark.parametrize("fact", ["$12.50", "B09KP78G37", "9780306406157", "2024-01-15", "12 x 10 x 8", "4.3 of 5"])
def test_facts_are_no_contacts(fact: str) -> None:
    assert Redactor(contacts=True).text(f"It is {fact}.") == f"It is {fact}."


@pytest.mark.parametrize(
    "part",
    [
        "eyJ-", "eyJ" + "a" * 20 + ".", "-----BEGIN ", "-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----", "sk-",
        "sk-ab-", "bearer ", "Bearer a", "basic aaaaaaaaaaaa", "password=", "password: '", 'api_key\\"', "://", "://a:",
        "1 ", "4 ", "4111 ", "4111-1111-", "4", "41111111", "a@", "a@a.", "+1 ", "(12) ", "123-", "hf_", "xoxb-a", "@",
        "token token", "&quot;", "://a:b",
    ],
)  # fmt: skip
def test_no_text_takes_long(part: str) -> None:
    text = (part * (400_000 // len(part)))[:400_000]
    redactor = Redactor(contacts=True)
    start = time.process_time()
    redactor.text(f"password token authorization {text} private key bearer basic")
    assert time.process_time() - start < 4, "400,000 characters; a quadratic expression takes minutes"


def test_what_lies_across_the_cut_of_a_long_text_is_known() -> None:
    secret = SECRETS["openai"]
    for before in range(MAX_RECORDED_CHARS - len(secret), MAX_RECORDED_CHARS + 1, 10):
        found = plain_json(f"{'a ' * (before // 2)}{secret}{' b' * 10_000}", Redactor().text)
        assert secret[:8] not in found


def test_redaction_that_fails_leaves_the_marker_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def broken(_self: Redactor, _value: str) -> str:
        raise RuntimeError("out of order")

    monkeypatch.setattr(Redactor, "_redacted", broken)
    redactor = Redactor()
    with caplog.at_level(logging.CRITICAL):
        assert redactor.text("my secret words") == FAILED
        run = Run(tmp_path, RunStart(app="a", user="u", session="s"), redactor=redactor)
        run.write(UserMessage(text="my secret words"))
        run.write(ToolEnd(call_id="c", outcome="done", result={"secret words": ["my secret words", 4.5]}))
        run.show({"q": "my secret words"}, lambda: RenderedPage("results", "my secret words", "my secret words"))
        assert run.end("completed").result(30)
    assert redactor.counts["failed"] > 3
    written = everything_below(tmp_path)
    assert FAILED in written
    assert "secret words" not in written


def everything_below(root: Path) -> str:
    """Return the names and contents of all files, decompressed where they are compressed."""
    texts = [str(path.relative_to(root)) for path in root.rglob("*")]
    for path in root.rglob("*"):
        if path.is_file():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            texts.append(data.decode())
    return "\n".join(texts)


def test_no_secret_is_anywhere_in_a_session(tmp_path: Path) -> None:
    planted = {**SECRETS, "password": WORD, "card": VISA, "own": "purple elephant dance"}
    every = " ; ".join(f"password={text}" if name == "password" else text for name, text in planted.items())
    long = f"{'words ' * 2000}{every}{' words' * 2000}"
    redactor = Redactor(secrets=[planted["own"]])
    session = f"s {SECRETS['openai']} {SECRETS['aws']}"
    start = RunStart(app="a", user=every, session=session, settings={"note": every, "password": WORD}, model=every)
    run = Run(tmp_path, start, redactor=redactor)
    failed = Failure(type="E", message=every)
    usage_facts = {"facts": every, "card": int(VISA)}
    for record in (
        ShopEntered(shop={"catalog_id": every}, place={"query": every}, goal={"instruction_text": long}),
        UserMessage(text=every),
        ModelRequest(step=0, system=long, tools=[{"description": every}]),
        ModelCall(step=0, model=every, text=long, thought=every, calls=[{"arguments": {"q": every}}], error=None),
        ModelCall(step=0, error=failed),
        ToolCall(step=0, call_id="c", tool="search", arguments={"keywords": every}, action=f"search[{every}]"),
        Decision(call_id="c", decision="block", source=every, risk_explanation=every, facts=usage_facts,
                 world_model={"semantic_delta": long}, extra={"task_alignment": every}, guidance=every),
        Confirmation(call_id="c", question=every, facts=usage_facts),
        ToolEnd(call_id="c", outcome="done", result={"text": long, every: [every]}, info={"e": every}, error=failed,
                purchase={"title": every}, scored={"x": every}),
        StateChange(author="u", delta={"note": long, "list": [every], every: 1}),
        Plan(step=0, current_plan=every, plan_steps=[every], update_reason=every),
        Problem(step=0, error=failed),
    ):  # fmt: skip
        assert run.write(record).result(30)
    run.show({"url": every}, lambda: RenderedPage("results", f"<html>{long}</html>", long))
    assert run.end("error", RuntimeError(every)).result(30)
    write_execution_trajectory(run.directory)

    written = everything_below(tmp_path)
    for name, secret in planted.items():
        assert secret not in written, name
        for piece in pieces(secret) if name in SECRETS else []:
            assert piece not in written, name
    assert "Quartz" not in written
    log = read_log(logs_of(run.directory)[0])
    assert (log.bad_lines, log.missing, len(log.lines)) == (0, 0, 15)
    assert log.end is not None
    assert log.end.redactions["key"] > 100
    assert log.end.redactions["card number"] > 10


def test_sessions_whose_names_hold_secrets_stay_apart(tmp_path: Path) -> None:
    runs = [
        Run(tmp_path, RunStart(app="a", user="u", session=SECRETS[name]), redactor=Redactor())
        for name in ("xai", "npm")
    ]
    for run in runs:
        run.end("completed").result(30)
    assert runs[0].directory != runs[1].directory
    assert {path.name for path in tmp_path.iterdir()} == {run.directory.name for run in runs}
    records_writer.drain()
