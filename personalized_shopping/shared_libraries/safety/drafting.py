"""Policies drawn from a document by a language model, for a person to review before they hold."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from personalized_shopping.errors import PolicyError
from personalized_shopping.shared_libraries.asking import ATTEMPTS, Answer, Ask, BadReply, ask_for, read_json
from personalized_shopping.shared_libraries.safety.policies import MAX_POLICIES, WEIGHTS, Enforcement, Policy, RiskLevel

PROMPT = "guard_drafting"
MAX_DOCUMENT_BYTES = 1_000_000
PART_CHARS = 12_000
"""So much of a document is put into one question."""
MAX_PER_PART = 30
MIN_QUOTE_CHARS = 12


class DraftQuestion(Struct, frozen=True, kw_only=True):
    """A part of the document."""

    document: str
    already: list[str]
    """Ids that are in use."""


class DraftPolicy(Struct, frozen=True, kw_only=True):
    """A policy as a model proposes it; ``quote`` is the place in the document that says so."""

    policy_id: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9-]{1,40}$")]
    name: Annotated[str, Meta(min_length=1, max_length=120)]
    policy_description: Annotated[str, Meta(min_length=1, max_length=600)]
    quote: Annotated[str, Meta(min_length=MIN_QUOTE_CHARS, max_length=1_000)]
    risk_level: RiskLevel = "medium"
    enforcement: Enforcement = "confirm"
    scope: Annotated[str, Meta(max_length=300)] = ""


class _Reply(Struct, frozen=True):
    policies: Annotated[list[DraftPolicy], Meta(max_length=MAX_PER_PART)]


class Draft(Struct, frozen=True):
    """What came of a document: policies, and what was wrong with replies that could not be used."""

    policies: tuple[Policy, ...]
    problems: tuple[str, ...] = ()

    def document(self, beside: tuple[Policy, ...] = ()) -> dict[str, Any]:
        """Return the file of policies. Nobody has reviewed it, so that it does not load yet.

        Args:
            beside: policies that hold as well, the shipped ones for example.
        """
        everything = [msgspec.to_builtins(policy) for policy in (*beside, *self.policies)]
        return {"version": "1", "reviewed": False, "policies": everything}


def read_document(path: Path) -> str:
    """Return the text of a document.

    Raises:
        PolicyError: for one that cannot be read, is too long, or is no text.
    """
    try:
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            raise PolicyError(f"{path} has more than {MAX_DOCUMENT_BYTES:,} bytes.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise PolicyError(f"{path} is no UTF-8 text. Save it as plain text or Markdown.") from None
    if not text.strip():
        raise PolicyError(f"{path} is empty.")
    return text


def draft_policies(
    text: str,
    ask: Ask,
    prompt: str,
    *,
    taken: frozenset[str] = frozenset(),
    progress: Callable[[int], None] | None = None,
) -> Draft:
    """Return the policies that a model finds in a document.

    Each stands on a quotation that is really in the document; what has none is not taken. All are the language
    model's to find (``kind`` is ``llm``): no rule of this program knows them.

    Args:
        text: the document.
        ask: asks the model.
        prompt: of the task.
        taken: ids that other policies have.
        progress: called with 1 for every part of the document.
    """
    found: dict[str, Policy] = {}
    problems: list[str] = []
    for part in parts_of(text):
        question = DraftQuestion(document=part, already=sorted(taken | set(found)))
        answer = _ask(ask, prompt, question, taken | set(found))
        problems += answer.problems
        for proposed in answer.value or ():
            found[proposed.policy_id] = _policy(proposed)
        if progress is not None:
            progress(1)
    if len(found) + len(taken) > MAX_POLICIES:
        problems.append(f"The document gave {len(found)} policies; {MAX_POLICIES - len(taken)} are kept.")
    return Draft(tuple(found.values())[: MAX_POLICIES - len(taken)], tuple(problems))


def parts_of(text: str) -> list[str]:
    """Return a document in parts of at most ``PART_CHARS``, cut between paragraphs where there are any."""
    parts = [""]
    for piece in _pieces(text):
        if parts[-1] and len(parts[-1]) + len(piece) > PART_CHARS:
            parts.append("")
        parts[-1] += piece
    return [part for part in parts if part.strip()]


def _pieces(text: str) -> Iterator[str]:
    for paragraph in re.split(r"(?<=\n\n)", text):
        for start in range(0, len(paragraph), PART_CHARS):
            yield paragraph[start : start + PART_CHARS]


def _ask(ask: Ask, prompt: str, question: DraftQuestion, taken: frozenset[str]) -> Answer[list[DraftPolicy]]:
    document = _plain(question.document)

    replies = 0

    def read(reply: str) -> list[DraftPolicy]:
        nonlocal replies
        replies += 1
        proposed = read_json(reply, _Reply).policies
        ids = [one.policy_id for one in proposed]
        if again := sorted({one for one in ids if ids.count(one) > 1 or one in taken}):
            raise BadReply(f"These ids are taken: {', '.join(again)}. Give others.")
        invented = [one.policy_id for one in proposed if not _is_quoted(one, document)]
        if invented and replies < ATTEMPTS:
            raise BadReply(f"The quotes of these are not in the document, word for word: {', '.join(invented)}.")
        return [one for one in proposed if one.policy_id not in invented]

    return ask_for(ask, prompt, question, read)


def _is_quoted(proposed: DraftPolicy, document: str) -> bool:
    quote = _plain(proposed.quote)
    return len(quote) >= MIN_QUOTE_CHARS and quote in document


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _policy(proposed: DraftPolicy) -> Policy:
    return Policy(
        policy_id=proposed.policy_id,
        name=proposed.name,
        policy_description=proposed.policy_description,
        risk_level=proposed.risk_level,
        scope=proposed.scope,
        reference=[proposed.quote],
        kind="llm",
        enforcement=proposed.enforcement,
        weight=WEIGHTS[proposed.risk_level],
    )
