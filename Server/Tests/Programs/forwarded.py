"""Hooks of schemathesis. If the environment variable TOKEN is set, each request has this token. Each request names another
client address, so that the limit of attempts does not refuse it. Most paths name a profile that exists."""
import itertools
import os

import schemathesis

_numbers = itertools.count(1)

if "TOKEN" in os.environ:

    @schemathesis.auth()
    class Token:
        def get(self, case, context):
            return os.environ["TOKEN"]

        def set(self, case, data, context):
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Replaces the parameters of most paths by values that exist."""
    if path_parameters and next(_numbers) % 4:
        for name, value in {"key": f"p{next(_numbers) % 40}", "id": str(next(_numbers) % 40), "n": "1", "number": "3"}.items():
            if name in path_parameters:
                path_parameters[name] = value
    return path_parameters


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(_numbers)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
