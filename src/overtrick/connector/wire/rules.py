"""The rules of single DTOs, which agree with the vendor's validators. Has no dependency on the state of an event.

Shipped clients validate before they send, by rules that differ a little between versions. A DTO that any of them
or the guide accepts is accepted here: boards of a sit-out or empty round are ignored, a session's Name and a PIN may
be missing, and participations by name need no PlayerData. Otherwise these rules are neither stricter nor milder than
the newest validators: a test compares the two on thousands of DTOs. Rules that only the guide has, or that need the
state of the event, are checked later, in `from_wire` and by the event itself.

`RULES` has the rules of each DTO, and `problems` returns all that a DTO breaks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from overtrick.bridgemate import levels
from overtrick.connector.wire.checks import (
    ABOVE_ZERO,
    MOST_PROBLEMS,
    Relation,
    Rule,
    above_zero,
    between,
    each,
    every,
    guid,
    guid_length,
    is_blank,
    is_pin,
    letters,
    never,
    once,
    rule,
    same,
    unless,
    valid,
    when,
)
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    ContinueDTO,
    InitDTO,
    SessionDTO,
)
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.movement import (
    RoundDTO,
    ScoringGroupDTO,
    SectionDTO,
    SectionUpdateDTO,
    TableDTO,
)
from overtrick.connector.wire.numbers import ManageFlag, StartFlag
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from overtrick.connector.wire_codes import GAMES, METHODS

CARDS = "AKQJT98765432"
SEATS = ("North", "East", "South", "West")
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")


def problems(dto: WireModel) -> list[str]:
    """Return a sentence for each rule that a DTO breaks.

    >>> problems(BCSManagementRequestDTO(Command=6))
    []
    """
    sentences = rule_of(type(dto))(dto)
    return list(sentences[:MOST_PROBLEMS]) if sentences else []


def update_problems(update: SectionUpdateDTO) -> list[str]:
    """Return a sentence for each rule that an update of a section breaks; it may be a SectionDTO.

    The guide sends either, and wants the scoring method only for a new scoring group: without one, or with an unset 0,
    the update is checked as a SectionDTO. Players and participations are checked in both cases.
    """
    if update.ScoringGroupScoringMethod or update.IsDeleted:
        return problems(update)
    return [*rule_of(SectionDTO)(update)[:MOST_PROBLEMS], *SECTION_PARTICIPATIONS(update)]


@cache
def rule_of(kind: type[WireModel]) -> Rule:
    """Return all rules of a DTO class as one."""
    return next(every(*RULES[base]) for base in kind.__mro__ if base in RULES)


def _keeps_own_rules(whole: Any) -> Rule:
    """Return the rule that a part keeps its own rules, whatever the whole is."""
    return problems


# Play -------------------------------------------------------------------------------------------------------


def _own_pair_declares(dto: ResultDTO) -> Sequence[str]:
    if dto.DeclaringPair in (dto.PairNorthSouth, dto.PairEastWest):
        return ()
    return (
        f"DeclaringPair is {dto.DeclaringPair}, and has to be {dto.PairNorthSouth} or {dto.PairEastWest}.",
    )


PLACE = dict.fromkeys(("TableNumber", "RoundNumber", "BoardNumber"), ABOVE_ZERO)

RESULT: tuple[Rule, ...] = (
    guid_length(),
    letters(),
    when(
        attrgetter("IsDeleted"),
        between(**PLACE),  # only the place counts
        otherwise=(
            between(
                **PLACE,
                PairNorthSouth=ABOVE_ZERO,
                PairEastWest=ABOVE_ZERO,
                Level=(levels.NO_PLAY, levels.HIGHEST),
                Stake=(0, 2),
                TotalTricks=(0, 13),
            ),
            _own_pair_declares,
            when(
                lambda dto: dto.Level >= 1,
                between(DeclarerDirection=(1, 4), ScoringDirection=(1, 3), Denomination=(1, 5)),
            ),
            # Like the vendor's validators: if the rank is wrong, the suit is not checked.
            when(
                attrgetter("LeadCardRank"),
                unless(between(LeadCardRank=(2, 14)), between(LeadCardSuit=(1, 4))),
            ),
        ),
    ),
)

PLAYER: tuple[Rule, ...] = (
    guid(),
    never(lambda dto: is_blank(dto.PlayerNumber), "A player needs a PlayerNumber."),
    never(lambda dto: is_blank(dto.LastName), "A player needs a LastName."),
)


def _has_number(dto: ParticipationDTO) -> bool:
    return not is_blank(dto.PlayerNumber)


def _has_name(dto: ParticipationDTO) -> bool:
    return not is_blank(dto.LastName)


PARTICIPATION: tuple[Rule, ...] = (
    guid_length(),
    letters(),
    between(Direction=(1, 4)),
    above_zero("TableNumber"),
    valid("RoundNumber", lambda number: number >= 0, "RoundNumber is {}, and cannot be below zero."),
    when(
        attrgetter("IsRemoval"),
        never(
            lambda dto: (
                _has_number(dto)
                or _has_name(dto)
                or not is_blank(dto.FirstName)
                or not is_blank(dto.CountryCode)
            ),
            "A removal empties a seat, so it names no player.",
        ),
        never(attrgetter("IsPlayerSwap"), "A participation is a removal or a swap, not both."),
        otherwise=(
            never(
                lambda dto: _has_number(dto) and _has_name(dto),
                "A participation has a PlayerNumber or a LastName, not both.",
            ),
            never(
                lambda dto: not _has_number(dto) and not _has_name(dto),
                "A participation has a PlayerNumber or a LastName, and this has neither.",
            ),
        ),
    ),
)


@rule
def _only_cards(dto: HandrecordDTO) -> Iterator[str]:
    unreadable = [
        seat + suit
        for seat in SEATS
        for suit in SUITS
        if (holding := dto.holding(seat, suit)) is None or not set(holding) <= set(CARDS)
    ]
    if unreadable:
        yield f"{', '.join(unreadable)}: only {CARDS} are cards, and a void is an empty text."


@rule
def _each_card_once(dto: HandrecordDTO) -> Iterator[str]:
    for suit in SUITS:
        cards = "".join(dto.holding(seat, suit) or "" for seat in SEATS)
        if len(cards) != 13:
            yield f"{suit} has {len(cards)} cards, not 13."
        elif len(set(cards)) != 13:
            yield f"{suit} has a card twice."
    for seat in SEATS:
        count = sum(len(dto.holding(seat, suit) or "") for suit in SUITS)
        if count != 13:
            yield f"{seat} has {count} cards, not 13."


# Movement ---------------------------------------------------------------------------------------------------


@rule
def _rounds_follow(dto: TableDTO) -> Iterator[str]:
    numbers = sorted(round_dto.RoundNumber for round_dto in dto.Rounds or [])
    if not numbers:
        return
    if len(set(numbers)) != len(numbers):
        yield "A round number is there twice."
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        yield "The round numbers do not follow one another."
    if numbers[0] > 1:
        yield f"The rounds have to begin with 1, not with {numbers[0]}."


@rule
def _moves_as_far_as_tables_go(dto: SectionDTO) -> Iterator[str]:
    tables = len(dto.Tables or [])
    if abs(dto.EWMoveBeforePlay) > tables:
        yield f"EWMoveBeforePlay is {dto.EWMoveBeforePlay}, further than the {tables} tables go."


SECTION_FEATURES: tuple[Rule, ...] = (
    never(
        lambda dto: dto.MissingPair < 0 and dto.Winners != 2,
        "MissingPair is below zero, and only a section with two winners has such a pair.",
    ),
    between(Winners=(1, 2)),
    valid("GameType", GAMES.__contains__, "GameType is {}, and has to be 10, 20 or 30."),
    when(
        attrgetter("IsCombiSection"),
        letters("NorthSouthPairSectionLetters"),
        letters("EastWestPairSectionLetters"),
    ),
    _moves_as_far_as_tables_go,
    each(
        "Tables",
        lambda table: f"table {table.TableNumber}",
        same("SessionGuid", "its section"),
        same("SectionLetters", "its section", "Letters"),
        _keeps_own_rules,
    ),
    once(lambda dto: (table.TableNumber for table in dto.Tables or []), "Table {} is there twice."),
)


def _seat_of(dto: ParticipationDTO) -> str:
    """Return the place of a participation in words."""
    seat = dto.Direction.name.rstrip("_")
    return f"participation {dto.SectionLetters or ''}{dto.TableNumber} {seat} round {dto.RoundNumber}"


_LATER = "only a section with explicit participations has them after round 1."


def _later_only_if_explicit(section: SectionUpdateDTO) -> Rule:
    return never(lambda seat: seat.RoundNumber > 1 and not section.HasExplicitParticipations, _LATER)


SECTION_PARTICIPATIONS = each(
    "Participations",
    _seat_of,
    _keeps_own_rules,
    same("SessionGuid", "the section"),
    same("SectionLetters", "the section", "Letters"),
    _later_only_if_explicit,
)

SCORING_GROUP: tuple[Rule, ...] = (
    guid(),
    above_zero("ScoringGroupNumber"),
    valid("ScoringMethod", METHODS.__contains__, "ScoringMethod {} is not a scoring method."),
    when(
        attrgetter("IsDeleted"),
        never(attrgetter("Sections"), "A scoring group that is deleted has no sections."),
        otherwise=(
            never(lambda dto: not dto.Sections, "A scoring group has at least one section."),
            once(
                lambda dto: (section.Letters for section in dto.Sections or []), "Section {} is there twice."
            ),
            each(
                "Sections",
                lambda section: f"section {section.Letters or ''}",
                same("SessionGuid", "its scoring group"),
                same("ScoringGroupNumber", "its scoring group"),
                _keeps_own_rules,
            ),
        ),
    ),
)


# Settings ---------------------------------------------------------------------------------------------------


@rule
def _settings(dto: SettingsDTO) -> Iterator[str]:
    """Yield the problems of the settings that the vendor's validators check."""
    for setting in dto.ROWS:
        name = setting.property_name
        if setting.wire_limits is not None:
            yield from between(**{name: setting.wire_limits})(dto)
        if setting.name == "pin" and (pin := getattr(dto, name)) and not is_pin(pin):
            yield f"{name} '{pin}' is not four digits."


