"""Kills the server (SIGKILL) while clients register, and starts it again: every acknowledged profile is there with its
values, a repeat with the same key gets the first answer, and no profile is there twice.

    kill.py [--rounds N] [--clients N] [--seed N]
"""
import argparse
import http.client
import json
import random
import threading
import time

from running import HASH, Client, Server, require


class Writer(threading.Thread):
    def __init__(self, server, number, seed):
        super().__init__(daemon=True)
        self.server, self.number = server, number
        self.random = random.Random(f"{seed} {number}")
        self.acknowledged, self.unknown, self.ends, self.failure = {}, {}, False, None

    def run(self):
        client, count = None, 0
        try:
            while not self.ends:
                name = f"w{self.number}-{count}"
                count += 1
                values = {"username": name, "city": f"city {self.random.randrange(10**9)}", "password_hash": HASH}
                key = f"key-{name}-{self.random.randrange(10**9)}"
                while not self.ends:
                    try:
                        if client is None:
                            client = Client(self.server.port, self.server.tokens["write"], timeout=20)
                        answer = client("POST", "/v1/profiles", values, headers={"Idempotency-Key": key})
                    except (OSError, http.client.HTTPException):
                        # The server was killed. It is unknown whether the profile was stored: repeat with the key.
                        self.unknown[name] = values, key
                        client = None
                        time.sleep(0.01)
                        continue
                    if answer.status == 503:
                        continue
                    require(answer.status == 201, name, answer)
                    require(answer.json["values"]["city"] == values["city"], name, answer)
                    self.acknowledged[name] = values, key, answer.json["id"]
                    self.unknown.pop(name, None)
                    break
        except Exception as error:
            self.failure = error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"  seed {options.seed}")
    choice = random.Random(options.seed)
    with Server() as server:
        writers = [Writer(server, number, options.seed) for number in range(options.clients)]
        for writer in writers:
            writer.start()
        for _ in range(options.rounds):
            # Waits until a random number of further profiles is acknowledged.
            wanted = sum(len(writer.acknowledged) for writer in writers) + choice.randint(1, 60)
            end = time.monotonic() + 60
            while sum(len(writer.acknowledged) for writer in writers) < wanted:
                require(not any(writer.failure for writer in writers), [writer.failure for writer in writers])
                require(time.monotonic() < end, "Nothing is stored any more.")
                time.sleep(0.001)
            server.kill()
            server.start()
        for writer in writers:
            writer.ends = True
        for writer in writers:
            writer.join(60)
            require(writer.failure is None, writer.failure)

        read, write = server.client("read"), server.client("write")
        acknowledged = {name: found for writer in writers for name, found in writer.acknowledged.items()}
        # Reads all pages. No profile may occur twice.
        ids, cursor = {}, None
        while True:
            page = read("POST", "/v1/search", {"limit": 1000, "after": cursor}).json
            for profile in page["profiles"]:
                name = profile["values"]["username"]
                require(name not in ids, name, "is there twice")
                ids[name] = profile
            cursor = page["next"]
            if cursor is None:
                break
        for name, (values, key, number) in acknowledged.items():
            require(name in ids, name, "was acknowledged, and is lost")
            profile = ids[name]
            require(profile["id"] == number and profile["values"]["city"] == values["city"], name, profile)
        sent = set(acknowledged) | {name for writer in writers for name in writer.unknown}
        require(set(ids) <= sent, "Profiles that no client has sent:", set(ids) - sent)
        repeats = choice.sample(sorted(acknowledged), min(200, len(acknowledged)))
        for name in repeats:
            values, key, number = acknowledged[name]
            answer = write("POST", "/v1/profiles", values, headers={"Idempotency-Key": key})
            require(answer.status == 201 and answer.json["id"] == number, name, "repeated:", answer)
        after = read("GET", "/v1/statistics").json
        print(f"  {options.rounds} kills, {len(acknowledged)} acknowledged, {len(ids)} stored, {len(repeats)} repeats")
        require(json.dumps(after).find(str(len(ids))) >= 0, after)


if __name__ == "__main__":
    main()
