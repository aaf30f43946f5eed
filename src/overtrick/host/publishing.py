"""Publication of results: the static site in a folder, and the club's own command that uploads it.

The command comes from a file on this computer, never from a request: whoever could set it over the network could run
programs here. The desk can choose the folder only beside that file, by a name without a path.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from overtrick.errors import BadInput
from overtrick.event.filing import NOT_BINNED
from overtrick.files import write_file
from overtrick.host.instance_lock import LockFileUnwritable, locked_alone
from overtrick.host.lookup import JOURNALS, choose_session, journal_in
from overtrick.host.reports import evaluated
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.registry.club import Club, ClubStore
from overtrick.registry.player_privacy import PlayerPrivacy, PlayerPrivacyStore
from overtrick.scoring.publication import (
    MANIFEST,
    PLAYERS,
    RESULTS,
    Publication,
    PublishedPlayer,
    announcement,
    folder_name,
    named_players,
    player_files,
    session_files,
)
from overtrick.scoring.report import Report, file_name
from overtrick.scoring.toml_values import parse_toml, quoted
from overtrick.store import Journal
from overtrick.store.folder import KEYS_FILE, make_folder
from overtrick.store.player_index import PlayerIndex, PlayerSession
from overtrick.store.sessions import SessionList
from overtrick.web.player_pages import HIDDEN_NAME, PlayerLinks, player_body
from overtrick.web.publish_pages import PublishOutcome, PublishSetup
from overtrick.web.view_models import prepare_public_report, public_groups

SETTINGS = "publish.toml"
LONGEST_OUTPUT = 8_000
"""The bytes of a command's output that are shown: the last ones."""
LONGEST_WAIT = 600
"""The most seconds that the settings may give a command."""

LOCK = ".publishing.lock"
LOCK_WAIT = 60.0
"""The seconds to wait for another program that writes the same site."""
BY_DESK = (
    "# The desk wrote this file. To change it by hand, for example to add a command, delete this line.\n"
)


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


NOT_SET_UP = (
    "Publishing is not set up. Choose a folder at the desk, or write this file with one line, "
    'folder = "site", and the results go into the folder site beside it.'
)


