"""A real PostgreSQL server for tests, started once for each pytest process and thrown away.

PostgreSQL refuses to run as root, so where the tests do (in a container), it runs as the user postgres.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def postgresql(pg_ctl: str) -> Iterator[str]:
    """The address of a new server; it listens on a socket in a folder of its own and on no port."""
    programs = Path(pg_ctl).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="overtrick-pg-"))
    as_user: list[str] = []
    if os.name == "posix" and os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        as_user = ["runuser", "-u", "postgres", "--"]

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(programs / program), *arguments]
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")

    cluster, log = str(folder / "cluster"), str(folder / "log")
    try:
        run(
            "initdb",
            "-D",
            cluster,
            "-U",
            "overtrick",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C",
        )
        # The tests are about who sees what and when; that a disk keeps what it was told is PostgreSQL's own
        # affair.
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", cluster, "-l", log, "-w", "-o", settings, "start")
        try:
            yield f"postgresql://overtrick@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", cluster, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
