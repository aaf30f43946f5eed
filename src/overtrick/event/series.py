"""Series: sessions that are ranked together. One stream holds all series of a journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overtrick.errors import BadInput
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, reject
from overtrick.guid import is_guid
from overtrick.scoring.series import parse_series, write_series

SERIES = "series"
"""The stream of all series."""

MOST_SERIES = 2_000


@fact("series-set")
class SeriesSet(Fact):
    """A series was added or changed; its description is the text that `scoring.series` parses."""

    series: str
    description: str


@fact("series-removed")
class SeriesRemoved(Fact):
    """A series was removed; its sessions stay."""

    series: str


@dataclass(frozen=True, slots=True)
class SetSeries(Command):
    """Add a series, or change its description."""

    series: str
    description: str


@dataclass(frozen=True, slots=True)
class RemoveSeries(Command):
    """Remove a series."""

    series: str


SeriesCommand = SetSeries | RemoveSeries


def apply(series: dict[str, str], fact: Fact) -> None:
    """Apply one fact to the descriptions of all series, in place."""
    match fact:
        case SeriesSet():
            series[fact.series] = fact.description
        case SeriesRemoved():
            series.pop(fact.series, None)


def decide_series(series: Mapping[str, str], command: SeriesCommand) -> tuple[Fact, ...] | Rejection:
    """Return the facts of a command; a rejection if the description cannot be parsed or names a file."""
    if isinstance(command, RemoveSeries):
        return (SeriesRemoved(command.series),) if command.series in series else ()
    if not is_guid(command.series):
        return reject(Reason.NOT_ALLOWED, f"{command.series!r} is not the guid of a series.")
    try:
        parsed = parse_series(command.description)
    except BadInput as error:
        return Rejection((Problem(Reason.NOT_ALLOWED, str(error)),))
    not_in_journal = [
        session.name for session in parsed.sessions if session.file or not is_guid(session.session)
    ]
    if not_in_journal:
        return reject(Reason.NOT_ALLOWED, f"{not_in_journal[0]!r} is not a session of this journal.")
    if parsed.players:
        return reject(
            Reason.NOT_ALLOWED, f"A series in a journal has no file of players ({parsed.players!r})."
        )
    if command.series not in series and len(series) >= MOST_SERIES:
        return reject(Reason.NOT_ALLOWED, f"There are {MOST_SERIES} series already; remove one first.")
    description = write_series(parsed)
    return () if series.get(command.series) == description else (SeriesSet(command.series, description),)