# Events -----------------------------------------------------------------------------------------------------


def _sections(groups: Iterable[ScoringGroupDTO] | None) -> Iterator[SectionDTO]:
    return (section for group in groups or [] for section in group.Sections or [])


@rule
def _combi_sections_have_homes(dto: SessionDTO) -> Iterator[str]:
    letters = {section.Letters for section in _sections(dto.ScoringGroups)}
    for section in _sections(dto.ScoringGroups):
        if not section.IsCombiSection:
            continue
        homes = (section.NorthSouthPairSectionLetters, section.EastWestPairSectionLetters)
        combi = f"Combi section {section.Letters or ''}"
        if homes[0] == homes[1]:
            yield f"{combi} takes its pairs from two different sections."
        for home in homes:
            if home not in letters:
                yield f"{combi} takes pairs of section {home or ''}, which is not there."


@rule
def _is_a_day(dto: SessionDTO) -> Iterator[str]:
    try:
        date(dto.Year, dto.Month, dto.Day)
    except ValueError:
        yield f"There is no day {dto.Year}-{dto.Month}-{dto.Day}."


def _folder_exists(folder: str | None) -> bool:
    """Return whether there is such a folder on this computer; False for an impossible name."""
    try:
        return folder is None or is_blank(folder) or Path(folder).is_dir()
    except (OSError, ValueError):  # too long, or with a NUL in it
        return False


