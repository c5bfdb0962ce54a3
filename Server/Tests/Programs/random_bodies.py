"""Sends random bodies, queries and headers to the routes that read them. The description must contain the status of each
answer. An error must have a code, and of the statuses from 500 only 503 is allowed. The same seed sends the same requests.

    random_bodies.py [--count N] [--seed N]
"""
import argparse
import collections
import json
import pathlib
import random

from running import HASH, PASSWORD, Client, Server, new_address, require

DOCUMENT = json.loads((pathlib.Path(__file__).resolve().parents[2] / "openapi.json").read_text())

ROUTES = [
    ("POST", "/v1/login", None), ("POST", "/v1/resets", None), ("POST", "/v1/register", None),
    ("PATCH", "/v1/me", "person"), ("PUT", "/v1/me/password", "person"), ("POST", "/v1/me/passcode", "person"),
    ("PUT", "/v1/me/passcode", "person"), ("POST", "/v1/me/passcode/check", "person"), ("POST", "/v1/validate", "person"),
    ("POST", "/v1/search", "read"), ("GET", "/v1/profiles", "read"), ("POST", "/v1/schema/difference", "read"),
    ("PATCH", "/v1/profiles/{key}", "write"), ("POST", "/v1/profiles", "write"),
    ("PUT", "/v1/profiles/{key}/password", "write"), ("POST", "/v1/profiles/{key}/passcode", "write"),
    ("DELETE", "/v1/profiles/{key}", "write"), ("POST", "/v1/changes/{number}/undo", "write"),
    ("PUT", "/v1/schema", "admin"), ("POST", "/v1/tokens", "admin"), ("GET", "/v1/profiles/{key}", "read"),
    ("GET", "/v1/profiles/{key}/history", "read"), ("GET", "/v1/schema/versions/{n}", "read"),
]

NAMES = [
    "username", "password", "password_hash", "email", "city", "age", "grade", "note", "device", "label", "cookie", "token",
    "old_password", "remember_device", "passcode", "old_passcode", "field", "value", "draft", "conditions", "or", "text",
    "status", "order", "reversed", "limit", "after", "name", "scope", "expires_in", "override_later_changes", "preview",
    "fields", "type", "constraints", "primaryKey", "profiles", "enum", "pattern", "minimum", "format", "operator",
]
# The members of a draft, for a body whose description lists no members.
RULES = ["username", "password", "password_hash", "email", "city", "age"]
TEXTS = [
    "", " ", "ann", "bob", PASSWORD, HASH, "city", "age", "username", "integer", "string", "date", "read", "admin", "valid",
    "invalid", "*", "1", "-1", "9" * 30, "1e400", "true", "null", "\0", "\u202e", "é", "e\u0301", "𝕏", "\ud800", "a" * 300,
    "2024-02-30", "(a+)+$", "[", "age>=30", "city=Bern", "=", "'; DROP TABLE profiles; --", "%", "_", "../../etc/passwd",
    "\r\nX-A: b", "ＡＮＮ", "ann\u200b", "NaN",
]
NUMBERS = ["0", "-0", "1", "-1", "1.5", "1e2", "1E+400", "-1e-400", "9223372036854775807", "9223372036854775808",
           "-9223372036854775809", "0.1000000000000000055511151231257827", "1" * 400, "01", "1.", ".5", "+1", "0x10", "NaN"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self):
        choice = self.random.random()
        if choice < 0.8:
            return self.random.choice(TEXTS)
        return "".join(chr(self.random.choice([self.random.randrange(0x80), self.random.randrange(0xD800)])) for _ in range(self.random.randrange(20)))

    def value(self, depth=0):
        """Returns the text of a random JSON value. Sometimes the text is not valid JSON."""
        choice = self.random.random()
        if choice < 0.35:
            text = json.dumps(self.text(), ensure_ascii=self.random.random() < 0.5)
            return text
        if choice < 0.5:
            return self.random.choice(NUMBERS)
        if choice < 0.6:
            return self.random.choice(["true", "false", "null"])
        if depth > 4:
            return "null"
        count = self.random.randrange(5)
        if choice < 0.72:
            return "[" + ",".join(self.value(depth + 1) for _ in range(count)) + "]"
        return self.object(depth)

    def object(self, depth=0, names=NAMES):
        members = [f"{json.dumps(self.random.choice(names) if self.random.random() < 0.93 else self.text())}:{self.value(depth + 1)}"
                   for _ in range(self.random.randrange(6))]
        return "{" + ",".join(members) + "}"

    def likely(self, name):
        """Returns the text of a value that usually has the right type for the member."""
        if self.random.random() < 0.4:
            return self.value(1)
        number = self.random.randrange(1_000)
        return {
            "username": f'"r{number}"', "email": f'"{number}@example.org"', "age": str(number), "limit": str(number),
            "password_hash": "null", "password": f'"password{number}"', "passcode": f'"{number + 1000}"', "name": f'"n{number}"',
            "scope": '"read"', "expires_in": str(number), "preview": "true", "override_later_changes": "true",
            "fields": '[{"name":"username"},{"name":"password","profiles":{"secret":true}},{"name":"city"}]',
            "conditions": "[]", "order": "null", "after": "null", "status": "null", "reversed": "false", "or": "false",
            "draft": f'{{"city":"c{number}"}}', "field": '"city"', "value": f'"c{number}"', "label": "null",
        }.get(name, f'"v{number}"')

    def body(self, shape):
        """A body that has mostly the members of the shape, and is sometimes damaged."""
        names = list(shape.get("properties", {})) or list(RULES)
        choice = self.random.random()
        if choice < 0.05:
            depth = self.random.choice([10, 1000, 20_000])
            data = ("[" * depth + "]" * depth).encode()
        elif choice < 0.1:
            data = self.random.randbytes(self.random.randrange(200))
        elif choice < 0.2:
            data = self.value().encode(errors="surrogatepass")
        else:
            members = [(name, self.likely(name)) for name in names if self.random.random() < 0.8]
            if self.random.random() < 0.1:
                members += members[:1]
            data = ("{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members) + "}").encode(errors="surrogatepass")
        if self.random.random() < 0.15 and data:
            data = bytearray(data)
            for _ in range(self.random.randrange(1, 4)):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
            data = bytes(data)
        if self.random.random() < 0.03:
            data = data[:self.random.randrange(len(data) + 1)]
        return data

    def query(self):
        from urllib.parse import quote
        pairs = [f"{self.random.choice(['where', 'any', 'q', 'status', 'sort', 'limit', 'after', 'x'])}="
                 f"{quote(self.text(), safe='=<>:', errors='replace') if self.random.random() < 0.9 else '%' + str(self.random.randrange(100))}"
                 for _ in range(self.random.randrange(5))]
        return "&".join(pairs)

    def field(self):
        """A value of a header that a client can send."""
        text = self.random.choice(['"1-1"', "*", 'W/"1-1"', '"', "", '"1-1", "2-1"', '"-1--1"', '"1-1-invalid"', ",", "key",
                                   "k" * 255, "k" * 256, "a b", "é", "\t", '"' + "9" * 30 + '-1"'])
        return text.encode("utf-8").decode("latin-1")


