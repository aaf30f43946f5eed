"""`overtrick start`, and `overtrick` without arguments: everything for tonight in one process."""

import os
import sys
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Annotated

import typer

from overtrick.cli.options import HERE, JOURNAL_NAMES

HOME = "Overtrick"
"""The name of the data folder in the user's home folder."""


def start(
    data: Annotated[
        str | None,
        typer.Option(
            *JOURNAL_NAMES,
            envvar="OVERTRICK_JOURNAL",
            help=f"The folder of the journal and the keys, or a journal's address that begins with postgresql: "
            f"By default {HERE} in the current folder if there is one, else {HOME} in your home folder.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The port for the pages; by default 8080, or any free port if that is taken.",
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the desk in a browser.")
    ] = False,
) -> None:
    """Start everything for tonight: desk, phones, projector and Data Connector. Also without a command."""
    import asyncio
    import logging
    import secrets

    from overtrick.cli.logs import start_logging
    from overtrick.connector.address import pipe_path
    from overtrick.host.http_server import PortTaken
    from overtrick.host.lookup import data_place
    from overtrick.host.serve import ServeSettings, serve
    from overtrick.host.web import PORT, PageServerSettings
    from overtrick.store.address import place_without_password

    is_opened = not no_browser and has_display()
    if port is None and data is None and is_overtrick(f"http://127.0.0.1:{PORT}"):
        typer.echo(f"Overtrick is already running: http://127.0.0.1:{PORT}/desk")
        if is_opened:
            typer.launch(f"http://127.0.0.1:{PORT}/desk")
        return
    start_logging(logging.WARNING)
    place = data_place(data or default_folder())
    key = secrets.token_urlsafe(24)
    redirect = place / "start.html" if isinstance(place, Path) else None

    def show_addresses(addresses: list[str]) -> None:
        desk = first_address(place, addresses[-1], key)
        typer.echo(
            f"ready: {addresses[-1]}\n  {desk}  the director's desk, on this computer\n"
            f"  {addresses[-1]}/desk/about  addresses for phones, and the end of the program\n"
            f"Everything is saved in {place_without_password(place)}. Ctrl-C stops."
        )
        if not is_opened:
            return
        if "?" not in desk:
            typer.launch(desk)
        elif redirect is not None:
            # Every user of the computer can see the arguments of a browser, so pass the key in a private file.
            write_redirect(redirect, desk)
            typer.launch(redirect.resolve().as_uri())

    def run(web_port: int) -> None:
        web = PageServerSettings(place, web_port, start_key=key)
        settings = ServeSettings(place, pipe=pipe_path(None), web=web, is_connector_needed=False)
        asyncio.run(serve(settings, show_addresses))

    try:
        try:
            run(PORT if port is None else port)
        except PortTaken:
            if port is not None:
                raise
            run(0)
    finally:
        if redirect is not None:
            with suppress(OSError):
                redirect.unlink(missing_ok=True)
    typer.echo(f"stopped; everything is kept in {place_without_password(place)}. Start again to continue.")


def default_folder() -> str:
    """Return the data folder: that of the current folder if there is one or the user has no home, else the user's."""
    if Path(HERE).is_dir():
        return HERE
    try:
        return str(Path.home() / HOME)
    except RuntimeError:  # a user without a passwd entry, as in some containers
        return HERE


def first_address(place: Path | str, address: str, key: str) -> str:
    """Return the address of the desk; before there is a password, that of the first visit with its key."""
    from overtrick.cli.desk import open_keys

    with open_keys(str(place)) as keys:
        return f"{address}/desk" if keys.has_password else f"{address}/desk/start?key={key}"


def write_redirect(file: Path, address: str) -> None:
    """Write a page, readable by its owner only, that leads to an address."""
    from overtrick.files import write_file

    escaped = escape(address)
    page = (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Overtrick</title>'
        f'<meta http-equiv="refresh" content="0; url={escaped}"><p><a href="{escaped}">Open the desk</a></p></html>\n'
    )
    write_file(file, page.encode(), mode=0o600)


def has_display() -> bool:
    """Return whether a browser can be shown: always on Windows and macOS, else with X11 or Wayland."""
    is_desktop = sys.platform in ("win32", "darwin")
    return is_desktop or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def is_overtrick(address: str) -> bool:
    """Return whether Overtrick serves its pages at an address."""
    import json
    from urllib.request import ProxyHandler, build_opener

    with (
        suppress(OSError, ValueError),
        build_opener(ProxyHandler({})).open(f"{address}/healthz", timeout=2) as answer,
    ):
        return "journal" in json.loads(answer.read(1000))
    return False
