"""The snapshot of a table that lets its terminal run without the network. Taken from a view and stored on the device.

It holds plain values (outcomes and deals are texts), so that it can be written as JSON and read back. A device gets no
deal that its rules do not need: those of boards still to be played only if leads or recorded cards are checked against
them, or if hands are shown while recording.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overtrick.bridge import Seat, Side
from overtrick.control.rules import TerminalRules, rules_of
from overtrick.event import Session
from overtrick.event.calls import CallStatus
from overtrick.event.held_entries import last_enterable_round, open_rounds
from overtrick.event.movement import Round, contestant, is_played, without_missing_pair
from overtrick.event.place import Place
from overtrick.event.results import Origin
from overtrick.event.seating import line_up
from overtrick.event.settings import (
    NameSource,
    NumberEntry,
    ShowRanking,
    SummaryPoints,
    ViewResults,
)
from overtrick.event.setup import GameKind, Generation, Status
from overtrick.scoring import Contestant, ScoredLine
from overtrick.scoring.points import short_figure
from overtrick.scoring.ranking import Standing
from overtrick.scoring.report import card_page
from overtrick.views import (
    ContestantSeat,
    Itineraries,
    SessionView,
    itineraries,
    next_seating,
    seat_after_sit_out,
)
from overtrick.views.player_results import players_of

_UP_TO_SECOND = (Generation.PRO, Generation.II)


@dataclass(frozen=True, slots=True)
class TableRound:
    """A round at this table as it is played; the number of a missing pair is 0."""

    number: int
    ns: int
    ew: int
    south: int
    west: int
    boards: tuple[int, ...]
    is_played: bool

    def at(self, seat: Seat) -> int:
        """Return the number of the pair, or in an individual of the player, at this seat."""
        return Round(self.ns, self.ew, (), self.south, self.west).number(seat)


@dataclass(frozen=True, slots=True)
class SeatedPlayer:
    """A known player at a seat in a round."""

    round: int
    seat: Seat
    number: str
    name: str


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A result of this table; the outcome as text, empty if only East-West has one."""

    round: int
    board: int
    outcome: str
    lead: str = ""
    is_wrong_direction: bool = False
    is_unconfirmed: bool = False
    """True if an entry for the board waits for the director; `outcome` then already holds an entered result."""
    is_ahead: bool = False
    """True if the result, such as an award, was entered for a round that the table has not reached."""


@dataclass(frozen=True, slots=True)
class BegunBoard:
    """A board whose contract was sent before its result."""

    round: int
    board: int
    contract: str
    lead: str = ""


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """A result on a board that this table has played, at any table of the field."""

    board: int
    ns: str
    ew: str
    outcome: str
    is_own: bool
    ns_points: float | None
    ns_percentage: float | None
    ew_points: float | None
    ew_percentage: float | None


@dataclass(frozen=True, slots=True)
class PairRank:
    """The current rank of a pair that plays a round at this table."""

    round: int
    side: Side
    rank: str
    score: str


@dataclass(frozen=True, slots=True)
class NextSeat:
    """The next place of a pair after a round; table 0 means none."""

    round: int
    side: Side
    section: str = ""
    table: int = 0
    next_round: int = 0
    next_side: Side = Side.NS
    is_sit_out: bool = False
    after: ContestantSeat | None = None
    """After a sit-out, the pair's next seat with opponents."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A board in the summary of a pair that finishes at this table."""

    side: Side
    board: int
    outcome: str
    points: str


