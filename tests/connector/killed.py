"""Starts a Data Connector again and again, as fast as a fork: each `go` on the input is one that will be killed."""

import asyncio
import os
import sys
from pathlib import Path

from overtrick.host.serve import Serving, serve


def ready(addresses: list[str]) -> None:
    print(f"ready {os.getpid()}", flush=True)


def main() -> None:
    folder, pipe = Path(sys.argv[1]), sys.argv[2]
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            asyncio.run(serve(Serving(folder, None, pipe=pipe), ready))
            os._exit(0)
        os.waitpid(child, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main()
