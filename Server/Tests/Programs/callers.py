"""Calls every route as every kind of caller, on the socket of a real process. The permissions are stated here a second
time, independently of the service's own table of routes (H1).
"""
from running import Server, new_address, require

# The routes for people, and the routes for programs by the lowest scope that may use them.
PERSON = [
    ("GET", "/v1/me"), ("PATCH", "/v1/me"), ("POST", "/v1/me/leave"), ("PUT", "/v1/me/password"),
    ("POST", "/v1/me/passcode"), ("PUT", "/v1/me/passcode"), ("DELETE", "/v1/me/passcode"),
    ("POST", "/v1/me/passcode/check"), ("GET", "/v1/me/sessions"), ("DELETE", "/v1/me/sessions"),
    ("DELETE", "/v1/me/sessions/0"), ("GET", "/v1/me/devices"), ("DELETE", "/v1/me/devices"),
    ("DELETE", "/v1/me/devices/0"), ("GET", "/v1/me/export"), ("POST", "/v1/logout"), ("POST", "/v1/validate"),
    ("GET", "/v1/schema"),
]
PROGRAM = {
    "read": [
        ("GET", "/v1/profiles"), ("POST", "/v1/search"), ("GET", "/v1/profiles/KEY"), ("GET", "/v1/profiles/KEY/history"),
        ("GET", "/v1/schema"), ("GET", "/v1/schema/versions/1"), ("POST", "/v1/schema/difference"),
        ("GET", "/v1/statistics"), ("GET", "/metrics"),
    ],
    "support": [
        ("PATCH", "/v1/profiles/KEY"), ("POST", "/v1/profiles/KEY/unlock"), ("POST", "/v1/profiles/KEY/reset"),
        ("GET", "/v1/profiles/KEY/sessions"), ("DELETE", "/v1/profiles/KEY/sessions"),
    ],
    "write": [
        ("POST", "/v1/profiles"), ("DELETE", "/v1/profiles/KEY"), ("PUT", "/v1/profiles/KEY/password"),
        ("POST", "/v1/profiles/KEY/passcode"), ("DELETE", "/v1/profiles/KEY/passcode"), ("POST", "/v1/changes/999/undo"),
    ],
    "admin": [
        ("PUT", "/v1/schema"), ("GET", "/v1/tokens"), ("POST", "/v1/tokens"), ("DELETE", "/v1/tokens/0"),
    ],
}
ANYONE = [
    ("POST", "/v1/login"), ("POST", "/v1/resets"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/openapi.json"),
]
LEVELS = ["read", "support", "write", "admin"]


def kinds(server):
    """Returns the kinds of callers by name. Each has a function that makes the request headers, a level of permission, and
    the error code of a refused request."""
    wrong, own = "ps_" + "x" * 43, {"Sec-Fetch-Site": "same-origin"}

    def bearer(token):
        return {"Authorization": f"Bearer {token}"}

    def cookie():
        return {"Cookie": server.log_in("ann", cookie=True).header("Set-Cookie").split(";")[0]}

    def ended():
        token = server.session("ann")
        require(server.client(token)("POST", "/v1/logout").status == 204, "logout")
        return bearer(token)

    return {
        "nobody": (lambda: {}, None, "no_token"),
        "person": (lambda: bearer(server.session("ann")), "person", "not_permitted"),
        "cookie": (lambda: {**cookie(), **own}, "person", "no_token"),
        "cookie of another page": (lambda: {**cookie(), "Sec-Fetch-Site": "cross-site"}, "foreign", "no_token"),
        "cookie without origin": (cookie, "foreign", "no_token"),
        "cookie beside a wrong token": (lambda: {**cookie(), **own, **bearer(wrong)}, None, "invalid_token"),
        "cookie beside Basic": (lambda: {**cookie(), **own, "Authorization": "Basic YTpi"}, None, "invalid_token"),
        "ended session": (ended, None, "invalid_token"),
        "revoked": (lambda: bearer(server.tokens["revoked"]), None, "invalid_token"),
        "expired": (lambda: bearer(server.tokens["expired"]), None, "invalid_token"),
        "another scope": (lambda: bearer(server.tokens["reports"]), None, "not_permitted"),
        **{level: (lambda level=level: bearer(server.tokens[level]), level, "not_permitted") for level in LEVELS},
    }


REFUSALS = {"no_token", "invalid_token", "not_permitted", "no_such_route", "other_site"}
STATUS = {"no_token": 401, "invalid_token": 401, "not_permitted": 403, "other_site": 403, "no_such_route": 404}


def check(server, answer, served, code, *what):
    if served:
        require(answer.code not in REFUSALS, *what, answer)
    else:
        require(answer.code == code and answer.status == STATUS[code], *what, "expected", code, answer)
        require(answer.status != 401 or answer.header("WWW-Authenticate"), *what, answer.headers)


def main():
    count = 0
    with Server() as server:
        server.register("ann")
        for kind, (credentials, level, code) in kinds(server).items():
            headers = credentials()
            client = server.client(address=new_address())
            for method, path in ANYONE:
                answer = client(method, path, None if method == "GET" else {}, headers=headers)
                check(server, answer, True, None, kind, method, path)
                count += 1
            check(server, client("POST", "/v1/register", {}, headers=headers), False, "no_such_route", kind, "register")
            for method, path in PERSON:
                if (method, path) == ("GET", "/v1/schema") and level in LEVELS:
                    continue
                answer = client(method, path, {} if method != "GET" and method != "DELETE" else None, headers=headers)
                expected = code if level not in ("foreign",) else "other_site"
                if level == "foreign" and method == "GET":
                    check(server, answer, True, None, kind, method, path)
                else:
                    check(server, answer, level == "person", expected, kind, method, path)
                count += 1
                if level == "person" and path in ("/v1/logout", "/v1/me/sessions"):
                    headers = credentials()
            for needed, routes in PROGRAM.items():
                for method, template in routes:
                    if (method, template) == ("GET", "/v1/schema") and level in ("person", "foreign"):
                        continue
                    for key in ("ann", "nobody", "by-id/1") if "KEY" in template else ("",):
                        path = template.replace("KEY", key)
                        body = {} if method not in ("GET", "DELETE") else None
                        answer = client(method, path, body, headers=headers)
                        served = level in LEVELS and LEVELS.index(level) >= LEVELS.index(needed)
                        check(server, answer, served, code, kind, method, path)
                        count += 1
            client.close()
    print(f"  {count} requests of {len(kinds(server))} kinds of callers")

    # With --admin-port, the port for people does not serve the routes of programs, and the port for programs does not serve
    # the routes of people.
    count = 0
    with Server("--admin-port", "0", listeners=2) as server:
        server.port = server.ports[1]
        server.register("ann")
        server.port = server.ports[0]
        session = server.session("ann")
        for port, refused, token in ((0, PROGRAM, "admin"), (1, {"person": PERSON}, session)):
            server.port = server.ports[port]
            client = server.client(token)
            for routes in refused.values():
                for method, path in routes:
                    if (method, path) == ("GET", "/v1/schema"):
                        continue
                    answer = client(method, path.replace("KEY", "ann"), {} if method not in ("GET", "DELETE") else None)
                    shared = {template.replace("KEY", "ann") for _, template in PERSON + ANYONE} if port == 0 else set()
                    wanted = (404, 405) if path in shared or path == "/v1/schema" else (404,)
                    require(answer.status in wanted, port, method, path, answer)
                    count += 1
    print(f"  {count} requests to the port of the others")


if __name__ == "__main__":
    main()
