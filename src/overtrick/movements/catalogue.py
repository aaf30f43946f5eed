"""The catalogue: movements that suit a number of contestants and boards, described in a director's words.

Pure: depends on the other movement modules only, not on events.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from overtrick.movements import howells, rovers
from overtrick.movements.howells import howell, howell_rounds
from overtrick.movements.individuals import WHISTS, individual, rainbow_tables
from overtrick.movements.mitchells import MOST_TABLES, MitchellKind, mitchell, web_copies
from overtrick.movements.model import Movement, MovementError, curtailed, ranges, require, resized
from overtrick.movements.round_robins import round_robin

MINUTES_A_BOARD = 7.5
"""Eight boards an hour, including the moves."""
BOARDS_A_ROUND = range(2, 10)
SHORTEST = 3
"""The fewest rounds that are offered."""
MOST_IN_A_ROUND_ROBIN = 14
"""The most pairs of a round robin that is offered: a longer one does not fit into an evening."""
MOST_TEAMS = 60
SHORTEST_WEB = 7
"""The fewest rounds of a web Mitchell that is offered, an odd number."""
MOST_HESITATION_TABLES = 20
"""The most tables of a hesitation Mitchell that is offered: a larger one does not fit into an evening."""
AWKWARDNESS = 4
"""The boards that are added to the distance of an unusual movement from the target, so that it ranks lower."""
UNUSUAL = ("reduced", "round robin", "hesitation", "web", "Bowman")
"""The beginnings of the names of unusual movements: they need copies of boards, or have many stationary pairs."""

NO_SIT_OUT = "Nobody sits out."

Shape = tuple[int, int]
"""Number of rounds, number of boards in a round."""


@dataclass(frozen=True, slots=True)
class MovementOptions:
    """A director's wishes for a movement of pairs; only movements that fulfil all of them are offered."""

    boards_per_round: int | None = None
    """The number of boards in a round; None: 2 to 9."""
    arrow_switches: tuple[int, ...] | None = None
    """The rounds with an arrow switch; empty: none; None: without, and with one in eight rounds, the last ones."""
    missing_pair: int | None = None
    """With an odd number of pairs, the number without a pair, whose opponents sit out: a pair, or the negative of an
    E-W pair; None: the usual one."""
    copies: int = 1
    """The number of copies of every board. With 2 or more, movements that need copies are offered."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A movement on offer, with its description for the director."""

    movement: Movement
    meaning: str
    """A sentence on how pairs and boards move, and who meets whom."""
    boards_each: int
    """The number of boards that a pair plays if it does not sit out."""
    every_board: bool
    """Everyone plays every board, except those of a round that they sit out."""
    sit_out: str
    """A sentence on the sit-outs."""
    noun: str = "pair"
    """The noun for a contestant: pair, player or team."""

    @property
    def comparison(self) -> str:
        """Return a sentence on whether everyone plays the same boards."""
        if self.every_board:
            exception = "" if self.sit_out == NO_SIT_OUT else ", except in a round that it sits out"
            return f"Every {self.noun} plays every board{exception}."
        return f"Every {self.noun} plays at most {self.boards_each} of the {self.boards_in_all} boards."

    @property
    def name(self) -> str:
        """Return the movement's name."""
        return self.movement.name

    @property
    def winners(self) -> int:
        """Return 1, or 2 if each direction has a winner."""
        return self.movement.winners

    @property
    def rounds(self) -> int:
        """Return the number of rounds."""
        return self.movement.rounds

    @property
    def boards_per_round(self) -> int:
        """Return the number of boards in a round."""
        return self.movement.boards_per_round

    @property
    def boards_in_all(self) -> int:
        """Return the number of boards that must be dealt."""
        return len(self.movement.boards)

    @property
    def copies(self) -> int:
        """Return the largest number of tables that have the same board in one round."""
        return self.movement.copies


def choose(
    pairs: int,
    boards: int = 24,
    minutes: int | None = None,
    options: MovementOptions = MovementOptions(),
) -> list[Choice]:
    """Return movements in which each of a number of pairs plays about `boards` boards, the most suitable first.

    `minutes` limits the boards to one in 7½ minutes. Movements have at most a fifth more or fewer boards than that, and
    2 to 9 boards in a round, or what `options` say. First come those in which everyone plays every board; then those
    nearest to the number of boards (round robins, reduced Howells and unusual Mitchells count as 4 boards farther off);
    then those with more rounds. Raise MovementError for a number of pairs, boards or minutes that no movement has.

    >>> for choice in choose(14, 26)[:2]:
    ...     print(f"{choice.name}: {choice.rounds} rounds of {choice.boards_per_round}")
    Howell of 7 tables: 13 rounds of 2
    Mitchell of 7 tables: 7 rounds of 4
    """
    require(pairs, 4, "The number of pairs", 2 * MOST_TABLES)
    require(boards, 1, "The number of boards")
    if minutes is not None:
        require(minutes, 1, "The number of minutes")
        boards = max(1, min(boards, int(minutes / MINUTES_A_BOARD)))
    if options.boards_per_round is not None:
        require(options.boards_per_round, 1, "The number of boards in a round")
    if options.missing_pair is not None:
        _require_missing(options.missing_pair, pairs)

    def preference(choice: Choice) -> tuple[bool, int, int]:
        penalty = AWKWARDNESS if choice.name.startswith(UNUSUAL) else 0
        return not choice.every_board, abs(choice.boards_each - boards) + penalty, -choice.rounds

    return sorted(_offers(pairs, boards, options), key=preference)


