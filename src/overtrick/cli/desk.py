"""`overtrick desk`: the web pages, and access to them: passwords, codes and tokens."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import HERE, Data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overtrick.host.web import PageServerSettings
    from overtrick.keys import KeyRing
    from overtrick.store.documents import Documents

app = typer.Typer(
    name="desk",
    help="The director's desk, the live board, the results and the JSON API, in a browser.",
    invoke_without_command=True,
    add_completion=False,
)


Rights = Literal["read", "write", "direct"]
"""The rights of a program."""


@app.callback()
def desk(
    context: typer.Context,
    data: Data = HERE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free port.")] = 8080,
    listen: Annotated[
        str,
        typer.Option(help="The address to listen on; 0.0.0.0 lets other devices connect, such as phones."),
    ] = "127.0.0.1",
    public: Annotated[
        str,
        typer.Option(
            help="The address that browsers use if a load balancer or a proxy is in front, such as http://pages.example"
        ),
    ] = "",
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="Address from which a load balancer or a proxy connects; its X-Forwarded-For is trusted."
        ),
    ] = None,
    publish: Annotated[
        Path | None,
        typer.Option(
            help="The file with the folder and the command of Publish; by default publish.toml in the data folder.",
            metavar="FILE",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Open the desk in a browser.")] = False,
) -> None:
    """Serve the director's desk, the live board, the results and the JSON API."""
    if context.invoked_subcommand is not None:
        # They would be those of the pages: a token would silently be made in another folder.
        sources = map(context.get_parameter_source, context.params)
        if any(source is not None and source.name == "COMMANDLINE" for source in sources):
            command = f"overtrick desk {context.invoked_subcommand}"
            raise typer.BadParameter(
                f"Write the options after the command: {command} …. Nothing was changed."
            )
        return
    import asyncio

    from overtrick.cli.logs import start_logging
    from overtrick.host.lookup import data_place
    from overtrick.host.serve import stop_on_signals
    from overtrick.host.web import PageServerSettings, serve_pages
    from overtrick.store.address import place_without_password

    start_logging()
    settings = PageServerSettings(data_place(data), port, listen, public, tuple(proxy or ()), publish)
    if settings.is_open:
        ensure_password(data)

    def ready(address: str) -> None:
        # One write, because a program that reads the first line may end this process.
        typer.echo(f"ready: {address}\n{_page_addresses(address, settings)}")
        if browser:
            typer.launch(f"{address}/desk")

    async def run() -> None:
        stop = asyncio.Event()
        stop_on_signals(stop)
        await serve_pages(settings, ready, stop)

    asyncio.run(run())
    typer.echo(f"stopped; everything is kept in {place_without_password(data)}. Start again to continue.")


@app.command()
def password(data: Data = HERE) -> None:
    """Set the password of the desk; everyone has to log in again."""
    with open_keys(data) as keys:
        _ask_password(keys)
    typer.echo("The password is set.")


@app.command()
def token(
    name: Annotated[str, typer.Argument(help="The program that the token is for.")],
    rights: Annotated[
        Rights, typer.Option(help="What it may do: read, write results too, or direct sessions too.")
    ] = "read",
    drop: Annotated[bool, typer.Option("--drop", help="Revoke the token of this program.")] = False,
    data: Data = HERE,
) -> None:
    """Make a token for a program that uses the API. It is shown only once."""
    from overtrick.errors import BadInput
    from overtrick.keys import TokenScope

    with open_keys(data) as keys:
        if drop:
            if not keys.drop_token(name):
                raise BadInput(f"There is no token for {name}; nothing was changed.")
            typer.echo(f"The token of {name} is revoked.")
            return
        typer.echo(keys.new_token(name, TokenScope(rights)))


@app.command()
def licence(
    club: Annotated[str, typer.Argument(help="The club, as its programs name it.")],
    key: Annotated[str, typer.Argument(help="Its licence key; empty to require none.")],
    data: Data = HERE,
) -> None:
    """Require this licence key of a club's programs at the Data Connector, from the next start on."""
    with open_keys(data) as keys:
        keys.set_licence(club, key)
    typer.echo(f"Club {club} {'needs its key' if key else 'needs no key'} from the next start on.")


