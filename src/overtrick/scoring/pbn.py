"""Results in PBN: a record with a ScoreTable for each board; the first has the ranking as TotalScoreTable.

Reads its own files and the score tables of other scoring programs, and also files with a record for each board at each
table: those of Table Managers, and LIN. No file access.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from overtrick.bridge import (
    Award,
    Cancelled,
    Contract,
    NotPlayed,
    Outcome,
    PassedOut,
    Percent,
    Played,
    Seat,
    Side,
    Undecided,
    Weighted,
)
from overtrick.bridge.notation import parse_contract, write_compact
from overtrick.bridge.outcome import parse_percent
from overtrick.bridge.pbn import Game, PbnTable, write_pbn
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.report import Report, ReportDeal, ReportPlayer
from overtrick.scoring.session import ScoredLine, ScoredTraveller

__all__ = ["Results", "is_team_match", "read_results", "write_results"]

_PLAYER_IDS = ("PlayerId_North", "PlayerId_South", "PlayerId_East", "PlayerId_West")
"""The columns of a ScoreTable of individuals."""
_SCORING = {Method.MATCHPOINTS: "MatchPoints", Method.BOARD_A_MATCH: "BAM", Method.PATTON: "Patton"}


def write_results(report: Report) -> bytes:
    """Return a PBN file with every board's results and, in its first record, the ranking."""
    games = [_game(report, traveller) for traveller in report.scored.travellers]
    if games:
        ranking = _ranking(report)
        remarks = [f"Rules: {report.rules_title}.", report.provisional_words]
        remarks += [report.ruling_words(ruling) for ruling in report.rulings if ruling.line is None]
        games[0] = replace(
            games[0],
            tables={"TotalScoreTable": ranking, **games[0].tables},
            comments={
                **games[0].comments,
                "TotalScoreTable": tuple(_without_symbols(remark) for remark in remarks if remark),
            },
        )
    return write_pbn(games)


def _without_symbols(text: str) -> str:
    """Return a text with letters for suit symbols, which ISO 8859-1 does not have."""
    return text.translate(str.maketrans("♠♥♦♣", "SHDC"))


def _game(report: Report, traveller: ScoredTraveller) -> Game:
    hand_record = report.hands.get((traveller.field, traveller.board))
    method = report.scored.method
    tags = {
        "Event": report.title,
        "Site": report.club,
        "Date": report.played_on.strftime("%Y.%m.%d") if report.played_on else "",
        "Scoring": _scoring(method),
        "Competition": "Teams" if method.is_teams else "Individuals" if report.is_individual else "Pairs",
        "Generator": "Overtrick",
    }
    if traveller.field:
        tags["Section"] = traveller.field
    if hand_record and hand_record.par:
        tags["OptimumScore"] = hand_record.par
    game = Game.of_board(
        traveller.board,
        hand_record.deal if hand_record else None,
        tricks=hand_record.tricks if hand_record else None,
        tags={tag: _one_line(value) for tag, value in tags.items()},
    )
    remarks = tuple(
        _without_symbols(report.ruling_words(ruling))
        for ruling in report.rulings
        if ruling.line is not None and ruling.line.traveller == (traveller.field, traveller.board)
    )
    return replace(
        game,
        tables={"ScoreTable": _score_table(report, traveller), **game.tables},
        comments={"ScoreTable": remarks} if remarks else {},
    )


def _scoring(method: Method) -> str:
    if method.is_butler:
        return "Butler"
    if method.is_imps:
        return "Cross-IMPs"
    return _SCORING.get(method, "IMP")


def _score_table(report: Report, traveller: ScoredTraveller) -> PbnTable:
    matchpoints = report.scored.method is Method.MATCHPOINTS
    unit = "MP" if matchpoints else "IMP"
    columns = [
        *("Table\\3R", "Round\\2R"),
        *(
            f"{column}\\5R"
            for column in (_PLAYER_IDS if report.is_individual else ("PairId_NS", "PairId_EW"))
        ),
        *("Contract\\5L", "Declarer\\1R"),
        *("Result\\2R", "Lead\\3L", "Score_NS\\6R", "Score_EW\\6R", f"{unit}_NS\\8R", f"{unit}_EW\\8R"),
    ]
    if matchpoints:
        columns += ["Percentage_NS\\6R", "Percentage_EW\\6R"]
    rows = tuple(_row(report, scored, matchpoints) for scored in traveller.lines)
    return PbnTable(tuple(columns), rows)


