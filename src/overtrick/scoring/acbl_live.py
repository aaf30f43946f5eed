"""Reader of club games from ACBL Live: JSON, alone or in the saved page of a game. No file access.

The document of a game has `sessions`, each with `sections`, each with `pair_summaries` (totals) and `boards` with their
`board_results`. Numbers may be strings. A pair is identified by section, number and, with two winners, direction.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from overtrick.bridge import Award, NotPlayed, Outcome, PassedOut, ScoreOnly, Side, vulnerability
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.published import Published, PublishedLine, PublishedTotal
from overtrick.scoring.published_fields import METHODS, SEATS, SIDES, decimal_of, played
from overtrick.scoring.report import ReportPlayer

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_PAGE_DATA = re.compile(rb"<result-details\b[^>]*?\bv-bind:data=(?:\"([^\"]*)\"|'([^']*)')")
_AVERAGE = re.compile(r"A(?:V[EG]?)?([+-]?)")

_Rows = list[dict[str, Any]]


def is_acbl_live(content: bytes) -> bool:
    """Return whether a file starts like JSON or is the saved page of a game at ACBL Live."""
    return _JSON.match(content) is not None or b"<result-details" in content


def read_acbl_live(content: bytes) -> Published:
    """Return the game in a file. Raise BadInput if it cannot be read or is not a game of pairs."""
    if _JSON.match(content) is None:
        page = _PAGE_DATA.search(content)
        if page is None:
            raise BadInput("The page has no results in it. Save the page of a game at ACBL Live.")
        text = html.unescape((page[1] or page[2] or b"").decode("utf-8", "replace"))
    else:
        text = content.decode("utf-8-sig", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The file is not valid JSON: {error}.") from None
    if not isinstance(document, dict) or not _rows(document.get("sessions")):
        raise BadInput("The JSON has no sessions, so it is not a game of ACBL Live.")
    return _Game(document).published()


def _rows(value: object) -> _Rows:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(row: dict[str, Any], key: str) -> str:
    """Return a field as text; empty if it is missing or neither a string nor a number."""
    value = row.get(key)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _number(row: dict[str, Any], key: str) -> int | None:
    return parse_digits(_text(row, key), 5)


def _date(text: str) -> date | None:
    try:
        return datetime.strptime(text, "%m/%d/%Y").date()
    except ValueError:
        return None


@dataclass(slots=True)
class _Game:
    """A reader of one game: collects totals, names and the entries that cannot be read."""

    document: dict[str, Any]
    totals: dict[Contestant, PublishedTotal] = field(default_factory=dict)
    players: dict[Contestant, tuple[ReportPlayer, ...]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)

    def published(self) -> Published:
        """Return the first session of the game. Raise BadInput if it is not a game of pairs."""
        kind, scoring = (
            _text(self.document, "type").upper(),
            _text(self.document, "board_scoring_method").upper(),
        )
        method = METHODS.get(scoring)
        if kind not in ("", "PAIRS") or method is None or method.is_teams:
            raise BadInput(
                f"It is a game of {kind or 'pairs'} scored by {scoring or 'nothing'}; only games of pairs are read."
            )
        session, *others = _rows(self.document.get("sessions"))
        for other in others:
            self.unread.append(f"session {_text(other, 'number')}: Only the first session of a file is read.")
        sections = _rows(session.get("sections"))
        is_across = _text(session, "cross_section_scoring") not in ("", "0") or len(sections) < 2
        lines: list[PublishedLine] = []
        for section in sections:
            letters = _text(section, "name")[:3] if len(sections) > 1 else ""
            for pair in _rows(section.get("pair_summaries")):
                self._pair(letters, pair)
            lines += self._lines(letters, section, is_across)
        return Published(
            _text(self.document, "name"),
            _program(self.document),
            method,
            tuple(lines),
            self.totals,
            _text(self.document, "club_name"),
            _date(_text(self.document, "start_date")),
            self.players,
            tuple(self.unread),
        )

    def _pair(self, section: str, pair: dict[str, Any]) -> None:
        number = _number(pair, "pair_number")
        if not number:
            self.unread.append(f"{_text(pair, 'pair_number')[:20]!r} is not the number of a pair.")
            return
        contestant = Contestant(section, number, SIDES.get(_text(pair, "direction").upper().replace("-", "")))
        self.totals[contestant] = PublishedTotal(
            decimal_of(_text(pair, "score")),
            decimal_of(_text(pair, "percentage")),
            decimal_of(_text(pair, "handicap")) or Decimal(0),
            decimal_of(_text(pair, "adjustment")) or Decimal(0),
        )
        names = [_text(player, "name") for player in _rows(pair.get("players"))]
        self.players[contestant] = tuple(ReportPlayer(name) for name in names if name)

    def _lines(self, section: str, section_row: dict[str, Any], is_across: bool) -> Iterator[PublishedLine]:
        for board in _rows(section_row.get("boards")):
            for position, row in enumerate(_rows(board.get("board_results")), 1):
                number = _number(board, "board_number") or 0
                try:
                    yield self._line(section, number, position, row, "" if is_across else section)
                except OvertrickError as error:
                    where = f"section {section}, " if section else ""
                    self.unread.append(f"{where}board {number}, line {position}: {error}")

    def _line(
        self, section: str, board: int, position: int, row: dict[str, Any], compared_with: str
    ) -> PublishedLine:
        line = Line(
            board,
            self._contestant(section, row, Side.NS),
            self._contestant(section, row, Side.EW),
            _outcome(row, board),
            section=section,
            table=_number(row, "table_number") or position,
            round=_number(row, "round_number") or 0,
            field=compared_with,
            lead=_text(row, "opening_lead"),
        )
        ns, ew = (decimal_of(_text(row, f"{side}_match_points")) for side in ("ns", "ew"))
        return PublishedLine(line, ns, ew)

    def _contestant(self, section: str, row: dict[str, Any], seat: Side) -> Contestant:
        key = f"{seat.value.lower()}_pair"
        number = _number(row, key)
        if not number:
            raise BadInput(f"{_text(row, key)[:20]!r} is not the number of a pair.")
        contestant = Contestant(section, number)
        return contestant if contestant in self.totals else Contestant(section, number, seat)


def _program(document: dict[str, Any]) -> str:
    upload = document.get("latest_upload")
    if not isinstance(upload, dict):
        return "ACBL Live"
    return f"{_text(upload, 'program_name')} {_text(upload, 'program_version')}".strip() or "ACBL Live"


def _outcome(row: dict[str, Any], board: int) -> Outcome:
    ns, ew = _text(row, "ns_score").upper(), _text(row, "ew_score").upper()
    contract = _text(row, "contract")
    if "PASS" in (ns, contract.upper()):
        return PassedOut()
    averages = [_AVERAGE.fullmatch(score) for score in (ns, ew)]
    if all(averages):
        ns_percent, ew_percent = ({"+": 60, "-": 40}.get(match[1], 50) for match in averages if match)
        return Award(ns_percent, ew_percent)
    score = decimal_of(ns)
    if score is None and (other := decimal_of(ew)) is not None:
        score = -other
    declarer, tricks = SEATS.get(_text(row, "declarer").upper()[:1]), _number(row, "tricks_taken")
    if contract and declarer is not None and tricks is not None:
        result = played(contract.replace(" ", ""), declarer, tricks)
        if result is not None and score in (None, result.ns_score(vulnerability(board))):
            return result
    if score is not None:
        # If contract and score disagree, the score counts: it is what was compared.
        return ScoreOnly(int(score))
    if not contract and ns in ("", "NP") and ew in ("", "NP"):
        return NotPlayed()
    raise BadInput(f"{ns or contract!r} is not a result.")