def _require_missing(missing: int, pairs: int) -> None:
    tables = (pairs + 1) // 2
    if pairs % 2 == 0:
        raise MovementError(f"With {pairs} pairs, an even number, nobody is missing.")
    if missing == 0 or not -tables <= missing <= 2 * tables:
        raise MovementError(f"The missing pair must be 1 to {2 * tables}, or E-W 1 to {tables}.")


def choose_own(movements: Iterable[Movement], count: int, boards: int = 24) -> list[Choice]:
    """Return own movements for a number of contestants, with about `boards` boards if their sets can be resized.

    >>> from overtrick.movements import howell
    >>> [choice.boards_each for choice in choose_own([howell(4, 2), howell(5, 2)], 8, 28)]
    [28]
    """
    choices = []
    for movement in movements:
        if len(movement.pairs) != count:
            continue
        # A movement whose boards are not in separate sets cannot be resized, and is offered as it is.
        with suppress(MovementError):
            movement = resized(movement, max(1, round(boards / movement.rounds)))
        noun = "player" if movement.is_individual else "team" if movement.is_teams else "pair"
        choices.append(_choice(movement, _own_meaning(movement), noun))
    return choices


def _own_meaning(movement: Movement) -> str:
    promises = movement.promises
    words = ["Your own movement"]
    if promises.everyone_meets:
        words.append("everyone meets everyone else")
    if promises.opponents_at_most is not None and promises.opponents_at_most > 1:
        words.append(f"some meet up to {promises.opponents_at_most} times")
    if movement.copies > 1:
        words.append(_copies_words(movement.copies))
    words.append("there is one winner" if movement.winners == 1 else "each direction has a winner")
    return "; ".join(words) + "."


def _copies_words(copies: int) -> str:
    return f"up to {copies} tables have the same boards at once, so they share or there are {copies} copies"


def choose_individuals(players: int, boards: int = 24) -> list[Choice]:
    """Return individuals in which each player plays about `boards` boards, the most suitable first.

    Raise MovementError if there is none for that many players.

    >>> [choice.name for choice in choose_individuals(20, 20)]
    ['rainbow individual of 5 tables', 'whist individual of 5 tables, curtailed']
    """
    require(boards, 1, "The number of boards")
    if players < 8 or players % 4:
        raise MovementError(f"An individual has 8 players or more, always whole tables, not {players}.")
    tables, offers = players // 4, []
    if tables not in WHISTS and tables not in rainbow_tables():
        individual(tables, 1)  # raises MovementError with the possible numbers of tables
    for kind, possible, whole in (
        ("whist", WHISTS, players - 1),
        ("rainbow", rainbow_tables(), tables),
    ):
        if tables not in possible:
            continue
        for rounds, per_round in _shapes([whole], boards) or _shapes(range(SHORTEST, whole), boards):
            movement = individual(tables, per_round, rounds, kind="whist" if kind == "whist" else "rainbow")
            offers.append(_choice(movement, _individual_meaning(movement), "player"))
    return sorted(
        offers, key=lambda choice: (not choice.every_board, abs(choice.boards_each - boards), -choice.rounds)
    )


def choose_teams(teams: int, boards: int = 24) -> list[Choice]:
    """Return round robins of teams of four, whole or curtailed, of about `boards` boards.

    The one with most rounds comes first. Raise MovementError for fewer than 2 teams, or more than 60.

    >>> for choice in choose_teams(4, 24):
    ...     print(f"{choice.name}: {choice.rounds} rounds of {choice.boards_per_round}")
    round robin of 4 teams: 3 rounds of 8
    round robin of 4 teams, curtailed: 2 rounds of 12
    round robin of 4 teams, curtailed: 1 rounds of 24
    """
    require(teams, 2, "The number of teams", MOST_TEAMS)
    require(boards, 1, "The number of boards")
    whole = teams - 1 + teams % 2
    choices = []
    for rounds in range(whole, 0, -1):
        per_round = round(boards / rounds)
        if per_round >= 2 and 5 * abs(rounds * per_round - boards) <= boards:
            movement = curtailed(round_robin(teams, per_round, teams=True), rounds)
            # All play the same boards in a round, so that everyone plays every board of a curtailed one too.
            choices.append(replace(_choice(movement, _teams_meaning(movement), "team"), every_board=True))
    return choices