def _row(report: Report, scored: ScoredLine, has_percentages: bool) -> tuple[str, ...]:
    line = scored.line
    outcome = line.outcome
    contract = declarer = result = "-"
    if line.ew_outcome is not None:
        pass
    elif isinstance(outcome, Played):
        contract, declarer = write_compact(outcome.contract), outcome.contract.declarer.value
        result = str(outcome.tricks)
    elif isinstance(outcome, PassedOut):
        contract = "Pass"
    points = [f"{side.points:.{report.decimals}f}" if side else "-" for side in (scored.ns, scored.ew)]
    row = [
        *(str(line.table), str(line.round)),
        *(_pair_id(contestant) for side in Side for contestant in line.contestants(side)),
        *(contract, declarer, result, _one_line(line.lead) or "-"),
        *(_score(line, side) for side in Side),
        *points,
    ]
    if has_percentages:
        for side in (scored.ns, scored.ew):
            percentage = side.percentage if side else None
            row.append("-" if percentage is None else f"{percentage:.{report.decimals}f}")
    return tuple(row)


def _score(line: Line, side: Side) -> str:
    """Return a side's own score: a number, the percentage of an award, or the word for a result that does not count."""
    award = line.award_for(side)
    if award is not None:
        return f"{award}%"
    ns = line.score_for(side)
    if ns is None:
        return str(line.outcome_for(side))
    if line.ew_outcome is not None:
        # A contract would be read as the result of both sides, so each side has its own text.
        return f"100 % of {line.outcome_for(side)}"
    return str(ns if side is Side.NS else -ns)


def _ranking(report: Report) -> PbnTable:
    method = report.scored.method
    total = "TotalMP" if method is Method.MATCHPOINTS else "TotalIMP"
    if method.scale is not None or method in (Method.BOARD_A_MATCH, Method.PATTON):
        total = "TotalScore"
    return PbnTable(
        (
            "Rank\\4R",
            "PlayerId\\5R" if report.is_individual else "PairId\\5R",
            "Direction\\2L",
            f"{total}\\10R",
            "TotalPercentage\\6R",
            "NrBoards\\3R",
            "Names",
        ),
        tuple(
            (
                str(standing.rank or "-"),
                _pair_id(standing.contestant),
                standing.contestant.side.value if standing.contestant.side else "-",
                standing.points_text,
                "-" if standing.percentage is None else standing.percentage_text,
                str(standing.boards),
                _names(report, standing.contestant),
            )
            for _, standing in report.standings()
        ),
    )


def _names(report: Report, contestant: Contestant) -> str:
    names = ";".join(player.name for player in report.players.get(contestant, ()))
    return _one_line(report.team_names.get(contestant, "") or names)[:120]


def _pair_id(contestant: Contestant) -> str:
    return _one_line(f"{contestant.section}{contestant.number}")


def _one_line(text: str) -> str:
    """Return at most 200 characters with spaces for unprintable ones: a line of PBN has at most 255."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()[:200]


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a session in a PBN file."""

    title: str
    club: str
    played_on: date | None
    lines: tuple[Line, ...]
    players: dict[Contestant, tuple[ReportPlayer, ...]]
    hands: dict[tuple[str, int], ReportDeal]
    unread: tuple[str, ...]
    """The rows and records that cannot be read, each with its reason."""
    team_names: dict[Contestant, str] = field(default_factory=dict)


_ID = re.compile(r"\s*(?P<section>[^\d\s]*)\s*(?P<number>\d{1,6})\s*")
_AWARD = re.compile(r"([0-9.]{1,6})\s*%?")


