"""The description of the service that programs read: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

import msgspec

from rosenblatt.serve.messages import Learned, LearnExample, PredictExample, Prediction, Problem
from rosenblatt.serve.new_model import NewModel
from rosenblatt.version import __version__

_MESSAGES = (PredictExample, Prediction, LearnExample, Learned, NewModel, Problem)
_NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
_JSON, _JSON_OR_LINES = ("application/json",), ("application/json", "application/x-ndjson")
_TOP = {
    "name": "top",
    "in": "query",
    "schema": {"type": "integer", "minimum": 0, "maximum": 1000},
    "description": "how many of each class (10)",
}
_AT = {
    "name": "at",
    "in": "query",
    "schema": {"type": "string"},
    "description": "a version, or a time such as 2026-11-03T10:00Z: answer as the model did then",
}


def _of(message: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{message}"}


def _body(message: str) -> dict[str, Any]:
    """One example as JSON, or one on each line."""
    return {"required": True, "content": {kind: {"schema": _of(message)} for kind in _JSON_OR_LINES}}


def _operation(
    summary: str, answer: str | None = None, body: Any = None, *parameters: Any, status: int = 200, kinds: Any = _JSON
) -> dict[str, Any]:
    content = {"content": {kind: {"schema": _of(answer)} for kind in kinds}} if answer else {}
    problem = {"description": "refused", "content": {"application/json": {"schema": _of("Problem")}}}
    operation: dict[str, Any] = {
        "summary": summary,
        "responses": {str(status): {"description": "done", **content}, "default": problem},
    }
    if parameters:
        operation["parameters"] = list(parameters)
    return operation if body is None else operation | {"requestBody": body}


_FILE = {"application/octet-stream": {}, "application/json": {"schema": _of("NewModel")}}
_schemas, _components = msgspec.json.schema_components(_MESSAGES, ref_template="#/components/schemas/{name}")

OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "rosenblatt serve", "version": __version__},
    "paths": {
        "/v1/models": {"get": _operation("every model")},
        "/v1/models/{name}": {
            "get": _operation("rule, counts, errors, calibration, history", None, None, _NAME),
            "put": _operation("serve a model file, or a new model", None, {"content": _FILE}, _NAME, status=201),
            "delete": _operation("move a model to the bin", None, None, _NAME),
        },
        "/v1/models/{name}/predict": {
            "post": _operation(
                "predict one example, or many",
                "Prediction",
                _body("PredictExample"),
                _NAME,
                _AT,
                kinds=_JSON_OR_LINES,
            ),
            "get": _operation("predict the example in the address", "Prediction", None, _NAME, _AT),
        },
        "/v1/models/{name}/learn": {
            "post": _operation("learn one example, or many", "Learned", _body("LearnExample"), _NAME)
        },
        "/v1/models/{name}/model": {
            "get": _operation("the model file as it is now", None, None, _NAME),
            "put": _operation("serve a model file", None, {"content": _FILE}, _NAME, status=201),
        },
        "/v1/models/{name}/weights": {"get": _operation("the heaviest weights", None, None, _NAME, _TOP)},
        "/v1/models/{name}/snapshot": {"post": _operation("take a snapshot now", None, None, _NAME)},
        "/metrics": {"get": _operation("Prometheus text")},
        "/healthz": {"get": _operation("is the process alive?")},
        "/readyz": {"get": _operation("does it serve every model?")},
    },
    "components": {
        "schemas": _components,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    },
    "security": [{"token": []}, {}],
}
