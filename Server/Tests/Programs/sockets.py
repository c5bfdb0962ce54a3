"""Sends raw requests that a proxy and the service could parse differently (request smuggling). Sends them to the service
directly, and through nginx and HAProxy, whose clients share connections to the service. No client may get the answer to
another client's request.

    sockets.py [--rounds N]
"""
import argparse
import random
import re
import socket
import threading
import time

from running import Failed, Process, Server, free_port, require

# A second request, after a doubtful one. Without a proxy, the service must close the connection and not answer this request.
HIDDEN = b"GET /v1/profiles/hidden HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n"
GOOD = b"GET /v1/profiles/ann HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n"


def post(*lines, body=b"", start=b"POST /v1/search HTTP/1.1", host=b"Host: HOST"):
    fields = [start, *([host] if host else []), b"Authorization: Bearer TOKEN", b"Content-Type: application/json", *lines]
    return b"\r\n".join(fields) + b"\r\n\r\n" + body


def get(*lines, target=b"/v1/profiles/ann", host=b"Host: HOST", version=b"HTTP/1.1"):
    fields = [b"GET " + target + b" " + version, *([host] if host else []), b"Authorization: Bearer TOKEN", *lines]
    return b"\r\n".join(fields) + b"\r\n\r\n"


# Name, bytes, and allowed statuses. The service must answer once, with one of these statuses, and close the connection.
# With "open", the connection must stay open and serve a further request.
CASES = [
    ("two lengths", post(b"Content-Length: 2", b"Content-Length: 82", body=b"{}" + HIDDEN), [400]),
    ("two equal lengths", post(b"Content-Length: 2", b"Content-Length: 2", body=b"{}" + HIDDEN), [400]),
    ("two lengths in one field", post(b"Content-Length: 2, 2", body=b"{}" + HIDDEN), [400]),
    ("length with a sign", post(b"Content-Length: +2", body=b"{}" + HIDDEN), [400]),
    ("length with a minus", post(b"Content-Length: -1", body=b"{}" + HIDDEN), [400]),
    ("length in hexadecimal", post(b"Content-Length: 0x2", body=b"{}" + HIDDEN), [400]),
    ("length with a space inside", post(b"Content-Length: 2 2", body=b"{}" + HIDDEN), [400]),
    ("empty length", post(b"Content-Length:", body=b"{}" + HIDDEN), [400]),
    ("length beyond 64 bits", post(b"Content-Length: 18446744073709551618", body=b"{}" + HIDDEN), [400]),
    ("length and chunks", post(b"Content-Length: 7", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n" + HIDDEN), [400]),
    ("chunks and length", post(b"Transfer-Encoding: chunked", b"Content-Length: 7", body=b"0\r\n\r\n" + HIDDEN), [400]),
    ("unknown coding", post(b"Transfer-Encoding: xchunked", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("unknown coding and length",
     post(b"Content-Length: 2", b"Transfer-Encoding: xchunked", body=b"{}" + HIDDEN), [400, 501]),
    ("coding identity", post(b"Transfer-Encoding: identity", body=HIDDEN), [400, 501]),
    ("chunked is not last", post(b"Transfer-Encoding: chunked, identity", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("chunked twice", post(b"Transfer-Encoding: chunked, chunked", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("two fields of coding",
     post(b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("quoted coding", post(b'Transfer-Encoding: "chunked"', body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("vertical tab before the coding", post(b"Transfer-Encoding:\x0bchunked", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("space before the colon", post(b"Transfer-Encoding : chunked", b"Content-Length: 2", body=b"{}" + HIDDEN), [400]),
    ("space before the first field", b"POST /v1/search HTTP/1.1\r\n X: y\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}" + HIDDEN,
     [400]),
    ("folded field", post(b"X-A: b", b" c", b"Content-Length: 2", body=b"{}" + HIDDEN), [400]),
    ("folded coding", post(b"Transfer-Encoding:", b" chunked", body=b"0\r\n\r\n" + HIDDEN), [400, 501]),
    ("bare line feeds", get().replace(b"\r\n", b"\n") + HIDDEN, [400]),
    ("a bare line feed in a field", get(b"X-A: b\nX-B: c") + HIDDEN, [400]),
    ("a bare carriage return in a field", get(b"X-A: b\rX-B: c") + HIDDEN, [400]),
    ("NUL in a field", get(b"X-A: b\0c") + HIDDEN, [400]),
    ("NUL in a name", get(b"X\0A: b") + HIDDEN, [400]),
    ("NUL in the target", get(target=b"/v1/profiles/a\0nn") + HIDDEN, [400]),
    ("empty name of a field", get(b": b") + HIDDEN, [400]),
    ("field without a colon", get(b"abc") + HIDDEN, [400]),
    ("bad chunk size", post(b"Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("chunk size with 0x", post(b"Transfer-Encoding: chunked", body=b"0x2\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("negative chunk size", post(b"Transfer-Encoding: chunked", body=b"-2\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("chunk size beyond 64 bits",
     post(b"Transfer-Encoding: chunked", body=b"10000000000000002\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("chunk longer than its size", post(b"Transfer-Encoding: chunked", body=b"1\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("chunk without its end", post(b"Transfer-Encoding: chunked", body=b"2\r\n{}0\r\n\r\n" + HIDDEN), [400]),
    ("line feed after a chunk size", post(b"Transfer-Encoding: chunked", body=b"2\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("empty chunk size", post(b"Transfer-Encoding: chunked", body=b"\r\n{}\r\n0\r\n\r\n" + HIDDEN), [400]),
    ("two hosts", get(b"Host: HOST") + HIDDEN, [400]),
    ("two different hosts", get(b"Host: other.example") + HIDDEN, [400]),
    ("no host", get(host=None) + HIDDEN, [400]),
    ("empty host", get(host=b"Host:") + HIDDEN, [400]),
    ("other host", get(host=b"Host: other.example"), [421, "open"]),
    ("host with a user", get(host=b"Host: a@HOST") + HIDDEN, [400]),
    ("no version", b"GET /v1/profiles/ann\r\n\r\n" + HIDDEN, [400]),
    ("version 2", get(version=b"HTTP/2.0") + HIDDEN, [400, 505]),
    ("version 1.2", get(version=b"HTTP/1.2") + HIDDEN, [400, 505]),
    ("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400, 505]),
    ("authority form", b"CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n" + HIDDEN, [400, 404, 405]),
    ("rubbish", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)), [400]),
    ("asterisk form", b"OPTIONS * HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n", [400, 404, 405, "open"]),
    ("upgrade", get(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__"),
     [200]),
    ("endless body after 413",
     post(b"Content-Length: 1099511627776", body=b"{" + b" " * 200_000 + HIDDEN), [413]),
    ("endless chunks after 413",
     post(b"Transfer-Encoding: chunked", body=b"10000\r\n" + b" " * 65536 + b"\r\n" + b"8\r\n        \r\n" * 8 + HIDDEN),
     [413]),
    ("a body that no route reads", get(b"Content-Length: 5") + b"GET /", [200, "open"]),
    ("another expectation", post(b"Expect: tea", b"Content-Length: 2", body=b"{}" + HIDDEN), [417]),
    ("target of 9,000 bytes", get(target=b"/v1/profiles/" + b"a" * 9_000) + HIDDEN, [414]),
    ("fields of 20,000 bytes", get(b"X-A: " + b"a" * 20_000) + HIDDEN, [431]),
    ("300 fields", get(*[b"X-%d: a" % number for number in range(300)]) + HIDDEN, [400, 431]),
]

# Unusual requests whose end is clear. GOOD follows each of them, and must succeed if the unusual request succeeds.
RIGHT = [
    ("absolute form", get(target=b"http://HOST/v1/profiles/ann"), [200]),
    ("absolute form without a path", get(target=b"http://HOST"), [404]),
    # RFC 9112 (3) allows lenient parsing here, which NIO's parser does. All lenient parsers find the same target.
    ("two spaces in the request line", get().replace(b"GET ", b"GET  ", 1), [200, 400]),
    ("chunk extension", post(b"Transfer-Encoding: chunked", body=b"2;a=b;c=\"d\"\r\n{}\r\n0\r\n\r\n"), [200]),
    ("trailer fields", post(b"Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\nX-A: b\r\n\r\n"), [200]),
    ("a length as a trailer field",
     post(b"Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\nContent-Length: 80\r\n\r\n"), [200, 400]),
    ("chunked in capitals", post(b"transfer-encoding: CHUNKED", body=b"2\r\n{}\r\n0\r\n\r\n"), [200]),
    ("leading zeros of a length", post(b"Content-Length: 002", body=b"{}"), [200, 400]),
    ("empty lines before the request", b"\r\n\r\n" + get(), [200]),
    ("a dot segment", get(target=b"/v1/../v1/profiles/ann"), [400, 404]),
    ("two slashes", get(target=b"//v1/profiles/ann"), [400, 404]),
    ("an escaped slash", get(target=b"/v1%2Fprofiles/ann"), [404]),
    ("a fragment", get(target=b"/v1/profiles/ann#x"), [400, 404]),
    ("a method that nobody knows", get().replace(b"GET", b"BREW", 1), [400, 405, 501]),
    ("HEAD", get().replace(b"GET", b"HEAD", 1), [200]),
]

# Matches an answer that contains only the profile of bob, unlike the answer to a search.
BOB = re.compile(rb'\r\n\r\n\{"id":[^}]*"username":"bob"')
STATUS = re.compile(rb"HTTP/1\.1 (\d\d\d) ")


class Peer:
    """A connection that sends bytes and reads answers."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=15)
        self.received = b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def read(self):
        """Reads some bytes; False at the end of the connection."""
        try:
            data = self.socket.recv(65_536)
        except socket.timeout:
            raise
        except OSError:
            return False
        self.received += data
        return bool(data)

    def answer(self, head=False):
        """Reads the next final answer: its status and body; None at the end of the connection."""
        while True:
            end = self.received.find(b"\r\n\r\n")
            if end >= 0:
                lines = self.received[:end].split(b"\r\n")
                status = int(lines[0].split(b" ")[1])
                if status == 100:
                    self.received = self.received[end + 4:]
                    continue
                fields = dict((name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines[1:]))
                if fields.get(b"transfer-encoding") == b"chunked":
                    stop = self.received.find(b"0\r\n\r\n", end)
                    size = stop + 5 - end - 4 if stop >= 0 else None
                else:
                    size = 0 if head or status in (204, 304) else int(fields.get(b"content-length", b"0"))
                if size is not None and len(self.received) >= end + 4 + size:
                    body = self.received[end + 4:end + 4 + size]
                    self.received = self.received[end + 4 + size:]
                    return status, body
            if not self.read():
                return None

    def rest(self):
        while self.read():
            pass
        return self.received

    def close(self):
        self.socket.close()


def filled(data, host, token):
    return data.replace(b"HOST", host.encode()).replace(b"TOKEN", token.encode())


def directly(server):
    """Sends each case to the service itself, and checks what comes back and that the connection ends."""
    failures = []
    host, token = f"127.0.0.1:{server.port}", server.tokens["read"]
    for name, data, statuses in CASES:
        peer = Peer(server.port)
        peer.send(filled(data, host, token))
        try:
            if "open" in statuses:
                answer = peer.answer()
                if answer is None or answer[0] not in statuses:
                    failures.append((name, answer))
                    continue
                peer.send(filled(GOOD, host, token))
                answer = peer.answer()
                if answer is None or answer[0] != 200:
                    failures.append((name, "then", answer))
                continue
            received = peer.rest()
        except socket.timeout:
            failures.append((name, "The connection stays open.", peer.received[:200]))
            continue
        finally:
            peer.close()
        found = [int(status) for status in STATUS.findall(received)]
        if len(found) != 1 or found[0] not in statuses or b"secret of hidden" in received:
            failures.append((name, "expected", statuses, "found", found, received[:400]))
    for name, data, statuses in RIGHT:
        peer = Peer(server.port)
        peer.send(filled(data + GOOD, host, token))
        try:
            first = peer.answer(head=data.startswith(b"HEAD"))
            second = peer.answer() if first and first[0] != 400 else None
        except socket.timeout:
            failures.append((name, "timeout", peer.received[:200]))
            continue
        finally:
            peer.close()
        if first is None or first[0] not in statuses:
            failures.append((name, "expected", statuses, "found", first))
        elif first[0] < 400 and (second is None or b'"ann"' not in second[1]):
            failures.append((name, "then", second))
    require(not failures, *(f"\n  {failure}" for failure in failures))
    print(f"  directly: {len(CASES) + len(RIGHT)} cases")


def pipelined(server, rounds, random):
    """Sends many requests at once, cut into random pieces. The answers must have the order of the requests."""
    host, token = f"127.0.0.1:{server.port}", server.tokens["read"]
    for _ in range(rounds):
        names = [random.choice(["ann", "bob", "nobody", "eve"]) for _ in range(random.randint(1, 30))]
        data = b"".join(filled(get(target=b"/v1/profiles/" + name.encode()), host, token) for name in names)
        peer = Peer(server.port)
        while data:
            size = random.randint(1, len(data)) if random.random() < 0.7 else 1
            peer.send(data[:size])
            data = data[size:]
        for name in names:
            answer = peer.answer()
            require(answer is not None, "Pipelined requests were not answered:", names)
            status, body = answer
            require(status == (404 if name == "nobody" else 200), name, answer)
            require(status == 404 or f'"username":"{name}"'.encode() in body, name, answer)
        peer.close()
    print(f"  pipelining: {rounds} connections")


class Victim(threading.Thread):
    """A client that asks for one profile again and again, and must get this one each time."""

    def __init__(self, port, name, token):
        super().__init__(daemon=True)
        self.port, self.name_of_profile, self.token = port, name, token
        self.ends, self.answers, self.failure = False, 0, None

    def run(self):
        host = f"127.0.0.1:{self.port}"
        data = filled(get(target=b"/v1/profiles/" + self.name_of_profile.encode()), host, self.token)
        peer = None
        try:
            while not self.ends:
                if peer is None:
                    peer = Peer(self.port)
                peer.send(data)
                answer = peer.answer()
                if answer is None:
                    # A proxy may close a connection that is kept alive. Without an answer, nothing is wrong.
                    peer.close()
                    peer = None
                    continue
                self.answers += 1
                status, body = answer
                # A proxy answers 502 itself if the service has closed a connection that the proxy was about to use.
                if status == 502 and b"profiles" not in body:
                    continue
                if status != 200 or f'"username":"{self.name_of_profile}"'.encode() not in body:
                    raise Failed(self.name_of_profile, "got", answer)
        except Exception as error:
            self.failure = error


NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream service {{ server 127.0.0.1:{port}; keepalive 1; }}
  server {{
    listen 127.0.0.1:{own};
    location / {{
      proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr;
      proxy_request_buffering {buffering}; proxy_next_upstream off;
    }}
  }}
}}
"""

HAPROXY = """
global
  maxconn 256
defaults
  mode http
  timeout connect 5s
  timeout client 20s
  timeout server 20s
  http-reuse always
frontend all
  bind 127.0.0.1:{own}
  option forwardfor
  default_backend service
backend service
  server one 127.0.0.1:{port} maxconn 2 pool-max-conn 2
"""


def behind(proxy, rounds, random):
    """Sends all cases through a proxy while two other clients use the same connections to the service."""
    own = free_port()
    with Server("--behind-proxy", "127.0.0.1", "--host-name", f"127.0.0.1:{own}") as server:
        fill(server)
        folder = server.folder
        if proxy.startswith("nginx"):
            path = folder / "nginx.conf"
            buffering = "off" if proxy.endswith("unbuffered") else "on"
            path.write_text(NGINX.format(folder=folder, port=server.port, own=own, buffering=buffering))
            command = ["/usr/sbin/nginx", "-p", str(folder), "-c", str(path)]
        else:
            path = folder / "haproxy.cfg"
            path.write_text(HAPROXY.format(port=server.port, own=own))
            command = ["/usr/sbin/haproxy", "-db", "-f", str(path)]
        with Process(command, own):
            victims = [Victim(own, name, server.tokens["read"]) for name in ("ann", "bob")]
            for victim in victims:
                victim.start()
            host, token, sent = f"127.0.0.1:{own}", server.tokens["read"], 0
            for _ in range(rounds):
                cases = CASES + RIGHT
                random.shuffle(cases)
                for name, data, _ in cases:
                    peer = Peer(own)
                    peer.socket.settimeout(0.15)
                    peer.send(filled(data, host, token))
                    sent += 1
                    try:
                        # The proxy may answer a case in any way. The attacker may also get the answer to its own second
                        # request. But no other client may get an answer to a request of the attacker.
                        received = peer.rest()
                    except socket.timeout:
                        received = peer.received
                    peer.close()
                    require(not BOB.search(received), name, "got the answer of another client", received[:500])
                    for victim in victims:
                        require(victim.failure is None, name, victim.failure)
            # The clients must have been served the whole time.
            before = [victim.answers for victim in victims]
            end = time.monotonic() + 20
            while any(victim.answers < count + 10 for victim, count in zip(victims, before)):
                require(time.monotonic() < end, "The other clients are not served any more.")
                time.sleep(0.01)
            for victim in victims:
                victim.ends = True
            for victim in victims:
                victim.join(20)
                require(victim.failure is None, victim.failure)
            print(f"  behind {proxy}: {sent} requests, {sum(victim.answers for victim in victims)} answers of other clients")


def fill(server):
    server.register("ann", city="Bern")
    server.register("bob", city="Basel")
    server.register("eve", city="Chur")
    server.register("hidden", city="secret of hidden")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--only")
    options = parser.parse_args()
    print(f"  seed {options.seed}")
    choice = random.Random(options.seed)
    if options.only in (None, "direct"):
        with Server() as server:
            fill(server)
            directly(server)
            pipelined(server, 50 * options.rounds, choice)
    for proxy in ("nginx", "nginx unbuffered", "haproxy"):
        if options.only in (None, proxy):
            behind(proxy, options.rounds, choice)


if __name__ == "__main__":
    main()
