"""The description of version 1 of the JSON API: its OpenAPI document, and the reference made from it.

Has no dependency on routes: the pages of the server and the documentation read the same document.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from overtrick.event import FACTS
from overtrick.web.api_callers import director_change, program, writing_program
from overtrick.web.api_schemas import Problem
from overtrick.web.problem_details import MEDIA_TYPE

_NAMES = {
    "sessions": "list_sessions",
    "session": "get_session",
    "travellers": "get_travellers",
    "rulings": "list_rulings",
    "results": "list_results",
    "enter": "enter_result",
    "erase": "erase_result",
    "rounds": "list_tables",
    "clock": "get_clock",
    "boards": "list_boards",
    "seats": "get_seating",
    "facts": "stream_facts",
}
"""The operation ids of the routes that paths without a version have too, whose ids there follow from these names."""

REFERENCE = "#/components/schemas/"
EVENT = "FactEvent"


def operation_name(route: APIRoute) -> str:
    """Return the operation id of a route in version 1, which never changes."""
    return _NAMES.get(route.name, route.name)


def describe_v1(openapi: Callable[[], dict[str, Any]], routes: Iterable[BaseRoute]) -> dict[str, Any]:
    """Return the OpenAPI document of version 1: with tokens, the media type of errors, and schemas of the stream."""
    document = openapi()
    schemas = document["components"]["schemas"]
    if EVENT in schemas:
        return document  # FastAPI keeps its document
    for schema in schemas.values():
        schema["description"] = schema["description"].partition("\n\n")[0]
    for route in routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                document["paths"][route.path][method.lower()] |= _token(route)
    schemas |= _event_schemas()
    schemas["Problem"] = Problem.model_json_schema(ref_template=REFERENCE + "{model}")
    schemas |= schemas["Problem"].pop("$defs")
    del schemas["Sentence"]
    problem = {MEDIA_TYPE: {"schema": {"$ref": f"{REFERENCE}Problem"}}}
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if status >= "400":
                    answer["content"] = problem
                elif "text/event-stream" in answer["content"]:
                    answer["content"] = {"text/event-stream": {"schema": {"$ref": f"{REFERENCE}{EVENT}"}}}
    return document


def _token(route: APIRoute) -> dict[str, Any]:
    """Return the token that a route needs, for programs (`security`) and for people (`x-token`)."""
    checks = set(_checks(route.dependant))
    if director_change in checks:
        return {"x-token": "direct"}
    if writing_program in checks:
        return {"x-token": "write"}
    if program in checks:
        return {"x-token": "read"}
    return {"x-token": "", "security": [{}, {"HTTPBearer": []}]}


def _checks(dependant: Dependant) -> Iterator[object]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from _checks(dependency)


def _event_schemas() -> dict[str, Any]:
    """Return the schemas of the data of server-sent events: one for each kind of fact, as the journal encodes it."""
    _, facts = msgspec.json.schema_components(
        FACTS.values(), schema_hook=lambda _: {"type": "string"}, ref_template=f"{REFERENCE}Fact.{{name}}"
    )
    events = {
        f"{EVENT}.{kind}": {
            "type": "object",
            "description": (fact.__doc__ or "").partition("\n\n")[0],
            "properties": {
                "kind": {"const": kind},
                "at": {"type": "string", "format": "date-time"},
                "actor": {"type": "string"},
                "fact": {"$ref": f"{REFERENCE}Fact.{fact.__name__}"},
            },
            "required": ["kind", "at", "actor", "fact"],
        }
        for kind, fact in FACTS.items()
    }
    mapping = {kind: f"{REFERENCE}{EVENT}.{kind}" for kind in FACTS}
    union = {
        "description": "The data of an event `fact`; its id is the version of the session's stream after it.",
        "oneOf": [{"$ref": reference} for reference in mapping.values()],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    return {EVENT: union, **events, **{f"Fact.{name}": schema for name, schema in facts.items()}}


# The reference ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a property of a schema."""

    name: str
    type: str
    meaning: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """A request that programs can make."""

    name: str
    method: str
    path: str
    meaning: str
    token: str
    """The rights of the token that it needs; empty if it needs none while results are public."""
    parameters: tuple[Field, ...]
    body: str
    """The type of the body; empty without one."""
    answer: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A type of bodies and answers."""

    name: str
    meaning: str
    fields: tuple[Field, ...]
    example: str
    """JSON; empty without an example."""


@dataclass(frozen=True, slots=True)
class ApiReference:
    """Everything that programs can ask for."""

    meaning: str
    groups: Mapping[str, Sequence[Operation]]
    schemas: Sequence[Schema]
    events: Sequence[Schema]
    """The facts of the event stream, by kind."""


def read_reference(document: Mapping[str, Any]) -> ApiReference:
    """Return the reference of an OpenAPI document."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(
                _operation(document["servers"][0]["url"] + path, method.upper(), operation)
            )
    schemas = document["components"]["schemas"]
    own = [_schema(name, schema) for name, schema in sorted(schemas.items()) if _is_own(name)]
    events = [
        _schema(kind, {**schemas[_named(event["properties"]["fact"])], "description": event["description"]})
        for kind, event in _events(schemas)
    ]
    return ApiReference(document["info"]["description"], groups, own, events)


def _is_own(name: str) -> bool:
    return "." not in name and name not in (EVENT, "HTTPValidationError", "ValidationError")


def _events(schemas: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, schema in sorted(schemas.items()):
        if name.startswith(f"{EVENT}."):
            yield name.removeprefix(f"{EVENT}."), schema


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    answer = next(response for status, response in operation["responses"].items() if status < "300")
    body = operation.get("requestBody", {}).get("content", {})
    return Operation(
        operation["operationId"],
        method,
        path,
        operation["description"],
        operation.get("x-token", ""),
        tuple(
            Field(
                parameter["name"],
                _type(parameter["schema"]),
                parameter.get("description", ""),
                parameter.get("required", False),
            )
            for parameter in operation.get("parameters", ())
        ),
        _content(body),
        _content(answer["content"]),
    )


def _content(content: Mapping[str, Any]) -> str:
    for media_type, content_of_type in content.items():
        words = _type(content_of_type.get("schema", {"type": "text"}))
        return words if media_type == "application/json" else f"{words} ({media_type})"
    return ""


def _schema(name: str, schema: Mapping[str, Any]) -> Schema:
    required = schema.get("required", ())
    fields = tuple(
        Field(field, _type(property_schema), property_schema.get("description", ""), field in required)
        for field, property_schema in schema.get("properties", {}).items()
    )
    meaning = schema.get("description", "")
    example = json.dumps(schema["examples"][0], ensure_ascii=False, indent=1) if "examples" in schema else ""
    return Schema(name, meaning if fields else f"{meaning} {_type(schema)}".strip(), fields, example)


def _named(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(REFERENCE)


def _type(schema: Mapping[str, Any]) -> str:
    """Return a schema in a few words."""
    if "$ref" in schema:
        return _named(schema).removeprefix("Fact.")
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " or ".join(f'"{part}"' for part in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(_type(part) for part in schema[union])
    if schema.get("type") == "array":
        items = [_type(part) for part in schema.get("prefixItems", [schema.get("items", {})]) if part]
        return f"list of {', '.join(items)}" if items else "list"
    words = str(schema.get("format") or schema.get("type", "value"))
    return words.replace("date-time", "date and time")
