"""Readers of published results: USEBIO 1.0 to 1.2, New Zealand's Scorer (XML) and ACBL Live. No file access.

Published points and totals are read too, for comparison with our own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from overtrick.bridge import (
    Award,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    ScoreOnly,
    Side,
    vulnerability,
)
from overtrick.bridge.notation import parse_contract, parse_result
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.scoring.acbl_live import is_acbl_live, read_acbl_live
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.published import Published, PublishedLine, PublishedTotal
from overtrick.scoring.published_fields import METHODS, SEATS, SIDES, decimal_of, played, spelled
from overtrick.scoring.report import ReportPlayer

_NUMBER = re.compile(
    r"\s*(?:\(?(?P<section>[A-Za-z])\)?\s*)?(?P<number>\d{1,5})\s*(?P<side>NS|EW|N|E)?\s*", re.IGNORECASE
)
_AWARD = re.compile(r"A(\d\d)(\d\d)")
_SPLIT = re.compile(r"NS: (?P<ns>[^;]+); EW: (?P<ew>[^;]+)")


def read_published(content: bytes) -> Published:
    """Return the session in a file, whose format is detected from its content. Raise BadInput if it cannot be read."""
    if is_acbl_live(content):
        return read_acbl_live(content)
    if re.search(rb"<!ENTITY", content, re.IGNORECASE):
        raise BadInput("The file declares XML entities, which no results file needs. It was not read.")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BadInput(f"The file is not valid XML: {error}.") from None
    if root.tag.upper() == "USEBIO":
        return _Usebio(root).published()
    if root.tag == "session" and root.find("board_results") is not None:
        return _read_nz_scorer(root)
    raise BadInput(
        f"An XML file that starts with {root.tag[:40]!r} is neither USEBIO nor of New Zealand's Scorer."
    )


def _text(element: Element | None, tag: str) -> str:
    return "" if element is None else (element.findtext(tag) or "").strip()


def _date(text: str) -> date | None:
    try:
        return datetime.strptime(text.strip(), "%d/%m/%Y").date()
    except ValueError:
        return None


_POINTS = ("MATCH_POINTS", "CROSS_IMP_POINTS", "BUTLER_POINTS", "IMPS", "POINTS")


class _Usebio:
    """A reader of the first event of a USEBIO file; raises BadInput if there is none."""

    def __init__(self, root: Element) -> None:
        self.root = root
        event = root.find("EVENT")
        if event is None:
            raise BadInput("The file has no EVENT, so it has no results.")
        self.event = event
        self.type = event.get("EVENT_TYPE", "").upper()
        words = (
            _text(event, "BOARD_SCORING_METHOD").upper(),
            self.type,
            _text(event, "SCORING_METHOD").upper(),
        )
        self.is_teams = "TEAM" in self.type
        self.method = next((METHODS[word] for word in words if word in METHODS), Method.MATCHPOINTS)
        if self.method is Method.TEAM_IMPS or (self.is_teams and not self.method.is_teams):
            scoring_words = {_text(event, tag).upper() for tag in ("MATCH_SCORING_METHOD", "SCORING_METHOD")}
            self.method = Method.VPS_DISCRETE if scoring_words & {"VPS", "VP"} else Method.TEAM_IMPS
        self.has_two_winners = _text(event, "WINNER_TYPE") == "2"
        self.totals: dict[Contestant, PublishedTotal] = {}
        self.players: dict[Contestant, tuple[ReportPlayer, ...]] = {}
        self.sides_of_number: dict[tuple[str, int], set[Side]] = {}
        self.unread: list[str] = []
        self.matches = count()

    def published(self) -> Published:
        """Return the event with its results, and the entries that cannot be read."""
        # The matches of teams have numbered rounds, which may go on in a second session.
        for other in [] if self.is_teams else self.event.findall("SESSION")[1:]:
            self.unread.append(
                f"session {other.get('SESSION_ID', '')}: Only the first session of a file is read."
            )
            self.event.remove(other)
        sections = list(self.event.iter("SECTION"))
        section_elements = [("", self.event)]
        has_section_participants = any(section.find(".//PARTICIPANTS") is not None for section in sections)
        # Participants listed outside the sections have numbers that are unique across all of them.
        if len(sections) > 1 and (has_section_participants or self.event.find(".//PARTICIPANTS") is None):
            section_elements = [(section.get("SECTION_ID", ""), section) for section in sections]
        for section, element in section_elements:
            for participants in element.iter("PARTICIPANTS"):
                self._participants(section, participants)
        lines: list[PublishedLine] = []
        for section, element in section_elements:
            lines += (self._matches if self.is_teams else self._boards)(section, element)
        return Published(
            _text(self.event, "EVENT_DESCRIPTION"),
            f"{_text(self.event, 'PROGRAM_NAME')} {_text(self.event, 'PROGRAM_VERSION')}".strip(),
            self.method,
            tuple(lines),
            self.totals,
            _text(self.root.find("CLUB"), "CLUB_NAME"),
            _date(_text(self.event, "DATE")),
            self.players,
            tuple(self.unread),
        )

    def _participants(self, section: str, parent: Element) -> None:
        if self.type == "INDIVIDUAL":
            entries = [(entry, _text(entry, "PLAYER_NUMBER")) for entry in parent.findall("PLAYER")]
        elif self.is_teams:
            entries = [(entry, entry.get("TEAM_ID", "")) for entry in parent.findall("TEAM")]
        else:
            entries = [(entry, _text(entry, "PAIR_NUMBER")) for entry in parent.findall("PAIR")]
        for entry, number in entries:
            match = _NUMBER.fullmatch(number)
            if match is None:
                self.unread.append(f"{number!r} is not the number of a contestant.")
                continue
            side = self._side_of(_text(entry, "DIRECTION") or match["side"] or "")
            contestant = Contestant(section, int(match["number"]), side)
            if side is not None:
                self.sides_of_number.setdefault((section, contestant.number), set()).add(side)
            self.totals[contestant] = PublishedTotal(
                decimal_of(_text(entry, "TOTAL_SCORE")),
                decimal_of(_text(entry, "PERCENTAGE").rstrip("%")),
                decimal_of(_text(entry, "HANDICAP")) or Decimal(0),
                decimal_of(_text(entry, "ADJUSTMENT")) or Decimal(0),
            )
            people = [_text(person, "PLAYER_NAME") for person in entry.iter("PLAYER")]
            self.players[contestant] = tuple(ReportPlayer(name) for name in people if name)

    def _side_of(self, direction: str) -> Side | None:
        return SIDES.get(direction.upper()) if self.has_two_winners else None

    def _contestant(self, section: str, text: str, seat: Side) -> Contestant:
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise BadInput(f"{text!r} is not the number of a pair.")
        number = int(match["number"])
        if not self.has_two_winners:
            return Contestant(section, number)
        sides_of_number = self.sides_of_number.get((section, number), set())
        # A number on both sides means two pairs: the letters after the number tell them apart, or else the seat.
        side = self._side_of(match["side"] or "") or (
            next(iter(sides_of_number)) if len(sides_of_number) == 1 else seat
        )
        return Contestant(section, number, side)

    def _boards(self, section: str, element: Element) -> Iterator[PublishedLine]:
        line_counts = Counter[int]()
        for board in element.iter("BOARD"):
            number = parse_digits(_text(board, "BOARD_NUMBER"), 4) or 0
            for entry in board.findall("TRAVELLER_LINE"):
                line_counts[number] += 1
                position = line_counts[number]
                try:
                    yield self._line(section, number, position, entry)
                except OvertrickError as error:
                    self._leave_out(section, f"board {number}, line {position}: {error}")

    def _line(self, section: str, board: int, position: int, entry: Element) -> PublishedLine:
        south = west = None
        if self.type == "INDIVIDUAL":
            ns, south, ew, west = (_player(section, _text(entry, f"{seat}_PLAYER_NUMBER")) for seat in "NSEW")
        else:
            ns = self._contestant(section, _text(entry, "NS_PAIR_NUMBER"), Side.NS)
            ew = self._contestant(section, _text(entry, "EW_PAIR_NUMBER"), Side.EW)
        points = [
            next(
                (
                    number
                    for tag in _POINTS
                    if (number := decimal_of(_text(entry, f"{side.value}_{tag}"))) is not None
                ),
                None,
            )
            for side in Side
        ]
        outcome, ew_outcome = _usebio_outcomes(entry, board)
        line = Line(
            board,
            ns,
            ew,
            outcome,
            ew_outcome,
            section=section,
            # The file has no table numbers, so each line gets its own.
            table=position,
            round=0,
            lead=_text(entry, "LEAD"),
            south=south,
            west=west,
        )
        return PublishedLine(line, *points)

    def _matches(self, section: str, element: Element) -> Iterator[PublishedLine]:
        for match in element.iter("MATCH"):
            number = next(self.matches)
            home, away = (parse_digits(_text(match, tag), 5) for tag in ("TEAM", "OPPOSING_TEAM"))
            if not home or not away:
                self._leave_out(section, f"match {number + 1}: The number of a team is missing.")
                continue
            teams = Contestant(section, home), Contestant(section, away)
            for board in match.findall("BOARD"):
                yield from self._match_board(match, number, board, teams)

    def _match_board(
        self, match: Element, number: int, board: Element, teams: tuple[Contestant, Contestant]
    ) -> Iterator[PublishedLine]:
        home, away = teams
        board_number = parse_digits(_text(board, "BOARD_NUMBER"), 4) or 0
        imps = decimal_of(_text(board, "IMPS") or _text(board, "TEAM_POINTS"))
        for position, entry in enumerate(board.findall("TRAVELLER_LINE"), 1):
            try:
                direction = SIDES.get(_text(entry, "DIRECTION").upper())
                if direction is None:
                    raise BadInput("The seats of the team are missing.")
                ns, ew = (home, away) if direction is Side.NS else (away, home)
                outcome, ew_outcome = _usebio_outcomes(entry, board_number)
                line = Line(
                    board_number,
                    ns,
                    ew,
                    outcome,
                    ew_outcome,
                    section=home.section,
                    table=2 * number + position,
                    round=parse_digits(_text(match, "ROUND_NUMBER"), 4) or number + 1,
                    lead=_text(entry, "LEAD"),
                )
                yield PublishedLine(line, *((imps, None) if direction is Side.NS else (None, imps)))
            except OvertrickError as error:
                location = f"match {number + 1}, board {board_number}, line {position}"
                self._leave_out(home.section, f"{location}: {error}")

    def _leave_out(self, section: str, problem: str) -> None:
        self.unread.append(f"section {section}, {problem}" if section else problem)


def _player(section: str, text: str) -> Contestant:
    """Return the player of an individual with this number. Raise BadInput if the text is not a number."""
    number = parse_digits(text, 6)
    if not number:
        raise BadInput(f"{text!r} is not the number of a player.")
    return Contestant(section, number)


def _usebio_outcomes(entry: Element, board: int) -> tuple[Outcome, Outcome | None]:
    """Return the outcome of a line, and the one for East-West if the sides have separate results."""
    split = _SPLIT.fullmatch(_text(entry, "SCORE"))
    if split:
        return Outcome.parse(split["ns"]), Outcome.parse(split["ew"])
    return _usebio_outcome(entry, board), None


def _usebio_outcome(entry: Element, board: int) -> Outcome:
    score, contract = _text(entry, "SCORE"), _text(entry, "CONTRACT")
    award = _AWARD.fullmatch(score.upper())
    if award:
        return Award(int(award[1]), int(award[2]))
    points = decimal_of(score)
    if contract.upper() in ("NP", "NOT PLAYED"):
        return NotPlayed()
    if contract.upper() in ("PASS", "PASSED", "AP"):
        return PassedOut()
    tricks, declarer = parse_digits(_text(entry, "TRICKS"), 2), SEATS.get(_text(entry, "PLAYED_BY").upper())
    if contract and declarer is not None and tricks is not None:
        result = played(contract, declarer, tricks)
        # If contract and score disagree, the score counts: it is what was compared.
        if result is not None and points in (None, result.ns_score(vulnerability(board))):
            return result
    if points is not None:
        return ScoreOnly(int(points))
    try:
        return Outcome.parse(score)
    except BadInput:
        raise BadInput(f"{score or contract!r} is not a result.") from None


def _read_nz_scorer(root: Element) -> Published:
    is_across = root.get("field_scoring") == "true"
    totals: dict[Contestant, PublishedTotal] = {}
    for part in root.iter("scsection"):
        for pair in part.findall("pair"):
            number = parse_digits(pair.get("no", ""), 5)
            if number:
                side = SIDES.get(pair.get("dir", ""))
                totals[Contestant(part.get("id", ""), number, side)] = PublishedTotal(
                    None, decimal_of(pair.get("raw_score", ""))
                )
    lines: list[PublishedLine] = []
    unread: list[str] = []
    top = _nz_top(root)
    for part in root.iter("brsection"):
        section = part.get("id", "")
        for row in part.findall("result"):
            try:
                lines.append(_nz_line(section, row, totals, is_across, top))
            except OvertrickError as error:
                unread.append(f"section {section}, table {row.get('tab')}, board {row.get('bd')}: {error}")
    return Published(
        root.get("event_name", ""),
        "Scorer",
        Method.MATCHPOINTS,
        tuple(lines),
        totals,
        root.get("club", ""),
        _date(root.get("event_date", "")),
        unread=tuple(unread),
    )


def _nz_points(row: Element) -> list[Decimal | None]:
    """Return the matchpoints of both sides, written in tenths; None for negative ones (-9999)."""
    points = (decimal_of(row.get(f"mp_{side}", "")) for side in ("ns", "ew"))
    return [None if mp is None or mp < 0 else mp / 10 for mp in points]


def _nz_top(root: Element) -> Decimal:
    """Return the top of a board: the most common sum of the two sides of a table; 0 without points."""
    tops = Counter(
        ns + ew
        for row in root.iter("result")
        for ns, ew in [_nz_points(row)]
        if ns is not None and ew is not None
    )
    return tops.most_common(1)[0][0] if tops else Decimal(0)


def _nz_line(
    section: str, row: Element, totals: Mapping[Contestant, PublishedTotal], is_across: bool, top: Decimal
) -> PublishedLine:
    numbers = {name: parse_digits(row.get(name, "").strip(), 5) for name in ("bd", "rnd", "tab", "ns", "ew")}
    board, ns, ew = numbers["bd"], numbers["ns"], numbers["ew"]
    if not board or not ns or not ew:
        raise BadInput("The board or a pair is missing.")

    def contestant(number: int, seat: Side) -> Contestant:
        undirected = Contestant(section, number)
        return undirected if undirected in totals else Contestant(section, number, seat)

    line = Line(
        board,
        contestant(ns, Side.NS),
        contestant(ew, Side.EW),
        _nz_outcome(row, board, top),
        section=section,
        table=numbers["tab"] or 0,
        round=numbers["rnd"] or 0,
        field="" if is_across else section,
        lead=row.get("lead", ""),
    )
    return PublishedLine(line, *_nz_points(row))


def _nz_outcome(row: Element, board: int, top: Decimal) -> Outcome:
    contract, score = row.get("cont", "").strip(), decimal_of(row.get("score", ""))
    word = contract.replace(" ", "").upper()
    if word == "PASS":
        return PassedOut()
    if word == "NP":
        return NotPlayed()
    declarer = SEATS.get(row.get("dec", "").upper())
    if declarer is not None and contract:
        try:
            bid = parse_contract(spelled(contract), declarer)
            result = None if bid is None else Played(bid, parse_result(row.get("res", ""), bid))
        except BadInput:
            result = None
        if result is not None and score in (None, result.ns_score(vulnerability(board))):
            return result
    if score is not None:
        return ScoreOnly(int(score))
    ns, ew = _nz_points(row)
    if row.get("score") is None and ns is None and ew is None:
        return NotPlayed()
    if row.get("score") == "Adj" and ns is not None and ew is not None and top:
        # The file has only the matchpoints of an adjusted score.
        return Award(round(100 * ns / top, 2), round(100 * ew / top, 2))
    raise BadInput(f"{contract!r} is not a result.")
