"""View models of the Rulings page: the session's rulings with their arithmetic, and the choices of its forms.

Read-only; has no dependency on HTML.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from overtrick.bridge import Side
from overtrick.digits import parse_digits
from overtrick.event import Session
from overtrick.event.movement import boards_to_play, contestants
from overtrick.event.results import place_in_words
from overtrick.event.rulings import (
    AdjustmentMade,
    AdjustmentUnit,
    ContestantStatus,
    ContestantStatusSet,
    can_have_vps,
    groups_of,
    is_counted,
    is_of_match,
    rules_of,
    units_for,
)
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import GameKind
from overtrick.scoring import UNIT, Contestant, Line, Method, Scored
from overtrick.scoring.report import ReportRuling, RulingKind, adjustment_sum
from overtrick.scoring.rules import RULE_SETS, title
from overtrick.views import SessionView
from overtrick.views.rulings import list_rulings
from overtrick.web.ruling_arithmetic import (
    NO_ARITHMETIC,
    Arithmetic,
    BoardArithmetic,
    figure,
    match_steps,
    real_boards,
    signed_figure,
)
from overtrick.web.ruling_forms import VERSIONS, matches_by_key, write_contestant
from overtrick.web.ruling_history import MovedResult, RulingAuthor, Subject
from overtrick.web.session_projection import SessionProjection
from overtrick.web.session_setup import RULE_SET_WORDS
from overtrick.web.view_models import field_travellers, sides_words, write_place

Players = Mapping[Contestant, tuple[SessionPlayer, ...]]

UNIT_WORDS = {
    AdjustmentUnit.TOP_PERCENT: "% of a top",
    AdjustmentUnit.MATCHPOINTS: "matchpoints",
    AdjustmentUnit.IMPS: "IMPs",
    AdjustmentUnit.VPS: "VPs",
}
STATUS_WORDS = {
    ContestantStatus.UNRANKED: "Plays without standing",
    ContestantStatus.WITHDRAWN: "Has withdrawn",
    ContestantStatus.RANKED: "Ranks again",
}
VERSION_WORDS = dict(zip(VERSIONS, ("as dealt", "other cards (B)", "other cards (C)"), strict=True))


# The forms --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContestantChoice:
    """A pair, player or team in a select box."""

    key: str
    words: str


@dataclass(frozen=True, slots=True)
class GroupRules:
    """The rules of a scoring group, and the rule sets to choose from."""

    number: int
    name: str
    rules: str
    rule_sets: tuple[tuple[str, str], ...]
    """Names and descriptions."""
    has_vps: bool
    is_knockout: bool
    can_have_vps: bool
    is_teams: bool


@dataclass(frozen=True, slots=True)
class RulingChoices:
    """The choices of the forms on the Rulings page."""

    noun: str
    contestants: tuple[ContestantChoice, ...]
    units: tuple[tuple[str, str], ...]
    has_matches: bool
    """True if victory points follow, so that an adjustment in another unit needs its match."""
    boards: tuple[int, ...]
    board: int
    """The fouled board that is being edited; 0 for none."""
    versions: tuple[tuple[str, str, str], ...]
    """Key, label and version of each table that plays that board."""
    foul_reason: str
    statuses: tuple[tuple[str, str], ...]
    groups: tuple[GroupRules, ...]
    provisional_until: str
    adjustments: tuple[tuple[int, str], ...]
    matches: tuple[tuple[str, str], ...]
    """Keys and labels of team matches."""


def ruling_choices(view: SessionView, query: Mapping[str, str]) -> RulingChoices:
    """Return the choices of the forms; `board` in the query selects the fouled board to edit."""
    session = view.session
    players = view.players()
    everyone = sorted(
        {*contestants(session), *session.rulings.statuses},
        key=lambda contestant: Contestant(*contestant).place_in_list,
    )
    places = sorted(boards_to_play(session), key=lambda place: (place[3], *place))
    units = dict.fromkeys(
        unit for group in sorted(session.setup.groups) for unit in units_for(session, group)
    )
    board = parse_digits(query.get("board", ""), 5) or 0
    games = {section.game for section in session.setup.sections.values()}
    until = session.rulings.provisional_until
    return RulingChoices(
        {GameKind.TEAMS: "Team", GameKind.INDIVIDUAL: "Player"}.get(
            next(iter(games), GameKind.PAIRS), "Pair"
        ),
        tuple(
            ContestantChoice(
                write_contestant(contestant),
                " ".join(
                    [
                        str(Contestant(*contestant)),
                        " – ".join(player.name for player in players.get(Contestant(*contestant), ())),
                    ]
                ).strip(),
            )
            for contestant in everyone
        ),
        tuple((unit.value, UNIT_WORDS[unit]) for unit in units),
        AdjustmentUnit.VPS in units,
        tuple(dict.fromkeys(place[3] for place in places)),
        board,
        tuple(
            (
                f"{section}-{table}-{number}",
                f"{section}{table}, round {number}",
                session.rulings.versions.get((section, table, number, number_of_board), ""),
            )
            for section, table, number, number_of_board in places
            if number_of_board == board
        ),
        session.rulings.foul_reasons.get(board, ""),
        tuple((status.value, words) for status, words in STATUS_WORDS.items()),
        tuple(_group_rules(session, number) for number in sorted(session.setup.groups)),
        f"{until.astimezone():%Y-%m-%dT%H:%M}" if until else "",
        tuple(
            (number, f"{Contestant(*adjustment.contestant)}: {_adjustment_words(adjustment)}")
            for number, adjustment in session.rulings.adjustments.items()
        ),
        tuple(
            (key, f"Round {number}: {one[1]} against {other[1]}")
            for key, (number, one, other) in matches_by_key(session).items()
        ),
    )


def _group_rules(session: Session, number: int) -> GroupRules:
    group, chosen = session.setup.groups[number], rules_of(session, number)
    labels = {name: RULE_SET_WORDS[name] for name in RULE_SETS}
    if chosen.rule_set != RULE_SETS.get(chosen.rule_set.name):
        labels = {**labels, chosen.rule_set.name: f"In use now: {title(chosen.rule_set)}."}
    return GroupRules(
        number,
        group.name or f"group {number}",
        chosen.rule_set.name,
        tuple(labels.items()),
        chosen.pairs_vps,
        chosen.is_knockout,
        can_have_vps(group.method),
        group.method.is_teams,
    )


# The list ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RulingLine:
    """A line of the list of rulings."""

    title: str
    kind: str
    words: str
    about: str
    """The author of the decision, and its time."""
    reason: str = ""
    table_result: str = ""
    appeal: str = ""
    place: str = ""
    """The key of the result to change; empty if the ruling is not about one result."""
    adjustment: int = 0
    """The number of the penalty or bonus to withdraw; 0 for others."""
    arithmetic: Arithmetic = NO_ARITHMETIC


def rules_words(session: Session) -> list[str]:
    """Return a sentence on the rules of each scoring group."""
    groups = session.setup.groups
    sentences = []
    for number in sorted(groups):
        chosen = rules_of(session, number)
        subject = f"{groups[number].name or f'Group {number}'}: scored" if len(groups) > 1 else "Scored"
        vps = ", ranked by victory points" if chosen.pairs_vps else ""
        sentences.append(f"{subject} by the rules of {title(chosen.rule_set)}{vps}.")
    return sentences


def ruling_lines(projection: SessionProjection) -> list[RulingLine]:
    """Return the rulings of a session: results, fouled boards, moved results, adjustments, unranked pairs, matches."""
    view = projection.view
    authors = projection.rulings.authors
    lines: list[RulingLine] = []
    for number in sorted(view.session.setup.groups):
        lines += _group_lines(view, number, authors)
    # A moved result without an appeal is listed once, by its move.
    moved_places = {write_place(moved.result.place) for moved in projection.rulings.moved}
    lines = [
        line
        for line in lines
        if line.appeal or line.kind != RulingKind.RESULT.value or line.place not in moved_places
    ]
    lines += [_moved_line(moved, view.session) for moved in projection.rulings.moved]
    players = projection.keep("players", projection.shared_version, view.players)
    adjustments = iter(sorted(view.session.rulings.adjustments.items()))
    statuses = iter(view.session.rulings.statuses.values())
    matches = iter(view.session.rulings.matches)
    for ruling in list_rulings(view.session, (), set(AdjustmentUnit)):
        if ruling.kind is RulingKind.ADJUSTMENT:
            lines.append(_adjustment_line(view, players, ruling, authors, *next(adjustments)))
        elif ruling.kind is RulingKind.STATUS:
            lines.append(_status_line(players, ruling, authors, next(statuses)))
        else:
            about = _about(authors, ("match", next(matches)))
            words, contestants_text = _sentence(ruling.words), _contestant_words(players, ruling)
            lines.append(RulingLine(contestants_text, ruling.kind.value, words, about, ruling.reason))
    return lines


def _adjustment_line(
    view: SessionView,
    players: Players,
    ruling: ReportRuling,
    authors: Mapping[Subject, RulingAuthor],
    number: int,
    adjustment: AdjustmentMade,
) -> RulingLine:
    return RulingLine(
        _contestant_words(players, ruling),
        "bonus" if adjustment.amount > 0 else "penalty",
        _adjustment_words(adjustment),
        _about(authors, ("adjustment", number)),
        adjustment.reason,
        adjustment=number,
        arithmetic=_adjustment_arithmetic(view, adjustment),
    )


def _status_line(
    players: Players,
    ruling: ReportRuling,
    authors: Mapping[Subject, RulingAuthor],
    status: ContestantStatusSet,
) -> RulingLine:
    return RulingLine(
        _contestant_words(players, ruling),
        status.status.value,
        f"{STATUS_WORDS[status.status]}. Results count for the opponents.",
        _about(authors, ("status", status.contestant)),
        status.reason,
    )


def _group_lines(
    view: SessionView, number: int, authors: Mapping[Subject, RulingAuthor]
) -> Iterator[RulingLine]:
    """Yield the rulings on results and the fouled boards of a scoring group."""
    session = view.session
    lines = [line for line in view.lines() if session.setup.sections[line.section].group == number]
    rulings = [
        ruling
        for ruling in list_rulings(session, lines, set(AdjustmentUnit))
        if ruling.line is not None or ruling.kind is RulingKind.FOULED
    ]
    if not rulings:
        return
    arithmetic = _GroupArithmetic(view, number)
    for ruling in rulings:
        if ruling.line is None:
            assert ruling.board is not None  # a fouled board
            yield RulingLine(
                f"Board {ruling.board}",
                "fouled board",
                _sentence(ruling.words),
                _about(authors, ("fouled", ruling.board)),
                ruling.reason,
                arithmetic=arithmetic.of_versions(ruling.board, lines),
            )
            continue
        line = ruling.line
        yield RulingLine(
            f"{_capitalise(place_in_words(*line.key))}: {line.ns} and {line.ew}",
            ruling.kind.value,
            sides_words(line.outcome, line.ew_outcome),
            _about(authors, ("result", line.key)),
            ruling.reason,
            ruling.at_table,
            f"appeal {ruling.appeal}" if ruling.appeal else "",
            write_place(line.key),
            arithmetic=arithmetic.of_result(line),
        )


class _GroupArithmetic:
    """The arithmetic of the results of one scoring group."""

    def __init__(self, view: SessionView, number: int) -> None:
        self._view = view
        self._number = number
        self._method = view.session.setup.groups[number].method
        self._rules = view.options(number).rules
        if self._method.is_teams:
            self._matches = view.scored(number).matches
        else:
            self._real = real_boards(
                traveller
                for traveller in field_travellers(view)
                if traveller.field.partition(".")[0] == str(number)
            )

    def of_result(self, line: Line) -> Arithmetic:
        """Return the arithmetic of a result."""
        if not self._method.is_teams:
            return self._board(line).of_result(line.key)
        for match in self._matches:
            if (match.field, match.round) == (line.field, line.round) and match.home.team in (
                line.ns,
                line.ew,
            ):
                return Arithmetic(match_steps(match, line.board, self._method, self._rules))
        return NO_ARITHMETIC

    def of_versions(self, board: int, lines: Iterable[Line]) -> Arithmetic:
        """Return the arithmetic of a fouled board."""
        line = next((line for line in lines if line.board == board), None)
        if line is None or self._method.is_teams:
            return NO_ARITHMETIC
        return self._board(line).of_versions()

    def _board(self, line: Line) -> BoardArithmetic:
        traveller = self._view.traveller(self._number, line.board, line.field)
        return BoardArithmetic(traveller, self._method, self._rules, self._real)


def _moved_line(moved: MovedResult, session: Session) -> RulingLine:
    result, came_from = moved.result, moved.came_from
    note = session.rulings.notes.get(result.place)
    changes = []
    if came_from != result.place:
        round_words = f", round {came_from[2]}" if came_from[2] != result.round else ""
        changes.append(
            f"{'exchanged with' if moved.is_exchange else 'moved from'} board {came_from[3]}{round_words}"
        )
    if moved.is_turned:
        changes.append(
            "pairs the other way round" if result.is_wrong_direction else "pairs as in the movement"
        )
    return RulingLine(
        _capitalise(place_in_words(*result.place)),
        "moved result",
        f"{sides_words(result.outcome, result.outcome_ew)}: {', '.join(changes)}",
        _signature(moved.author),
        note.reason if note else "",
        place=write_place(result.place) if result.place in session.results.standing else "",
    )


def _about(authors: Mapping[Subject, RulingAuthor], subject: Subject) -> str:
    author = authors.get(subject)
    return _signature(author) if author else ""


def _signature(author: RulingAuthor) -> str:
    return f"{author.by}, {moment_words(author.at)}"


def moment_words(moment: datetime) -> str:
    """Return a time with its day, in the local time zone."""
    local = moment.astimezone()
    return f"{local:%H:%M} on {local.day} {local:%B}"


def _capitalise(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _sentence(words: str) -> str:
    return f"{_capitalise(words)}."


def _contestant_words(players: Players, ruling: ReportRuling) -> str:
    """Return the contestants of a ruling, with the players' names if there is one contestant."""
    if len(ruling.contestants) > 1:
        return " against ".join(str(contestant) for contestant in ruling.contestants)
    (contestant,) = ruling.contestants
    names = " – ".join(player.name for player in players.get(contestant, ()))
    return f"{contestant} {names}".strip()