def read_results(games: Sequence[Game], winners: int | None = None, *, is_teams: bool = False) -> Results:
    """Return the results in the score tables of PBN records or, if there are none, of the records themselves.

    Without `winners` there are two winners if a number sits both North-South and East-West in one round, or if no
    number changes direction; otherwise one. In records without pair numbers contestants are identified by the players'
    names, or with `is_teams` by those of the teams. Entries that cannot be read are listed in `unread`. Raise BadInput
    if there is no result.
    """
    rows = [
        (game, row)
        for game in games
        if "ScoreTable" in game.tables
        for row in game.tables["ScoreTable"].rows_by_name
    ]
    lines: list[Line] = []
    unread: list[str] = []
    for number, (game, row) in enumerate(rows, 1):
        try:
            lines.append(_line(game, row, number))
        except OvertrickError as error:
            unread.append(f"board {game.value('Board')}, row {number}: {error}")
    records = _RecordReader(is_teams)
    for number, game in enumerate(() if rows else games, 1):
        try:
            lines += records.lines(game, number)
        except OvertrickError as error:
            unread.append(f"board {game.value('Board')}, record {number}: {error}")
    if not lines and not unread:
        raise BadInput(
            "The file has neither a ScoreTable nor a record with a result, so there is nothing to score."
        )
    has_two_winners = (
        False
        if any(line.south for line in lines)
        else winners == 2
        if winners
        else _has_two_winners(lines, is_numbered=not records.numbers)
    )
    if has_two_winners:
        lines = [
            replace(line, ns=replace(line.ns, side=Side.NS), ew=replace(line.ew, side=Side.EW))
            for line in lines
        ]
    first_game = games[0]
    return Results(
        first_game.value("Event") or "",
        first_game.value("Site") or "",
        _date(first_game.value("Date") or ""),
        tuple(lines),
        _players(games, lines)
        | {
            contestant: players
            for unsided, players in records.players.items()
            for contestant in _as_ranked(unsided, lines)
        },
        {
            (game.value("Section") or "", board): ReportDeal(
                deal, game.tricks, game.value("OptimumScore") or ""
            )
            for game in games
            if (deal := game.deal) is not None and (board := game.board) is not None
        },
        tuple(unread),
        records.team_names,
    )


def is_team_match(games: Iterable[Game]) -> bool:
    """Return whether records are those of a match of two teams: boards of an open and of a closed room."""
    return {"Open", "Closed"} <= {
        game.value("Room") for game in games if not game.tables.keys() & {"ScoreTable"}
    }


@dataclass(slots=True)
class _RecordReader:
    """The reader of records of boards at tables. It numbers contestants that have names only, as they appear."""

    is_teams: bool
    numbers: dict[tuple[str, frozenset[str]], int] = field(default_factory=dict)
    players: dict[Contestant, tuple[ReportPlayer, ...]] = field(default_factory=dict)
    team_names: dict[Contestant, str] = field(default_factory=dict)

    def lines(self, game: Game, number: int) -> list[Line]:
        """Return the line of a record; none if it has no result, as in a file of deals."""
        adjusted = game.value("Adjusted")
        outcome = game.outcome if adjusted is None else Outcome.parse(adjusted)
        if outcome is None and game.value("Contract") is None:
            return []
        if outcome is None:
            raise BadInput("The record has a contract and no result.")
        if game.board is None:
            raise BadInput("The record has no board number.")
        ns, ew = (self._contestant(game, side) for side in Side)
        # The rooms of a match are two tables. Any other record without a table number gets its own.
        room = {"Open": 1, "Closed": 2}.get(game.value("Room") or "") if self.is_teams else None
        table = room or _number_or(game.value("Table") or "", number)
        return [
            Line(
                game.board,
                ns,
                ew,
                outcome,
                section=ns.section,
                table=table,
                round=_number_or(game.value("Round") or "", 0),
                field=game.value("Section") or "",
            )
        ]

    def _contestant(self, game: Game, side: Side) -> Contestant:
        pair = game.value(f"Pair{side.value}")
        if pair is not None and not self.is_teams:
            return _contestant(pair)
        names = tuple(name for seat in side.seats if (name := game.value(seat.title)))
        team = self._team(game, side, names)
        key = frozenset({team} if team else names)
        if not key:
            raise BadInput(f"The record does not name {side.value}.")
        field_name = game.value("Section") or ""
        contestant = Contestant("", self.numbers.setdefault((field_name, key), len(self.numbers) + 1))
        self.players.setdefault(contestant, tuple(ReportPlayer(name) for name in dict.fromkeys(names)))
        if team:
            self.team_names[contestant] = team
        return contestant

    def _team(self, game: Game, side: Side, names: tuple[str, ...]) -> str:
        """Return the name of the team of a side; empty if pairs play, or if no team is named."""
        home, away = game.value("HomeTeam"), game.value("VisitTeam")
        if not self.is_teams or home is None or away is None:
            return ""
        # Programs play under the name of their team. Else home sits North-South in the open room.
        if team := {home, away} & set(names):
            return team.pop()
        return home if (side is Side.NS) == (game.value("Room") != "Closed") else away


def _as_ranked(unsided: Contestant, lines: Iterable[Line]) -> set[Contestant]:
    """Return the contestants in the lines that are this one, each with its side if there are two winners."""
    return {
        contestant
        for line in lines
        for contestant in (line.ns, line.ew)
        if replace(contestant, side=None) == unsided
    }


