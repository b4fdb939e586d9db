import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.args import args_problems, check_schema, sample_args

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 2, "maxLength": 10, "description": "what to search for"},
        "color": {"enum": ["red", "blue"]},
        "pages": {"type": "integer", "minimum": 1, "maximum": 5},
        "max_price": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "tabs": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "options": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 2},
        "asin": {"type": "string", "pattern": "^B[0-9A-Z]{2}$"},
        "exact": {"type": "boolean"},
        "kind": {"const": "item"},
    },
    "required": ["query"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "args",
    [
        {"query": "shoes"},
        {"query": "ab", "color": "blue", "pages": 5, "max_price": None, "tabs": ["a", "b", "c"]},
        {"query": "ab", "max_price": 0.5, "options": {"size": "9", "color": "red"}, "asin": "B0A", "exact": False},
        {"query": "ab", "kind": "item", "pages": 2.0},
    ],
)
def test_right_arguments_pass(args: dict[str, Any]) -> None:
    assert args_problems(args, SCHEMA) == []


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({}, "query is missing"),
        ([], "must be of type object"),
        (None, "must be of type object"),
        ({"query": 3}, "query must be of type string, not 3"),
        ({"query": "a"}, "at least 2 characters"),
        ({"query": "a" * 11}, "at most 10 characters"),
        ({"query": "ab", "color": "green"}, "color must be one of"),
        ({"query": "ab", "pages": "2"}, "pages must be of type integer"),
        ({"query": "ab", "pages": True}, "pages must be of type integer"),
        ({"query": "ab", "pages": 1.5}, "pages must be of type integer"),
        ({"query": "ab", "pages": 9}, "at most 5"),
        ({"query": "ab", "max_price": 0}, "more than 0"),
        ({"query": "ab", "tabs": []}, "at least 1 entries"),
        ({"query": "ab", "tabs": ["a", 1]}, "tabs[1] must be of type string"),
        ({"query": "ab", "options": {"size": 9}}, "options.size must be of type string"),
        ({"query": "ab", "options": {"a": "", "b": "", "c": ""}}, "at most 2 keys"),
        ({"query": "ab", "asin": "C00"}, "must match"),
        ({"query": "ab", "qurey": "x"}, "qurey is no known argument. Known: query"),
        ({"query": "ab", "kind": "results"}, "must be 'item'"),
        ({"query": float("nan")}, "no JSON"),
        ({"query": {1, 2}}, "no JSON"),
        ({"query": "a" * 70_000}, "bytes"),
    ],
)
def test_wrong_arguments_are_named(args: Any, says: str) -> None:
    problems = args_problems(args, SCHEMA)
    assert problems
    assert any(says in problem for problem in problems), problems


def test_a_skill_without_arguments_takes_none() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    assert args_problems({}, schema) == []
    assert args_problems({"x": 1}, schema) == ["x is no known argument. There are none."]
    assert args_problems({"x": 1}, {**schema, "additionalProperties": True}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "text"},
        {"type": []},
        {"oneOf": []},
        {"$ref": "#/x"},
        {"properties": []},
        {"properties": {"a": 3}},
        {"required": "a"},
        {"items": 1},
        {"minLength": -1},
        {"minimum": "1"},
        {"enum": "a"},
        {"pattern": "("},
        {"properties": {"a": {"pattern": r"(a)\1"}}},
        {"additionalProperties": 1},
        [],
    ],
)
def test_a_schema_that_cannot_be_used_is_an_error(schema: Any) -> None:
    with pytest.raises(SkillError):
        check_schema(schema)


def test_deep_nesting_is_an_error() -> None:
    schema: dict[str, Any] = {}
    deep: Any = "x"
    for _ in range(30):
        schema = {"items": schema}
        deep = [deep]
    with pytest.raises(SkillError, match="too deeply"):
        check_schema(schema)
    assert args_problems({"a": json.loads("[" * 30 + "]" * 30)}, {"additionalProperties": True}) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 6) | st.sampled_from([0.5, 2.0, "", "ab", "red", "B0A", "item"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["query", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), VALUES, max_size=5))
def test_a_general_validator_agrees(args: dict[str, Any]) -> None:
    agreed = jsonschema.Draft202012Validator(SCHEMA).is_valid(args)
    assert (args_problems(args, SCHEMA) == []) is agreed


def test_a_sample_is_accepted() -> None:
    plain = {name: inner for name, inner in SCHEMA["properties"].items() if name != "asin"}
    schema = {**SCHEMA, "properties": plain}
    sample = sample_args(schema)
    assert set(sample) == set(plain)
    assert args_problems(sample, schema) == []
