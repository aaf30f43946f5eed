"""Layer 1: whether a DTO is sound by itself. It knows no event, and agrees with the vendor's validators.

Shipped clients validate before they send, and BCS after it has received, by the same rules, odd corners and all.
So these are neither stricter nor milder than theirs: a test compares the two on thousands of DTOs. Rules that
only the guide has, or that need to know the event, come after these.

Every function answers all that is wrong, as sentences; an empty list is a sound DTO.
"""

from overtrick.bridgemate import levels
from overtrick.connector.wire.checks import (
    guid_length_problems,
    guid_problems,
    inside,
    is_blank,
    is_pin,
    letters_problems,
    not_above_zero,
    not_between,
    twice,
    until_enough,
)
from overtrick.connector.wire.movement import (
    RoundDTO,
    ScoringGroupDTO,
    SectionDTO,
    SectionUpdateDTO,
    TableDTO,
)
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.settings import SettingsDTO

SCORING_METHODS = frozenset({10, 20, 21, 22, 25, 26, 27, 30, 31, 35, 36, 40, 50, 51, 60, 70})
GAME_TYPES = frozenset({10, 20, 30})
CARDS = "AKQJT98765432"
SEATS = ("North", "East", "South", "West")
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")


# Play -------------------------------------------------------------------------------------------------------


def result_problems(dto: ResultDTO) -> list[str]:
    """What is wrong with a result. Of a deleted one only the place counts."""
    found = guid_length_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    found += not_above_zero(
        TableNumber=dto.TableNumber, RoundNumber=dto.RoundNumber, BoardNumber=dto.BoardNumber
    )
    if dto.IsDeleted:
        return found
    found += not_above_zero(PairNorthSouth=dto.PairNorthSouth, PairEastWest=dto.PairEastWest)
    if dto.DeclaringPair not in (dto.PairNorthSouth, dto.PairEastWest):
        found.append(
            f"DeclaringPair is {dto.DeclaringPair}, and has to be {dto.PairNorthSouth} or {dto.PairEastWest}."
        )
    found += not_between("Level", dto.Level, levels.NO_PLAY, levels.HIGHEST)
    if dto.Level >= 1:
        found += not_between("DeclarerDirection", dto.DeclarerDirection, 1, 4)
        found += not_between("ScoringDirection", dto.ScoringDirection, 1, 3)
        found += not_between("Denomination", dto.Denomination, 1, 5)
    found += not_between("Stake", dto.Stake, 0, 2)
    found += not_between("TotalTricks", dto.TotalTricks, 0, 13)
    if dto.LeadCardRank != 0:
        # With a rank that is none, the suit is not looked at.
        found += not_between("LeadCardRank", dto.LeadCardRank, 2, 14) or not_between(
            "LeadCardSuit", dto.LeadCardSuit, 1, 4
        )
    return found


def player_problems(dto: PlayerDataDTO) -> list[str]:
    """What is wrong with a player."""
    found = guid_problems(dto.SessionGuid)
    if is_blank(dto.PlayerNumber):
        found.append("A player needs a PlayerNumber.")
    if is_blank(dto.LastName):
        found.append("A player needs a LastName.")
    return found


def participation_problems(dto: ParticipationDTO) -> list[str]:
    """What is wrong with a participation: a player by number or by name, not both, and none for a removal."""
    found = guid_length_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    found += not_between("Direction", dto.Direction, 1, 4)
    found += not_above_zero(TableNumber=dto.TableNumber)
    if dto.RoundNumber < 0:
        found.append(f"RoundNumber is {dto.RoundNumber}, and cannot be below zero.")
    has_number, has_name = not is_blank(dto.PlayerNumber), not is_blank(dto.LastName)
    if dto.IsRemoval:
        if has_number or has_name or not is_blank(dto.FirstName) or not is_blank(dto.CountryCode):
            found.append("A removal empties a seat, so it names no player.")
        if dto.IsPlayerSwap:
            found.append("A participation is a removal or a swap, not both.")
    elif has_number == has_name:
        found.append(
            "A participation has a PlayerNumber or a LastName"
            + (", not both." if has_number else ", and this has neither.")
        )
    return found


