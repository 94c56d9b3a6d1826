"""What schemathesis doesn't know: bodies and answers of JSON lines.

    SCHEMATHESIS_HOOKS=json_lines schemathesis run http://127.0.0.1:8036/api/v1/openapi.json
"""

import json

import schemathesis

LINES = "application/x-ndjson"


@schemathesis.serializer(LINES)
def line(context, value):
    """A line of a request."""
    return json.dumps(value).encode()


@schemathesis.deserializer(LINES)
def lines(context, response):
    """The last line of an answer."""
    return json.loads(response.content.splitlines()[-1])
