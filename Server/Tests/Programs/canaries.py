"""Sends unique secrets, names and values through every route. Then searches for them in the log, the metrics, standard
output, the answers to other requests, and the files that the server leaves.
"""
import re

from running import HASH, Client, Server, new_address, require


class Canaries(dict):
    """Unique texts by name. A text is made when its name is first used."""

    def __getitem__(self, name):
        if name not in self:
            self[name] = f"canary{len(self):03d}x{abs(hash(name)) % 10**8:08d}"
        return super().__getitem__(name)


def own(canaries, *names):
    return {canaries[name] for name in names}


# The names of the canaries that are secrets.
SECRET = re.compile("password|passcode|token|cookie|basic|reset|device|hash")


class Scenario:
    def __init__(self, server):
        self.server, self.canaries, self.seen, self.count = server, Canaries(), [], 0
        # Secrets that the server makes.
        self.tokens = set()

    def __call__(self, method, path, body=None, token=None, headers=None, allowed=(), expected=None):
        """Sends a request and checks its answer. The answer may contain the texts of `allowed`. It may also repeat texts of
        the request that are not secrets, because an error names the wrong member."""
        client = Client(self.server.port, token, new_address())
        answer = client(method, path, body, headers=headers)
        client.close()
        self.count += 1
        text = answer.body.decode() + "\n".join(f"{name}: {value}" for name, value in answer.headers)
        if expected is not None:
            require(answer.status == expected, method, path, "gave", answer, "and not", expected)
        sent = f"{path} {body} {headers}"
        permitted = set(allowed) | {
            value for name, value in self.canaries.items() if value in sent and not SECRET.search(name)}
        for name, value in self.canaries.items():
            if value in text:
                require(value in permitted, method, path, "shows", name, text[:1000])
        for secret in self.tokens:
            require(secret not in text, method, path, "shows a token", text[:1000])
        return answer

    def secret(self, answer, name="token"):
        value = answer.json[name]
        self.tokens.add(value)
        return value