def _line(game: Game, row: dict[str, str], number: int) -> Line:
    board = game.board
    if board is None:
        raise BadInput("The record has no board number.")
    south = west = None
    if "PairId_NS" in row or _PLAYER_IDS[0] not in row:
        ns, ew = (_contestant(row.get(f"PairId_{side.value}", "")) for side in Side)
    else:
        ns, south, ew, west = (_contestant(row.get(column, "")) for column in _PLAYER_IDS)
    return Line(
        board,
        ns,
        ew,
        *_outcomes(row),
        section=ns.section,
        # A row without a table number gets its own.
        table=_number_or(row.get("Table", ""), number),
        round=_number_or(row.get("Round", ""), 0),
        field=game.value("Section") or "",
        lead=row.get("Lead", "-").strip("-"),
        south=south,
        west=west,
    )


def _contestant(text: str) -> Contestant:
    match = _ID.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} is not the number of a pair or a player.")
    return Contestant(match["section"], int(match["number"]))


def _number_or(text: str, default: int) -> int:
    number = parse_digits(text.strip(), 6)
    return default if number is None else number


def _outcomes(row: dict[str, str]) -> tuple[Outcome, Outcome | None]:
    """Return the outcome of a row, and the one for East-West if it is separate."""
    texts = [row.get(f"Score_{side.value}", "").strip() for side in Side]
    if row.get("Contract", "-").strip() in ("", "-") and any("% of" in text for text in texts):
        ns, ew = (_ruling(text) for text in texts)
        return ns, None if ns == ew else ew
    return _outcome(row), None


def _ruling(text: str) -> Outcome:
    percent = _award_percent(text)
    ruling = Outcome.parse(text) if percent is None else Award(percent, percent)
    return ruling.parts[0][1] if isinstance(ruling, Weighted) and len(ruling.parts) == 1 else ruling


def _outcome(row: dict[str, str]) -> Outcome:
    contract_text = row.get("Contract", "-").strip()
    if contract_text not in ("", "-"):
        if contract_text.upper() == "PASS":
            return PassedOut()
        contract: Contract | None = parse_contract(contract_text, Seat.parse(row.get("Declarer", "")))
        result = row.get("Result", "").strip()
        tricks = parse_digits(result, 2)
        if contract is None or tricks is None:
            raise BadInput(f"{result!r} is not a number of tricks.")
        return Played(contract, tricks)
    percents = [_award_percent(row.get(f"Score_{side.value}", "").strip()) for side in Side]
    if percents[0] is not None and percents[1] is not None:
        return Award(percents[0], percents[1])
    word = row.get("Score_NS")
    return next((outcome for outcome in (Undecided(), Cancelled()) if word == str(outcome)), NotPlayed())


def _award_percent(text: str) -> Percent | None:
    match = _AWARD.fullmatch(text)
    # A number without a per cent sign is a score, except for the awards that some programs write so.
    if match is None or not (text.endswith("%") or text in ("40", "50", "60")):
        return None
    return parse_percent(match[1])


def _has_two_winners(lines: Iterable[Line], *, is_numbered: bool) -> bool:
    north_south: set[tuple[int, Contestant]] = set()
    east_west: set[tuple[int, Contestant]] = set()
    for line in lines:
        north_south.add((line.round, line.ns))
        east_west.add((line.round, line.ew))
    if (
        is_numbered and north_south & east_west
    ):  # Contestants that are identified by name never share a number.
        return True
    return not {contestant for _, contestant in north_south} & {contestant for _, contestant in east_west}


def _players(games: Sequence[Game], lines: Sequence[Line]) -> dict[Contestant, tuple[ReportPlayer, ...]]:
    contestants = {contestant for line in lines for side in Side for contestant in line.contestants(side)}
    players: dict[Contestant, tuple[ReportPlayer, ...]] = {}
    for game in games:
        table = game.tables.get("TotalScoreTable")
        for row in table.rows_by_name if table else ():
            try:
                contestant = _contestant(row.get("PairId", row.get("PlayerId", "")))
            except BadInput:
                continue
            names = tuple(
                ReportPlayer(name.strip()) for name in row.get("Names", "").split(";") if name.strip()
            )
            direction = row.get("Direction", "-")
            for side in (None, *Side):
                sided = replace(contestant, side=side)
                if sided in contestants and names and (side is None or direction in ("-", side.value)):
                    players[sided] = names
    return players


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.replace(".", "-"))
    except ValueError:
        return None
