"""Real PostgreSQL servers for tests, started and thrown away.

PostgreSQL refuses to run as root, so where the tests do (in a container), it runs as the user postgres.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The tests are about who sees what and when; that a disk keeps what it was told is PostgreSQL's own affair.
SETTINGS = "-c listen_addresses='' -c fsync=off"


class Cluster:
    """A server that listens on a socket in a folder of its own and on no port."""

    def __init__(self, pg_ctl: str) -> None:
        self._pg_ctl = pg_ctl
        self._programs = Path(pg_ctl).resolve().parent
        self.folder = Path(tempfile.mkdtemp(prefix="overtrick-pg-"))
        self._cluster = str(self.folder / "cluster")
        self._as_user: list[str] = []
        if os.name == "posix" and os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self._as_user = ["runuser", "-u", "postgres", "--"]

    @property
    def address(self) -> str:
        """The address that opens its database."""
        return f"postgresql://overtrick@/postgres?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs."""
        command = [*self._as_user, str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")

    def make(self, password: str = "") -> None:
        """Make an empty database; with a password, nobody gets in without it."""
        options = ["--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        if password:
            (self.folder / "password").write_text(password)
            options = [f"--pwfile={self.folder / 'password'}", "--auth=scram-sha-256", *options[1:]]
        self.run("initdb", "-D", self._cluster, "-U", "overtrick", *options)

    def start(self, more: str = "") -> None:
        """Start the server and wait until it takes connections."""
        settings = f"{SETTINGS} -c unix_socket_directories={self.folder} {more}"
        self.run("pg_ctl", "-D", self._cluster, "-l", str(self.folder / "log"), "-w", "-o", settings, "start")

    def stop(self) -> None:
        """Kill the server, as a power cut does."""
        self.run("pg_ctl", "-D", self._cluster, "-m", "immediate", "-w", "stop")

    def copy(self) -> "Cluster":
        """Return a replica that is not started yet and follows this server."""
        replica = Cluster(self._pg_ctl)
        replica.run(
            "pg_basebackup",
            "-h",
            str(self.folder),
            "-U",
            "overtrick",
            "-D",
            replica._cluster,
            "-R",
            "--no-sync",
        )
        return replica

    def promote(self) -> None:
        """Let a replica take the place of the server that it followed."""
        self.run("pg_ctl", "-D", self._cluster, "-w", "promote")

    def remove(self) -> None:
        """Throw everything away."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def postgresql(pg_ctl: str) -> Iterator[str]:
    """The address of a new server."""
    cluster = Cluster(pg_ctl)
    try:
        cluster.make()
        cluster.start()
        try:
            yield cluster.address
        finally:
            cluster.stop()
    finally:
        cluster.remove()
