"""Sends requests that schemathesis generates from the service's description. An answer must not have the status 500, and
must match the description.

    description.py [--examples N] [--seed N]
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys

from running import Failed, Server, require

HERE = pathlib.Path(__file__).resolve().parent

CONFIGURATION = """
[checks]
# Whether a draft, a query or a schema is accepted depends on the rules of the store, which no JSON Schema tells.
positive_data_acceptance.enabled = false
# RFC 6585: a change without If-Match gets 428.
missing_required_header.expected-statuses = [400, 401, 403, 404, 428]
# The service may refuse a request for its path or caller before it reads the body. A malformed secret counts as a wrong one.
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 428, 429]
"""

# The runs: the caller, and the filters for the operations of the description. The routes that can take the caller's own
# permission away have separate runs, because they may cause refusals of later requests.
RUNS = [
    ("admin", ["--exclude-path-regex", "^/v1/me|^/v1/logout", "--exclude-operation-id", "adoptSchema",
               "--exclude-operation-id", "revokeToken"]),
    ("person", ["--include-path-regex", "^/v1/me|^/v1/validate|^/v1/schema$",
                "--exclude-operation-id", "endOwnSessions", "--exclude-operation-id", "adoptSchema"]),
    ("nobody", ["--include-path-regex", "^/(healthz|readyz|openapi.json)$|^/v1/(login|resets|register)$"]),
    ("admin", ["--include-operation-id", "adoptSchema", "--include-operation-id", "revokeToken"]),
    ("person", ["--include-operation-id", "endOwnSessions", "--include-operation-id", "logOut"]),
]


def run(caller, filters, options):
    with Server("--open-registration", "--behind-proxy", "127.0.0.1") as server:
        for name in ["ann", *(f"p{number}" for number in range(40))]:
            server.register(name, city="Bern", age=30)
        token = {"person": lambda: server.session("ann"), "nobody": lambda: None}.get(caller, lambda: server.tokens[caller])()
        (server.folder / "schemathesis.toml").write_text(CONFIGURATION)
        command = [
            str(pathlib.Path(sys.executable).parent / "st"), "run", f"http://127.0.0.1:{server.port}/openapi.json",
            "--max-examples", str(options.examples), "--seed", str(options.seed), "--continue-on-failure", "--no-color",
            "--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off", *filters,
        ]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "forwarded", "PYTHONPATH": str(HERE)}
        if token:
            environment["TOKEN"] = token
        result = subprocess.run(command, cwd=server.folder, env=environment, capture_output=True, text=True)
        records = [json.loads(line) for line in server.log_text().splitlines()]
        requests = [record for record in records if record.get("message") == "request"]
        failures = [record for record in requests if record["status"] == 500]
        require(not failures, failures[:5])
        require(result.returncode == 0, result.stdout[-20_000:], result.stderr[-2_000:])
        # Counts the requests that were not refused, because refused requests test only the refusal.
        admitted = collections.Counter()
        for record in requests:
            if record["status"] not in (401, 403, 404, 405, 421, 429):
                admitted[record["method"], record["route"]] += 1
        print(f"  {caller}: {len(requests)} requests, {len(admitted)} routes admitted {admitted.total()}")
        return {key for key in admitted}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=15)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--run", type=int)
    options = parser.parse_args()
    print(f"  seed {options.seed}")
    reached = set()
    for index, (caller, filters) in enumerate(RUNS):
        if options.run in (None, index):
            reached |= run(caller, filters, options)
    if options.run is None:
        routes = json.loads((HERE.parents[1] / "openapi.json").read_text())["paths"]
        wanted = {(method.upper(), path) for path, methods in routes.items() for method in methods if "by-id" not in path}
        # These routes need a correct secret, which generated requests do not contain. Other tests reach them.
        wanted -= {("PUT", "/v1/me/password"), ("POST", "/v1/me/leave"), ("POST", "/v1/resets"), ("POST", "/v1/login")}
        print("  routes without an admitted request:", ", ".join(" ".join(route) for route in sorted(wanted - reached)) or "none")


if __name__ == "__main__":
    main()