def _adjustment_words(adjustment: AdjustmentMade) -> str:
    scope = "the session"
    if adjustment.board or adjustment.round:
        scope = f"board {adjustment.board}" if adjustment.board else f"round {adjustment.round}"
    verb = "added" if adjustment.amount > 0 else "taken away"
    return f"{figure(abs(adjustment.amount))} {UNIT_WORDS[adjustment.unit]} {verb}, for {scope}"


def _adjustment_arithmetic(view: SessionView, adjustment: AdjustmentMade) -> Arithmetic:
    """Return the value of a penalty or bonus in points, and the sum on its board and in its match."""
    session, contestant = view.session, Contestant(*adjustment.contestant)
    steps: list[str] = []
    is_any_counted = False
    for group in sorted(groups_of(session, adjustment.contestant)):
        units = units_for(session, group)
        if not is_counted(adjustment, units):
            continue
        is_any_counted = True
        scored = view.scored(group)
        steps += _board_sums(scored, contestant, adjustment)
        if is_of_match(adjustment.unit, units):
            steps += _match_sums(scored, contestant, adjustment)
        elif adjustment.unit is AdjustmentUnit.TOP_PERCENT and not steps:
            steps += _share_of_top(scored, contestant, adjustment)
    if not is_any_counted:
        return Arithmetic((f"It does not count: the ranking is not in {UNIT_WORDS[adjustment.unit]}.",))
    return Arithmetic(tuple(dict.fromkeys(steps)))


