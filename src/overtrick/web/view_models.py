"""View models of sessions: the lines that pages show. Read-only; has no dependency on HTML."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from overtrick.bridge import Award, Card, Outcome, Played, Seat, Side, Weighted, vulnerability
from overtrick.bridge.outcome import write_overtricks
from overtrick.digits import parse_digits
from overtrick.event import Session
from overtrick.event.further_rankings import FurtherRankingsSet
from overtrick.event.movement import boards_to_play
from overtrick.event.place import Place
from overtrick.event.results import ResultErased, ResultRecorded, Suspicion
from overtrick.event.rulings import rules_of
from overtrick.event.seating import SessionPlayer, chair_holder, line_up
from overtrick.event.setup import GameKind, Status
from overtrick.scoring import Contestant
from overtrick.scoring.more_rankings import NamedRanking, further_rankings
from overtrick.scoring.ranking import Ranking, Standing
from overtrick.scoring.report import Report, ReportPlayer, outcome_words, player_key, without_names
from overtrick.scoring.session import ScoredTraveller
from overtrick.views import (
    SeatingLine,
    SessionView,
    TableProgress,
    board_monitor,
    missing_results,
    round_monitor,
    seating,
)
from overtrick.views.report import prepare_report

SEAT_NAMES = {Seat.NORTH: "North", Seat.SOUTH: "South", Seat.EAST: "East", Seat.WEST: "West"}


def write_place(place: Place) -> str:
    """Return a place as text for addresses and forms.

    >>> write_place(("A", 3, 2, 14)), read_place("A-3-2-14")
    ('A-3-2-14', ('A', 3, 2, 14))
    """
    return "-".join(str(part) for part in place)


def read_place(text: str) -> Place | None:
    """Parse a place; return None if the text is not one."""
    section, *numbers = text.split("-")
    if len(numbers) != 3:
        return None
    table, round_, board = (parse_digits(number, 5) for number in numbers)
    if table is None or round_ is None or board is None:
        return None
    return section, table, round_, board


def contract_words(outcome: Outcome | None) -> str:
    """Return an outcome in words; a dash for None.

    >>> contract_words(Outcome.parse("4SxN+1")), contract_words(Outcome.parse("Pass")), contract_words(None)
    ('4♠x N +1', 'Passed out', '–')
    >>> contract_words(Outcome.parse("60 % of 4SN=, 40 % of 4SN-1"))
    '60 % of 4♠ N =, 40 % of 4♠ N -1'
    """
    return "–" if outcome is None else outcome_words(outcome)


def sides_words(ns: Outcome | None, ew: Outcome | None) -> str:
    """Return an outcome in words, for each side where they differ; `ew` None means the same outcome for both.

    >>> sides_words(Outcome.parse("4SN="), Outcome.parse("60-60"))
    '4♠ N = for N-S, 60 % for E-W'
    """
    if ew is None:
        return contract_words(ns)
    words = [
        f"{outcome.ns if side is Side.NS else outcome.ew} %"
        if isinstance(outcome, Award)
        else contract_words(outcome)
        for side, outcome in ((Side.NS, ns), (Side.EW, ew))
    ]
    return f"{words[0]} for N-S, {words[1]} for E-W"


def contract_parts(outcome: Outcome | None) -> dict[str, str]:
    """Return the form fields of a contract and its tricks; empty strings for an outcome without a contract.

    >>> contract_parts(Outcome.parse("4SxN+1"))
    {'level': '4', 'strain': 'S', 'doubling': 'x', 'declarer': 'N', 'tricks': '+1'}
    """
    if not isinstance(outcome, Played):
        return dict.fromkeys(("level", "strain", "doubling", "declarer", "tricks"), "")
    contract = outcome.contract
    return {
        "level": str(contract.level),
        "strain": contract.strain.letter,
        "doubling": contract.doubling.sign,
        "declarer": contract.declarer.value,
        "tricks": write_overtricks(outcome.overtricks),
    }


def erased_words(session: Session, fact: ResultErased) -> str:
    """Return the result that a fact would erase in words, with its place."""
    outcome = session.results.standing[fact.place].outcome
    return (
        f"Table {fact.section}{fact.table}, round {fact.round}, board {fact.board}: {contract_words(outcome)}"
    )


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line of the results tab: a board at a table, with or without a result."""

    place: Place
    ns: int
    ew: int
    outcome: Outcome | None
    outcome_ew: Outcome | None
    score: int | None
    share: float | None
    lead: Card | None
    suspicion: Suspicion
    origin: str
    time: str
    is_erased: bool
    is_wrong_direction: bool = False

    @property
    def section(self) -> str:
        """Return the section."""
        return self.place[0]

    @property
    def table(self) -> int:
        """Return the table."""
        return self.place[1]

    @property
    def round(self) -> int:
        """Return the round."""
        return self.place[2]

    @property
    def board(self) -> int:
        """Return the board."""
        return self.place[3]

    @property
    def key(self) -> str:
        """Return the place as text for addresses and forms."""
        return write_place(self.place)

    @property
    def words(self) -> str:
        """Return the outcome in words."""
        return contract_words(self.outcome)

    @property
    def has_result(self) -> bool:
        """Return whether there is a result for at least one side."""
        return self.outcome is not None or self.outcome_ew is not None

    @property
    def is_ruling(self) -> bool:
        """Return whether the result is split or weighted."""
        return self.outcome_ew is not None or isinstance(self.outcome, Weighted)

    @property
    def both_words(self) -> str:
        """Return the outcome in words, for each side where they differ."""
        return sides_words(self.outcome, self.outcome_ew)


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """The filter and order of the results tab."""

    section: str = ""
    table: int = 0
    round: int = 0
    board: int = 0
    pair: int = 0
    show: str = "entered"
    """entered, missing, suspicious or all."""
    sort: str = "newest"

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "ResultFilter":
        """Parse a filter from query parameters; ignore invalid ones."""
        show, sort = query.get("show", ""), query.get("sort", "")
        return cls(
            section=query.get("section", "")[:3],
            table=_number(query.get("table", "")),
            round=_number(query.get("round", "")),
            board=_number(query.get("board", "")),
            pair=_number(query.get("pair", "")),
            show=show if show in ("missing", "suspicious", "all") else "entered",
            sort=sort if sort in SORTS else "newest",
        )

    def accepts(self, line: ResultLine) -> bool:
        """Return whether a line passes the filter."""
        return (
            (not self.section or line.section == self.section)
            and (not self.table or line.table == self.table)
            and (not self.round or line.round == self.round)
            and (not self.board or line.board == self.board)
            and (not self.pair or self.pair in (line.ns, line.ew))
            and {
                "entered": line.outcome is not None or line.outcome_ew is not None,
                "missing": line.outcome is None and line.outcome_ew is None,
                "suspicious": line.suspicion is Suspicion.SUSPICIOUS,
                "all": True,
            }[self.show]
        )