@dataclass(frozen=True, slots=True)
class PlayerLink:
    """A player of a pair, with the address of the player's page; empty if there is none."""

    key: str
    name: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class FinalScore:
    """The score of a pair that has no board left; texts are empty where the rules hide them."""

    side: Side
    pair: int
    rank: str
    of: int
    """The number of pairs in its ranking."""
    score: str
    is_final: bool
    """True if the session has ended."""
    card: str
    """The file name of its score card among the results pages."""
    best: SummaryLine | None = None
    worst: SummaryLine | None = None
    players: tuple[PlayerLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All data of a terminal about its table, as of a version of the session's stream."""

    session: str
    incarnation: int
    version: int
    section: str
    table: int
    group: int
    rules: TerminalRules
    rounds: tuple[TableRound, ...] = ()
    is_waiting: bool = False
    has_ended: bool = False
    """True if the session has ended: the table plays no more boards, even if some are left."""
    terminal: str = ""
    """The id of the device that serves the table; empty if none is logged on."""
    resets: int = 0
    call: CallStatus | None = None
    call_id: str = ""
    """The id of the table's open call for the director, with which the table can take it back."""
    first_seats: tuple[Seat, ...] = ()
    """The seats whose numbers are asked for before play, including those of a pair that sits out in round 1."""
    players: tuple[SeatedPlayer, ...] = ()
    names: dict[str, str] | None = None
    results: tuple[OwnResult, ...] = ()
    begun: tuple[BegunBoard, ...] = ()
    """The boards with a contract and no result."""
    compared: tuple[ComparedLine, ...] = ()
    ranks: tuple[PairRank, ...] = ()
    onward: tuple[NextSeat, ...] = ()
    """The next places of the pairs, after each round."""
    deals: dict[int, str] | None = None
    known_deals: tuple[int, ...] = ()
    summary: tuple[SummaryLine, ...] = ()
    finals: tuple[FinalScore, ...] = ()

    def round(self, number: int) -> TableRound | None:
        """Return the round with this number, or None."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None


@dataclass(frozen=True, slots=True)
class LobbyTable:
    """A table that a terminal can log on to."""

    section: str
    table: int
    terminal: str = ""


def table_rules(session: Session, section: str, generation: Generation | None = None) -> TerminalRules:
    """Return the rules of a section's terminals: of the generation that plays, or of the third if none is named.

    If only one generation has settings, they apply to both. In the second generation `maximum_results` of the first
    section applies to all sections, as in the `.bws` guide.
    """
    second, third = session.settings.second.get(section), session.settings.third.get(section)
    playing = generation or session.opened.generation
    if second is not None and (third is None or playing in _UP_TO_SECOND):
        first = min(session.setup.sections.values(), key=lambda section_set: section_set.id).section
        common = session.settings.second.get(first, second).maximum_results
        return rules_of(replace(second, maximum_results=common))
    return rules_of(third)


def take_snapshot(
    view: SessionView,
    section: str,
    table: int,
    version: int,
    *,
    rules: TerminalRules | None = None,
    places: Itineraries | None = None,
    is_short: bool = False,
) -> Snapshot | None:
    """Return the current data for the terminal of a table; None if there is no such table.

    Pass `places`, the itineraries of all pairs, to avoid computing them for each of many tables. A short snapshot
    leaves out what a terminal keeps from a full one: ranks, summary, final scores, and the field's results of earlier
    rounds.
    """
    session = view.session
    table_rounds = session.movement.tables.get((section, table))
    if table_rounds is None:
        return None
    rules = rules or table_rules(session, section)
    setup = session.setup.sections[section]
    played = [without_missing_pair(setup, planned) for planned in table_rounds.rounds]
    rounds = tuple(
        TableRound(
            number, round_.ns, round_.ew, round_.south, round_.west, round_.boards, is_played(setup, round_)
        )
        for number, round_ in enumerate(played, start=1)
    )
    places_here = tuple(session.results.at_table(section, table))
    last_round = last_enterable_round(session, section, table)
    results = tuple(
        OwnResult(
            place[2],
            place[3],
            str(standing.outcome) if standing.outcome is not None else "",
            standing.lead.value if standing.lead else "",
            standing.is_wrong_direction,
            is_ahead=place[2] > last_round,
        )
        for place in places_here
        for standing in (session.results.standing[place],)
    )
    boards = {board for round_ in rounds for board in round_.boards}
    call = next(
        (
            call_
            for call_ in session.calls.calls.values()
            if call_.is_open and (call_.section, call_.table) == (section, table)
        ),
        None,
    )
    logged_on = session.tables.logged_on.get((section, table))
    entered = {(result.round, result.board) for result in results}
    is_done = all(
        (round_.number, board) in entered for round_ in rounds if round_.is_played for board in round_.boards
    )
    has_ended = session.setup.status is Status.FINISHED
    is_over = is_done or has_ended
    return Snapshot(
        session=session.opened.session,
        incarnation=session.opened.incarnation,
        version=version,
        section=section,
        table=table,
        group=setup.group,
        rules=rules,
        rounds=rounds,
        is_waiting=table_rounds.is_waiting and not has_ended,
        has_ended=has_ended,
        terminal=logged_on.terminal if logged_on else "",
        resets=session.tables.resets.get((section, table), 0),
        call=call.status if call else None,
        call_id=call.call if call else "",
        first_seats=_first_seats(session, section, table, rounds),
        players=_players(session, section, table, rounds),
        names=_names(session, rules),
        results=results,
        begun=tuple(
            BegunBoard(place[2], place[3], begun.contract, begun.lead.value if begun.lead else "")
            for place, begun in session.recording.contracts.items()
            if place[:2] == (section, table)
        ),
        compared=_compared(view, section, table, _boards_begun(session, places_here, is_short), rules),
        ranks=()
        if is_short
        else _ranks(view, section, _rounds_with_ranks(session, rounds, entered, is_done, rules), setup.group),
        onward=_next_seats(session, section, table, rounds, rules, places),
        deals=_deals(session, setup.group, boards, {result.board for result in results}, rules),
        known_deals=tuple(sorted(board for board in boards if (setup.group, board) in session.hands.records)),
        summary=_summary(view, section, rounds, setup.group, rules) if is_over and not is_short else (),
        finals=_finals(view, section, rounds, entered, rules) if is_over and not is_short else (),
    )


def _first_seats(
    session: Session, section: str, table: int, rounds: tuple[TableRound, ...]
) -> tuple[Seat, ...]:
    if not rounds:
        return ()
    first = rounds[0]
    present = {seat for seat in Seat if first.at(seat)}
    ew_moves = session.setup.sections[section].ew_moves
    if ew_moves:
        # East-West gives its numbers here and then moves on to the table where it plays the first round.
        numbers = list(session.movement.section(section))
        table_after_move = numbers[(numbers.index(table) + ew_moves) % len(numbers)]
        round_after_move = session.movement.round(section, table_after_move, 1)
        played_after_move = (
            without_missing_pair(session.setup.sections[section], round_after_move)
            if round_after_move
            else None
        )
        present -= set(Side.EW.seats)
        present |= {seat for seat in Side.EW.seats if played_after_move and played_after_move.number(seat)}
    return tuple(seat for seat in (*Side.NS.seats, *Side.EW.seats) if seat in present)


def _players(
    session: Session, section: str, table: int, rounds: tuple[TableRound, ...]
) -> tuple[SeatedPlayer, ...]:
    if not session.seating.chairs:
        return ()
    return tuple(
        SeatedPlayer(round_.number, seat, player.number, player.name)
        for round_ in rounds
        for (seat_table, seat), player in line_up(session, section, round_.number).items()
        if seat_table == table
    )


def _names(session: Session, rules: TerminalRules) -> dict[str, str]:
    if rules.number_entry is NumberEntry.NEVER and not rules.numbers_during_play:
        return {}
    # Names of the lookup file are sent only after a number is entered: the file may hold hundreds of thousands.
    if rules.name_source not in (NameSource.SESSION, NameSource.SESSION_THEN_LOOKUP_FILE):
        return {}
    return {player.number: player.name for player in session.seating.players.values()}


def _boards_begun(session: Session, places: tuple[Place, ...], is_short: bool) -> set[int]:
    """Return a table's boards with results in rounds that have begun; for a short snapshot only those of the last.

    A result that was entered elsewhere in advance, such as an award, does not begin a round.
    """
    if not places:
        return set()
    open_round = next(iter(open_rounds(session, *places[0][:2])), places[-1][2])
    at_the_table = (Origin.TERMINAL, Origin.ROBOT)
    standing = session.results.standing
    begun = [place for place in places if place[2] <= open_round or standing[place].origin in at_the_table]
    last = begun[-1][2] if begun else 0
    return {board for _, _, number, board in begun if number == last or not is_short}


def _compared(
    view: SessionView, section: str, table: int, boards: set[int], rules: TerminalRules
) -> tuple[ComparedLine, ...]:
    if rules.view_results is ViewResults.NONE:
        return ()
    group = view.session.setup.sections[section].group
    field = view.field_of(section, table)
    compared: list[ComparedLine] = []
    for board in sorted(boards):
        lines = view.traveller(group, board, field).lines
        is_alone = sum(scored.ns is not None or scored.ew is not None for scored in lines) < 2
        for scored in lines:
            line = scored.line
            compared.append(
                ComparedLine(
                    board,
                    str(line.ns),
                    str(line.ew),
                    str(line.outcome),
                    (line.section, line.table) == (section, table),
                    *_points(scored, Side.NS, is_alone=is_alone),
                    *_points(scored, Side.EW, is_alone=is_alone),
                )
            )
    return tuple(compared)


def _points(scored: ScoredLine, side: Side, *, is_alone: bool = False) -> tuple[float | None, float | None]:
    """Return points and percentage; None without a score, or for the only result on a board, unless it is an award."""
    score = scored.score(side)
    if score is None or (is_alone and score.award is None):
        return None, None
    return score.points, score.percentage


def _contestant(view: SessionView, section: str, at: TableRound, side: Side) -> Contestant | None:
    number = at.ns if side is Side.NS else at.ew
    return _pair(view, section, side, number) if number else None


def _pair(view: SessionView, section: str, side: Side, number: int) -> Contestant:
    setup = view.session.setup.sections[section]
    if setup.game is GameKind.TEAMS or view.session.setup.groups[setup.group].method.is_teams:
        return Contestant("", number)
    return Contestant(*contestant(view.session, section, number, side))


def _rounds_with_ranks(
    session: Session,
    rounds: tuple[TableRound, ...],
    entered: set[tuple[int, int]],
    is_done: bool,
    rules: TerminalRules,
) -> tuple[TableRound, ...]:
    """Return the rounds whose pairs may see their ranks now.

    Unless ranks are always shown, that is the last round and only after its last board, because a ranking is expensive.
    In a session that has ended, a table in the middle of a round sees its ranks too.
    """
    has_ended = session.setup.status is Status.FINISHED and rules.ranking is not ShowRanking.NEVER
    if rules.ranking is ShowRanking.ALWAYS or has_ended:
        return rounds
    if (
        rules.ranking is ShowRanking.NEVER
        or not entered
        or (rules.ranking is ShowRanking.AT_END and not is_done)
    ):
        return ()
    last = rounds[max(number for number, _ in entered) - 1]
    return (last,) if all((last.number, board) in entered for board in last.boards) else ()


def _ranks(
    view: SessionView, section: str, rounds: tuple[TableRound, ...], group: int
) -> tuple[PairRank, ...]:
    if not rounds:
        return ()
    standings = {
        standing.contestant: standing for ranking in view.rankings(group) for standing in ranking.standings
    }
    has_top = view.has_top(group)
    ranks = []
    for round_ in rounds:
        for side in Side:
            pair = _contestant(view, section, round_, side)
            standing = standings.get(pair) if pair else None
            if standing is not None:
                ranks.append(
                    PairRank(round_.number, side, standing.rank_text, _score_text(standing, has_top=has_top))
                )
    return tuple(ranks)


def _score_text(standing: Standing, *, has_top: bool) -> str:
    """Return the percentage of a standing, else its points; a dash before there is any comparison."""
    if standing.percentage is not None:
        return f"{standing.percentage_text}%"
    return "–" if has_top else short_figure(standing.points_text)


def _finals(
    view: SessionView,
    section: str,
    rounds: tuple[TableRound, ...],
    entered: set[tuple[int, int]],
    rules: TerminalRules,
) -> tuple[FinalScore, ...]:
    """Return the final scores of the two pairs that played last at a table, else of those that play first."""
    played = [table_round for table_round in rounds if table_round.is_played]
    begun = {number for number, _ in entered}
    last = next(
        (table_round for table_round in reversed(played) if table_round.number in begun),
        played[0] if played else None,
    )
    pairs = () if last is None else ((Side.NS, last.ns), (Side.EW, last.ew))
    return tuple(final_score(view, section, side, pair, rules) for side, pair in pairs)


def final_score(view: SessionView, section: str, side: Side, pair: int, rules: TerminalRules) -> FinalScore:
    """Return the score of a pair without boards left: rank, best and worst board as far as the rules show them."""
    group = view.session.setup.sections[section].group
    pair_contestant = _pair(view, section, side, pair)
    standings = (
        (standing, len(ranking.standings))
        for ranking in view.rankings(group)
        for standing in ranking.standings
        if standing.contestant == pair_contestant
    )
    standing, field_size = next(standings, (None, 0)) if rules.ranking is not ShowRanking.NEVER else (None, 0)
    compared: list[tuple[float, SummaryLine]] = []
    if rules.view_results is not ViewResults.NONE:
        for board, outcome, points, percentage in _own_boards(view, pair_contestant, group):
            if points is not None:
                value = points if percentage is None else percentage
                text = f"{points:g}" if percentage is None else f"{percentage:.0f}%"
                compared.append((value, SummaryLine(side, board, outcome, text)))
    compared.sort(key=lambda item: item[0])
    return FinalScore(
        side,
        pair,
        standing.rank_text if standing else "",
        field_size,
        _score_text(standing, has_top=view.has_top(group)) if standing else "",
        view.session.setup.status is Status.FINISHED,
        card_page(pair_contestant),
        best=compared[-1][1] if len(compared) > 1 else None,
        worst=compared[0][1] if len(compared) > 1 else None,
        players=tuple(PlayerLink(key, name) for key, name in players_of(view, pair_contestant)),
    )


def _own_boards(
    view: SessionView, pair_contestant: Contestant, group: int
) -> Iterator[tuple[int, str, float | None, float | None]]:
    """Yield a contestant's boards in order: number, outcome, points and percentage with penalties and bonuses."""
    for line in sorted(view.lines(), key=lambda line: line.board):
        if pair_contestant in (line.ns, line.ew):
            own_side = Side.NS if line.ns == pair_contestant else Side.EW
            scored = view.traveller(group, line.board, line.field).lines
            own_line = next((scored_line for scored_line in scored if scored_line.line == line), None)
            score = own_line.score(own_side) if own_line else None
            if own_line and score:
                score = replace(score, units=score.units + own_line.adjustment(pair_contestant))
            figures = (score.points, score.percentage) if score else (None, None)
            yield line.board, str(line.outcome_for(own_side)), *figures


def _next_seats(
    session: Session,
    section: str,
    table: int,
    rounds: tuple[TableRound, ...],
    rules: TerminalRules,
    places: Itineraries | None,
) -> tuple[NextSeat, ...]:
    if not rules.show_next_seating:
        return ()
    next_seats = []
    places = itineraries(session) if places is None else places
    for round_ in rounds:
        for side, place in next_seating(session, section, table, round_.number, places).items():
            if place is not None:
                next_seats.append(
                    NextSeat(
                        round_.number,
                        side,
                        place.section,
                        place.table,
                        place.round,
                        place.side,
                        place.is_sit_out,
                        seat_after_sit_out(session, place, places) if place.is_sit_out else None,
                    )
                )
    return tuple(next_seats)


def _deals(
    session: Session, group: int, boards: set[int], played: set[int], rules: TerminalRules
) -> dict[int, str]:
    if not rules.needs_deals:
        return {}
    numbers = boards if rules.needs_deals_ahead else played
    return {
        board: str(session.hands.records[group, board].deal)
        for board in sorted(numbers)
        if (group, board) in session.hands.records
    }


def _summary(
    view: SessionView, section: str, rounds: tuple[TableRound, ...], group: int, rules: TerminalRules
) -> tuple[SummaryLine, ...]:
    played = [round_ for round_ in rounds if round_.is_played]
    if rules.summary is SummaryPoints.NONE or not played:
        return ()
    lines: list[SummaryLine] = []
    for side in Side:
        pair = _contestant(view, section, played[-1], side)
        if pair is None:
            continue
        for board, outcome, points, percentage in _own_boards(view, pair, group):
            has_percentage = rules.summary is SummaryPoints.PERCENTAGE and percentage is not None
            text = "" if points is None else (f"{percentage:.1f}%" if has_percentage else f"{points:g}")
            lines.append(SummaryLine(side, board, outcome, text))
    return tuple(lines)