def run(server):
    send, c = Scenario(server), Canaries()
    c = send.canaries
    read, support, write, admin = (server.tokens[name] for name in ("read", "support", "write", "admin"))
    send.tokens |= set(server.tokens.values())
    password = c["password"] + "Aa1"
    values = {"username": c["username"], "email": c["email"], "city": c["city"], "note": c["note"], "grade": c["grade"]}
    shown = own(c, "username", "email", "city", "note", "grade")
    mine = own(c, "username", "email", "city", "grade")

    # Registrations by a program and by a person, some of which are refused.
    send("POST", "/v1/profiles", {**values, "password": password}, write, allowed=shown, expected=201,
         headers={"Idempotency-Key": c["key"]})
    send("POST", "/v1/profiles", {**values, "password": password}, write, expected=409)
    send("POST", "/v1/profiles", {"username": "second", "password_hash": HASH, "city": c["city of another"]}, write,
         allowed=own(c, "city of another"), expected=201)
    send("POST", "/v1/profiles", {"username": "third", "password_hash": HASH[:-8] + c["hash"]}, write)
    send("POST", "/v1/register", {"username": c["registered"], "password": c["password of registration"] + "Aa1"},
         allowed=own(c, "registered"), expected=201)
    send("POST", "/v1/register", {"username": c["refused"], "password": "x"}, expected=422)
    send("POST", "/v1/register", {"username": c["refused"], c["member"]: "x"})
    send("POST", "/v1/register", {"username": c["refused"], "age": c["age"]}, expected=422)
    send("POST", "/v1/register", '{"username": "' + c["broken"] + '", "password": "' + c["broken password"], expected=400)

    # Logins.
    answer = send("POST", "/v1/login", {"username": c["username"], "password": password, "label": c["label"]},
                  allowed=mine | own(c, "label"), expected=200)
    session, device = send.secret(answer), send.secret(answer, "device")
    send("POST", "/v1/login", {"username": c["username"], "password": c["wrong password"]}, expected=401)
    send("POST", "/v1/login", {"username": c["unknown username"], "password": c["wrong password"]}, expected=401)
    send("POST", "/v1/login", {"username": c["username"], "password": password, c["member of login"]: 1}, expected=422)
    send("POST", "/v1/login", {"username": c["username"], "password": password, "device": c["device"]},
         allowed=mine, expected=200)
    cookies = send("POST", "/v1/login", {"username": c["username"], "password": password, "cookie": True},
                   allowed=mine, expected=200)
    pairs = [value.split(";")[0] for name, value in cookies.headers if name.lower() == "set-cookie"]
    require(len(pairs) == 2, cookies.headers)
    send.tokens |= {pair.split("=")[1] for pair in pairs}
    cookie = {"Cookie": "; ".join(pairs), "Sec-Fetch-Site": "same-origin"}
    send("GET", "/v1/me", headers=cookie, allowed=mine, expected=200)
    send("GET", "/v1/me", headers={"Cookie": f"profiles-session={c['cookie']}"}, expected=401)
    send("GET", "/v1/me", token=c["token"], expected=401)
    send("GET", "/v1/me", headers={"Authorization": f"Basic {c['basic']}"}, expected=401)

    # People.
    send("GET", "/v1/me", token=session, allowed=mine, expected=200)
    send("PATCH", "/v1/me", {"city": c["new city"]}, session, headers={"If-Match": "*"},
         allowed=mine | own(c, "new city"), expected=200)
    mine, shown = mine | own(c, "new city"), shown | own(c, "new city")
    send("PATCH", "/v1/me", {"note": c["hidden"]}, session, headers={"If-Match": "*"})
    send("PATCH", "/v1/me", {"city": "x"}, session, headers={"If-Match": c["precondition"]}, expected=400)
    send("POST", "/v1/me/passcode", {"passcode": c["passcode"]}, session, expected=204)
    send("POST", "/v1/me/passcode/check", {"passcode": c["passcode"]}, session, expected=204)
    send("POST", "/v1/me/passcode/check", {"passcode": c["wrong passcode"]}, session, expected=403)
    send("PUT", "/v1/me/passcode", {"old_passcode": c["passcode"], "passcode": c["second passcode"]}, session, expected=204)
    send("DELETE", "/v1/me/passcode", token=session, expected=204)
    send("GET", "/v1/me/sessions", token=session, allowed=own(c, "username", "label"), expected=200)
    send("GET", "/v1/me/devices", token=session, allowed=own(c, "username", "label"), expected=200)
    send("DELETE", f"/v1/me/sessions/{c['session id']}", token=session, expected=404)
    send("GET", "/v1/me/export", token=session, allowed=mine | own(c, "label"), expected=200)
    send("POST", "/v1/validate", {"field": "city", "value": c["judged"]}, session, expected=200)
    send("POST", "/v1/validate", {"field": c["field"], "value": "x"}, session)
    send("POST", "/v1/validate", {"draft": {"city": c["judged draft"], "age": c["judged age"]}}, session)
    send("PUT", "/v1/me/password", {"old_password": c["wrong password"], "password": c["new password"] + "Aa1"}, session,
         expected=403)
    answer = send("PUT", "/v1/me/password", {
        "old_password": password, "password": c["new password"] + "Aa1", "remember_device": True}, session,
        allowed=mine | own(c, "label"), expected=200)
    session = send.secret(answer)
    send("POST", "/v1/me/leave", {"password": c["wrong password"]}, session, expected=403)

    # Programs.
    name = c["username"]
    send("GET", f"/v1/profiles/{name}", token=read, allowed=shown, expected=200)
    send("GET", f"/v1/profiles/{c['unknown username']}", token=read, expected=404)
    send("GET", f"/v1/profiles/{name}?{c['query name']}={c['query value']}", token=read, allowed=shown)
    send("GET", f"/{c['path']}/{c['path 2']}?{c['query name']}", token=read, expected=404)
    send("GET", f"/v1/profiles?where=city={c['new city']}", token=read, allowed=shown, expected=200)
    send("GET", f"/v1/profiles?where={c['condition']}", token=read)
    send("GET", f"/v1/profiles?where={c['unknown field']}=1", token=read)
    send("GET", f"/v1/profiles?sort={c['sort']}", token=read)
    send("GET", f"/v1/profiles?after={c['cursor']}", token=read)
    send("GET", f"/v1/profiles?limit={c['limit']}", token=read)
    send("POST", "/v1/search", {"text": c["new city"][:9]}, read, allowed=shown, expected=200)
    send("POST", "/v1/search", {c["query member"]: 1}, read)
    send("GET", f"/v1/profiles/{name}/history", token=read, allowed=shown | mine, expected=200)
    send("GET", f"/v1/schema/versions/{c['version']}", token=read, expected=404)
    send("POST", "/v1/schema/difference", {"fields": [{"name": "x", "type": c["type"]}]}, read)
    send("GET", "/v1/statistics", token=read, expected=200)
    send("PATCH", f"/v1/profiles/{name}", {"age": c["age of program"]}, support, headers={"If-Match": "*"}, expected=422)
    send("PATCH", f"/v1/profiles/{name}", {"city": "x"}, support,
         headers={"If-Match": "*", "Idempotency-Key": c["bad key"] + " x"}, expected=400)
    send("GET", f"/v1/profiles/{name}/sessions", token=support, allowed=own(c, "username", "label"), expected=200)
    reset = send.secret(send("POST", f"/v1/profiles/{name}/reset", token=support, allowed=own(c, "username"), expected=201))
    send("POST", "/v1/resets", {"token": c["reset"], "password": c["reset password"] + "Aa1"}, expected=403)
    send("POST", "/v1/resets", {"token": reset, "password": c["reset password"] + "Aa1"}, expected=204)
    send("PUT", f"/v1/profiles/{name}/password", {"password": c["set password"] + "Aa1"}, write, expected=204)
    send("POST", f"/v1/profiles/{name}/passcode", {"passcode": c["set passcode"]}, write, expected=204)
    send("DELETE", f"/v1/profiles/{name}/passcode", token=write, expected=204)
    answer = send("POST", "/v1/tokens", {"name": "made here", "scope": "read"}, admin, expected=201)
    send.secret(answer)
    send("POST", "/v1/tokens", {"name": "bad", "scope": c["scope"]}, admin)
    send("DELETE", f"/v1/tokens/{c['token id']}", token=admin, expected=404)
    send("PUT", "/v1/schema", {"fields": [{"name": "username", "type": c["bad type"]}]}, admin, headers={"If-Match": "*"})
    send("DELETE", f"/v1/profiles/{name}", token=write, headers={"If-Match": "*"}, expected=204)
    send("GET", "/healthz", headers={"Host": c["host"]}, expected=421)
    send("GET", "/healthz", headers={"User-Agent": c["agent"], "Referer": c["referer"], "X-Forwarded-For": c["forwarded"]})
    send("PROPFIND", f"/v1/{c['path of method']}")
    send("GET", "/" + c["long"] * 1000)
    send("GET", "/healthz", headers={"X-A": c["head"] * 2000})
    metrics = send("GET", "/metrics", token=read, expected=200).body.decode()
    return send, metrics


def main():
    with Server("--open-registration", "--log-level", "trace") as server:
        send, metrics = run(server)
        server.stop()
        places = {"the log": server.log_text(), "the metrics": metrics, "standard output": server.output}
        for path in server.folder.iterdir():
            # The store and its write-ahead log may contain values, but no token, password or passcode.
            if path.name.startswith("store"):
                data = path.read_bytes().decode("latin-1")
                secrets = [value for name, value in send.canaries.items()
                           if SECRET.search(name)]
                for secret in secrets + sorted(send.tokens):
                    require(secret not in data, path.name, "holds", secret)
            else:
                require(path.name in ("log", "schema.json"), "The server has left", path.name)
        for place, text in places.items():
            for name, value in send.canaries.items():
                require(value not in text, place, "has", name, [line for line in text.splitlines() if value in line][:2])
            for secret in send.tokens:
                require(secret not in text, place, "has a token")
        lines = places["the log"].splitlines()
        print(f"  {send.count} requests, {len(send.canaries)} canaries, {len(send.tokens)} tokens, {len(lines)} lines of log")


if __name__ == "__main__":
    main()