FOLDER = valid("AlternativeDataFolder", _folder_exists, "AlternativeDataFolder '{}' does not exist.")


def _own_session(sessions: Callable[[Any], list[str | None]]) -> Relation:
    """Make the relation that a part names one of the sessions."""

    def relation(dto: Any) -> Rule:
        guids = set(sessions(dto))
        return never(
            lambda part: part.SessionGuid not in guids, "its SessionGuid is not that of a session here."
        )

    return relation


def _has_player(dto: InitDTO | AddSessionDTO) -> Rule:
    """Return the rule that the player of a participation by number is in the PlayerData of the whole."""
    players = {(player.SessionGuid or "") + (player.PlayerNumber or "") for player in dto.PlayerData or []}

    @rule
    def missing(seat: ParticipationDTO) -> Iterator[str]:
        if seat.PlayerNumber and (seat.SessionGuid or "") + seat.PlayerNumber not in players:
            yield f"there is no player {seat.PlayerNumber} in its session."

    return missing


def _later_only_in_explicit(dto: InitDTO) -> Rule:
    explicit = {
        (section.SessionGuid or "", section.Letters or "")
        for session in dto.Sessions or []
        for section in _sections(session.ScoringGroups)
        if section.HasExplicitParticipations
    }
    return never(
        lambda seat: (
            seat.RoundNumber > 1 and (seat.SessionGuid or "", seat.SectionLetters or "") not in explicit
        ),
        _LATER,
    )


