"""Federation files at the desk: export as downloads, import with a preview.

An upload leads to a preview with its type, changes and conflicts. Conflicting lines are imported only if the director
accepts them.
"""

import io
import re
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn
from uuid import uuid4

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import JournalState, Transaction
from overtrick.event.team_rules import PutTeamFacts
from overtrick.guid import new_guid
from overtrick.magic.errors import BadFile
from overtrick.magic.export import files_of_kind
from overtrick.magic.files import Encoding, open_file, write_file
from overtrick.magic.import_ import ImportResult, plan_import, write_rejects
from overtrick.magic.people import KINDS
from overtrick.magic.rows import FileKind
from overtrick.registry import Decisions
from overtrick.web.login import LoginPages
from overtrick.web.session_projection import NotFound
from overtrick.web.site import Site
from overtrick.web.team_projection import LiveTeamEvents, TeamEventProjection

KIND_WORDS = {
    FileKind.TEAMS: "Teams and rosters",
    FileKind.RESULTS: "Match results and ranks",
    FileKind.LINE_UPS: "Line-ups in both rooms",
    FileKind.BOARDS: "Boards, one file per match",
    FileKind.SCHEDULE: "Schedule with carry-overs",
    FileKind.INITIAL_TEAMS: "Entries from the federation office",
    FileKind.TEAM_IDS: "Team IDs of the federation office",
    FileKind.MEMBER_CODES: "Member codes and names",
}
"""The kinds of files of a team event, with their labels."""
MOST_WAITING = 8
"""The limit on uploads that wait for a decision; the oldest is dropped first."""
MOST_LINES = 20_000
"""The limit on conflicting lines that a form can accept."""
_ACCEPTED_LINE = re.compile("accept-([0-9]{1,9})")
PAGE_WORDING = {
    "try --encoding ": "choose ",
    "say which with --event": "upload it on the Files page of its event",
    "say what it is with `overtrick magic map`": "open its event and enter it under Tournament names",
}
"""Page wording for advice that is meant for the command line."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An uploaded file that is not imported yet."""

    name: str
    content: bytes
    encoding: Encoding
    only: str
    """The guid of the event that it is for; empty if the file itself names the event."""
    partial: bool


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The preview of an import; `plan` is None if there are problems."""

    plan: ImportResult | None
    problems: tuple[str, ...] = ()
    events: tuple[tuple[str, str], ...] = ()
    """The guids and names of the events that it changes."""
    is_partly_good: bool = False
    """True if the problems are those of single lines."""

    @property
    def changes(self) -> int:
        """Return the number of changes."""
        if self.plan is None:
            return 0
        commands = [command for command in self.plan.commands if isinstance(command, PutTeamFacts)]
        return sum(len(command.facts) + (command.opening is not None) for command in commands)

    @property
    def digest(self) -> str:
        """Return a digest of the preview; a form sends it back to show which preview the director saw."""
        if self.plan is None:
            return ""
        words = [str(self.changes), *(str(conflict) for conflict in self.plan.conflicts)]
        return sha256("|".join(words).encode()).hexdigest()


class TeamFiles:
    """The pages that export and import federation files."""

    def __init__(self, site: Site, teams: LiveTeamEvents) -> None:
        self.site = site
        self.teams = teams
        self.login_pages = LoginPages(site)
        self._waiting: OrderedDict[str, UploadedFile] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes for files."""
        guarded = self.login_pages.guarded
        return [
            Route("/desk/teams/import", self.upload, methods=["POST"]),
            Route("/desk/teams/import/{file}", guarded(self.preview)),
            Route("/desk/teams/import/{file}", self.import_file, methods=["POST"]),
            Route("/desk/teams/import/{file}/rejects", guarded(self.rejects)),
            Route("/desk/teams/{event}/files", guarded(self.files)),
            Route("/desk/teams/{event}/files/{kind}", guarded(self.download)),
        ]

    # Export -----------------------------------------------------------------------------------------------------

    async def files(self, request: Request) -> Response:
        """Show the files of an event, and the import form."""
        guid = request.path_params["event"]

        def read(projection: TeamEventProjection) -> dict[str, object]:
            event = projection.view.event
            mapped = sorted((name, event.divisions[id].name) for name, id in event.tournaments.items())
            return {"name": event.name, "divisions": list(event.divisions.values()), "mapped": mapped}

        variables = await self.teams.read(guid, read)
        return self.site.page(
            request,
            "teams_files.html",
            guid=guid,
            kinds=KIND_WORDS,
            encodings=Encoding,
            here="files",
            **variables,
        )

    async def download(self, request: Request) -> Response:
        """Return a file, or a ZIP archive of the board files of all matches."""
        kind = {member.value: member for member in KIND_WORDS}.get(request.path_params["kind"])
        if kind is None:
            raise NotFound("There is no such file of a team event.")
        encoding = _read_encoding(request.query_params.get("encoding", ""))
        chosen = kind

        def write(projection: TeamEventProjection) -> list[tuple[str, bytes]]:
            with TemporaryDirectory() as folder:
                files = []
                for sheet in files_of_kind(projection.view, chosen):
                    path = Path(folder, sheet.name)
                    try:
                        write_file(path, chosen, sheet.rows, encoding)
                    except BadInput as error:
                        _raise_without_path(error, path, str(sheet.name))
                    files.append((str(sheet.name), path.read_bytes()))
                return files

        files = await self.teams.read(request.path_params["event"], write)
        if kind is not FileKind.BOARDS:
            return _attached(*files[0], f"text/tab-separated-values; charset={encoding.value}")
        if not files:
            raise BadInput("No match has boards yet, so there is no file 2D.")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as archive_file:
            for name, content in files:
                archive_file.writestr(name, content)
        return _attached("2D.zip", archive.getvalue(), "application/zip")

    # Import -----------------------------------------------------------------------------------------------------

    async def upload(self, request: Request) -> Response:
        """Store an uploaded file in memory and redirect to its preview."""
        async with request.form(max_files=1, max_fields=10) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
            self.site.access.check_form(request, form.get("token", ""))
            file = fields.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise BadInput("No file was chosen.")
            content, name = await file.read(), _plain_file_name(file.filename)
        key = uuid4().hex
        self._waiting[key] = UploadedFile(
            name,
            content,
            _read_encoding(form.get("encoding", "")),
            form.get("event", ""),
            bool(form.get("partial")),
        )
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        return RedirectResponse(f"/desk/teams/import/{key}", 303)

    async def preview(self, request: Request) -> Response:
        """Show the changes that an uploaded file would make."""
        upload = self._find(request)
        preview = await self.teams.read_state(
            lambda journal_state: _preview_import(upload, journal_state, Decisions())
        )
        return self._page(request, upload, preview, is_done=False)

    async def import_file(self, request: Request) -> Response:
        """Import the file with the accepted conflicting lines; raise BadInput if the preview has changed."""
        async with request.form(max_files=0, max_fields=MOST_LINES) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
        self.site.access.check_form(request, form.get("token", ""))
        upload = self._find(request)
        lines = frozenset(int(match[1]) for name in form if (match := _ACCEPTED_LINE.fullmatch(name)))
        accepted = Decisions(lines, accepts_all=bool(form.get("accept")))
        shown_digest = form.get("seen", "")
        preview = await self.teams.read_state(
            lambda journal_state: _preview_import(upload, journal_state, Decisions())
        )
        if shown_digest != preview.digest:
            raise BadInput(
                "The event has changed in the meantime. Nothing was imported. Upload the file again."
            )
        preview = await self.teams.read_state(
            lambda journal_state: _preview_import(upload, journal_state, accepted)
        )
        if preview.plan is not None:
            await self.site.do(Transaction(preview.plan.commands))
        return self._page(request, upload, preview, is_done=True)

    def _page(
        self, request: Request, upload: UploadedFile, preview: ImportPreview, *, is_done: bool
    ) -> Response:
        return self.site.page(
            request,
            "teams_import.html",
            upload=upload,
            preview=preview,
            key=request.path_params["file"],
            words=KIND_WORDS,
            plain_words=plain_words,
            is_done=is_done,
        )

    async def rejects(self, request: Request) -> Response:
        """Return the invalid lines as a file, to correct and upload again."""
        upload = self._find(request)
        whole = UploadedFile(upload.name, upload.content, upload.encoding, upload.only, True)

        def write(journal_state: JournalState) -> bytes:
            with TemporaryDirectory() as folder:
                path, rejects = Path(folder, "file.txt"), Path(folder, "rejects.txt")
                path.write_bytes(whole.content)
                preview = _preview_import(whole, journal_state, Decisions())
                if preview.plan is None:
                    raise BadInput(" ".join(preview.problems))
                write_rejects(path, rejects, preview.plan.problems, whole.encoding)
                return rejects.read_bytes()

        content = await self.teams.read_state(write)
        return _attached(f"{Path(upload.name).stem}.rejects.txt", content, "text/tab-separated-values")

    def _find(self, request: Request) -> UploadedFile:
        upload = self._waiting.get(request.path_params["file"])
        if upload is None:
            raise NotFound("This upload has expired. Upload the file again.")
        return upload