def _board_sums(scored: Scored, contestant: Contestant, adjustment: AdjustmentMade) -> Iterator[str]:
    for traveller in scored.travellers if adjustment.board is not None else ():
        for line in traveller.lines if traveller.board == adjustment.board else ():
            for side in Side:
                score = line.score(side)
                if (
                    contestant in line.line.contestants(side)
                    and line.adjustment(contestant)
                    and score is not None
                ):
                    share = (
                        f"{figure(abs(adjustment.amount))} % of a top of {figure(score.top / score.units_per_point)}. "
                        if adjustment.unit is AdjustmentUnit.TOP_PERCENT
                        else ""
                    )
                    yield f"{share}Board {adjustment.board}: {adjustment_sum(score, line.adjustments, contestant)}."


def _match_sums(scored: Scored, contestant: Contestant, adjustment: AdjustmentMade) -> Iterator[str]:
    for match in scored.matches:
        view = match.view(contestant)
        if match.round == adjustment.round and view.team == contestant and view.adjustment:
            net, added = Fraction(view.own_imps - view.their_imps, UNIT), Fraction(view.adjustment, UNIT)
            yield (
                f"Match of round {match.round}: {figure(net)} {signed_figure(added)} = {figure(net + added)} IMPs, "
                f"{figure(Fraction(view.units, UNIT))} VPs."
            )
    for pairs in scored.pair_matches:
        for side in (pairs.home, pairs.away):
            if pairs.round == adjustment.round and side.pair == contestant and side.adjustment:
                unit = "%" if scored.method is Method.MATCHPOINTS else "IMPs"
                yield (
                    f"Match of round {pairs.round}: {signed_figure(side.adjustment)} {unit} makes "
                    f"{figure(side.result)} {unit}, {figure(Fraction(side.units, UNIT))} VPs."
                )


def _share_of_top(scored: Scored, contestant: Contestant, adjustment: AdjustmentMade) -> Iterator[str]:
    for ranking in scored.rankings:
        for standing in ranking.standings:
            if standing.contestant == contestant and standing.boards:
                top = Fraction(standing.top, standing.boards * standing.units_per_point)
                worth = abs(Fraction(adjustment.amount)) * top / 100
                yield f"{figure(abs(adjustment.amount))} % of a top of {figure(top)} = {figure(worth)}."