SORTS = {
    "newest": "Newest first",
    "table": "By table",
    "board": "By board",
    "round": "By round",
    "score": "By score",
}


def _number(text: str) -> int:
    return parse_digits(text, 5) or 0


def result_lines(view: SessionView, result_filter: ResultFilter) -> list[ResultLine]:
    """Return the boards at all tables that a filter accepts, in its order."""
    session = view.session
    shares: dict[Place, float | None] = {}
    for traveller in field_travellers(view):
        for scored in traveller.lines:
            shares[scored.line.key] = scored.ns.percentage if scored.ns else None
    lines = []
    for place in sorted(boards_to_play(session)):
        line = _result_line(session, place, shares.get(place))
        if result_filter.accepts(line):
            lines.append(line)
    if result_filter.sort == "newest":
        ages = {place: number for number, place in enumerate(session.results.standing)}
        times = {place: result.at for place, result in session.results.standing.items()}
        lines.sort(
            key=lambda line: (
                line.place in times,
                times[line.place].timestamp() if line.place in times else 0,
                ages.get(line.place, 0),
            ),
            reverse=True,
        )
    elif result_filter.sort == "score":
        lines.sort(key=lambda line: (line.score is None, -(line.score or 0)))
    else:
        order = {"table": (0, 1, 2, 3), "board": (3, 0, 2, 1), "round": (2, 0, 1, 3)}[result_filter.sort]
        lines.sort(key=lambda line: tuple(line.place[part] for part in order))
    return lines


def result_line(view: SessionView, place: Place) -> ResultLine | None:
    """Return one board at one table, without its percentage; None if the movement has no such place."""
    if place not in set(boards_to_play(view.session)):
        return None
    return _result_line(view.session, place, None)


def _result_line(session: Session, place: Place, share: float | None) -> ResultLine:
    section, table, number, board = place
    result: ResultRecorded | None = session.results.standing.get(place)
    played = session.movement.round(section, table, number)
    ns, ew = (result.ns, result.ew) if result else (played.ns, played.ew) if played else (0, 0)
    outcome = result.outcome if result else None
    return ResultLine(
        place,
        ns,
        ew,
        outcome,
        result.outcome_ew if result else None,
        outcome.ns_score(vulnerability(board)) if outcome else None,
        share,
        result.lead if result else None,
        result.suspicion if result else Suspicion.NONE,
        result.origin.value if result else "",
        f"{result.at.astimezone():%H:%M}" if result else "",
        place in session.results.erased,
        result.is_wrong_direction if result else False,
    )