def _individual_meaning(movement: Movement) -> str:
    if movement.name.startswith("rainbow"):
        words = (
            "North stays; the other three and the boards move, each at a different pace; nobody has a partner or "
            "an opponent twice"
        )
    elif movement.promises.everyone_partners:
        words = "Everyone partners everyone else once and meets everyone else twice"
    else:
        words = "Nobody has a partner twice, or an opponent more than twice"
    shared = "; some tables share boards" if movement.promises.shared else ""
    return f"{words}{shared}; there is one winner."


def _teams_meaning(movement: Movement) -> str:
    meets = "Every team meets every other" if movement.promises.everyone_meets else "No two teams meet twice"
    return (
        f"{meets}; a match is played at two neighbouring tables, the home team's N-S at the first; all tables play "
        "the same boards at the same time, so each match needs a set; there is one winner."
    )


def _offers(pairs: int, boards: int, options: MovementOptions) -> Iterator[Choice]:
    yield from _mitchell_offers(pairs, boards, options)
    yield from _howell_offers(pairs, boards, options)
    if pairs <= MOST_IN_A_ROUND_ROBIN and not options.arrow_switches and options.missing_pair is None:
        for _, per_round in _shapes([pairs - 1 + pairs % 2], boards, options):
            yield _choice(
                round_robin(pairs, per_round),
                "Everyone meets everyone else; all tables play the same boards at the same time, so each "
                "needs a copy; there is one winner.",
            )


def _mitchell_offers(pairs: int, boards: int, options: MovementOptions) -> Iterator[Choice]:
    tables = (pairs + 1) // 2
    shorter = range(SHORTEST, tables)
    shapes = _shapes([tables], boards, options) + _shapes(shorter, boards, options)
    if tables >= SHORTEST:
        yield from _mitchells(pairs, tables, shapes, "auto", options)
    rover = pairs // 2
    if pairs % 2 and rovers.LEAST_TABLES <= rover <= rovers.MOST_TABLES and options.missing_pair is None:
        shapes = _shapes([rover], boards, options) + _shapes(range(SHORTEST, rover), boards, options)
        yield from _mitchells(pairs, rover, shapes, "rover", options)
    if SHORTEST <= tables <= MOST_HESITATION_TABLES:
        yield from _mitchells(pairs, tables, _shapes([tables + 1], boards, options), "hesitation", options)
    if options.copies > 1:
        if tables % 2 and tables >= 5:
            yield from _mitchells(pairs, tables, _shapes([tables - 2], boards, options), "bowman", options)
        webs = [
            rounds
            for rounds in range(SHORTEST_WEB, tables, 2)
            if web_copies(tables, rounds) <= options.copies
        ]
        yield from _mitchells(pairs, tables, _shapes(webs, boards, options), "web", options)


def _mitchells(
    pairs: int, tables: int, shapes: list[Shape], kind: MitchellKind, options: MovementOptions
) -> Iterator[Choice]:
    for rounds, per_round in shapes:
        usual = tuple(range(rounds - max(1, round(rounds / 8)) + 1, rounds + 1))
        wishes = ((), usual) if options.arrow_switches is None else (options.arrow_switches,)
        for switched in wishes:
            if any(round_ > rounds for round_ in switched) or (
                kind == "hesitation" and not switched and options.arrow_switches is None
            ):
                continue
            missing = _missing_of(options, tables, bool(switched)) if pairs % 2 and kind != "rover" else None
            movement = mitchell(
                tables, per_round, rounds, kind=kind, arrow_switches=switched, missing_pair=missing
            )
            yield _choice(movement, _mitchell_meaning(movement, tables, kind, switched))


def _missing_of(options: MovementOptions, tables: int, one_field: bool) -> int:
    """Return the missing pair of a Mitchell: by default the last E-W pair."""
    missing = options.missing_pair if options.missing_pair is not None else -tables
    return tables - missing if missing > tables and not one_field else missing


def _howell_offers(pairs: int, boards: int, options: MovementOptions) -> Iterator[Choice]:
    tables = (pairs + 1) // 2
    missing = options.missing_pair or 2 * tables if pairs % 2 else None
    # A Howell has no arrow switches, and no E-W numbers.
    if tables > howells.MOST_TABLES or options.arrow_switches or (missing is not None and missing < 0):
        return
    possible = howell_rounds(tables)
    for rounds, per_round in _shapes(possible[-1:], boards, options) + _shapes(
        possible[:-1], boards, options
    ):
        movement = howell(tables, per_round, rounds, missing_pair=missing)
        yield _choice(movement, _howell_meaning(movement, tables, rounds))
        if tables == 3 and rounds == possible[-1] and per_round % 2 == 0:
            movement = howell(tables, per_round, rounds, missing_pair=missing, sharing=False)
            yield _choice(movement, _howell_meaning(movement, tables, rounds))


