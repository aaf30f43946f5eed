"""Session setup: parse the form, offer movements, and build the command that opens the session; and the forms that
change a section's movement later: a new movement, a late pair, a missing pair.

Has no dependency on requests. Handles several sections; pairs, Swiss pairs, individuals and teams of four; a new event
or one more session of an existing one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from overtrick.bridge import Seat, Side
from overtrick.digits import parse_digits
from overtrick.directing.late_pairs import known_section, movement_command, winners_of
from overtrick.directing.missing_pairs import missing_command
from overtrick.directing.previews import StalePreview
from overtrick.directing.swiss import opening_plan, opening_tables
from overtrick.errors import BadInput
from overtrick.event import AddSession, Command, OpenEvent, Session, SessionPlan
from overtrick.event.movement import Contestant, Round, SectionPlan, SetMovement, TablePlan, table_plans
from overtrick.event.rulings import ChooseRules, can_have_vps
from overtrick.event.seating import Participation, SessionPlayer, partnerships
from overtrick.event.settings import SettingsIII
from overtrick.event.setup import SECTION_LETTERS, GameKind, GroupPlan
from overtrick.movements import (
    BoardSharing,
    Choice,
    Draw,
    DrawMethod,
    EarlierRounds,
    Movement,
    draw_round,
    most_rounds,
    sharing,
)
from overtrick.movements.model import sets_of_boards
from overtrick.scoring import Method
from overtrick.scoring.rules import WBF, ScoringRules, parse_rules, rule_set
from overtrick.web.forms import Form, read_count, read_day, read_line, read_number
from overtrick.web.movement_options import OfferedMovements, read_offered
from overtrick.web.ruling_forms import LONGEST_RULES
from overtrick.words import counted

OWN_SETTINGS = SettingsIII(view_hand_record=True, summary=True)
"""The settings of a session that is set up at the desk: once deals are imported, players see them and a summary."""
MOST_SECTIONS = 8
MOST_ROUNDS = 20
"""The limit on the rounds of a Swiss session."""
MOST_BOARDS = 20
"""The limit on the boards in a round of a Swiss session."""
USUAL_ROUNDS = 6
USUAL_BOARDS = 4


@dataclass(frozen=True, slots=True)
class GameOption:
    """A kind of game, with its labels and limits."""

    game: GameKind
    title: str
    one: str
    """The noun for one contestant."""
    many: str
    least: int
    most: int
    usual: int
    step: int = 1
    is_swiss: bool = False
    """True if each round is drawn when the previous one is scored."""

    @property
    def key(self) -> str:
        """Return its value in forms."""
        return "swiss" if self.is_swiss else self.game.value


KINDS = {
    kind.key: kind
    for kind in (
        GameOption(GameKind.PAIRS, "Pairs", "pair", "pairs", 4, 60, 14),
        GameOption(GameKind.PAIRS, "Swiss pairs", "pair", "pairs", 4, 128, 14, is_swiss=True),
        GameOption(GameKind.INDIVIDUAL, "Individual", "player", "players", 8, 100, 12, 4),
        GameOption(GameKind.TEAMS, "Teams of four", "team", "teams", 2, 60, 4),
    )
}

FIRST_ROUNDS = {
    DrawMethod.NUMBERS: "By number: 1 meets 2, 3 meets 4",
    DrawMethod.HALVES: "First half against second half",
    DrawMethod.LOT: "Random",
}
"""The labels of the ways to draw the first round of a Swiss session."""

METHOD_WORDS = {
    Method.MATCHPOINTS: "Matchpoints",
    Method.CROSS_IMPS: "Cross-IMPs (total)",
    Method.CROSS_IMPS_AVERAGE: "Cross-IMPs (average)",
    Method.CROSS_IMPS_3: "Cross-IMPs (total), average plus 3 IMPs",
    Method.CROSS_IMPS_AVERAGE_3: "Cross-IMPs (average), average plus 3 IMPs",
    Method.BUTLER: "Butler",
    Method.BUTLER_TRIMMED: "Butler without the best and worst 10%",
    Method.BUTLER_MEAN: "Butler against the mean of all scores",
    Method.BUTLER_3: "Butler, average plus 3 IMPs",
    Method.BUTLER_TRIMMED_3: "Butler without the best and worst 10%, average plus 3 IMPs",
    Method.BUTLER_MEAN_3: "Butler against the mean of all scores, average plus 3 IMPs",
    Method.VPS_CONTINUOUS: "Victory points (continuous)",
    Method.VPS_DISCRETE: "Victory points (whole)",
    Method.VPS_25_0: "Victory points (25–0)",
    Method.TEAM_IMPS: "IMPs",
    Method.BOARD_A_MATCH: "Board-a-match",
    Method.PATTON: "Patton",
}
"""The labels of the scoring methods, the usual ones first."""


def methods_of(game: GameKind) -> list[tuple[Method, str]]:
    """Return the scoring methods of a game, with their labels."""
    wants_teams = game is GameKind.TEAMS
    return [(method, words) for method, words in METHOD_WORDS.items() if method.is_teams is wants_teams]


class NotChosen(BadInput):
    """The form has no chosen movement, or one chosen for other numbers; no session was created."""

    code = "not-chosen"


@dataclass(frozen=True, slots=True)
class ParentEvent:
    """The existing event that a session is added to, with the section letters and group numbers in use."""

    event: str
    name: str
    letters: frozenset[str]
    groups: frozenset[int]
    last: Session
    """The session from which names can be copied."""


@dataclass(frozen=True, slots=True)
class SectionRequest:
    """A section that a form asks for, with the movements to choose from."""

    letters: str
    count: int
    offers: tuple[Choice, ...]
    chosen: int | None = None
    """The index of the chosen offer; None if none is chosen."""

    @property
    def is_odd(self) -> bool:
        """Return whether the number is odd, so that one pair sits out."""
        return bool(self.count % 2)


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """The session that a form asks for."""

    kind: GameOption
    boards: int
    sections: tuple[SectionRequest, ...]
    is_together: bool
    """True if the sections are scored together."""
    offered: OfferedMovements
    rounds: int = 0
    """Rounds of a Swiss session, whose `boards` are per round; 0 for other games."""
    first: DrawMethod = DrawMethod.NUMBERS
    """The way to draw the first round."""
    is_offered: bool = False
    """True if the movements in the form were offered for these numbers."""

    @property
    def key(self) -> str:
        """Return the numbers that the offers are for, as text; the form returns it to show which offers it had."""
        counts = [section.count for section in self.sections]
        return _offers_key(self.kind, self.rounds, self.boards, counts, self.offered)

    @property
    def is_chosen(self) -> bool:
        """Return whether every section has a chosen movement; for Swiss, whether the form showed these numbers."""
        if self.kind.is_swiss:
            return self.is_offered
        return all(section.chosen is not None for section in self.sections)

    @property
    def is_playable(self) -> bool:
        """Return whether there is a movement for every section; Swiss needs none."""
        return self.kind.is_swiss or all(section.offers for section in self.sections)

    @property
    def sharing(self) -> BoardSharing[tuple[str, int]] | None:
        """Return the copies of boards that the chosen movements need; None for one section, or if none is chosen."""
        if self.kind.is_swiss or len(self.sections) < 2 or not self.is_playable:
            return None
        return sharing(
            {
                (section.letters, plan.table): [
                    played.boards if played.ns and played.ew else () for played in plan.rounds
                ]
                for section in self.sections
                for plan in table_plans(section.offers[section.chosen or 0].movement, section.letters)
            }
        )


def free_letters(parent: ParentEvent | None) -> list[str]:
    """Return the letters that new sections can have, in order."""
    used = parent.letters if parent else frozenset()
    return [letters for letters in SECTION_LETTERS if letters not in used]


def read_session_request(
    form: Form, parent: ParentEvent | None = None, own: Iterable[Movement] = ()
) -> SessionRequest:
    """Return the session that a form asks for; missing fields get default values. Raise BadInput if it is invalid.

    `own` are the club's own movements, which are offered too.
    """
    kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
    offered = read_offered({} if kind.is_swiss else form, kind.game, () if kind.is_swiss else own)
    if kind.is_swiss:
        with_defaults = {"each": str(USUAL_BOARDS), "rounds": str(USUAL_ROUNDS), **form}
        boards = read_count(with_defaults, "each", 1, MOST_BOARDS, "boards per round")
        rounds = read_count(with_defaults, "rounds", 2, MOST_ROUNDS, "rounds")
    else:
        boards = read_count({"boards": "24", **form}, "boards", 2, 60, "boards")
        rounds = 0
    sections = read_count({"sections": "1", **form}, "sections", 1, MOST_SECTIONS, "sections")
    letters_of_sections = free_letters(parent)[:sections]
    if len(letters_of_sections) < sections:
        raise BadInput("The event has no section letters left.")
    counts: list[int] = []
    for number in range(1, sections + 1):
        with_defaults = {f"count-{number}": str(counts[-1] if counts else kind.usual), **form}
        counts.append(read_count(with_defaults, f"count-{number}", kind.least, kind.most, kind.many))
    is_offered = form.get("offered") == _offers_key(kind, rounds, boards, counts, offered)
    requests: list[SectionRequest] = []
    by_count: dict[int, SectionRequest] = {}
    for number, (letters, count) in enumerate(zip(letters_of_sections, counts, strict=True), start=1):
        if kind.is_swiss:
            if rounds > most_rounds(count):
                raise BadInput(
                    f"{counted(count, 'pair')} can play at most {most_rounds(count)} rounds without a rematch. "
                    "Enter fewer rounds."
                )
            requests.append(SectionRequest(letters, count, ()))
            continue
        same_size = by_count.get(count)
        movements = same_size.offers if same_size else tuple(offered.offers(kind.game, count, boards))
        # By default, sections of the same size play the same movement.
        chosen = same_size.chosen if same_size else None
        # Ignore a choice that was made from the offers for other numbers.
        if movements and is_offered and form.get(f"choice-{number}"):
            chosen = read_number(form, f"choice-{number}", 0, len(movements) - 1, "movement")
        requests.append(SectionRequest(letters, count, movements, chosen))
        by_count.setdefault(count, requests[-1])
    first = {draw_by.value: draw_by for draw_by in FIRST_ROUNDS}.get(
        form.get("first") or DrawMethod.NUMBERS.value
    )
    if first is None:
        raise BadInput("Choose how to draw the first round.")
    return SessionRequest(
        kind, boards, tuple(requests), form.get("together", "1") != "0", offered, rounds, first, is_offered
    )


def _offers_key(
    kind: GameOption, rounds: int, boards: int, counts: Sequence[int], offered: OfferedMovements
) -> str:
    return "-".join([kind.key, *(str(number) for number in (rounds, boards, *counts))]) + offered.key


def open_command(
    request: SessionRequest, form: Form, guid: str, today: date, parent: ParentEvent | None = None
) -> Command:
    """Return the command that creates the session; raise NotChosen if a movement is not chosen."""
    if not request.is_playable:
        raise BadInput("No movement fits these numbers. Try another number of boards.")
    if not request.is_chosen:
        raise NotChosen("These movements fit your numbers. Choose one, then create the session.")
    rules = _read_rules(form)
    method = _read_method(form if rules.method is None else {"method": rules.method.value}, request.kind.game)
    day = read_day(form) or today
    used = parent.groups if parent else frozenset()
    numbers = [number for number in range(1, 100) if number not in used]
    groups: list[GroupPlan] = []
    sections: list[tuple[SectionPlan, tuple[TablePlan, ...]]] = []
    for index, section in enumerate(request.sections):
        if not groups or not request.is_together:
            name = "" if request.is_together or len(request.sections) == 1 else f"Section {section.letters}"
            groups.append(GroupPlan(numbers[len(groups)], method, name))
        if request.kind.is_swiss:
            # Derived from the guid, which is random and stored, so that the draw can be repeated; differs by section.
            lot = 1000 + (int(guid[:8], 16) + index) % 9000 if request.first is DrawMethod.LOT else 0
            plan = opening_plan(section.letters, groups[-1].number, lot)
            draw = _first_draw(section.count, request.first, lot)
            sections.append((plan, opening_tables(draw, sets_of_boards(request.rounds, request.boards))))
            continue
        assert section.chosen is not None  # because the request is_chosen
        choice = section.offers[section.chosen]
        winners = winners_of(request.kind.game, choice)
        plan = SectionPlan(section.letters, groups[-1].number, winners, request.kind.game)
        sections.append((plan, table_plans(choice.movement, section.letters)))
    copies_names = parent is not None and form.get("names")
    players, seats = _players_of_last_session(parent.last if parent and copies_names else None, sections)
    session = SessionPlan(
        guid,
        read_line(form, "name") or f"Session of {day.day} {day:%B %Y}",
        day,
        tuple(groups),
        tuple(sections),
        players=players,
        participations=seats,
        settings=tuple((plan.section, OWN_SETTINGS) for plan, _ in sections),
        # Stored from the start, so that every session names its rules, even the default ones.
        history=tuple(
            ChooseRules(guid, group.number, rules, pairs_vps=bool(form.get("vps")) and can_have_vps(method))
            for group in groups
        ),
    )
    return OpenEvent(guid, (session,)) if parent is None else AddSession(parent.event, session)


def _first_draw(count: int, draw_by: DrawMethod, lot: int) -> Draw:
    return draw_round(draw_by, dict.fromkeys(range(1, count + 1), 0.0), EarlierRounds(), lot=lot)


def _read_method(form: Form, game: GameKind) -> Method:
    methods = [candidate for candidate, _ in methods_of(game)]
    name = form.get("method", "")
    if not name:
        return methods[0]
    method = next((candidate for candidate in methods if candidate.value == name), None)
    if method is None:
        raise BadInput(f"{name[:30]!r} is not a scoring method for this game.")
    return method


RULE_SET_WORDS = {
    "WBF": "World Bridge Federation: boards with fewer scores, and fouled boards, by Neuberg's formula.",
    "ACBL": "North America: as the WBF, but small groups of a fouled board get the ACBL's fixed percentages.",
    "EBU": "England: as the WBF, but small groups of a fouled board get fixed percentages; whole victory points.",
    "NZ": "New Zealand: as the WBF, but small groups of a fouled board get fixed percentages.",
}
"""A sentence on each built-in rule set."""


def _read_rules(form: Form) -> ScoringRules:
    if own := form.get("own", "").strip()[:LONGEST_RULES]:
        return parse_rules(own)
    try:
        return rule_set(form.get("rules") or WBF.name)
    except BadInput:
        raise BadInput(f"{form['rules'][:30]!r} is not a rule set.") from None


def _players_of_last_session(
    previous: Session | None, sections: Sequence[tuple[SectionPlan, tuple[TablePlan, ...]]]
) -> tuple[tuple[SessionPlayer, ...], tuple[Participation, ...]]:
    """Return the players of an earlier session, in the starting seats of their numbers, section by section."""
    if previous is None:
        return (), ()
    by_contestant = partnerships(previous, 10**6)
    earlier = sorted(previous.setup.sections)
    players: dict[str, SessionPlayer] = {}
    seats: list[Participation] = []
    for (plan, tables), letters in zip(sections, earlier, strict=False):
        if plan.game is not previous.setup.sections[letters].game:
            continue
        for table in tables:
            for seat in Seat:
                player = _starting_player(by_contestant, letters, plan, table.rounds[0], seat)
                if player is None:
                    continue
                if player.number:
                    players[player.number] = player
                seats.append(
                    Participation(
                        plan.section,
                        table.table,
                        seat,
                        player.number,
                        player.first_name,
                        player.last_name,
                        player.country,
                    )
                )
    return tuple(players.values()), tuple(seats)


def _starting_player(
    by_contestant: Mapping[tuple[Contestant, bool], SessionPlayer],
    letters: str,
    plan: SectionPlan,
    played: Round,
    seat: Seat,
) -> SessionPlayer | None:
    number = played.number(seat)
    if not number:
        return None
    is_first = plan.game is GameKind.INDIVIDUAL or seat in (Seat.NORTH, Seat.EAST)
    # Look up number and direction first; a one-winner session has only the number.
    for side in (seat.side, None):
        player = by_contestant.get(((letters, number, side), is_first))
        if player is not None:
            return player
    return None


def contestants(session: Session, section: str) -> int:
    """Return the number of pairs, players or teams in a section."""
    game = session.setup.sections[section].game
    has_two_winners = game is GameKind.PAIRS and session.winners(section) == 2
    numbers: set[tuple[int, Side | None]] = set()
    for table in session.movement.section(section).values():
        for played in table.rounds:
            if game is GameKind.TEAMS:
                numbers |= {(played.team_ns or played.ns, None), (played.team_ew or played.ew, None)}
                continue
            numbers |= {(played.number(seat), seat.side if has_two_winners else None) for seat in Seat}
    return len({number for number in numbers if number[0]})


@dataclass(frozen=True, slots=True)
class MovementSheet:
    """A movement on one sheet: a line for each round, a column for each table."""

    tables: tuple[int, ...]
    lines: tuple[tuple[Round | None, ...], ...]


def movement_sheet(plans: Iterable[TablePlan]) -> MovementSheet:
    """Return the sheet of the planned tables, without removed ones."""
    played = [plan for plan in plans if plan.rounds]
    rounds = max((len(plan.rounds) for plan in played), default=0)
    return MovementSheet(
        tuple(plan.table for plan in played),
        tuple(
            tuple(plan.rounds[number] if number < len(plan.rounds) else None for plan in played)
            for number in range(rounds)
        ),
    )


def parent_event(event: str, sessions: Iterable[Session]) -> ParentEvent:
    """Return the event to add a session to, named after its last session; raise BadInput if it has no sessions."""
    listed = list(sessions)
    if not listed:
        raise BadInput("There is no such event.")
    return ParentEvent(
        event,
        listed[-1].opened.name,
        frozenset(letters for session in listed for letters in session.setup.sections),
        frozenset(group for session in listed for group in session.setup.groups),
        listed[-1],
    )


# Another movement for a section -----------------------------------------------------------------------------


def movement_choices(
    session: Session, section: str, form: Form, own: Iterable[Movement] = ()
) -> tuple[int, int, list[Choice], OfferedMovements]:
    """Return the numbers of contestants and boards that a form asks for, the movements for them, and the options."""
    kind = KINDS[known_section(session, section).game.value]
    pairs = read_count(form, "pairs", kind.least, kind.most, kind.many)
    boards = read_count(form, "boards", 2, 60, "boards")
    offered = read_offered(form, kind.game, own)
    return pairs, boards, offered.offers(kind.game, pairs, boards), offered


def read_movement(session: Session, section: str, form: Form, own: Iterable[Movement] = ()) -> SetMovement:
    """Return the command for the movement that a form chooses, from its chosen round on."""
    _, _, choices, offered = movement_choices(session, section, form, own)
    if not choices:
        raise BadInput("No movement fits these numbers. Try another number of boards.")
    if form.get("offered", offered.key) != offered.key:
        raise StalePreview(
            "The club's own movements have changed. Look at the preview again. Nothing was changed."
        )
    chosen = choices[read_number(form, "choice", 0, len(choices) - 1, "movement")]
    first = read_number({"from": "1", **form}, "from", 1, 999, "round")
    return movement_command(session, section, chosen, first)


def read_missing(session: Session, section: str, form: Form) -> SetMovement:
    """Return the command for the missing pair of a form; a minus sign means East-West, 0 no missing pair."""
    text = form.get("missing", "0")
    number = parse_digits(text.removeprefix("-"), 4)
    if number is None:
        raise BadInput("Choose the missing pair. Nothing was changed.")
    return missing_command(session, section, -number if text.startswith("-") else number)