def field_travellers(view: SessionView) -> Iterator[ScoredTraveller]:
    """Yield every traveller of a session that has results, with its points so far."""
    session = view.session
    if any(group.method.is_teams for group in session.setup.groups.values()):
        for number in session.setup.groups:
            yield from view.scored(number).travellers
        return
    boards = {
        (view.field_of(place[0], place[1]), place[3], session.setup.sections[place[0]].group)
        for place in session.results.standing
    }
    for field, board, group in sorted(boards):
        yield view.traveller(group, board, field)


# The ranking ------------------------------------------------------------------------------------------------------


NAME_SEPARATOR = " – "
"""The separator between two names."""


@dataclass(frozen=True, slots=True)
class RankingLine:
    """A line of the running ranking."""

    rank: str
    contestant: Contestant
    names: str
    score: str
    boards: int
    value: float | None
    """The score as a number; None before there is anything to compare."""
    adjustment: float = 0.0
    """Penalties and bonuses in points; the score includes them."""

    @property
    def label(self) -> str:
        """Return the contestant's label."""
        return f"{self.contestant.section}{self.contestant.number}"

    @property
    def place(self) -> int:
        """Return the rank as a number, 0 if there is none; contestants that share a rank have the same."""
        return parse_digits(self.rank.removesuffix("=")) or 0

    @property
    def is_shared(self) -> bool:
        """Return whether others have the same rank."""
        return self.rank.endswith("=")

    @property
    def people(self) -> str:
        """Return the names with no-break spaces, so that a line breaks only between two people."""
        return NAME_SEPARATOR.join(
            name.replace(" ", "\N{NO-BREAK SPACE}") for name in self.names.split(NAME_SEPARATOR)
        )

    @property
    def key(self) -> str:
        """Return a key that is unique in the ranking."""
        side = self.contestant.side
        return f"{self.label}{side.value}" if side else self.label


@dataclass(frozen=True, slots=True)
class RankingTable:
    """A ranking with its title."""

    title: str
    unit: str
    lines: tuple[RankingLine, ...]
    contestant: str
    """The noun for one contestant: Pair, Player or Team."""
    further: str = ""
    """The name of a further ranking, such as Stratum B; empty for the ranking of the session."""


def rankings(
    view: SessionView, players: Mapping[Contestant, Sequence[SessionPlayer]] | None = None
) -> list[RankingTable]:
    """Return the running rankings of every scoring group, then the further ones (handicap, strata, filters).

    Pass `players` to avoid looking them up again.
    """
    players = view.players() if players is None else players
    groups = view.session.setup.groups
    tables: list[RankingTable] = []
    further: list[RankingTable] = []
    for number, group in sorted(groups.items()):
        group_rankings = view.rankings(number)
        further_of_group = _further(view, number, group_rankings, players)
        has_top = view.has_top(number)
        noun = _contestant_noun(view.session, number)
        for words, ranking in (
            *(("", named) for named in group_rankings),
            *((named.title, named.ranking) for named in further_of_group),
        ):
            title = [words] if words else []
            if len(groups) > 1:
                title.append(group.name or f"Group {number}")
            if ranking.side:
                title.append("North-South" if ranking.side.value == "NS" else "East-West")
            (further if words else tables).append(
                RankingTable(
                    " · ".join(title) or "Ranking",
                    "%" if has_top else view.point(number),
                    tuple(
                        RankingLine(
                            standing.rank_text,
                            standing.contestant,
                            NAME_SEPARATOR.join(
                                player.name for player in players.get(standing.contestant, ())
                            ),
                            _figure(standing, has_top=has_top),
                            standing.boards,
                            standing.percentage if has_top else standing.points,
                            standing.adjustment / standing.units_per_point,
                        )
                        for standing in ranking.standings
                    ),
                    noun,
                    words,
                )
            )
    return [*tables, *(table for table in further if table.lines)]


def _contestant_noun(session: Session, group: int) -> str:
    if session.setup.groups[group].method.is_teams:
        return "Team"
    games = {section.game for section in session.setup.sections.values() if section.group == group}
    return "Player" if games == {GameKind.INDIVIDUAL} else "Pair"


