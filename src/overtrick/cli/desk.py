"""`overtrick desk`: the director's pages, and who may do what with them."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import HERE, Data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overtrick.host.web import PageServerSettings
    from overtrick.keys import KeyRing

app = typer.Typer(
    name="desk",
    help="The director's desk, the live board, the results and the JSON API, in a browser.",
    invoke_without_command=True,
    add_completion=False,
)


Rights = Literal["read", "write"]
"""The rights of a program."""


@app.callback()
def desk(
    context: typer.Context,
    data: Data = HERE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any.")] = 8080,
    listen: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 lets phones in the room come.")
    ] = "127.0.0.1",
    public: Annotated[
        str,
        typer.Option(help="The address for browsers, of a load balancer or a proxy: http://pages.example"),
    ] = "",
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="Where a load balancer or a proxy connects from; its X-Forwarded-For is believed."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Open the desk in a browser.")] = False,
) -> None:
    """Serve the director's desk, the live board, the results and the JSON API."""
    if context.invoked_subcommand is not None:
        return
    import asyncio

    from overtrick.cli.logs import start_logging
    from overtrick.host.lookup import data_place
    from overtrick.host.serve import stop_on_signals
    from overtrick.host.web import PageServerSettings, serve_pages
    from overtrick.store.address import shown_place

    start_logging()
    serving = PageServerSettings(data_place(data), port, listen, public, tuple(proxy or ()))
    if serving.is_open:
        see_to_a_password(data)

    def ready(address: str) -> None:
        typer.echo(
            f"ready: {address}\n{_doors(address, serving)}"
        )  # in one go: who reads the first may stop us
        if browser:
            typer.launch(f"{address}/desk")

    async def run() -> None:
        stop = asyncio.Event()
        stop_on_signals(stop)
        await serve_pages(serving, ready, stop)

    asyncio.run(run())
    typer.echo(f"stopped; everything is kept in {shown_place(data)}. Start again to go on.")


@app.command()
def password(data: Data = HERE) -> None:
    """Set the password of the desk; whoever is logged in has to show it."""
    with _keys(data) as keys:
        _ask_password(keys)
    typer.echo("The password is set.")


@app.command()
def token(
    name: Annotated[str, typer.Argument(help="The program that the token is for.")],
    rights: Annotated[Rights, typer.Option(help="What it may do.")] = "read",
    drop: Annotated[bool, typer.Option("--drop", help="Let its token hold no more.")] = False,
    data: Data = HERE,
) -> None:
    """Make a token for a program that uses the API; it is shown this once."""
    from overtrick.errors import BadInput
    from overtrick.keys import TokenScope

    with _keys(data) as keys:
        if drop:
            if not keys.drop_token(name):
                raise BadInput(f"There is no token for {name}; nothing was changed.")
            typer.echo(f"The token of {name} holds no more.")
            return
        typer.echo(keys.new_token(name, TokenScope(rights)))


@app.command()
def licence(
    club: Annotated[str, typer.Argument(help="The club, as its programs say it.")],
    key: Annotated[str, typer.Argument(help="Its licence key; an empty one asks for none.")],
    data: Data = HERE,
) -> None:
    """Have the programs of a club show this licence key to the Data Connector; it counts from the next start."""
    with _keys(data) as keys:
        keys.set_licence(club, key)
    typer.echo(f"Club {club} {'shows its key' if key else 'shows no key'} from the next start on.")


@contextmanager
def _keys(data: str) -> "Iterator[KeyRing]":
    """Open the keys in a folder or beside the journal at an address."""
    from overtrick.host.lookup import data_place, open_data
    from overtrick.keys import KeyRing
    from overtrick.store.folder import make_folder

    place = data_place(data)
    if isinstance(place, str):
        with open_data(place) as journal:
            yield KeyRing(journal.documents)
    else:
        make_folder(place, is_private=True)
        yield KeyRing(place)


def _doors(address: str, serving: "PageServerSettings") -> str:
    """Where to go now, each with what it is."""
    doors = {
        "/desk": "the director's desk",
        "/live": "the projector",
        "/results": "rankings, travellers and score cards",
        "/join": "players, with the code of their table's card",
    }
    lines = [f"  {f'{address}{path}':<{len(address) + 10}}{words}" for path, words in doors.items()]
    if not serving.is_open:
        lines.append("Only this computer can open them; phones come with --listen=0.0.0.0.")
    return "\n".join([*lines, "Ctrl-C stops."])


def see_to_a_password(data: str) -> None:
    """Ask for a password the first time that others can come; without a keyboard one is made up and shown."""
    import secrets
    import sys

    with _keys(data) as keys:
        if keys.has_password:
            return
        if sys.stdin.isatty():
            typer.echo("Others will be able to reach the desk, so it needs a password.")
            _ask_password(keys)
            return
        made = secrets.token_urlsafe(9)
        keys.set_password(made)
    typer.echo(f"The desk has no password yet; it is now {made} (shown this once).", err=True)


def _ask_password(keys: "KeyRing") -> None:
    """Ask until there is one; what comes from no keyboard is not asked for again."""
    import sys

    from overtrick.keys import SHORTEST_PASSWORD, WeakPassword

    question = f"New password, {SHORTEST_PASSWORD} characters or more"
    while True:
        try:
            keys.set_password(typer.prompt(question, hide_input=True, confirmation_prompt=True))
        except WeakPassword as weak:
            if not sys.stdin.isatty():
                raise
            typer.echo(weak.sentence)
        else:
            return
