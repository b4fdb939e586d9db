"""Policies as data: what the guard holds the agent to. Running changes none of them."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from personalized_shopping.errors import PolicyError, shorten

SHIPPED = Path(__file__).with_name("policies.json")
MAX_POLICIES = 200
MAX_FILE_BYTES = 2_000_000

RiskLevel = Literal["high", "medium", "low"]
Enforcement = Literal["block", "confirm", "warn"]
"""What a violation leads to: ``block`` the call; ``confirm``: ask the person; ``warn``: let it through, and log it."""
WEIGHTS: dict[str, float] = {"high": 1.0, "medium": 0.6, "low": 0.3}
"""How much a violation counts where a policy does not say it, by its risk level."""


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One policy, with SafePred's keys and ours.

    ``kind`` tells what finds a violation: ``rule`` (code; the guarantees), ``llm`` (the world model) or ``both``. A
    rule is found by its ``policy_id``; a policy of your own with another id is the world model's. ``weight`` (0 to 1)
    is how much a violation counts. ``applies_to`` are the tools it is about, ``answer`` what the agent says; empty
    means all.
    """

    policy_id: Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
    policy_description: Annotated[str, Meta(min_length=1, max_length=2_000)]
    name: str = ""
    risk_level: RiskLevel = "medium"
    definitions: list[str] = []
    scope: str = ""
    reference: list[Any] = []
    risk_patterns: list[str] = []
    kind: Literal["rule", "llm", "both"] = "llm"
    enforcement: Enforcement = "block"
    weight: Annotated[float, Meta(ge=0, le=1)] = 1.0
    applies_to: list[str] = []
    tests: list[str] = []


class PolicySet(Struct, frozen=True):
    """The policies that hold, by id; ``sha256`` tells one set from another."""

    policies: dict[str, Policy]
    version: str
    sha256: str

    def __getitem__(self, policy_id: str) -> Policy:
        return self.policies[policy_id]

    def __contains__(self, policy_id: str) -> bool:
        return policy_id in self.policies

    def for_tool(self, tool: str) -> list[Policy]:
        """Return the policies that are about a tool."""
        return [policy for policy in self.policies.values() if not policy.applies_to or tool in policy.applies_to]

    def describe(self) -> dict[str, str]:
        """Return ``{"version", "sha256"}``, as decisions record it."""
        return {"version": self.version, "sha256": self.sha256}


def load_policies(path: Path | None = None) -> PolicySet:
    """Return the policies of a file, or the shipped ones.

    Args:
        path: JSON: a list of policies, or ``{"version", "policies"}``. SafePred's shorter keys ``id``, ``description``
            and ``severity`` are read too. A draft, ``"reviewed": false``, is refused.

    Raises:
        PolicyError: when the file cannot be read, or a policy is wrong; every problem is named.
    """
    source = path or SHIPPED
    try:
        if source.stat().st_size > MAX_FILE_BYTES:
            raise PolicyError(f"{source} has more than {MAX_FILE_BYTES:,} bytes.")
        data = source.read_bytes()
        document = msgspec.json.decode(data)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"The policies {source} cannot be read: {error}") from None
    entries = document.get("policies") if isinstance(document, dict) else document
    version = str(document.get("version", "")) if isinstance(document, dict) else ""
    if not isinstance(entries, list) or not entries:
        raise PolicyError(f"{source} holds no list of policies.")
    if isinstance(document, dict) and document.get("reviewed", True) is not True:
        raise PolicyError(f'{source} is a draft. Read each policy, correct or delete it, then set "reviewed" to true.')
    found, problems = _read(entries)
    if problems:
        raise PolicyError(f"{source}: " + "; ".join(problems))
    return PolicySet(found, version, hashlib.sha256(data).hexdigest())


def _read(entries: list[Any]) -> tuple[dict[str, Policy], list[str]]:
    found: dict[str, Policy] = {}
    problems: list[str] = []
    if len(entries) > MAX_POLICIES:
        return found, [f"{len(entries)} policies; at most {MAX_POLICIES} are read"]
    for place, entry in enumerate(entries):
        try:
            policy = msgspec.convert(_with_our_keys(entry), Policy)
        except msgspec.ValidationError as error:
            problems.append(f"policy {place}: {error}")
            continue
        if policy.policy_id in found:
            problems.append(f"policy {place}: the id {shorten(policy.policy_id)} is used twice")
        found[policy.policy_id] = policy
    return found, problems


def _with_our_keys(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    renamed = {"id": "policy_id", "description": "policy_description", "severity": "risk_level"}
    value = {renamed.get(key, key): item for key, item in entry.items()}
    level = value.get("risk_level", "medium")
    if isinstance(level, str):
        value["risk_level"] = level.lower()
        value.setdefault("weight", WEIGHTS.get(level.lower(), 0.6))
    return value
