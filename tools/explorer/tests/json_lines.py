"""Teaches schemathesis to read and write JSON lines.

    SCHEMATHESIS_HOOKS=json_lines schemathesis run http://127.0.0.1:8036/api/v1/openapi.json
"""

import json

import schemathesis

LINES = "application/x-ndjson"


@schemathesis.serializer(LINES)
def line(context, value):
    """Serializes the body of a request, as one line."""
    return json.dumps(value).encode()


@schemathesis.deserializer(LINES)
def lines(context, response):
    """Parses the last line of an answer."""
    return json.loads(response.content.splitlines()[-1])