def handrecord_problems(dto: HandrecordDTO) -> list[str]:
    """What is wrong with a hand record: 13 cards in a hand and in a suit, each card once."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    found += not_above_zero(ScoringGroupNumber=dto.ScoringGroupNumber, BoardNumber=dto.BoardNumber)
    unreadable = []
    for seat in SEATS:
        for suit in SUITS:
            holding = dto.holding(seat, suit)
            if holding is None or not set(holding) <= set(CARDS):
                unreadable.append(seat + suit)
    if unreadable:
        found.append(f"{', '.join(unreadable)}: only {CARDS} are cards, and a void is an empty text.")
        return found
    for suit in SUITS:
        cards = "".join(dto.holding(seat, suit) or "" for seat in SEATS)
        if len(cards) != 13:
            found.append(f"{suit} has {len(cards)} cards, not 13.")
        elif len(set(cards)) != 13:
            found.append(f"{suit} has a card twice.")
    for seat in SEATS:
        count = sum(len(dto.holding(seat, suit) or "") for suit in SUITS)
        if count != 13:
            found.append(f"{seat} has {count} cards, not 13.")
    return found


def td_call_problems(dto: TdCallDTO) -> list[str]:
    """What is wrong with a call for the director."""
    return (
        guid_problems(dto.SessionGuid)
        + letters_problems(dto.SectionLetters)
        + not_above_zero(TableNumber=dto.TableNumber, RoundNumber=dto.RoundNumber)
        + not_between("Status", dto.Status, 1, 4)
    )


# Movement ---------------------------------------------------------------------------------------------------


def round_problems(dto: RoundDTO) -> list[str]:
    """What is wrong with a round."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    found += not_above_zero(TableNumber=dto.TableNumber, RoundNumber=dto.RoundNumber)
    is_played = dto.PairNS != 0 and dto.PairEW != 0
    if not is_played and (dto.LowBoardNumber > 0 or dto.HighBoardNumber > 0):
        found.append("A sit-out or an empty table has no boards.")
    return found


def table_problems(dto: TableDTO) -> list[str]:
    """What is wrong with a table: its rounds run from 1 without a gap, and are its own."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    found += not_above_zero(TableNumber=dto.TableNumber)
    rounds = dto.Rounds or []
    numbers = sorted(each.RoundNumber for each in rounds)
    if numbers:
        if len(set(numbers)) != len(numbers):
            found.append("A round number is there twice.")
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            found.append("The round numbers do not follow one another.")
        if numbers[0] > 1:
            found.append(f"The rounds have to begin with 1, not with {numbers[0]}.")
    for each in until_enough(rounds, found):
        where = f"round {each.RoundNumber}"
        if each.SessionGuid != dto.SessionGuid:
            found.append(f"{where}: it has another SessionGuid than its table.")
        if each.SectionLetters != dto.SectionLetters:
            found.append(f"{where}: it has other SectionLetters than its table.")
        if each.TableNumber != dto.TableNumber:
            found.append(f"{where}: it has another TableNumber than its table.")
        found += inside(where, round_problems(each))
    return found


def _section_features(dto: SectionDTO | SectionUpdateDTO) -> list[str]:
    found = []
    if dto.MissingPair < 0 and dto.Winners != 2:
        found.append("MissingPair is below zero, and only a section with two winners has such a pair.")
    found += not_between("Winners", dto.Winners, 1, 2)
    if dto.GameType not in GAME_TYPES:
        found.append(f"GameType is {dto.GameType}, and has to be 10, 20 or 30.")
    if dto.IsCombiSection:
        found += letters_problems(dto.NorthSouthPairSectionLetters, "NorthSouthPairSectionLetters")
        found += letters_problems(dto.EastWestPairSectionLetters, "EastWestPairSectionLetters")
    tables = dto.Tables or []
    if abs(dto.EWMoveBeforePlay) > len(tables):
        found.append(f"EWMoveBeforePlay is {dto.EWMoveBeforePlay}, further than the {len(tables)} tables go.")
    for table in until_enough(tables, found):
        where = f"table {table.TableNumber}"
        if table.SessionGuid != dto.SessionGuid:
            found.append(f"{where}: it has another SessionGuid than its section.")
        if table.SectionLetters != dto.Letters:
            found.append(f"{where}: it has other SectionLetters than its section.")
        found += inside(where, table_problems(table))
    found += twice((table.TableNumber for table in tables), "Table {} is there twice.")
    return found


def section_problems(dto: SectionDTO) -> list[str]:
    """What is wrong with a section."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.Letters, "Letters")
    return found + not_above_zero(ScoringGroupNumber=dto.ScoringGroupNumber) + _section_features(dto)


