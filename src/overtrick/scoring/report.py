"""The published form of a scored session. Independent of files and formats."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from overtrick.bridge import Deal, Outcome, Played, Seat, Side, Tricks, Weighted, vulnerability
from overtrick.bridge.outcome import write_overtricks
from overtrick.doubledummy.lines import LineOfPlay, PlayFigures
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.points import Units, exact, percentage, to_points
from overtrick.scoring.ranking import Standing
from overtrick.scoring.rules import title
from overtrick.scoring.scored import Scored
from overtrick.scoring.session import ScoredLine, ScoredTraveller, SideScore

if TYPE_CHECKING:
    from overtrick.scoring.more_rankings import NamedRanking
    from overtrick.scoring.player_list import PlayerList


def field_title(field: str) -> str:
    """Return the title of a field: its name, or the number of its scoring group.

    >>> field_title("2"), field_title("Open")
    ('Group 2', 'Open')
    """
    return f"Group {field}" if field.replace(".", "").isdigit() else field


@dataclass(frozen=True, slots=True)
class ReportPlayer:
    """A player, with the number that the federation assigned; empty if unknown."""

    name: str
    number: str = ""

    @property
    def key(self) -> str:
        """Return the key by which the player is known across sessions."""
        return player_key(self.number, self.name)


def player_key(number: str, name: str) -> str:
    """Return the key of a player across sessions: the member number, or the name where there is no number.

    Two people with the same name and no number have one key. It is empty if neither is known.

    >>> player_key("00123", "Ann Lee"), player_key("", " Ann  Lee"), player_key("", "")
    ('#123', '~ann lee', '')
    """
    if number.strip():
        return f"#{number.strip().lstrip('0') or '0'}"
    words = " ".join(name.casefold().split())
    return f"~{words}" if words else ""


@dataclass(frozen=True, slots=True)
class ReportDeal:
    """The deal of a board, with its double-dummy tricks and par if they are known."""

    deal: Deal
    tricks: Tricks | None = None
    par: str = ""
    """The side and its score as in PBN: EW 140; empty if unknown."""
    par_contracts: str = ""
    """The par contracts, as they are printed."""


@dataclass(frozen=True, slots=True)
class RecordedPlay:
    """The calls and cards that were recorded of a board at one table, in order, each with its seat."""

    calls: tuple[tuple[Seat, str], ...] = ()
    """As `bridge` prints them, or SkipBid for a call that nobody saw."""
    cards: tuple[tuple[Seat, str], ...] = ()
    """As `bridge` prints them, or Hx for a small heart."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """A board on a score card, as the contestant saw it."""

    line: Line
    side: Side
    score: SideScore | None
    running: float | None
    """The percentage so far, or the points if there is no top; None before the first counted board."""
    adjustment: int = 0
    """The contestant's penalties and bonuses for this board, in units; `running` includes them, `score` does not."""

    @property
    def opponents(self) -> Contestant:
        """Return the opponents; in an individual, the first of the two."""
        return self.line.contestant(self.side.opponents)

    @property
    def table_score(self) -> int | None:
        """Return the contestant's own score; None for an outcome without one."""
        ns = self.line.score_for(self.side)
        return ns if ns is None or self.side is Side.NS else -ns


@dataclass(frozen=True, slots=True)
class Frequency:
    """A score on a board: how often it occurred, and its points. Weighted scores make the frequency fractional."""

    ns_score: int
    times: Units
    ns: SideScore
    ew: SideScore
    version: str = ""
    """The version of the cards of a fouled board."""


def provisional_words(until: datetime | None, *, is_appeal_pending: bool) -> str:
    """Return the reasons why results may change; empty if they are final.

    >>> provisional_words(None, is_appeal_pending=True)
    'An appeal is pending.'
    """
    words = [] if until is None else [f"Provisional until {until.astimezone():%Y-%m-%d %H:%M}."]
    return " ".join([*words, "An appeal is pending."] if is_appeal_pending else words)


class RulingKind(Enum):
    """The kind of a ruling."""

    SPLIT = "split score"
    WEIGHTED = "weighted score"
    AWARD = "award"
    CANCELLED = "cancelled"
    NOT_PLAYED = "not played"
    PENDING = "ruling pending"
    RESULT = "result"
    """A result that the director corrected or confirmed, with a note."""
    ADJUSTMENT = "adjustment"
    MATCH = "match"
    FOULED = "fouled board"
    STATUS = "standing"


