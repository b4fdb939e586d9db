"""The arguments of a skill, held to its ``args_schema``: the part of JSON Schema that skills use, and no more.

A general validator is not among the base dependencies, and one that follows ``$ref`` and runs any ``pattern`` is more
than a skill's file may ask for.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.patterns import check_pattern, matches

MAX_ARGS_BYTES = 64 * 1024
"""Largest arguments, as JSON."""
MAX_DEPTH = 10
"""Deepest nesting of arguments and of schemas."""
MAX_PROBLEMS = 10
"""Problems that are listed."""

_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
_SIZES: dict[str, tuple[type, bool, str]] = {
    "minLength": (str, True, "characters"),
    "maxLength": (str, False, "characters"),
    "minItems": (list, True, "entries"),
    "maxItems": (list, False, "entries"),
    "minProperties": (dict, True, "keys"),
    "maxProperties": (dict, False, "keys"),
}
_RANGES: dict[str, tuple[Callable[[float, float], bool], str]] = {
    "minimum": (lambda value, bound: value >= bound, "at least"),
    "maximum": (lambda value, bound: value <= bound, "at most"),
    "exclusiveMinimum": (lambda value, bound: value > bound, "more than"),
    "exclusiveMaximum": (lambda value, bound: value < bound, "less than"),
}
_NOTES = frozenset({"title", "description", "default", "examples", "format", "$schema", "deprecated", "readOnly"})
_OTHERS = frozenset({"type", "enum", "const", "pattern", "items", "properties", "required", "additionalProperties"})
KEYWORDS = _NOTES | _OTHERS | frozenset(_SIZES) | frozenset(_RANGES)
"""The keywords that a skill's schema may have. ``format`` and the other notes are not checked."""


def args_problems(args: object, schema: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a skill's arguments, at most ``MAX_PROBLEMS``.

    An argument that the schema does not name is wrong, too, unless the schema says otherwise: it is a slip of the pen
    more often than not.

    Raises:
        SkillError: when the schema itself cannot be used.
    """
    check_schema(schema)
    try:
        size = len(json.dumps(args, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        return [f"The arguments are no JSON: {error}."]
    if size > MAX_ARGS_BYTES:
        return [f"The arguments have {size} bytes; at most {MAX_ARGS_BYTES} are taken."]
    closed = {"type": "object", "additionalProperties": False, **schema}
    return _problems(args, closed, "", MAX_DEPTH)[:MAX_PROBLEMS]


def check_schema(schema: object, depth: int = MAX_DEPTH) -> None:
    """Raise if a schema cannot be used.

    Raises:
        SkillError: for unknown keywords, values of the wrong type, and too deep nesting.
    """
    if not isinstance(schema, Mapping):
        raise SkillError(f"A schema of arguments is an object, not {shorten(schema)}.")
    if depth <= 0:
        raise SkillError("A schema of arguments is nested too deeply.")
    for keyword, value in schema.items():
        if keyword not in KEYWORDS:
            raise SkillError(f"A schema of arguments has no {shorten(keyword)}. Known: {', '.join(sorted(KEYWORDS))}.")
        if not _usable(keyword, value):
            raise SkillError(f"In a schema of arguments, {keyword} cannot be {shorten(value)}.")
    for inner in (*schema.get("properties", {}).values(), *_inner(schema)):
        check_schema(inner, depth - 1)
    if "pattern" in schema:
        check_pattern(schema["pattern"])


def _inner(schema: Mapping[str, Any]) -> list[Any]:
    found = [schema["items"]] if "items" in schema else []
    more = schema.get("additionalProperties", True)
    return found if isinstance(more, bool) else [*found, more]


def _usable(keyword: str, value: object) -> bool:
    if keyword == "type":
        kinds = value if isinstance(value, list) else [value]
        return bool(kinds) and all(isinstance(kind, str) and kind in _TYPES for kind in kinds)
    if keyword in _SIZES:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if keyword in _RANGES:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if keyword == "required":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    expected: dict[str, type | tuple[type, ...]] = {
        "enum": list,
        "pattern": str,
        "items": dict,
        "properties": dict,
        "additionalProperties": (bool, dict),
    }
    return isinstance(value, expected.get(keyword, object))


def _problems(value: Any, schema: Mapping[str, Any], where: str, depth: int) -> list[str]:
    name = where or "The arguments"
    if depth <= 0:
        return [f"{name} are nested too deeply."]
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(_TYPES[kind](value) for kind in kinds):
        return [f"{name} must be of type {' or '.join(kinds)}, not {shorten(value)}."]
    found = []
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        found.append(f"{name} must be one of {shorten(schema['enum'], 300)}, not {shorten(value)}.")
    if "const" in schema and not _same(value, schema["const"]):
        found.append(f"{name} must be {shorten(schema['const'])}, not {shorten(value)}.")
    for keyword, (kind, least, unit) in _SIZES.items():
        if keyword in schema and isinstance(value, kind):
            size = len(value)  # type: ignore[arg-type]
            if size < schema[keyword] if least else size > schema[keyword]:
                bound = "at least" if least else "at most"
                found.append(f"{name} must have {bound} {schema[keyword]} {unit}, and has {size}.")
    for keyword, (holds, words) in _RANGES.items():
        if keyword in schema and _TYPES["number"](value) and not holds(value, schema[keyword]):
            found.append(f"{name} must be {words} {schema[keyword]}, not {shorten(value)}.")
    if "pattern" in schema and isinstance(value, str) and not matches(schema["pattern"], value):
        found.append(f"{name} must match {shorten(schema['pattern'])}, and {shorten(value)} does not.")
    if isinstance(value, list) and "items" in schema:
        for place, entry in enumerate(value):
            found += _problems(entry, schema["items"], f"{where}[{place}]", depth - 1)
    if isinstance(value, dict):
        found += _object_problems(value, schema, where, depth)
    return found


def _object_problems(value: dict[str, Any], schema: Mapping[str, Any], where: str, depth: int) -> list[str]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    dot = f"{where}." if where else ""
    found = [f"{dot}{name} is missing." for name in schema.get("required", []) if name not in value]
    more = schema.get("additionalProperties", True)
    for name, inner in value.items():
        if name in properties:
            found += _problems(inner, properties[name], f"{dot}{name}", depth - 1)
        elif more is False:
            known = f"Known: {', '.join(properties)}." if properties else "There are none."
            found.append(f"{dot}{name[:80]} is no known argument. {known}")
        elif isinstance(more, Mapping):
            found += _problems(inner, more, f"{dot}{name[:80]}", depth - 1)
    return found


def _same(value: object, other: object) -> bool:
    """Return whether two JSON values are equal; ``True`` is not ``1``."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def sample_args(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that a schema accepts, for a dry run; the first value of each ``enum``.

    Raises:
        SkillError: when the schema itself cannot be used.
    """
    check_schema(schema)
    sample = _sample({"type": "object", **schema})
    assert isinstance(sample, dict)
    return sample


def _sample(schema: Mapping[str, Any]) -> Any:
    for given in ("const", "default"):
        if given in schema:
            return schema[given]
    if schema.get("enum"):
        return schema["enum"][0]
    kinds = schema.get("type", "string")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "object":
        return {name: _sample(inner) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [_sample(schema.get("items", {})) for _ in range(max(1, schema.get("minItems", 1)))]
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return min(least, schema["maximum"]) if "maximum" in schema else least
    if kind == "string":
        text = "sample".ljust(schema.get("minLength", 0), "x")
        return text[: schema["maxLength"]] if "maxLength" in schema else text
    return {"boolean": True, "null": None}[kind]