def _settings_text(file: Path) -> str | None:
    """Return the text of the settings; None without a file. Raise BadInput if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BadInput(f"It cannot be read: {error}. Nothing was published.", where=str(file)) from None


def read_settings(file: Path) -> PublishSettings:
    """Read the settings from a file; raise BadInput if it cannot be read or has a wrong value."""
    text = _settings_text(file)
    if text is None:
        raise BadInput(f"{NOT_SET_UP} Nothing was published.", where=str(file))
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
    has_keys = any((site / name).exists() for name in (KEYS_FILE, *JOURNALS))
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


class SitePublisher:
    """A publisher of the sessions of a journal, with the settings in a file."""

    def __init__(self, journal: Journal, file: Path) -> None:
        self.journal = journal
        self.file = file

    def setup(self) -> PublishSetup:
        """Return the settings for the desk, which may change them only if it has written them."""
        try:
            text = _settings_text(self.file)
            if text is None:
                return PublishSetup(is_changeable=True, problem=NOT_SET_UP)
            is_changeable = text.startswith(BY_DESK)
            settings = read_settings(self.file)
        except BadInput as error:
            return PublishSetup(problem=str(error))
        return PublishSetup(
            str(settings.folder), settings.address, " ".join(settings.command), is_changeable=is_changeable
        )

    def set_up(self, name: str, address: str) -> None:
        """Publish into the folder `name` beside the settings; raise BadInput if the folder has other files.

        Settings that a person has written are not changed.
        """
        if not name or folder_name(name) != name:
            raise BadInput(
                "A folder's name has the letters a to z, digits and hyphens, such as club-results. Nothing was changed."
            )
        if address and not _is_web_address(address):
            raise BadInput(
                'The address must look like "https://results.example/bridge/". Nothing was changed.'
            )
        text = _settings_text(self.file)
        if text is not None and not text.startswith(BY_DESK):
            raise BadInput(
                "Somebody has written the settings by hand, so only that file can change them. Nothing was changed.",
                where=str(self.file),
            )
        folder = self.file.parent / name
        try:
            has_other_files = folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).exists()
        except OSError as error:
            raise BadInput(f"It cannot be used: {error.strerror}. Nothing was changed.", where=name) from None
        if has_other_files:
            raise BadInput(
                "There are files in this folder that Overtrick did not publish. Choose another name. "
                "Nothing was changed.",
                where=name,
            )
        text = f"{BY_DESK}folder = {quoted(name)}\n" + (f"address = {quoted(address)}\n" if address else "")
        try:
            write_file(self.file, text.encode())
        except OSError as error:
            raise BadInput(f"It cannot be written: {error.strerror}.", where=str(self.file)) from None

    def publish(self, session: str) -> PublishOutcome:
        """Publish a session; raise BadInput if that is not set up or fails."""
        settings = read_settings(self.file)
        club, privacy = _club_and_privacy(self.journal)
        reports = session_reports(self.journal, session, club, privacy)
        if not reports:
            raise BadInput("There is no such session. Nothing was published.")
        return publish(reports, club, settings, self.journal)


def _club_and_privacy(journal: Journal) -> tuple[Club, PlayerPrivacy]:
    return ClubStore(journal.documents).club(), PlayerPrivacyStore(journal.documents).privacy()


def session_reports(
    journal: Journal, session: str, club: Club, privacy: PlayerPrivacy
) -> list[tuple[str, Report]]:
    """Return the public reports of a session, one for each scoring, with their keys; empty if there is no session."""
    view = Runtime(journal).view(session)
    if view is None:
        return []
    reports = []
    for group in public_groups(view.session):
        report = prepare_public_report(view, group, privacy.hidden)()
        title = f"{report.title}, group {group}" if group else report.title
        report = replace(report, title=title, club=club.name, club_number=club.number)
        reports.append((f"{session}/{group}" if group else session, report))
    return reports


def publish(
    reports: Sequence[tuple[str, Report]],
    club: Club,
    settings: PublishSettings,
    journal: Journal | None = None,
) -> PublishOutcome:
    """Write reports into the folder of the site, each with its key, and run the command.

    Publishing again replaces the pages and keeps their addresses. With a journal, sessions that still name players who
    do not want it are written again, and so are the players' pages. Raise BadInput if a file cannot be written.
    """
    folder = settings.folder
    make_folder(folder)
    if not (folder / MANIFEST).exists() and (folder / "index.html").exists():
        raise BadInput(
            "The folder has a home page that Overtrick did not write. Choose a folder of its own for the "
            "results. Nothing was published.",
            where=str(folder),
        )
    reports = [(key, _with_figures(report)) for key, report in reports]
    try:
        # Two programs that rewrite the list at the same time would lose a session of one of them.
        with locked_alone(folder / LOCK, LOCK_WAIT) as is_alone:
            if not is_alone:
                raise BadInput(
                    "Another Overtrick is publishing there. Try again in a minute.", where=str(folder)
                )
            site = _SiteFolder(folder, club, journal)
            for key, report in reports:
                site.write(key, report)
            site.hide_players()
            site.write_list()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"It cannot be written: {error}.", where=str(folder)) from None
    except LockFileUnwritable as error:
        raise BadInput(error.sentence, where=str(folder)) from None
    sessions = site.publication.sessions
    addressed = [
        (report, f"{settings.address}{sessions[key].folder}/" if settings.address else "")
        for key, report in reports
    ]
    status, output = run_command(settings) if settings.command else (None, "")
    return PublishOutcome(
        str(folder),
        site.count,
        tuple(address for _, address in addressed if address),
        announcement(addressed, club.name),
        " ".join(settings.command),
        status,
        output,
        tuple(site.rewritten),
        tuple(site.still_named),
    )


def _with_figures(report: Report) -> Report:
    """Return a report with the figures of leads and plays, once its deals are analysed."""
    return evaluated(report) if all(hand.tricks for hand in report.hands.values()) else report


class _SiteFolder:
    """The folder of a published site, locked by the caller. Methods raise OSError and BadInput."""

    def __init__(self, folder: Path, club: Club, journal: Journal | None) -> None:
        self.folder = folder
        self.club = club
        self.journal = journal
        manifest = folder / MANIFEST
        self.publication = (
            Publication.parse(manifest.read_text(encoding="utf-8")) if manifest.exists() else Publication({})
        )
        self.count = 0
        """The number of files of sessions and players."""
        self.rewritten: list[str] = []
        """The titles of sessions that were written again, without names."""
        self.still_named: list[str] = []
        """The titles of sessions that are not in the journal and name players who do not want it."""

    def write(self, key: str, report: Report) -> None:
        """Write the folder of a session."""
        self.publication = self.publication.with_session(key, report)
        session_folder = self.folder / self.publication.sessions[key].folder
        self._write_pages(session_folder, session_files(report, self.club.logo_file))

    def _write_pages(self, folder: Path, pages: Mapping[str, bytes]) -> None:
        make_folder(folder)
        for name, content in pages.items():
            write_file(folder / name, content)
        for old in folder.glob("*.html"):
            if old.name not in pages:  # a board, pair or player that is not in the results any more
                old.unlink()
        self.count += len(pages)

    def hide_players(self) -> None:
        """Write the sessions that name players who do not want it again; write or remove the players' pages."""
        if self.journal is None:
            return
        club, privacy = _club_and_privacy(self.journal)
        for key, session in sorted(self.publication.sessions.items()):
            if privacy.hidden and self._names(session.folder) & privacy.hidden:
                reports = dict(session_reports(self.journal, key.partition("/")[0], club, privacy))
                if key in reports:
                    self.write(key, _with_figures(reports[key]))
                    self.rewritten.append(session.title)
                else:
                    self.still_named.append(session.title)
        players = self._players(self.journal, privacy) if privacy.are_pages_public else []
        players_folder = self.folder / PLAYERS
        if players:
            self._write_pages(players_folder, player_files(players, club.name, club.logo_file))
        else:
            for old in players_folder.glob("*.html"):
                old.unlink()

    def _names(self, session_folder: str) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            return named_players((self.folder / session_folder / RESULTS).read_bytes())
        return set()

    def _players(self, journal: Journal, privacy: PlayerPrivacy) -> list[PublishedPlayer]:
        """Return the pages of players who are named, with the evenings that are on the site."""
        index = PlayerIndex(journal)
        folders = {key: session.folder for key, session in self.publication.sessions.items()}
        names = {
            player.player: player.name for player in index.players() if player.player not in privacy.hidden
        }
        sessions = {
            key: [
                player_session
                for player_session in index.sessions_of(key)
                if {player_session.session, f"{player_session.session}/{_group(player_session.result.card)}"}
                & folders.keys()
            ]
            for key in names
        }

        def address(player_session: PlayerSession, page: str) -> str:
            own = folders.get(f"{player_session.session}/{_group(page)}") or folders[player_session.session]
            name = page.partition("?")[0]
            return f"../{own}/{name if (self.folder / own / name).exists() else 'index.html'}"

        pages = {key: f"player-{file_name(key)}.html" for key, played in sessions.items() if played}
        links = PlayerLinks(
            lambda player_session: address(player_session, player_session.result.card),
            lambda player_session, board: address(player_session, board.page),
            lambda key: pages.get(key, ""),
            lambda key, name: HIDDEN_NAME if key in privacy.hidden else name,
        )
        return [
            PublishedPlayer(
                names[key] or "Player",
                len(sessions[key]),
                player_body(names[key], sessions[key], links),
                page,
            )
            for key, page in pages.items()
        ]

    def write_list(self) -> None:
        """Write the list of sessions: last, so that it never leads to a page that is not there."""
        if self.club.logo:
            write_file(self.folder / self.club.logo_file, self.club.logo)
        write_file(self.folder / MANIFEST, str(self.publication).encode())
        has_players = (self.folder / PLAYERS / "index.html").exists()
        pages = self.publication.pages(self.club.name, self.club.logo_file, has_players)
        for name, text in pages.items():
            write_file(self.folder / name, text.encode())


def _group(page: str) -> str:
    """Return the scoring group in the address of a page; empty if there is none.

    >>> _group("board-1-7.html?group=2"), _group("board-7.html")
    ('2', '')
    """
    return page.partition("?group=")[2]


def publish_session(place: Path | str, choice: str | None, file: Path) -> PublishOutcome:
    """Publish a session of the journal in a folder or at an address; raise BadInput if it is not the only one."""
    read_settings(file)  # before a journal is opened
    where = place if isinstance(place, str) else journal_in(place)
    with open_runtime(where, create=False) as runtime:
        names = {line.session: line.name for line in SessionList(runtime.journal).lines(stages=NOT_BINNED)}
        session = choose_session(names, choice, runtime.journal.name)
        return SitePublisher(runtime.journal, file).publish(session)


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
