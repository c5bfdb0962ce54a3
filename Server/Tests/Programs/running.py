"""Shared by the programs of this folder: a store, a running profiles-server, and clients of the server.

The environment variables PROFILES_SERVER and STORE_MAKER name the executables. The defaults are in Server/.build/debug.
"""
import http.client
import ipaddress
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
SERVER = os.environ.get("PROFILES_SERVER", str(PACKAGE / ".build/debug/profiles-server"))
MAKER = os.environ.get("STORE_MAKER", str(PACKAGE / ".build/debug/StoreMaker"))

SCHEMA = {
    "name": "people", "primaryKey": "username", "fields": [
        {"name": "username", "constraints": {"required": True, "minLength": 2, "maxLength": 40}},
        {"name": "password", "profiles": {"secret": True}, "constraints": {"minLength": 3}},
        {"name": "email", "constraints": {"unique": True}},
        {"name": "city"},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0}},
        {"name": "grade", "profiles": {"owner": "read"}},
        {"name": "note", "profiles": {"owner": "hidden"}},
    ]}

# The password that this hash was made of, under the standard policy.
PASSWORD = "aK8oio"
HASH = "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc"


class Failed(Exception):
    """A condition of a test does not hold."""


def require(condition, *what):
    if not condition:
        raise Failed(" ".join(str(part) for part in what))


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def header(self, name):
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        try:
            return self.json.get("code")
        except (ValueError, AttributeError):
            return None

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


# Loopback has 16 million addresses. The service counts the attempts of each address separately.
_addresses = (str(ipaddress.ip_address("127.1.0.1") + count) for count in itertools.count())
_lock = threading.Lock()


def new_address():
    with _lock:
        return next(_addresses)


class Client:
    """Requests over one connection, which is opened again when the server has closed it."""

    def __init__(self, port, token=None, address=None, timeout=60, fields=()):
        self.port, self.token, self.address, self.timeout, self.fields = port, token, address, timeout, fields
        self.connection = None

    def __call__(self, method, path, body=None, headers=None, token=None):
        sent = {"Host": f"127.0.0.1:{self.port}", **dict(self.fields)}
        token = token or self.token
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            sent["Content-Type"] = kind
            if not isinstance(body, (bytes, str)):
                body = json.dumps(body)
            if isinstance(body, str):
                body = body.encode()
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        if self.connection is None:
            source = (self.address, 0) if self.address else None
            self.connection = http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=self.timeout, source_address=source)
        try:
            self.connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                self.connection.putheader(name, value)
            if body is not None and not {"content-length", "transfer-encoding"} & {name.lower() for name in sent}:
                self.connection.putheader("Content-Length", str(len(body)))
            self.connection.endheaders(body)
            response = self.connection.getresponse()
            answer = Answer(response.status, response.getheaders(), response.read())
            if response.will_close:
                self.close()
            return answer
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Server:
    """A running server with a store in a temporary folder, which is removed at the end."""

    def __init__(self, *arguments, schema=None, listeners=1, fields=()):
        # The header fields that the clients of this server add to each request.
        self.fields = fields
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="profiles-server-programs."))
        self.store = self.folder / "store.sqlite"
        self.arguments = list(arguments)
        rules = self.folder / "schema.json"
        rules.write_text(json.dumps(schema or SCHEMA))
        made = subprocess.run([MAKER, str(self.store), str(rules)], check=True, capture_output=True, text=True)
        self.tokens = dict(line.split() for line in made.stdout.splitlines())
        self.process = None
        self.listeners = listeners
        self.start()

    def start(self, port=0):
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [SERVER, "--database", str(self.store), "--port", str(port), *self.arguments],
            stdout=subprocess.PIPE, stderr=self.log, cwd=self.folder, env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
        lines = [self.process.stdout.readline().decode() for _ in range(self.listeners)]
        require(all("accepts requests" in line for line in lines), "The server did not start:", lines, self.log_text()[-2000:])
        self.ports = [int(line.strip().rsplit(":", 1)[1]) for line in lines]
        self.port = self.ports[0]
        self.output = "".join(lines)

    def client(self, scope=None, address=None, timeout=60):
        return Client(self.port, self.tokens.get(scope, scope), address, timeout, self.fields)

    def log_text(self):
        return (self.folder / "log").read_text(errors="replace")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def stop(self):
        """Ends the server, and checks that it had not ended before, which would be a crash."""
        require(self.process.poll() is None, "The server has ended with", self.process.poll(), self.log_text()[-2000:])
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.output += self.process.stdout.read().decode()
        self.process.stdout.close()
        self.log.close()
        require(code == 0, "The server has ended with", code, self.log_text()[-2000:])

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None and self.process.poll() is None:
                self.stop()
            elif kind is not None:
                sys.stderr.write("".join(self.log_text().splitlines(True)[-10:]))
        finally:
            self.close()

    # What most programs need.

    def register(self, username, **values):
        """Stores a profile with the password PASSWORD."""
        answer = self.client("write")("POST", "/v1/profiles", {"username": username, "password_hash": HASH, **values})
        require(answer.status == 201, "register:", answer)
        return answer

    def log_in(self, username, password=PASSWORD, **members):
        client = self.client(address=new_address())
        answer = client("POST", "/v1/login", {"username": username, "password": password, **members})
        client.close()
        return answer

    def session(self, username):
        answer = self.log_in(username)
        require(answer.status == 200, "login:", answer)
        return answer.json["token"]


class Process:
    """Another program that is stopped at the end."""

    def __init__(self, command, port=None, cwd=None):
        self.process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while port is not None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.process.kill()
                    raise Failed(command[0], "did not start:", self.process.stderr.read().decode())
                time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Served:
    """A client that sends requests in the background. Counts its answers and failures, and the longest time of an answer."""

    def __init__(self, server, path="/v1/profiles/ann", scope="read"):
        self.answers, self.failures, self.longest = 0, [], 0.0
        self._client = server.client(scope, timeout=20)
        self._path, self._ends = path, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._ends.is_set():
            began = time.monotonic()
            try:
                answer = self._client("GET", self._path)
                if answer.status != 200:
                    self.failures.append(repr(answer))
            except OSError as error:
                self.failures.append(repr(error))
            except http.client.HTTPException as error:
                self.failures.append(repr(error))
            self.longest = max(self.longest, time.monotonic() - began)
            self.answers += 1
            self._ends.wait(0.005)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        self._client.close()