def _people(sessions: Callable[[Any], list[str | None]]) -> tuple[Rule, ...]:
    """Make the rules that each player belongs to one of the sessions and occurs once."""
    return (
        each(
            "PlayerData",
            lambda player: f"player {player.PlayerNumber or ''}",
            _keeps_own_rules,
            _own_session(sessions),
        ),
        once(
            lambda dto: (player.PlayerNumber or "" for player in dto.PlayerData or []),
            "Player {} is there twice.",
        ),
    )


EXTRAS: tuple[Rule, ...] = (
    each(
        "Handrecords",
        lambda record: f"hand record {record.SectionLetters or ''} {record.BoardNumber}",
        _keeps_own_rules,
    ),
    unless(
        each(
            "Bridgemate2Settings",
            lambda settings: f"Bridgemate II settings {settings.SectionLetters or ''}",
            _keeps_own_rules,
        ),
        once(
            lambda dto: (settings.SectionLetters for settings in dto.Bridgemate2Settings or []),
            "There are Bridgemate II settings for section {} twice.",
        ),
    ),
    each(
        "Bridgemate3Settings",
        lambda settings: f"Bridgemate III settings {settings.SectionLetters or ''}",
        _keeps_own_rules,
    ),
)


def _groups(dto: InitDTO) -> Iterator[ScoringGroupDTO]:
    return (group for session in dto.Sessions or [] for group in session.ScoringGroups or [])


def _session_of(session: SessionDTO) -> str:
    return f"session {session.SessionGuid or ''}"


INIT: tuple[Rule, ...] = (
    between(Commands=(0, 255)),
    FOLDER,
    unless(
        never(lambda dto: not dto.Sessions, "An event has at least one session."),
        when(
            lambda dto: len(dto.Sessions) > 1,
            unless(
                never(
                    lambda dto: is_blank(dto.EventGuid),
                    "An event with more than one session needs an EventGuid.",
                ),
                each("Sessions", _session_of, same("EventGuid", "the event")),
            ),
        ),
        when(lambda dto: dto.EventGuid is not None, guid("EventGuid")),
        each("Sessions", _session_of, _keeps_own_rules),
        once(
            lambda dto: (section.Letters for section in _sections(_groups(dto))),
            "Section {} is in the event twice.",
        ),
        once(
            lambda dto: (group.ScoringGroupNumber for group in _groups(dto)),
            "Scoring group {} is in the event twice.",
        ),
        *_people(lambda dto: [session.SessionGuid for session in dto.Sessions]),
        each("Participations", _seat_of, _has_player, _later_only_in_explicit, _keeps_own_rules),
        *EXTRAS,
    ),
)

ADD_SESSION: tuple[Rule, ...] = (
    unless(
        never(lambda dto: dto.Session is None, "There is no Session to add."),
        unless(
            guid("EventGuid"),
            never(
                lambda dto: dto.Session.EventGuid != dto.EventGuid,
                "The Session has another EventGuid than the event it is added to.",
            ),
            never(
                lambda dto: not dto.Session.EventGuid,
                "A session that is added needs the EventGuid of its event.",
            ),
            lambda dto: problems(dto.Session),
            *_people(lambda dto: [dto.Session.SessionGuid]),
            each("Participations", _seat_of, _has_player, _keeps_own_rules),
            *EXTRAS,
        ),
    ),
)