def _shapes(rounds: Iterable[int], boards: int, options: MovementOptions = MovementOptions()) -> list[Shape]:
    """Return the shape, with one of these numbers of rounds, whose boards in all are nearest to `boards`.

    The list is empty if every shape has over a fifth more or fewer boards than that.
    """
    sizes = [options.boards_per_round] if options.boards_per_round else BOARDS_A_ROUND
    candidates = [
        (number, per_round)
        for number in rounds
        for per_round in sizes
        if 5 * abs(number * per_round - boards) <= boards
    ]
    best = min(candidates, key=lambda shape: (abs(shape[0] * shape[1] - boards), -shape[0]), default=None)
    return [best] if best else []


def _choice(movement: Movement, meaning: str, noun: str = "pair") -> Choice:
    has_sit_outs = bool(movement.sit_outs())
    most = movement.promises.sit_outs_at_most
    return Choice(
        movement=movement,
        meaning=meaning,
        boards_each=movement.rounds * movement.boards_per_round,
        every_board=movement.promises.all_boards,
        sit_out=(
            f"One {noun} sits out in each round, no {noun} more than {'once' if most == 1 else 'twice'}."
            if has_sit_outs
            else NO_SIT_OUT
        ),
        noun=noun,
    )


def _mitchell_meaning(movement: Movement, tables: int, kind: MitchellKind, switched: tuple[int, ...]) -> str:
    words = ["N-S pairs stay, E-W pairs move up a table and boards move down a table"]
    half = tables // 2
    if "skip" in movement.name and movement.rounds > half:
        words.append(f"after round {half} E-W pairs skip a table")
    match kind:
        case "rover":
            words.append(
                f"pair {tables + 1} waits a round and then takes the N-S seats of another table each round"
            )
        case "hesitation":
            words = [
                f"N-S pairs 1 to {tables - 1} stay, the others move up a table E-W and boards move down a table",
                f"after E-W at table {tables} a pair stays there N-S for a round, and then goes to table 1",
                f"a set rests between tables {half} and {half + 1}"
                if tables % 2
                else "two sets rest half way",
            ]
        case "bowman":
            words.append(
                f"table {tables - 1} has the boards of table 1, table {tables} those of another each round"
            )
        case "web":
            words = ["N-S pairs stay, E-W pairs move up a table; the boards go round in separate circuits"]
    if movement.promises.shared:
        rest = "" if kind == "hesitation" else f" and a set rests between tables {half} and {half + 1}"
        words.append(f"tables 1 and {tables} share boards{rest}")
    if kind in ("bowman", "web"):
        words.append(_copies_words(movement.copies))
    if movement.promises.opponents_at_most != 1:
        words.append("it meets one E-W pair twice")
    words.append(_winners_words(movement, switched))
    return "; ".join(words) + "."


def _winners_words(movement: Movement, switched: tuple[int, ...]) -> str:
    if not switched:
        return "there is one winner" if movement.winners == 1 else "each direction has a winner"
    rounds = movement.rounds
    if switched == (rounds,):
        when = "the last round"
    elif switched == tuple(range(rounds - len(switched) + 1, rounds + 1)):
        when = f"the last {len(switched)} rounds"
    else:
        when = f"round{'s' if len(switched) > 1 else ''} {ranges(switched)}"
    return f"in {when} N-S and E-W change directions, so there is one winner"


def _howell_meaning(movement: Movement, tables: int, rounds: int) -> str:
    highest = len(movement.pairs)
    staying = range(rounds + 1, highest + 1)
    words = ["Everyone meets everyone else" if movement.promises.everyone_meets else ""]
    if len(staying) > 1:
        words.append(f"pairs {staying[0]} to {highest} stay and do not meet each other")
    elif staying:
        words.append(f"pair {highest} stays")
    words.append("each moving pair follows the one below it")
    if movement.promises.sit_outs_at_most:
        words.append("the pair that comes to table 1 sits out")
    if movement.promises.shared:
        words.append(
            "both tables share boards"
            if tables == 2
            else "all tables share boards in the first round"
            if tables == 3
            else "tables 1 and 2 share boards"
        )
    elif tables == 3:
        words.append("no tables share boards")
    words.append("there is one winner")
    sentence = "; ".join(filter(None, words))
    return sentence[0].upper() + sentence[1:] + "."
