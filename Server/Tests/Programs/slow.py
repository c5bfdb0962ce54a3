"""Runs slowhttptest in its four modes: slow headers, slow bodies, ranges and slow reading. Meanwhile, the server must answer
another client. Afterwards, the server must close the slow connections.

    slow.py [--seconds N] [--connections N]
"""
import argparse
import subprocess
import time

from running import Served, Server, require


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--connections", type=int, default=200)
    options = parser.parse_args()
    with Server("--most-connections-of-address", "100000") as server:
        server.register("ann", city="x" * 60_000)
        url = f"http://127.0.0.1:{server.port}"
        token = server.tokens["read"]
        modes = {
            "headers": ["-H", "-i", "1", "-u", f"{url}/v1/me"],
            "body": ["-B", "-i", "1", "-s", "4000", "-t", "POST", "-f", "application/json", "-u", f"{url}/v1/login"],
            "range": ["-R", "-a", "5", "-b", "3000", "-t", "HEAD", "-u", f"{url}/healthz"],
            "reading": ["-X", "-w", "1", "-y", "8", "-z", "8", "-n", "1", "-k", "10", "-u", f"{url}/openapi.json"],
        }
        for mode, arguments in modes.items():
            with Served(server) as served:
                result = subprocess.run(
                    ["slowhttptest", *arguments, "-c", str(options.connections), "-r", "100", "-l", str(options.seconds),
                     "-p", "5"], capture_output=True, text=True, timeout=options.seconds * 4 + 60, cwd=server.folder)
            require(result.returncode == 0, mode, result.stdout[-500:], result.stderr[-500:])
            require("service available:" in result.stdout, mode, result.stdout[-2000:])
            require(not served.failures, mode, served.failures[:3])
            # In an earlier version, writing an answer to a slow reader took 3 ms. The other client then got only 20 to 30
            # answers.
            require(served.answers >= 60, mode, served.answers, "answers")
            print(f"  {mode}: {served.answers} answers of another client, the longest {served.longest * 1000:.0f} ms")
        # The server must close the connections of the slow clients.
        end = time.monotonic() + 60
        while (count := connections(server)) > 5:
            require(time.monotonic() < end, count, "connections are still open")
            time.sleep(0.1)


def connections(server):
    """Returns the number of sockets that the server has open."""
    import os
    folder = f"/proc/{server.process.pid}/fd"
    count = 0
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
        except OSError:
            pass
    return count


if __name__ == "__main__":
    main()
