"""`overtrick serve`, and `overtrick connector …`, a client of the Data Connector for the terminal."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import HERE, Data, ListFormat, takes_options
from overtrick.cli.tables import print_list

if TYPE_CHECKING:
    from threading import Event

    from overtrick.connector.client import Client
    from overtrick.connector.wire.model import WireModel
    from overtrick.connector.wire.reading import DTO
    from overtrick.host.serve import ServeSettings
    from overtrick.host.web import PageServerSettings


DataTypes = Literal["shipped", "guide"]
"""The ways to number data types."""


@dataclass(frozen=True, slots=True)
class ConnectorOptions:
    """The options of the Data Connector, which is served over HTTP and over the pipe."""

    http_port: Annotated[
        int,
        typer.Option(
            "--port", "--http-port", min=0, max=65535, help="The port for HTTP; 0 for any free port."
        ),
    ] = 5079
    no_http: Annotated[bool, typer.Option("--no-http", help="Serve only the pipe.")] = False
    no_pipe: Annotated[bool, typer.Option("--no-pipe", help="Serve only HTTP.")] = False
    pipe_user: Annotated[str | None, typer.Option(help="User whose pipe to serve; by default you.")] = None
    listen: Annotated[str, typer.Option(help="The address for HTTP; 0.0.0.0 for all networks.")] = "127.0.0.1"
    datatypes: Annotated[
        DataTypes, typer.Option(help="Number data types as shipped clients do, or as the guide does.")
    ] = "shipped"
    longest_request: Annotated[
        int, typer.Option(min=1, max=1024, help="The size limit of one request of a scoring program, in MiB.")
    ] = 16

    def settings(self, data: str, pages: "PageServerSettings | None", *, control: bool) -> "ServeSettings":
        """Return the settings of the server; `pages` is None for no pages, `control` starts the control software."""
        from overtrick.connector.wire.numbers import Numbering
        from overtrick.host.lookup import data_place
        from overtrick.host.serve import ServeSettings

        return ServeSettings(
            folder=data_place(data),
            port=None if self.no_http else self.http_port,
            address=self.listen,
            pipe=None if self.no_pipe else ServeSettings.pipe_of(self.pipe_user),
            numbering=Numbering(self.datatypes),
            web=pages,
            control=control,
            longest=self.longest_request * 1024 * 1024,
        )


@dataclass(frozen=True, slots=True)
class PageOptions:
    """The options of the director's desk and the results."""

    web_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Also serve the director's desk and the results, on this port."),
    ] = None
    web_listen: Annotated[
        str | None,
        typer.Option(help="The address for the desk and the results; by default that of --listen."),
    ] = None

    def settings(self, data: str, listen: str) -> "PageServerSettings | None":
        """Return the settings of the page server; None if there are no pages."""
        from overtrick.host.lookup import data_place
        from overtrick.host.web import PageServerSettings

        if self.web_port is None:
            return None
        return PageServerSettings(data_place(data), self.web_port, self.web_listen or listen)


