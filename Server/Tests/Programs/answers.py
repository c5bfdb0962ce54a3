"""Requests every kind of answer of the service, and checks each answer with httplint."""
import collections
import http.client
import json
import socket
import sqlite3
import threading

from httplint import HttpRequestLinter, HttpResponseLinter
from httplint.note import levels

from running import Client, Failed, Server, new_address, require

# Notes that are accepted, with their reasons.
ACCEPTED = {
    # A token and a reset are shown once, and have no address of their own.
    "CREATED_WITHOUT_LOCATION",
    # These notes only report that the status is 400 or 414.
    "STATUS_BAD_REQUEST", "STATUS_URI_TOO_LONG",
}


class Linter:
    def __init__(self, port, fields):
        self.fields = fields
        self.port, self.statuses, self.notes = port, collections.Counter(), {}

    def judge(self, name, method, path, headers, status, reason, fields, body):
        request = HttpRequestLinter()
        request.process_request_topline(method.encode(), f"http://127.0.0.1:{self.port}{path}".encode(), b"HTTP/1.1")
        request.process_headers([(key.encode(), value.encode()) for key, value in headers.items()])
        request.finish_content(True)
        response = HttpResponseLinter(no_content=method == "HEAD")
        response.request = request
        response.process_response_topline(b"HTTP/1.1", str(status).encode(), reason.encode())
        response.process_headers([(key.encode(), value.encode("latin-1")) for key, value in fields])
        response.feed_content(body)
        response.finish_content(True)
        self.statuses[status] += 1
        for note in response.notes:
            if note.level in (levels.WARN, levels.BAD) and type(note).__name__ not in ACCEPTED:
                self.notes.setdefault((type(note).__name__, str(note.summary)), []).append(name)
        if status >= 400 and method != "HEAD":
            kind = dict((key.lower(), value) for key, value in fields)["content-type"]
            require(kind == "application/problem+json", name, kind)
            problem = json.loads(body)
            require(problem["title"] and problem["detail"], name, problem)
            require(problem["status"] == status and problem["type"].startswith("urn:profiles:problem:"), name, problem)

    def __call__(self, expected, method, path, body=None, token=None, headers=None, address=None):
        sent = {"Host": f"127.0.0.1:{self.port}", "User-Agent": "answers/1", **dict(self.fields)}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            sent["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(address or new_address(), 0))
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for key, value in sent.items():
            connection.putheader(key, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        require(response.status == expected, method, path, "gave", response.status, "and not", expected, content[:500])
        self.judge(f"{method} {path} {expected}", method, path, sent, response.status, response.reason,
                   response.getheaders(), content)
        return content

    def raw(self, expected, name, data):
        """Sends bytes that no client would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as peer:
            peer.sendall(data.replace(b"HOST", f"127.0.0.1:{self.port}".encode()))
            response = http.client.HTTPResponse(peer)
            response.begin()
            content = response.read()
        require(response.status == expected, name, "gave", response.status, content[:500])
        self.judge(f"{name} {expected}", "GET", "/healthz", {"Host": "a", "User-Agent": "answers/1"}, response.status,
                   response.reason, response.getheaders(), content)


def busy(server, lint):
    """Locks the store as another process would, so that a write waits in vain for 10 s."""
    other = sqlite3.connect(server.store, isolation_level=None, timeout=10)
    other.execute("BEGIN IMMEDIATE")
    try:
        lint(503, "POST", "/v1/profiles", {"username": "late"}, server.tokens["write"])
    finally:
        other.execute("ROLLBACK")
        other.close()


def run(server, waits):
    """Requests every kind of answer. Requests the answers that come after a timeout only if `waits` is true."""
    lint = Linter(server.port, server.fields)
    read, support, write, admin = (server.tokens[name] for name in ("read", "support", "write", "admin"))
    for name in ("ann", "bob", "eve"):
        server.register(name, city="Bern", email=f"{name}@example.org")
    failures = []

    def waiting(function, *arguments):
        def body():
            try:
                function(*arguments)
            except Exception as error:
                failures.append(error)
        thread = threading.Thread(target=body)
        thread.start()
        return thread

    late = [] if not waits else [
        waiting(lint.raw, 408, "a head that stops", b"GET /healthz HTTP/1.1\r\nHost: "),
        waiting(lint.raw, 408, "a body that stops", b"POST /v1/login HTTP/1.1\r\nHost: HOST\r\nContent-Type: "
                b"application/json\r\nContent-Length: 10\r\n\r\n{")]

    tag = '"1-1"'
    lint(200, "GET", "/healthz")
    lint(200, "GET", "/readyz")
    lint(200, "GET", "/openapi.json")
    lint(200, "HEAD", "/v1/profiles/ann", token=read)
    lint(200, "GET", "/v1/profiles/ann", token=read)
    lint(200, "GET", "/v1/profiles?limit=1", token=read)
    lint(200, "POST", "/v1/search", {}, token=read)
    lint(200, "GET", "/v1/profiles/ann/history", token=read)
    lint(200, "GET", "/v1/schema", token=read)
    lint(200, "GET", "/v1/statistics", token=read)
    lint(200, "GET", "/metrics", token=read)
    lint(200, "GET", "/v1/profiles/ann", token=read, headers={"Origin": "https://app.example"})
    lint(200, "GET", "/v1/profiles/ann", token=read, headers={"Origin": "https://other.example"})
    lint(204, "OPTIONS", "/v1/profiles/ann", headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "PATCH"})
    lint(200, "PATCH", "/v1/profiles/bob", {"city": "Chur"}, token=support, headers={"If-Match": tag})
    lint(201, "POST", "/v1/profiles", {"username": "new one", "city": "Genève"}, token=write)
    lint(201, "POST", "/v1/profiles/ann/reset", token=support)
    lint(201, "POST", "/v1/tokens", {"name": "another", "scope": "read"}, token=admin)
    lint(204, "POST", "/v1/profiles/ann/unlock", token=support)
    lint(204, "DELETE", "/v1/profiles/eve", token=write, headers={"If-Match": "*"})
    credentials = {"username": "ann", "password": "aK8oio"}
    session = json.loads(lint(200, "POST", "/v1/login", credentials))["token"]
    lint(200, "POST", "/v1/login", {**credentials, "cookie": True})
    lint(200, "GET", "/v1/me", token=session)
    lint(200, "GET", "/v1/me/export", token=session)
    started = server.log_in("ann", cookie=True)
    cookie = started.header("Set-Cookie").split(";")[0]
    lint(204, "POST", "/v1/logout", headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})

    lint(400, "POST", "/v1/search", "{", token=read)
    lint(400, "GET", "/v1/profiles?where=x", token=read)
    lint(400, "GET", "/v1/profiles/%zz", token=read)
    lint.raw(400, "no request", b"rubbish\r\n\r\n")
    lint(401, "GET", "/v1/me")
    lint(401, "GET", "/v1/me", token="wrong")
    lint(401, "POST", "/v1/login", {**credentials, "password": "wrong1"})
    lint(403, "PATCH", "/v1/profiles/ann", {}, token=read)
    lint(403, "POST", "/v1/logout", headers={"Cookie": server.log_in("ann", cookie=True).header("Set-Cookie").split(";")[0]})
    lint(404, "GET", "/")
    lint(404, "GET", "/v1/profiles/nobody", token=read)
    lint(405, "PROPFIND", "/v1/me")
    lint(405, "OPTIONS", "/v1/me")
    lint(409, "POST", "/v1/profiles", {"username": "ann"}, token=write)
    lint(412, "PATCH", "/v1/profiles/ann", {"city": "Chur"}, token=support, headers={"If-Match": '"9-9"'})
    lint(413, "POST", "/v1/search", " " * 70_000, token=read)
    lint.raw(414, "a long target", b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n")
    lint(415, "POST", "/v1/search", "{}", token=read, headers={"Content-Type": "text/plain"})
    lint(417, "GET", "/healthz", headers={"Expect": "tea"})
    lint(421, "GET", "/healthz", headers={"Host": "other.example"})
    lint(422, "POST", "/v1/profiles", {"username": "x"}, token=write)
    lint(428, "DELETE", "/v1/profiles/ann", token=write)
    address = new_address()
    for count in range(10):
        lint(401, "POST", "/v1/login", {"username": f"nobody{count}", "password": "wrong1"}, address=address)
    lint(429, "POST", "/v1/login", credentials, address=address)
    lint.raw(431, "many fields", b"GET /healthz HTTP/1.1\r\nHost: HOST\r\nX-A: " + b"a" * 20_000 + b"\r\n\r\n")
    if waits:
        busy(server, lint)
    for thread in late:
        thread.join()
    require(not failures, failures)
    return lint


def main():
    # The first round uses plain HTTP. The second round acts as a proxy that terminates TLS, so the service sets the cookies
    # of an encrypted connection.
    proxied = ["--behind-proxy", "127.0.0.0/8"], [("X-Forwarded-Proto", "https")]
    for arguments, fields in (([], []), proxied):
        with Server("--open-registration", "--allow-origin", "https://app.example", *arguments, fields=fields) as server:
            lint = run(server, waits=not arguments)
            require(not lint.notes, *(f"\n  {name}: {summary}\n    {', '.join(sorted(set(where))[:6])}"
                                      for (name, summary), where in lint.notes.items()))
            statuses = ", ".join(map(str, sorted(lint.statuses)))
            print(f"  {lint.statuses.total()} answers of {len(lint.statuses)} statuses: {statuses}")


if __name__ == "__main__":
    main()
