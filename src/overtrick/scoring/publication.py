"""A published site: its files, its list of sessions, and the e-mail that announces one. No file access.

The site is a folder with a list of all published sessions (index.html) and a folder for each. Its manifest
(published.json) names the sessions, so a session that is published again keeps its address.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.resources import files
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from overtrick.errors import BadInput
from overtrick.scoring.pages import SiteLinks, style_sheet, template, write_pages
from overtrick.scoring.pbn import write_results
from overtrick.scoring.plain import write_csv, write_json
from overtrick.scoring.report import Report, player_key
from overtrick.scoring.summary import summarise
from overtrick.scoring.usebio import write_usebio

MANIFEST = "published.json"
PLAYERS = "players"
"""The folder of the players' pages; no session has it."""
RESULTS = "results.xml"
"""The file of a session's folder that names its players."""
LONGEST_FOLDER = 60
FILES: dict[str, Callable[[Report], str | bytes]] = {
    "results.csv": write_csv,
    "results.pbn": write_results,
    RESULTS: write_usebio,
    "results.json": write_json,
}
"""The files for other programs and the federation: a table, PBN, USEBIO and JSON."""


@dataclass(frozen=True, slots=True)
class PublishedSession:
    """A session on a published site."""

    folder: str
    title: str
    day: date | None = None

    @property
    def month(self) -> str:
        """Return the month in words; empty if the day is unknown."""
        return f"{self.day:%B %Y}" if self.day else ""

    @property
    def day_words(self) -> str:
        """Return the day in words; empty if it is unknown."""
        return f"{self.day.day} {self.day:%B %Y}" if self.day else ""


