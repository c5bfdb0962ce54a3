"""Runs the programs of this folder against the server of the debug build.

    run.py [--long] [NAME…]
"""
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent

# The arguments of each program, without and with --long. None: the program does not run.
PROGRAMS = {
    "callers": ([], []),
    "canaries": ([], []),
    "answers": ([], []),
    "sockets": (["--rounds", "1"], ["--rounds", "10"]),
    "description": (["--examples", "10"], ["--examples", "200"]),
    "random_bodies": (["--count", "2000"], ["--count", "50000"]),
    "logins": ([], ["--logins", "1000"]),
    "kill": (["--rounds", "6"], ["--rounds", "60"]),
    "slow": (["--seconds", "5"], ["--seconds", "60", "--connections", "1000"]),
    "timing": (["--tries", "60"], ["--tries", "400", "--strict"]),
    "encryption": (None, []),
}


def main():
    arguments = sys.argv[1:]
    is_long = "--long" in arguments
    names = [name for name in arguments if name != "--long"] or list(PROGRAMS)
    failed = []
    for name in names:
        options = PROGRAMS[name][is_long]
        if options is None:
            continue
        print(f"{name} …", flush=True)
        began = time.monotonic()
        result = subprocess.run([sys.executable, "-B", str(HERE / f"{name}.py"), *options])
        if result.returncode != 0:
            failed.append(name)
        print(f"{name}: {'failed' if result.returncode else 'passed'} after {time.monotonic() - began:.1f} s", flush=True)
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}. Server/Tests/Programs/NAME.py repeats one; --seed repeats its choices.")


if __name__ == "__main__":
    main()