_CONTINUE_FLAGS = (
    StartFlag.START
    | StartFlag.START_READING
    | StartFlag.MINIMIZE
    | StartFlag.AUTO_SHUTDOWN
    | StartFlag.DEBUG_LOG
    | StartFlag.CLEAR_DATA
)

_MANAGE_COMMANDS = frozenset({1, 2, 4, 6, 8, 16, 18, 20, 22})
_QUESTIONS = ", ".join(
    f"{flag.value} {flag.name.lower().replace('_', ' ')}" for flag in ManageFlag if flag.name
)

# All --------------------------------------------------------------------------------------------------------

RULES: Mapping[type[WireModel], tuple[Rule, ...]] = {
    ResultDTO: RESULT,
    PlayerDataDTO: PLAYER,
    ParticipationDTO: PARTICIPATION,
    HandrecordDTO: (
        guid(),
        letters(),
        above_zero("ScoringGroupNumber", "BoardNumber"),
        unless(_only_cards, _each_card_once),
    ),
    TdCallDTO: (guid(), letters(), above_zero("TableNumber", "RoundNumber"), between(Status=(1, 4))),
    RoundDTO: (guid(), letters(), above_zero("TableNumber", "RoundNumber")),
    TableDTO: (
        guid(),
        letters(),
        above_zero("TableNumber"),
        _rounds_follow,
        each(
            "Rounds",
            lambda played: f"round {played.RoundNumber}",
            same("SessionGuid", "its table"),
            same("SectionLetters", "its table"),
            same("TableNumber", "its table"),
            _keeps_own_rules,
        ),
    ),
    SectionDTO: (guid(), letters("Letters"), above_zero("ScoringGroupNumber"), *SECTION_FEATURES),
    SectionUpdateDTO: (
        guid(),
        letters("Letters"),
        when(
            attrgetter("IsDeleted"),  # then only the letters count
            never(attrgetter("Tables"), "A section that is deleted has no tables."),
            otherwise=(
                above_zero("ScoringGroupNumber"),
                valid(
                    "ScoringGroupScoringMethod",
                    METHODS.__contains__,
                    "ScoringGroupScoringMethod {} is not a scoring method.",
                ),
                *SECTION_FEATURES,
                never(
                    lambda dto: dto.HasExplicitParticipations and not dto.Participations,
                    "A section with explicit participations needs all of them with every update.",
                ),
                SECTION_PARTICIPATIONS,
            ),
        ),
    ),
    ScoringGroupDTO: SCORING_GROUP,
    Bridgemate2SettingsDTO: (guid(), letters(), _settings),
    Bridgemate3SettingsDTO: (guid(), letters(), _settings),
    SessionDTO: (
        guid(),
        when(lambda dto: dto.EventGuid is not None, guid("EventGuid")),
        unless(
            never(lambda dto: not dto.ScoringGroups, "A session has at least one scoring group."),
            once(
                lambda dto: (group.ScoringGroupNumber for group in dto.ScoringGroups),
                "Scoring group {} is there twice.",
            ),
            each(
                "ScoringGroups",
                lambda group: f"scoring group {group.ScoringGroupNumber}",
                same("SessionGuid", "its session"),
                _keeps_own_rules,
            ),
            _combi_sections_have_homes,
            valid("Year", lambda year: year >= 2000, "Year is {}, and has to be 2000 or later."),
            between(Month=(1, 12), Day=(1, 31), Hour=(0, 23), Minute=(0, 59)),
            _is_a_day,
        ),
    ),
    InitDTO: INIT,
    AddSessionDTO: ADD_SESSION,
    ContinueDTO: (
        # Like the vendor's validators, check only the lowest eight flags.
        valid(
            "Commands",
            lambda flags: not flags & 0xFF & ~int(_CONTINUE_FLAGS),
            "Commands is {}, and resetting or showing in the app is not for an old event.",
        ),
        FOLDER,
    ),
    BCSManagementRequestDTO: (
        valid(
            "Command",
            _MANAGE_COMMANDS.__contains__,
            f"Command {{}} is none of {_QUESTIONS}, or of 2, 4 and 16 together.",
        ),
    ),
}
