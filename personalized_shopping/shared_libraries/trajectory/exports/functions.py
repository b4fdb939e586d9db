"""The tools that the model was given, as OpenAI writes function definitions."""

from typing import Any

_NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}
_SCHEMA_NAMES = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "defs": "$defs",
    "ref": "$ref",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
}
"""Gemini's names of keywords, where JSON Schema has others."""
_NOT_JSON_SCHEMA = {"nullable", "property_ordering", "example"}


def function_definitions(tools: Any) -> list[dict[str, Any]]:
    """Return function definitions made of declared tools.

    Args:
        tools: what a log holds: Gemini's function declarations, whose parameters stand in ``parameters_json_schema``
            as JSON Schema or in ``parameters`` as Gemini's own; or OpenAI's definitions.
    """
    if not isinstance(tools, list):
        return []
    return [_definition(tool) for tool in tools if isinstance(tool, dict) and (tool.get("name") or "function" in tool)]


def _definition(tool: dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool.get("function"), dict):
        return {"type": "function", "function": tool["function"]}
    parameters = tool.get("parameters_json_schema")
    if not isinstance(parameters, dict):
        parameters = json_schema(tool.get("parameters"))
    function = {"name": str(tool["name"]), "description": str(tool.get("description") or ""), "parameters": parameters}
    return {"type": "function", "function": function}


def json_schema(schema: Any) -> dict[str, Any]:
    """Return one of Gemini's schemas as JSON Schema: types in small letters, ``nullable`` as a type of its own."""
    return _schema(schema) if isinstance(schema, dict) and schema else dict(_NO_PARAMETERS)


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in schema.items():
        if name not in _NOT_JSON_SCHEMA:
            found[_SCHEMA_NAMES.get(name, name)] = _keyword(name, value)
    if schema.get("example") is not None:
        found["examples"] = [schema["example"]]
    if schema.get("nullable"):
        if isinstance(found.get("type"), str):
            found["type"] = [found["type"], "null"]
            if isinstance(found.get("enum"), list):
                found["enum"] = [*found["enum"], None]
        elif isinstance(found.get("anyOf"), list):
            found["anyOf"] = [*found["anyOf"], {"type": "null"}]
    return found


def _keyword(name: str, value: Any) -> Any:
    if name == "type" and isinstance(value, str):
        return value.lower()
    if name in ("properties", "defs") and isinstance(value, dict):
        return {key: _schema(item) if isinstance(item, dict) else item for key, item in value.items()}
    if name in ("items", "additional_properties") and isinstance(value, dict):
        return _schema(value)
    if name == "any_of" and isinstance(value, list):
        return [_schema(item) if isinstance(item, dict) else item for item in value]
    return value
