"""Publication of results: the static site in a folder, and the club's own command that uploads it.

Folder and command come from a file on this computer, never from a request: whoever could set them over the network
could write files and run programs here.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from overtrick.errors import BadInput
from overtrick.event.filing import NOT_BINNED
from overtrick.files import write_file
from overtrick.host.lookup import JOURNALS, choose_session, journal_in
from overtrick.host.reports import evaluated
from overtrick.host.runtime import open_runtime
from overtrick.registry.club import Club, ClubStore
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring.publication import MANIFEST, Publication, announcement, session_files
from overtrick.scoring.report import Report
from overtrick.scoring.toml_values import parse_toml
from overtrick.store.folder import OURS, make_folder
from overtrick.store.sessions import SessionList
from overtrick.web.publish_pages import PublishOutcome, public_reports

SETTINGS = "publish.toml"
LONGEST_OUTPUT = 8_000
"""The bytes of a command's output that are shown: the last ones."""
LONGEST_WAIT = 600


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """The folder of a published site, its address, and the command that uploads it."""

    folder: Path
    address: str = ""
    """The address of the folder in the web, which ends with a slash; empty if it is unknown."""
    command: tuple[str, ...] = ()
    """The words of the command; `{folder}` is replaced by the folder. Empty if nothing is uploaded."""
    timeout: int = 120
    """The seconds after which the command is stopped."""


def read_settings(file: Path) -> PublishSettings:
    """Read the settings from a file; raise BadInput if it cannot be read or has a wrong value."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(
            'Publishing is not set up. Write this file with one line, folder = "site", and the results go into the '
            "folder site beside it. Nothing was published.",
            where=str(file),
        ) from None
    except (OSError, ValueError) as error:
        raise BadInput(f"It cannot be read: {error}. Nothing was published.", where=str(file)) from None
    values = parse_toml(text, str(file))
    unknown = sorted(set(values) - {"folder", "address", "command", "timeout"})
    folder, address = values.get("folder", ""), values.get("address", "")
    command, timeout = values.get("command", []), values.get("timeout", 120)
    problem = ""
    if unknown:
        problem = f"There is no setting {unknown[0]!r}; there are folder, address, command and timeout."
    elif not isinstance(folder, str) or not folder:
        problem = 'folder must name the folder of the site, such as "site".'
    elif not isinstance(address, str) or (address and not _is_web_address(address)):
        problem = 'address must look like "https://results.example/bridge/".'
    elif not isinstance(command, list) or not all(isinstance(word, str) and word for word in command):
        problem = 'command must be a list of words, such as ["rsync", "-a", "{folder}/", "host:results"].'
    elif not isinstance(timeout, int) or isinstance(timeout, bool) or not 1 <= timeout <= LONGEST_WAIT:
        problem = f"timeout must be 1 to {LONGEST_WAIT} seconds."
    if problem:
        raise BadInput(f"{problem} Nothing was published.", where=str(file))
    # A relative folder is beside the file, wherever the program was started.
    site = file.parent / folder
    has_keys = any((site / name).exists() for name in (OURS, *JOURNALS))
    if has_keys or file.resolve().is_relative_to(site.resolve()):
        raise BadInput(
            "The folder of the site must not contain the journal, the keys or this file, because all of it is "
            "published. Nothing was published.",
            where=str(site),
        )
    return PublishSettings(site, address and address.rstrip("/") + "/", tuple(command), timeout)


def _is_web_address(address: str) -> bool:
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()
    return False


def publish(reports: Sequence[tuple[str, Report]], club: Club, settings: PublishSettings) -> PublishOutcome:
    """Write reports into the folder of the site, each with its key, and run the command.

    Publishing again replaces the pages and keeps their addresses. The list of sessions is written last, so it never
    leads to a page that is not there. Raise BadInput if a file cannot be written.
    """
    folder = settings.folder
    make_folder(folder)
    manifest = folder / MANIFEST
    try:
        if not manifest.exists() and (folder / "index.html").exists():
            raise BadInput(
                "The folder has a home page that Overtrick did not write. Choose a folder of its own for the "
                "results. Nothing was published.",
                where=str(folder),
            )
        publication = (
            Publication.parse(manifest.read_text(encoding="utf-8")) if manifest.exists() else Publication({})
        )
        count = 0
        for key, report in reports:
            if all(hand.tricks for hand in report.hands.values()):
                report = evaluated(
                    report
                )  # adds the figures of leads and plays, which the site cannot compute
            publication = publication.with_session(key, report)
            own = folder / publication.sessions[key].folder
            make_folder(own)
            files = session_files(report, club.logo_file)
            for name, content in files.items():
                write_file(own / name, content)
            for old in own.glob("*.html"):
                if old.name not in files:  # a board or pair that is not in the results any more
                    old.unlink()
            count += len(files)
        if club.logo:
            write_file(folder / club.logo_file, club.logo)
        write_file(manifest, str(publication).encode())
        for name, text in publication.pages(club.name, club.logo_file).items():
            write_file(folder / name, text.encode())
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"It cannot be written: {error}.", where=str(folder)) from None
    addressed = [
        (report, f"{settings.address}{publication.sessions[key].folder}/" if settings.address else "")
        for key, report in reports
    ]
    status, output = run_command(settings) if settings.command else (None, "")
    return PublishOutcome(
        str(folder),
        count,
        tuple(address for _, address in addressed if address),
        announcement(addressed, club.name),
        " ".join(settings.command),
        status,
        output,
    )


def publish_session(place: Path | str, choice: str | None, file: Path) -> PublishOutcome:
    """Publish a session of the journal in a folder or at an address; raise BadInput if it is not the only one."""
    settings = read_settings(file)
    where = place if isinstance(place, str) else journal_in(place)
    with open_runtime(where, create=False) as runtime:
        names = {line.session: line.name for line in SessionList(runtime.journal).lines(stages=NOT_BINNED)}
        view = runtime.view(choose_session(names, choice, runtime.journal.name))
        assert view is not None
        club = ClubStore(runtime.journal.documents).club()
        hidden = PlayerPrivacyStore(runtime.journal.documents).privacy().hidden
        return publish(public_reports(view, club, hidden)(), club, settings)


def run_command(settings: PublishSettings) -> tuple[int, str]:
    """Run the upload command without a shell; return its exit status and the end of its output.

    The status is -1 if it could not be started or did not end in time; then the output says so.
    """
    words = [word.replace("{folder}", str(settings.folder)) for word in settings.command]
    # Into a file, not a pipe: a program that it leaves behind could keep a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return -1, f"{words[0]} cannot be started: {error}."
        try:
            status, problem = process.wait(settings.timeout), ""
        except subprocess.TimeoutExpired:
            _kill(process)
            status, problem = -1, f"It was stopped after {settings.timeout} seconds."
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - LONGEST_OUTPUT))
        text = output.read(LONGEST_OUTPUT).decode("utf-8", "replace")
    return status, "\n".join(part for part in (text.strip(), problem) if part)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and, where the system has groups, those that it has started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
