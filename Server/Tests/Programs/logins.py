"""200 logins at the same time: no more passwords are hashed at once than the pool has permits, the others wait or get 503
with Retry-After, and look-ups are served meanwhile.

    logins.py [--logins N]
"""
import argparse
import collections
import os
import threading

from running import PASSWORD, Served, Server, new_address, require


def memory(process):
    """The most memory that a process has had, in MiB."""
    for line in open(f"/proc/{process}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--logins", type=int, default=200)
    options = parser.parse_args()
    with Server("--most-connections-of-address", "100000") as server:
        server.register("ann")
        for number in range(options.logins):
            server.register(f"user{number}")
        server.session("ann")
        before = memory(server.process.pid)
        answers, barrier = [], threading.Barrier(options.logins + 1)

        def log_in(number):
            client = server.client(address=new_address(), timeout=120)
            client("GET", "/healthz")
            barrier.wait()
            answers.append(client("POST", "/v1/login", {"username": f"user{number}", "password": PASSWORD}))

        threads = [threading.Thread(target=log_in, args=(number,)) for number in range(options.logins)]
        for thread in threads:
            thread.start()
        barrier.wait()
        with Served(server) as served:
            for thread in threads:
                thread.join()
        require(len(answers) == options.logins, len(answers), "answers")
        statuses = collections.Counter(answer.status for answer in answers)
        require(set(statuses) <= {200, 503}, statuses, next((a for a in answers if a.status not in (200, 503)), None))
        require(statuses[200] > 0, statuses)
        for answer in answers:
            require(answer.status == 200 or answer.header("Retry-After"), answer.headers)
        require(not served.failures, served.failures[:3])
        require(served.answers >= 20, "Only", served.answers, "look-ups were answered.")
        # Each hash takes 19 MiB, so the memory tells how many were computed at the same time.
        permits = len(os.sched_getaffinity(0))
        used = memory(server.process.pid) - before
        require(used <= permits * 19 + 96, used, "MiB more than before")
        print(f"  {dict(statuses)}; {served.answers} look-ups, the longest {served.longest * 1000:.0f} ms; "
              f"{used:.0f} MiB more than before")


if __name__ == "__main__":
    main()