def section_update_problems(dto: SectionUpdateDTO) -> list[str]:
    """What is wrong with an update of a section; of a deleted one only its letters count."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.Letters, "Letters")
    if dto.IsDeleted:
        return found + (["A section that is deleted has no tables."] if dto.Tables else [])
    found += not_above_zero(ScoringGroupNumber=dto.ScoringGroupNumber)
    if dto.ScoringGroupScoringMethod not in SCORING_METHODS:
        found.append(f"ScoringGroupScoringMethod {dto.ScoringGroupScoringMethod} is not a scoring method.")
    found += _section_features(dto)
    participations = dto.Participations or []
    if dto.HasExplicitParticipations and not participations:
        found.append("A section with explicit participations needs all of them with every update.")
    for each in until_enough(participations, found):
        where = seat_of(each)
        found += inside(where, participation_problems(each))
        if each.SessionGuid != dto.SessionGuid:
            found.append(f"{where}: it has another SessionGuid than the section.")
        if each.SectionLetters != dto.Letters:
            found.append(f"{where}: it has other SectionLetters than the section.")
        if each.RoundNumber > 1 and not dto.HasExplicitParticipations:
            found.append(f"{where}: only a section with explicit participations has them after round 1.")
    return found


def seat_of(dto: ParticipationDTO) -> str:
    """The place of a participation, in words."""
    seat = dto.Direction.name.rstrip("_")
    return f"participation {dto.SectionLetters or ''}{dto.TableNumber} {seat} round {dto.RoundNumber}"


def scoring_group_problems(dto: ScoringGroupDTO) -> list[str]:
    """What is wrong with a scoring group."""
    found = guid_problems(dto.SessionGuid) + not_above_zero(ScoringGroupNumber=dto.ScoringGroupNumber)
    if dto.ScoringMethod not in SCORING_METHODS:
        found.append(f"ScoringMethod {dto.ScoringMethod} is not a scoring method.")
    sections = dto.Sections or []
    if dto.IsDeleted:
        return found + (["A scoring group that is deleted has no sections."] if sections else [])
    if not sections:
        return [*found, "A scoring group has at least one section."]
    found += twice((section.Letters for section in sections), "Section {} is there twice.")
    for section in until_enough(sections, found):
        where = f"section {section.Letters or ''}"
        if section.SessionGuid != dto.SessionGuid:
            found.append(f"{where}: it has another SessionGuid than its scoring group.")
        if section.ScoringGroupNumber != dto.ScoringGroupNumber:
            found.append(f"{where}: it has another ScoringGroupNumber than its scoring group.")
        found += inside(where, section_problems(section))
    return found


# Settings ---------------------------------------------------------------------------------------------------


def settings_problems(dto: SettingsDTO) -> list[str]:
    """Return the problems of a section's settings: of those that the vendor's validators look at."""
    found = guid_problems(dto.SessionGuid) + letters_problems(dto.SectionLetters)
    for setting in dto.ROWS:
        name = setting.property_name
        if setting.wire_limits is not None:
            found += not_between(name, getattr(dto, name), *setting.wire_limits)
        if setting.word == "pin" and not is_pin(getattr(dto, name)):
            found.append(f"{name} '{getattr(dto, name) or ''}' is not four digits.")
    return found