def resolved(schema):
    while "$ref" in schema:
        value = DOCUMENT
        for part in schema["$ref"].split("/")[1:]:
            value = value[part]
        schema = value
    return schema


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"  seed {options.seed}")
    maker = Maker(options.seed)
    statuses = collections.Counter()
    with Server("--open-registration") as server:
        def people():
            admin = server.client("write")
            for name in ("ann", "bob", *(f"p{number}" for number in range(20))):
                admin("POST", "/v1/profiles", {"username": name, "password_hash": HASH, "city": "Bern", "age": 30})
                admin("POST", f"/v1/profiles/{name}/unlock")
            answer = server.log_in("ann")
            return answer.json["token"] if answer.status == 200 else None

        session = people()
        client = server.client(address=new_address())
        rules = None
        for number in range(options.count):
            method, template, caller = maker.random.choice(ROUTES)
            operation = DOCUMENT["paths"][template][method.lower()]
            path = template.replace("{key}", maker.random.choice(["ann", "bob", "p1", "p2", "nobody", "by-id/3"]))
            path = path.replace("{number}", maker.random.choice(["1", "5", "-1", "x"])).replace("{n}", maker.random.choice("123x"))
            if method == "GET" and template == "/v1/profiles":
                path += "?" + maker.query()
            body = None
            headers = {}
            if "requestBody" in operation:
                schema = resolved(next(iter(operation["requestBody"]["content"].values()))["schema"])
                if "oneOf" in schema:
                    schema = maker.random.choice(schema["oneOf"])
                body = maker.body(schema)
                if maker.random.random() < 0.05:
                    headers["Content-Type"] = maker.random.choice(
                        ["application/json; charset=utf-8", "text/plain", "", "application/json;", "APPLICATION/JSON"])
            if maker.random.random() < (0.9 if "{key}" in template or template == "/v1/me" else 0.3):
                headers["If-Match"] = "*" if maker.random.random() < 0.6 else maker.field()
            if maker.random.random() < 0.2:
                headers["Idempotency-Key"] = maker.field()
            token = session if caller == "person" else server.tokens.get(caller) if caller else None
            # The service limits attempts by address. Requests without a caller use new addresses, to stay below the limit.
            client.address = new_address() if caller is None else client.address
            if caller is None or number % 50 == 0:
                client.close()
            try:
                answer = client(method, path, body, token=token, headers=headers)
            except Exception as error:
                server.process.poll()
                raise Exception(f"{number}: {method} {path} {headers} {body!r}: {error!r}; {server.process.returncode}")
            statuses[answer.status] += 1
            what = (f"request {number}:", method, path, headers, body, answer)
            require(answer.status < 500 or answer.status == 503, *what)
            require(str(answer.status) in operation["responses"], "undocumented", *what)
            require(answer.status < 400 or answer.code, *what)
            if answer.status == 401 and caller == "person" or number % 200 == 199:
                session = people()
            if method == "PUT" and template == "/v1/schema" and answer.status == 200:
                # Restores the schema, because the later requests need it.
                restored = server.client("admin")(
                    "PUT", "/v1/schema", (server.folder / "schema.json").read_text(), headers={"If-Match": "*"})
                require(restored.status == 200, restored)
        require(server.client()("GET", "/healthz").status == 200)
    print(f"  {options.count} requests: {', '.join(f'{count} × {status}' for status, count in sorted(statuses.items()))}")


if __name__ == "__main__":
    main()