@takes_options
def serve(
    connector: ConnectorOptions,
    pages: PageOptions,
    data: Data = HERE,
    no_control: Annotated[
        bool,
        typer.Option(
            "--no-control", help="Do not start the control software when a scoring program orders it."
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Log each request and its answer.")] = False,
) -> None:
    """Serve the Data Connector: scoring programs talk to it as to the control software."""
    import asyncio
    import logging

    from overtrick.cli.desk import ensure_password
    from overtrick.cli.logs import start_logging
    from overtrick.host.serve import serve as run

    start_logging(logging.DEBUG if debug else logging.INFO)
    for logger_name in ("asyncio", "uvicorn.error"):
        logging.getLogger(logger_name).setLevel(logging.WARNING)
    web = pages.settings(data, connector.listen)
    if web is not None and web.is_open:
        ensure_password(data)
    serving = connector.settings(data, web, control=not no_control)
    asyncio.run(run(serving, lambda addresses: typer.echo(f"ready: {' '.join(addresses)}")))


app = typer.Typer(
    name="connector",
    help="Talk to a Data Connector: Overtrick's, or that of BCS.",
    no_args_is_help=True,
    add_completion=False,
)

Session = Annotated[str, typer.Argument(help="The guid of the session: 32 capital hexadecimal digits.")]


Queued = Literal["results", "players", "participations", "hand-records", "calls"]
"""The five queues, as words."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Options of a client: the Data Connector to ask, and the club that asks."""

    http: Annotated[
        str | None,
        typer.Option(
            "--http",
            help="Connect over HTTP to an address such as http://127.0.0.1:5079; by default, over the pipe.",
        ),
    ] = None
    pipe_user: Annotated[str | None, typer.Option(help="User whose pipe to use; by default you.")] = None
    club: Annotated[str, typer.Option(help="The club that asks.")] = ""
    licence: Annotated[str, typer.Option(help="The club's licence key.")] = ""

    def client(self) -> "Client":
        """Return a client of the Data Connector, which connects when it is entered."""
        from overtrick.connector.address import pipe_path
        from overtrick.connector.client import Client

        if self.http:
            return Client.over_http(self.http, club=self.club, licence=self.licence)
        return Client.over_pipe(pipe_path(self.pipe_user), club=self.club, licence=self.licence)


def _show(value: object) -> None:
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


@app.command()
@takes_options
def ping(connection: ClientOptions) -> None:
    """Check that a Data Connector answers, and show how long it took."""
    from time import perf_counter

    with connection.client() as client:
        began = perf_counter()
        is_same = client.ping("overtrick")
        typer.echo(
            f"{'answered' if is_same else 'answered something else'} in {(perf_counter() - began) * 1000:.1f} ms"
        )


@app.command()
@takes_options
def init(
    file: Annotated[Path, typer.Argument(help="A file with an InitDTO as JSON.")],
    *,
    connection: ClientOptions,
) -> None:
    """Open an event from a file."""
    from overtrick.connector.wire.event import InitDTO

    event = _read_dtos(file, InitDTO)[0]
    with connection.client() as client:
        client.initialize(event)
    typer.echo("opened")


def _read_dtos(file: Path, kind: "type[DTO]", *, is_many: bool = False) -> "list[DTO]":
    """Return the DTOs of a file, one or an array; raise BadInput with all problems."""
    from overtrick.connector.wire.envelope import parse_json
    from overtrick.connector.wire.model import UnreadableDTO
    from overtrick.connector.wire.movement import SectionUpdateDTO
    from overtrick.connector.wire.reading import MalformedRequest, misspelt, read_many, read_one
    from overtrick.connector.wire.rules import problems, update_problems
    from overtrick.errors import BadInput

    def problems_of(dto: "DTO") -> list[str]:
        return update_problems(dto) if isinstance(dto, SectionUpdateDTO) else problems(dto)

    try:
        payload = parse_json(file.read_bytes())
        dtos = read_many(kind, payload) if is_many else [read_one(kind, payload)]
    except OSError as error:
        raise BadInput(f"It cannot be read: {error.strerror}.", where=str(file)) from error
    except (MalformedRequest, UnreadableDTO, ValueError) as error:
        expected = f"array of {kind.__name__}" if is_many else kind.__name__
        raise BadInput(f"It is not a valid {expected}: {error}", where=str(file)) from error
    found_problems = [*misspelt(kind, payload), *(problem for dto in dtos for problem in problems_of(dto))]
    if found_problems:
        raise BadInput(" ".join(found_problems), where=str(file))
    return dtos


@app.command("continue")
@takes_options
def continue_event(
    event: Annotated[str, typer.Argument(help="The guid of the event: 32 capital hexadecimal digits.")],
    commands: Annotated[
        int, typer.Option(help="The sum of: 1 start, 4 start reading, 16 minimise, 32 shut down, 128 clear.")
    ] = 5,
    *,
    connection: ClientOptions,
) -> None:
    """Continue an event that was opened before."""
    from overtrick.connector.wire.event import ContinueDTO

    with connection.client() as client:
        client.continue_event(ContinueDTO(EventGuid=event, Commands=commands))
    typer.echo("continued")


Put = Literal["results", "players", "participations", "hand-records", "settings-2", "settings-3", "calls"]
"""The words for data that can be put into a session."""


@app.command()
@takes_options
def put(
    session: Session,
    what: Annotated[Put, typer.Argument(help="What to put.")],
    file: Annotated[Path, typer.Argument(help="A file with an array of DTOs as JSON.")],
    *,
    connection: ClientOptions,
) -> None:
    """Put results, players, participations, hand records, settings or calls into a session, from a file."""
    from overtrick.connector.wire import play, settings

    kinds: dict[str, tuple[str, type[WireModel]]] = {
        "results": ("put_results", play.ResultDTO),
        "players": ("put_players", play.PlayerDataDTO),
        "participations": ("put_participations", play.ParticipationDTO),
        "hand-records": ("put_handrecords", play.HandrecordDTO),
        "settings-2": ("put_settings", settings.Bridgemate2SettingsDTO),
        "settings-3": ("put_settings", settings.Bridgemate3SettingsDTO),
        "calls": ("put_td_calls", play.TdCallDTO),
    }
    method, kind = kinds[what]
    dtos = _read_dtos(file, kind, is_many=True)
    with connection.client() as client:
        getattr(client, method)(session, dtos)
    typer.echo(f"{len(dtos)} put")


@app.command()
@takes_options
def update(
    session: Session,
    what: Annotated[Literal["movement", "groups"], typer.Argument(help="What to update.")],
    file: Annotated[
        Path,
        typer.Argument(
            help="A file with a SectionUpdateDTO or SectionDTO, or an array of ScoringGroupDTO, as JSON."
        ),
    ],
    *,
    connection: ClientOptions,
) -> None:
    """Update the movement of a section, and show the rounds that changed; or update scoring groups."""
    from overtrick.connector.wire.movement import ScoringGroupDTO, SectionUpdateDTO
    from overtrick.errors import BadInput

    if what == "groups":
        groups = _read_dtos(file, ScoringGroupDTO, is_many=True)
        with connection.client() as client:
            client.update_scoring_groups(session, groups)
        typer.echo(f"{len(groups)} updated")
        return
    section = _read_dtos(file, SectionUpdateDTO)[0]
    if section.SessionGuid != session:
        raise BadInput(f"Its SessionGuid is {section.SessionGuid}, not {session}.", where=str(file))
    with connection.client() as client:
        _show(client.update_movement(section))


@app.command()
@takes_options
def poll(
    session: Session,
    what: Annotated[Queued, typer.Argument(help="Which queue.")] = "results",
    everything: Annotated[
        bool, typer.Option("--all", help="Show all items of the queue, including accepted ones.")
    ] = False,
    format_: Annotated[
        ListFormat, typer.Option("--format", "-f", help="Output format; json is one list.")
    ] = "json",
    *,
    connection: ClientOptions,
) -> None:
    """Show the new items of a queue, as JSON. The id to accept is written to standard error."""
    import json

    from overtrick.connector.client import QUEUES
    from overtrick.connector.wire.envelope import json_text

    with connection.client() as client:
        result = client.poll(QUEUES[what], session, everything=everything)
    if format_ == "json":
        _show(result.items)
    else:
        print_list([json.loads(json_text(item)) for item in result.items], format_)
    typer.echo(f"{len(result.items)} items, the last is {result.last}", err=True)


@app.command()
@takes_options
def accept(
    session: Session,
    what: Annotated[Queued, typer.Argument(help="Which queue.")],
    last: Annotated[int, typer.Argument(help="The id of the last item that was processed.")],
    *,
    connection: ClientOptions,
) -> None:
    """Accept every item of a queue up to this one; they are no longer new."""
    from overtrick.connector.client import QUEUES

    with connection.client() as client:
        client.accept(QUEUES[what], session, last)
    typer.echo("accepted")


@app.command()
@takes_options
def follow(
    session: Session,
    what: Annotated[Queued, typer.Argument(help="Which queue.")] = "results",
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between two polls.")] = 2.0,
    while_input: Annotated[
        bool,
        typer.Option(
            "--while-input",
            help="End after a last poll when standard input is closed; by default, go on until Ctrl-C.",
        ),
    ] = False,
    *,
    connection: ClientOptions,
) -> None:
    """Poll a queue repeatedly and accept its items, as a scoring program does.

    Each item is a line of JSON, written before it is accepted. Their number is written to standard error.
    """
    import threading

    from overtrick.connector.client import QUEUES
    from overtrick.connector.wire.envelope import json_text

    input_end = threading.Event()
    if while_input:
        threading.Thread(target=_wait_for_end_of_input, args=(input_end,), daemon=True).start()
    accepted = 0
    try:
        with connection.client() as client:
            while True:
                # Checked before the poll, so that the last poll fetches everything that is left.
                is_last = input_end.is_set()
                result = client.poll(QUEUES[what], session)
                for item in result.items:
                    typer.echo(json_text(item))
                if result.items:
                    client.accept(QUEUES[what], session, result.last)
                    accepted += len(result.items)
                    typer.echo(f"{accepted} accepted, the last is {result.last}", err=True)
                if is_last:
                    return
                input_end.wait(interval)
    except KeyboardInterrupt:
        raise typer.Exit from None


def _wait_for_end_of_input(input_end: "Event") -> None:
    """Set an event at the end of the standard input, which comes when the parent process closes it or ends."""
    import os

    while os.read(0, 1024):
        pass
    input_end.set()


@app.command()
@takes_options
def movement(
    session: Session,
    section: Annotated[
        str | None, typer.Argument(help="The letters of a section; by default all sections.")
    ] = None,
    *,
    connection: ClientOptions,
) -> None:
    """Show the movement of one section or of all, as JSON."""
    with connection.client() as client:
        sections = [client.movement(session, section)] if section else client.movements(session)
    _show(sections)


Question = Literal["running", "sessions", "file", "stop"]
"""The questions and orders for the control software."""

QUESTIONS = {"running": 6, "sessions": 8, "file": 4, "stop": 1}


@app.command()
@takes_options
def manage(
    what: Annotated[Question, typer.Argument(help="The question, or `stop`.")] = "running",
    *,
    connection: ClientOptions,
) -> None:
    """Ask what is running, which sessions there are and where they are stored; or stop the control software."""
    with connection.client() as client:
        answer = client.manage(QUESTIONS[what])
    if answer is None:
        typer.echo("told to stop")
    else:
        _show(answer)