def _further(
    view: SessionView,
    number: int,
    group_rankings: Iterable[Ranking],
    players: Mapping[Contestant, Sequence[SessionPlayer]],
) -> tuple[NamedRanking, ...]:
    """Return the further rankings of a scoring group; most sessions have none."""
    further, opened = view.session.further, view.session.opened
    if further.chosen == FurtherRankingsSet():
        return ()
    people = {
        contestant: [ReportPlayer(player.name, player.number) for player in seated]
        for contestant, seated in players.items()
    }
    return further_rankings(
        group_rankings,
        people,
        further.players(),
        further.chosen.rankings,
        rules=view.options(number).rules,
        year=opened.day.year,
    )


def _figure(standing: Standing, *, has_top: bool) -> str:
    """Return the score of a standing; a dash before there is any comparison."""
    return standing.percentage_text if has_top else standing.points_text


# Rounds and seats -------------------------------------------------------------------------------------------------


def current_round(view: SessionView, monitor: Sequence[TableProgress] | None = None) -> int:
    """Return the round of the median table, or the last drawn round when all have finished."""
    lines = round_monitor(view) if monitor is None else monitor
    rounds = sorted(line.round for line in lines if line.round)
    if rounds:
        return rounds[len(rounds) // 2]
    return last_drawn(view.session)


def last_round(session: Session) -> int:
    """Return the number of rounds of the section with the most."""
    return max((session.movement.rounds(section) for section in session.setup.sections), default=0)


def last_drawn(session: Session) -> int:
    """Return the last round with a seating; a Swiss session may have more rounds to draw."""
    return max(
        (
            number
            for table in session.movement.tables.values()
            for number, played in enumerate(table.rounds, start=1)
            if played.ns or played.ew
        ),
        default=0,
    )


def pairs_of(session: Session, section: str) -> list[tuple[int, str]]:
    """Return the pairs of a section in order, each with its side: "NS" or "EW" with two winners, else empty."""
    has_two_winners = session.winners(section) == 2
    pairs: set[tuple[int, str]] = set()
    for table in session.movement.section(section).values():
        for played in table.rounds:
            pairs |= {
                (played.ns, "NS" if has_two_winners else ""),
                (played.ew, "EW" if has_two_winners else ""),
            }
    return sorted((pair for pair in pairs if pair[0]), key=lambda pair: (pair[1] != "NS", pair[0]))


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """The seat where a player starts, with the pair's number and the player, if known."""

    seat: Seat
    pair: int
    player: SessionPlayer | None


def first_seats(session: Session, section: str) -> dict[int, list[SeatHolder]]:
    """Return the seats of round 1 by table, in the order North, South, East, West; skip tables without a pair."""
    present = line_up(session, section, 1)
    by_table: dict[int, list[SeatHolder]] = {}
    for table, plan in session.movement.section(section).items():
        chairs = [
            SeatHolder(seat, plan.rounds[0].number(seat), present.get((table, seat)))
            for seat in SEAT_NAMES
            if plan.rounds and plan.rounds[0].number(seat)
        ]
        if chairs:
            by_table[table] = chairs
    return by_table


@dataclass(frozen=True, slots=True)
class LateSeats:
    """The seats of players who start after round 1, with their table and round."""

    table: int
    round: int
    chairs: tuple[SeatHolder, ...]


def latecomers(session: Session, section: str) -> list[LateSeats]:
    """Return the seats of players who start after round 1, in the order of rounds."""
    tables = session.movement.section(section)
    seen: set[tuple[object, bool]] = set()
    late_seats = []
    for number in range(1, session.movement.rounds(section) + 1):
        for table, plan in tables.items():
            played = plan.rounds[number - 1] if number <= len(plan.rounds) else None
            occupied = [seat for seat in SEAT_NAMES if played is not None and played.number(seat)]
            holders = {seat: chair_holder(session, section, played, seat) for seat in occupied if played}
            new_seats = [seat for seat, holder in holders.items() if holder not in seen]
            seen.update(holders.values())
            if new_seats and played and number > 1:
                present = line_up(session, section, number)
                chairs = (
                    SeatHolder(seat, played.number(seat), present.get((table, seat))) for seat in new_seats
                )
                late_seats.append(LateSeats(table, number, tuple(chairs)))
    return late_seats


def sit_outs(session: Session, section: str, first: int = 1) -> list[tuple[int, str]]:
    """Return the rounds from `first` on in which pairs of a section sit out, each with the pairs in words."""
    has_two_winners = session.winners(section) == 2
    rounds = []
    for number in range(first, session.movement.rounds(section) + 1):
        pairs = [
            f"{'N-S ' if line.ns else 'E-W '}{line.ns or line.ew}"
            if has_two_winners
            else str(line.ns or line.ew)
            for line in seating(session, section, number)
            if line.is_sit_out
        ]
        if pairs:
            rounds.append((number, ", ".join(pairs)))
    return rounds


@dataclass(frozen=True, slots=True)
class MissingLine:
    """A table with missing results: their number, and the rounds and boards in words."""

    table: str
    results: int
    words: str


def missing_lines(session: Session) -> list[MissingLine]:
    """Return the tables with missing results; a round in which all are missing is named without its boards."""
    tables: dict[tuple[str, int], dict[int, list[int]]] = {}
    for section, table, number, board in missing_results(session):
        tables.setdefault((section, table), {}).setdefault(number, []).append(board)
    lines = []
    for (section, table), rounds in tables.items():
        planned = session.movement.tables[section, table].rounds
        whole = [
            number for number, boards in rounds.items() if len(boards) == len(planned[number - 1].boards)
        ]
        words = [
            f"board{'' if len(boards) == 1 else 's'} {boards_text(boards)} of round {number}"
            for number, boards in rounds.items()
            if number not in whole
        ]
        if whole:
            words.append(f"round{'' if len(whole) == 1 else 's'} {boards_text(whole)}")
        lines.append(MissingLine(f"{section}{table}", sum(map(len, rounds.values())), "; ".join(words)))
    return lines


# Publication ------------------------------------------------------------------------------------------------------


def complete_boards(view: SessionView) -> set[tuple[str, int]]:
    """Return the (field, board) pairs that all tables have played."""
    return {(line.field, line.board) for line in board_monitor(view) if line.played == line.expected}


def published_boards(view: SessionView) -> set[tuple[str, int]]:
    """Return the (field, board) pairs to publish: boards that all tables have played; all in a finished session."""
    if view.session.setup.status is Status.FINISHED:
        return {(line.field, line.board) for line in board_monitor(view)}
    return complete_boards(view)


def public_groups(session: Session) -> list[int | None]:
    """Return the scoring groups with reports of their own; only None, for all together, if they score alike."""
    groups = session.setup.groups
    scorings = {
        (setup.method, replace(rules_of(session, number), group=0)) for number, setup in groups.items()
    }
    return [*sorted(groups)] if len(scorings) > 1 else [None]


def prepare_public_report(
    view: SessionView, group: int | None, hidden: Collection[str]
) -> Callable[[], Report]:
    """Return a function that makes the public report: the whole ranking, and the published boards.

    The report does not name the players whose keys are in `hidden`. Read everything from the session now, so that the
    function can run in another thread.
    """
    prepared = prepare_report(view, group=group)
    published = published_boards(view)

    def make() -> Report:
        report = without_names(prepared(), hidden)
        travellers = tuple(
            traveller
            for traveller in report.scored.travellers
            if (traveller.field, traveller.board) in published
        )
        shown = {scored.line.key for traveller in travellers for scored in traveller.lines}
        return replace(
            report,
            scored=replace(report.scored, travellers=travellers),
            hands={key: hand for key, hand in report.hands.items() if key in published},
            plays={key: play for key, play in report.plays.items() if key in shown},
            rulings=tuple(
                ruling
                for ruling in report.rulings
                if ruling.board is None
                or (
                    ruling.line.traveller in published
                    if ruling.line is not None
                    else ruling.board in {board for _, board in published}
                )
            ),
        )

    return make


def published_players(
    players: Mapping[Contestant, Sequence[SessionPlayer]], hidden: Collection[str]
) -> dict[Contestant, Sequence[SessionPlayer]]:
    """Return the players of contestants without the names of those with these keys, as `without_names` does."""
    published: dict[Contestant, Sequence[SessionPlayer]] = {}
    for contestant, people in players.items():
        are_hidden = [player_key(player.number, player.name) in hidden for player in people]
        named = [
            SessionPlayer("", "Player") if is_hidden else player
            for player, is_hidden in zip(people, are_hidden, strict=True)
        ]
        published[contestant] = () if all(are_hidden) else named
    return published


def published_seating(line: SeatingLine, hidden: Collection[str]) -> SeatingLine:
    """Return the seating of a table without the names of players with these keys."""
    return replace(
        line,
        players=tuple(
            (seat, player)
            for seat, player in line.players
            if player_key(player.number, player.name) not in hidden
        ),
    )


def boards_text(boards: Iterable[int]) -> str:
    """Return boards as text.

    >>> boards_text((1, 2, 3, 4)), boards_text((3, 7)), boards_text(())
    ('1–4', '3, 7', '')
    """
    listed = list(boards)
    if len(listed) > 2 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{listed[0]}–{listed[-1]}"
    return ", ".join(str(board) for board in listed)
