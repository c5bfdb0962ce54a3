"""Compares the time of a login with an unknown name with that of a wrong password. Without --strict, each login must hash
once, and the medians may differ by 50 %. With --strict, only by 3 %, which needs an idle machine.

    timing.py [--tries N] [--strict]
"""
import argparse
import re
import statistics
import time

from running import Server, new_address, require


def hashes(server):
    """The number of passwords that the server has compared."""
    text = server.client("read")("GET", "/metrics").body.decode()
    return sum(float(line.split()[-1]) for line in text.splitlines()
               if re.match(r'profiles_store_operations_total\{.*name="verify"', line))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    with Server() as server:
        # Each name is tried once, so that no throttle begins.
        for number in range(options.tries // 2):
            server.register(f"known{number}")
        # The first logins warm the process up.
        for number in range(6):
            server.log_in(f"nobody{number}", "warming-up")
        times, counts = {"known": [], "unknown": []}, {"known": 0, "unknown": 0}
        for number in range(options.tries // 2):
            # Each round tries both kinds. The order changes from round to round.
            for kind in ("known", "unknown") if number % 2 else ("unknown", "known"):
                client = server.client(address=new_address())
                client("GET", "/healthz")
                before = None if options.strict else hashes(server)
                began = time.perf_counter_ns()
                answer = client("POST", "/v1/login", {"username": f"{kind}{number}", "password": "wrong-password"})
                times[kind].append(time.perf_counter_ns() - began)
                require(answer.status == 401 and answer.code == "invalid_credentials", kind, answer)
                if before is not None:
                    counts[kind] += hashes(server) - before
                client.close()
        require(counts["known"] == counts["unknown"], "Hashes:", counts)
        require(options.strict or counts["known"] == options.tries // 2, "Hashes:", counts)
        known, unknown = (statistics.median(times[kind]) / 1e6 for kind in ("known", "unknown"))
        print(f"  {options.tries} tries: known {known:.2f} ms, unknown {unknown:.2f} ms, {unknown / known:.4f}; hashes {counts}")
        # On a busy machine, times vary too much for 3 %. The limit of 50 % still detects a login without a hash.
        limit = 0.03 if options.strict else 0.5
        require(abs(unknown / known - 1) <= limit, "The medians differ by more than", limit)


if __name__ == "__main__":
    main()