@app.command()
def members(
    file: Annotated[Path, typer.Argument(help="CSV with a header, USEBIO, or BMPlayerDB.mdb.")],
    take: Annotated[
        list[int] | None, typer.Option(help="Line whose member is the same person: take name and number.")
    ] = None,
    add: Annotated[list[int] | None, typer.Option(help="Line whose member is another person: add.")] = None,
    keep: Annotated[list[int] | None, typer.Option(help="Line that is left out.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would change.")] = False,
    data: Data = HERE,
) -> None:
    """Import the club's members. Lines with the number or name of a member are listed, with what is done about them."""
    from overtrick.bws.member_files import read_member_file
    from overtrick.errors import BadInput
    from overtrick.registry import (
        Choice,
        RegistrySide,
        Sameness,
        import_members,
        match_members,
        open_registry_of,
    )
    from overtrick.words import counted

    try:
        lines = read_member_file(file.read_bytes())
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.", where=str(file)) from error
    lines_of_choices = ((Choice.TAKE, take), (Choice.ADD, add), (Choice.KEEP, keep))
    choices = {line: choice for choice, chosen in lines_of_choices for line in chosen or ()}
    with _documents(data) as documents, open_registry_of(documents, create=RegistrySide.MAGIC) as registry:
        matched = match_members(registry, lines)
        for line in matched.questions:
            person, known = line.person, line.known
            name = f"{person.first_name} {person.last_name} {person.member_code}".strip()
            same_field = "number" if line.sameness is Sameness.SAME_NUMBER else "name"
            member = f"{known.name} {known.number}".strip() if known else ""
            choice = choices.get(line.line, line.choices[0])
            typer.echo(f"line {line.line}: {name} has the {same_field} of {member}: {choice.value}")
        for line in matched.of(Sameness.REPEATED):
            typer.echo(f"line {line.line}: twice in the list: {Choice.KEEP.value}")
        if preview:
            new = len(matched.of(Sameness.NEW))
            typer.echo(
                f"{counted(new, 'new member')}, {counted(len(matched.questions), 'duplicate')}. Nothing was changed."
            )
            return
        outcome = import_members(registry, matched, choices)
    if outcome.refusals:
        raise BadInput(f"{outcome.refusals[0]} Nothing was changed.", where=str(file))
    typer.echo(f"{counted(outcome.added, 'member')} added, {outcome.changed} changed.")


@contextmanager
def _documents(data: str) -> "Iterator[Documents]":
    """Open the documents in a folder or beside the journal at an address."""
    from overtrick.host.lookup import data_place, open_data
    from overtrick.store.documents import FolderDocuments
    from overtrick.store.folder import make_folder

    place = data_place(data)
    if isinstance(place, str):
        with open_data(place) as journal:
            yield journal.documents
    else:
        make_folder(place, is_private=True)
        yield FolderDocuments(place)


@contextmanager
def open_keys(data: str) -> "Iterator[KeyRing]":
    """Open the keys in a folder or beside the journal at an address."""
    from overtrick.keys import KeyRing

    with _documents(data) as documents:
        yield KeyRing(documents)


def _page_addresses(address: str, settings: "PageServerSettings") -> str:
    """Return the addresses of the main pages, each with its purpose."""
    pages = {
        "/desk": "the director's desk",
        "/live": "the projector",
        "/results": "rankings, travellers and score cards",
        "/join": "players, with the code of their table's card",
    }
    lines = [
        f"  {f'{address}{path}':<{len(address) + 10}}{description}" for path, description in pages.items()
    ]
    if not settings.is_open:
        lines.append("Only this computer can open them; use --listen=0.0.0.0 for phones.")
    return "\n".join([*lines, "Ctrl-C stops."])


def ensure_password(data: str) -> None:
    """Ask for a password if the desk has none; without a terminal, generate one and print it."""
    import secrets
    import sys

    with open_keys(data) as keys:
        if keys.has_password:
            return
        if sys.stdin.isatty():
            typer.echo("Other devices will be able to reach the desk, so it needs a password.")
            _ask_password(keys)
            return
        generated = secrets.token_urlsafe(9)
        keys.set_password(generated)
    typer.echo(f"The desk has no password yet; it is now {generated} (shown only once).", err=True)


def _ask_password(keys: "KeyRing") -> None:
    """Ask for a password until it is accepted; without a terminal, only once."""
    import sys

    from overtrick.keys import SHORTEST_PASSWORD, WeakPassword

    question = f"New password, {SHORTEST_PASSWORD} characters or more"
    while True:
        try:
            keys.set_password(typer.prompt(question, hide_input=True, confirmation_prompt=True))
        except WeakPassword as error:
            if not sys.stdin.isatty():
                raise
            typer.echo(error.sentence)
        else:
            return