@dataclass(frozen=True, slots=True)
class Publication:
    """The sessions of a published site, by their keys."""

    sessions: Mapping[str, PublishedSession]

    @classmethod
    def parse(cls, text: str) -> "Publication":
        """Read a manifest; raise BadInput if the text is not one."""
        try:
            values: dict[str, Any] = json.loads(text)
            sessions = {
                str(key): PublishedSession(
                    str(session["folder"]),
                    str(session["title"]),
                    date.fromisoformat(session["day"]) if session["day"] else None,
                )
                for key, session in values["sessions"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadInput(
                "The file is not a list of published sessions. Nothing was published.", where=MANIFEST
            ) from None
        # The manifest is a file of the site, so somebody else may have changed it.
        if any(folder_name(session.folder) != session.folder for session in sessions.values()):
            raise BadInput("The file names a folder outside the site. Nothing was published.", where=MANIFEST)
        return cls(sessions)

    def __str__(self) -> str:
        sessions = {
            key: {
                "folder": session.folder,
                "title": session.title,
                "day": session.day.isoformat() if session.day else "",
            }
            for key, session in self.sessions.items()
        }
        return json.dumps({"format": 1, "sessions": sessions}, indent=1, ensure_ascii=False) + "\n"

    def with_session(self, key: str, report: Report) -> "Publication":
        """Return the publication with a session; one that is there already keeps its folder."""
        existing = self.sessions.get(key)
        folder = existing.folder if existing else self._free_folder(report)
        return replace(
            self,
            sessions={**self.sessions, key: PublishedSession(folder, report.title, report.played_on)},
        )

    def _free_folder(self, report: Report) -> str:
        # Leave room for a number at the end.
        name = folder_name(f"{report.played_on or ''}-{report.title}"[: LONGEST_FOLDER - 10])
        used_folders = {PLAYERS, *(session.folder for session in self.sessions.values())}
        candidates = (f"{name}-{number}" for number in range(2, len(used_folders) + 3))
        return (
            name
            if name not in used_folders
            else next(candidate for candidate in candidates if candidate not in used_folders)
        )

    def by_month(self) -> list[tuple[str, list[PublishedSession]]]:
        """Return the sessions by month, the newest first."""
        ordered = sorted(
            self.sessions.values(),
            key=lambda session: (session.day or date.min, session.folder),
            reverse=True,
        )
        return [(month, list(group)) for month, group in groupby(ordered, key=lambda session: session.month)]

    def pages(self, club: str, logo: str, has_players: bool = False) -> dict[str, str]:
        """Return the list of sessions and its style sheet; `logo` is the file name of the club's logo, or empty."""
        page = template("published.html").render(
            report={"title": "Results", "club": club},
            site=SiteLinks("index.html", logo),
            months=self.by_month(),
            players=f"{PLAYERS}/index.html" if has_players else "",
            script=list_search(),
        )
        return {"index.html": page, "style.css": style_sheet()}


@dataclass(frozen=True, slots=True)
class PublishedPlayer:
    """A player with a page on a published site."""

    name: str
    sessions: int
    body: str
    """The page's content, as HTML."""
    page: str
    """The file name of the page."""


def player_files(players: Sequence[PublishedPlayer], club: str, logo: str) -> dict[str, bytes]:
    """Return the files of the players' folder: a list to search, and a page for each player."""
    site = SiteLinks("../index.html", f"../{logo}" if logo else "")
    pages = {
        "index.html": template("published_players.html").render(
            report={"title": "Players", "club": club}, site=site, players=players, script=list_search()
        ),
        "style.css": style_sheet(),
        **{
            player.page: template("published_player.html").render(
                report={"title": player.name, "club": club}, site=site, body=Markup(player.body)
            )
            for player in players
        },
    }
    return {name: page.encode() for name, page in pages.items()}


def list_search() -> Markup:
    """Return the script of the search in a list."""
    script = files("overtrick.scoring").joinpath("static", "list_search.js").read_text(encoding="utf-8")
    return Markup(script)


def named_players(results: bytes) -> set[str]:
    """Return the keys of the players whom a session's file of results names; raise BadInput if it cannot be read."""
    try:
        root = ElementTree.fromstring(results)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BadInput(f"It cannot be read: {error}.", where=RESULTS) from None
    return {
        player_key(player.findtext("NATIONAL_ID_NUMBER", ""), player.findtext("PLAYER_NAME", ""))
        for player in root.iter("PLAYER")
    }


def session_files(report: Report, logo: str) -> dict[str, bytes]:
    """Return the files of a session's folder; `logo` is the file name of the club's logo beside it, or empty."""
    pages: dict[str, str | bytes] = {
        **write_pages(report, SiteLinks("../index.html", f"../{logo}" if logo else "", files=FILES)),
        **{name: write(report) for name, write in FILES.items()},
    }
    return {name: page.encode() if isinstance(page, str) else page for name, page in pages.items()}


def folder_name(text: str) -> str:
    """Return a text as the name of a folder in an address: letters a to z, digits and hyphens.

    >>> folder_name("2026-01-08-Søren's Café / 2"), folder_name("../.."), folder_name("")
    ('2026-01-08-s-ren-s-caf-2', 'session', 'session')
    """
    letters = [letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower()]
    return "-".join("".join(letters).split())[:LONGEST_FOLDER].strip("-") or "session"


def announcement(reports: Sequence[tuple[Report, str]], club: str) -> str:
    """Return the text of an e-mail about published sessions: the first three of each ranking, and links.

    Each report has the address of its first page; empty if it is unknown.
    """
    lines: list[str] = []
    for report, address in reports:
        day = f"{report.played_on.day} {report.played_on:%B %Y}" if report.played_on else ""
        lines += [", ".join(part for part in (report.title, day, club) if part), ""]
        for ranking in report.scored.rankings:
            side = f"{ranking.side.value}: " if ranking.side else ""
            for standing in [standing for standing in ranking.standings if standing.rank][:3]:
                name = report.name(standing.contestant) or str(standing.contestant)
                lines.append(f"{side}{standing.rank_text}. {name}, {report.score_text(standing)}")
            lines.append("")
        summary = summarise(report)
        if summary.swings:
            swing = summary.swings[0]
            lines += [f"The largest swing was on board {swing.line.board}: {swing.imps} IMPs.", ""]
        if report.provisional_words:
            lines += [report.provisional_words, ""]
        if address:
            lines += [f"All results: {address}", f"Summary: {address}summary.html", ""]
    return "\n".join(lines).rstrip() + "\n"