def _preview_import(upload: UploadedFile, journal_state: JournalState, accepted: Decisions) -> ImportPreview:
    """Return the preview of a file against the current events."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "file.txt")
        path.write_bytes(upload.content)
        try:
            with open_file(path, upload.encoding) as reading:
                kind = reading.kind
            if kind in KINDS:
                raise BadInput(
                    f"This is {kind.value}, a file about registered players. Import it with "
                    "`overtrick magic import`. Nothing was imported."
                )
            plan = plan_import(
                path,
                journal_state,
                new_guid,
                encoding=upload.encoding,
                only=upload.only or None,
                accepted=accepted,
                partial=upload.partial,
            )
        except BadFile as error:
            return ImportPreview(
                None, tuple(plain_words(str(problem)) for problem in error.problems), is_partly_good=True
            )
        except BadInput as error:
            return ImportPreview(None, (_words_without_path(error, path, upload.name),))
    events = {
        command.event: command.opening.name
        if command.opening
        else journal_state.team_events[command.event].name
        for command in plan.commands
        if isinstance(command, PutTeamFacts)
    }
    return ImportPreview(plan, (), tuple(events.items()))


def _words_without_path(error: BadInput, path: Path, name: str) -> str:
    """Return the error message without the temporary path."""
    return plain_words(str(error).replace(str(path), name))


def plain_words(sentence: str) -> str:
    """Return a message in the wording of the pages.

    >>> plain_words("The characters are not utf-8: try --encoding windows-1252.")
    'The characters are not utf-8: choose windows-1252.'
    """
    for option, label in PAGE_WORDING.items():
        sentence = sentence.replace(option, label)
    return sentence


def _raise_without_path(error: BadInput, path: Path, name: str) -> NoReturn:
    raise BadInput(_words_without_path(error, path, name)) from error


def _read_encoding(name: str) -> Encoding:
    return {member.value: member for member in Encoding}.get(name, Encoding.UTF_8)


def _plain_file_name(name: str) -> str:
    """Return a file name without folders and unsafe characters.

    >>> _plain_file_name('C:\\\\x\\\\2A "1".txt')
    '2A 1.txt'
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return (
        "".join(letter for letter in last if letter.isprintable() and letter not in '"<>')[:80] or "file.txt"
    )


def _attached(name: str, content: bytes, kind: str) -> Response:
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "_")
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{ascii_name}"'}
    )
