"""`overtrick publish`: write the results of a session as a static site, and upload it."""

from pathlib import Path
from typing import Annotated

import typer

from overtrick.cli.options import HERE, Data, SessionName


def publish(
    data: Data = HERE,
    session: SessionName = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            help="The file with the folder and the command; by default publish.toml in the data folder.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Publish the results of a session: web pages and files in the club's folder, and the club's upload.

    Prints the text of an e-mail to the players. The desk's button Publish does the same.
    """
    from overtrick.host.lookup import data_place
    from overtrick.host.publishing import publish_session
    from overtrick.host.web import PageServerSettings

    place = data_place(data)
    file = PageServerSettings(place, publish_file=settings).publish_settings
    outcome = publish_session(place, session, file)
    typer.echo(f"{outcome.files} files written to {outcome.folder}", err=True)
    for title in outcome.rewritten:
        typer.echo(f"written again without names: {title}", err=True)
    for title in outcome.still_named:
        typer.echo(
            f"Still published with names of players who asked to be hidden, because it is not in the journal: {title}",
            err=True,
        )
    if outcome.command:
        typer.echo(outcome.output, err=True)
        typer.echo("uploaded" if outcome.is_uploaded else "The upload has failed.", err=True)
    typer.echo(outcome.mail, nl=False)
    if not outcome.is_uploaded:
        raise typer.Exit(1)