@dataclass(frozen=True, slots=True)
class ReportRuling:
    """A decision of the director, as it is published."""

    kind: RulingKind
    words: str
    reason: str = ""
    board: int | None = None
    contestants: tuple[Contestant, ...] = ()
    line: Line | None = None
    """The result that it is about; None if it is not about one result."""
    at_table: str = ""
    """The result at the table, before the ruling."""
    appeal: str = ""
    """The state of an appeal: pending or decided; empty without one."""
    is_counted: bool = True
    """False for an adjustment in a unit that the ranking does not have."""
    round: int | None = None
    """The round of a penalty or bonus for a match, or for a board that could be of several rounds."""


@dataclass(frozen=True, slots=True)
class Report:
    """A scored session with everything that is published about it."""

    title: str
    scored: Scored
    club: str = ""
    club_number: str = ""
    played_on: date | None = None
    players: Mapping[Contestant, tuple[ReportPlayer, ...]] = field(default_factory=dict)
    team_names: Mapping[Contestant, str] = field(default_factory=dict)
    hands: Mapping[tuple[str, int], ReportDeal] = field(default_factory=dict)
    """The deals, by field and board."""
    plays: Mapping[tuple[str, int, int, int], RecordedPlay] = field(default_factory=dict)
    """The recorded auctions and plays, by the key of the line."""
    figures: Mapping[LineOfPlay, PlayFigures] = field(default_factory=dict, compare=False)
    """The double dummy figures of leads and plays, if they were computed."""
    rulings: tuple[ReportRuling, ...] = ()
    provisional_until: datetime | None = None
    """The end of the correction period."""
    further: "tuple[NamedRanking, ...]" = ()
    """The additional rankings: with handicaps, by strata, by club and so on."""
    player_list: "PlayerList | None" = field(default=None, compare=False)
    """The details of the session's players, if there are any."""

    @property
    def is_individual(self) -> bool:
        """Return whether the contestants are players."""
        return any(
            scored.line.south for traveller in self.scored.travellers[:1] for scored in traveller.lines
        )

    @property
    def decimals(self) -> int:
        """Return the number of decimals with which points and percentages are printed."""
        return self.scored.rules.decimals

    def score_text(self, standing: Standing) -> str:
        """Return the percentage of a standing, or its points if there is no top, with the unit."""
        if standing.percentage is None:
            return f"{standing.points_text} {self.scored.point}"
        return f"{standing.percentage_text} %"

    def _points_text(self, score: SideScore) -> str:
        points = score.points_text(self.decimals)
        return f"{points} of {score.top / score.units_per_point:g}" if score.top else points

    @property
    def rules_title(self) -> str:
        """Return the name of the rule set with the choices that were changed; and why its scale is not used, if so."""
        problem = self.scored.scale_problem
        return title(self.scored.rules) + (f". {problem} It is not used" if problem else "")

    @property
    def provisional_words(self) -> str:
        """Return the reasons why the results may change; empty if they are final."""
        is_appeal_pending = any(ruling.appeal == "pending" for ruling in self.rulings)
        return provisional_words(self.provisional_until, is_appeal_pending=is_appeal_pending)

    def ruling_words(self, ruling: ReportRuling) -> str:
        """Return a ruling in sentences, with the points of both sides."""
        contestants = " against ".join(str(contestant) for contestant in ruling.contestants)
        where = f"Board {ruling.board}" if ruling.board is not None else ""
        start = ", ".join(part for part in (where, contestants) if part)
        points = [
            f"{scored.line.contestant(side)} {self._points_text(score)}"
            for scored in self._published_lines(ruling.line)
            for side in Side
            if (score := scored.score(side)) is not None
        ] or self._adjustment_sums(ruling)
        sentences = [
            f"{start}: {ruling.words}" + (f" ({', '.join(points)})." if points else "."),
            f"At the table: {ruling.at_table}." if ruling.at_table else "",
            ruling.reason
            if ruling.reason.endswith((".", "!", "?")) or not ruling.reason
            else f"{ruling.reason}.",
            f"Appeal {ruling.appeal}." if ruling.appeal else "",
            "" if ruling.is_counted else "It does not count: the ranking has no such unit.",
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def _adjustment_sums(self, ruling: ReportRuling) -> list[str]:
        """Return the arithmetic of a penalty or bonus on its board: the score, all adjustments, and the sum."""
        if ruling.kind is not RulingKind.ADJUSTMENT or ruling.board is None or not ruling.is_counted:
            return []
        (contestant,) = ruling.contestants
        sums = {
            (scored.line.round, score.units): adjustment_sum(
                score, scored.adjustments, contestant, self.decimals
            )
            for traveller in self.scored.travellers
            if traveller.board == ruling.board
            for scored in traveller.lines
            for side in Side
            if contestant in scored.line.contestants(side)
            and scored.adjustment(contestant)
            and ruling.round in (None, scored.line.round)
            and (score := scored.score(side)) is not None
        }
        return list(sums.values())

    def _published_lines(self, line: Line | None) -> Iterator[ScoredLine]:
        """Yield the line with its points; nothing if its board is not published."""
        for traveller in self.scored.travellers if line is not None else ():
            if line is not None and (traveller.field, traveller.board) == line.traveller:
                yield from (scored for scored in traveller.lines if scored.line.key == line.key)

    def name(self, contestant: Contestant) -> str:
        """Return the name of the team, or the names of the players; empty if unknown."""
        team = self.team_names.get(contestant)
        return team or " – ".join(player.name for player in self.players.get(contestant, ()))

    def standings(self) -> Iterator[tuple[str, Standing]]:
        """Yield each standing of the session's rankings with its field; standings without a rank included."""
        for ranking in self.scored.rankings:
            for standing in ranking.standings:
                yield ranking.field, standing

    def contestants(self) -> list[Contestant]:
        """Return the contestants on the travellers, sorted as in lists."""
        everyone = {
            contestant
            for traveller in self.scored.travellers
            for scored in traveller.lines
            for side in Side
            for contestant in scored.line.contestants(side)
        }
        return sorted(everyone, key=lambda contestant: contestant.place_in_list)

    def score_cards(self) -> dict[Contestant, tuple[CardLine, ...]]:
        """Return the score card of each contestant, by round and board."""
        boards: dict[Contestant, list[tuple[ScoredLine, Side, int]]] = {}
        for traveller in self.scored.travellers:
            for scored in traveller.lines:
                for side in Side:
                    for contestant in scored.line.contestants(side):
                        boards.setdefault(contestant, []).append(
                            (scored, side, scored.adjustment(contestant))
                        )
        return {contestant: tuple(_running(played)) for contestant, played in boards.items()}


def _running(boards: list[tuple[ScoredLine, Side, int]]) -> Iterator[CardLine]:
    units = top = 0
    counted: set[tuple[int, int]] = set()
    for scored, side, adjustment in sorted(
        boards, key=lambda entry: (entry[0].line.round, entry[0].line.board)
    ):
        line, score = scored.line, scored.score(side)
        # A team plays a board at two tables, but it counts once.
        if score is not None and (line.round, line.board) not in counted:
            units += score.units + adjustment
            top += score.top
            counted.add((line.round, line.board))
        running = None
        if counted:
            running = percentage(units, top) if top else to_points(units)
        yield CardLine(line, side, score, running, adjustment)


def frequencies(traveller: ScoredTraveller) -> list[Frequency]:
    """Return the scores on a board, best for North-South first; a fouled board has them by version of the cards.

    Separate results for the two sides are left out. The parts of a weighted score add to the frequency of equal scores;
    a part that no other table scored has no value of its own and is left out.
    """
    scores: dict[tuple[str, int], list[tuple[SideScore, SideScore]]] = {}
    parts: dict[tuple[str, int], Fraction] = {}
    for scored in traveller.lines:
        version = scored.line.version
        if scored.line.ew_outcome is None and scored.ns is not None:
            for weight, part in scored.line.weighted_score_for(Side.NS) or ():
                parts[version, part] = parts.get((version, part), Fraction(0)) + weight
        ns_score = scored.line.outcome.ns_score(vulnerability(traveller.board))
        if (
            ns_score is not None
            and scored.line.ew_outcome is None
            and scored.ns is not None
            and scored.ew is not None
        ):
            scores.setdefault((version, ns_score), []).append((scored.ns, scored.ew))
    return [
        Frequency(score, exact(len(sides) + parts.get((version, score), 0), 1), *sides[0], version)
        for (version, score), sides in sorted(scores.items(), key=lambda item: (item[0][0], -item[0][1]))
    ]


def adjustment_sum(
    score: SideScore, adjustments: Iterable[tuple[Contestant, int]], contestant: Contestant, decimals: int = 2
) -> str:
    """Return a score with the adjustments of a contestant added up, with at least two decimals.

    >>> one = Contestant("A", 1)
    >>> adjustment_sum(SideScore(110000, 220000), [(one, -22000), (one, -5000)], one)
    '11 - 2.2 - 0.5 = 8.3'
    """
    own_adjustments = [units for adjusted, units in adjustments if adjusted == contestant]

    def text(units: int) -> str:
        return replace(score, units=units).points_text(max(2, decimals))

    words = "".join(f" {'-' if units < 0 else '+'} {text(abs(units))}" for units in own_adjustments)
    return f"{text(score.units)}{words} = {text(score.units + sum(own_adjustments))}"


OUTCOME_WORDS = {"Pass": "Passed out", "NP": "Not played", "Arbitral": "Ruling pending"}
"""The words for outcomes without a contract, by their notation."""


def outcome_words(outcome: Outcome) -> str:
    """Return an outcome as it is printed.

    >>> outcome_words(Outcome.parse("4SxN+1")), outcome_words(Outcome.parse("Pass"))
    ('4♠x N +1', 'Passed out')
    >>> outcome_words(Outcome.parse("60% 4SN=, 40% 4SN-1"))
    '60 % of 4♠ N =, 40 % of 4♠ N -1'
    """
    if isinstance(outcome, Weighted):
        return ", ".join(f"{percent} % of {outcome_words(part)}" for percent, part in outcome.parts)
    if not isinstance(outcome, Played):
        return OUTCOME_WORDS.get(str(outcome), str(outcome))
    contract = outcome.contract
    bid = f"{contract.level}{contract.strain.symbol}{contract.doubling.sign}"
    return f"{bid} {contract.declarer.value} {write_overtricks(outcome.overtricks)}"


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a traveller for an outcome."""

    contract: str
    declarer: str
    result: str


def result_columns(line: Line, side: Side = Side.NS) -> ResultColumns:
    """Return the columns of a traveller for the outcome that counts for a side.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("A", 1), Contestant("A", 2)
    >>> result_columns(Line(1, one, two, Outcome.parse("4SxN+1")))
    ResultColumns(contract='4♠x', declarer='N', result='+1')
    >>> result_columns(Line(1, one, two, Outcome.parse("60-40")))
    ResultColumns(contract='60-40', declarer='', result='')
    """
    outcome = line.outcome_for(side)
    if not isinstance(outcome, Played):
        return ResultColumns(outcome_words(outcome), "", "")
    contract = outcome.contract
    result = f"{outcome.overtricks:+d}" if outcome.overtricks else "="
    words = f"{contract.level}{contract.strain.symbol}{contract.doubling.sign}"
    return ResultColumns(words, contract.declarer.value, result)


def file_name(text: str) -> str:
    """Return a text as part of a file name: all but ASCII letters and digits are replaced by their code points."""
    return re.sub(r"[^A-Za-z0-9]", lambda match: f"_{ord(match[0]):x}_", text)


def without_names(report: Report, hidden: Collection[str]) -> Report:
    """Return a report without the names of players with these keys; "Player" stands for one with a named partner.

    A pair of two hidden players is named by its number.
    """
    if not hidden:
        return report
    players = {
        contestant: visible_players(people, [player for player in people if player.key in hidden])
        for contestant, people in report.players.items()
    }
    return replace(report, players=players)


def visible_players(
    people: Sequence[ReportPlayer], hidden: Collection[ReportPlayer]
) -> tuple[ReportPlayer, ...]:
    """Return players with "Player" instead of the names of hidden ones; empty if all are hidden."""
    if all(player in hidden for player in people):
        return ()
    return tuple(ReportPlayer("Player") if player in hidden else player for player in people)


def board_page(field: str, board: int) -> str:
    """Return the file name of a board's page.

    >>> board_page("1", 7), board_page("", 7)
    ('board-1-7.html', 'board-7.html')
    """
    return f"board-{file_name(field)}-{board}.html" if field else f"board-{board}.html"


def card_page(contestant: Contestant) -> str:
    """Return the file name of a contestant's score card.

    >>> card_page(Contestant("A", 3, Side.NS)), card_page(Contestant("A", 3))
    ('card-A3-ns.html', 'card-A3.html')
    """
    side = f"-{contestant.side.value.lower()}" if contestant.side else ""
    return f"card-{file_name(contestant.section)}{contestant.number}{side}.html"
