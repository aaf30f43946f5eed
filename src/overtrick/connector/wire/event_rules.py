"""Layer 1 for whole events and sessions; `rules` has the rest, and says what layer 1 is."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from overtrick.connector.wire.checks import (
    guid_problems,
    inside,
    is_blank,
    not_between,
    twice,
    until_enough,
)
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    ContinueDTO,
    InitDTO,
    SessionDTO,
)
from overtrick.connector.wire.numbers import ManageFlag, StartFlag
from overtrick.connector.wire.play import ParticipationDTO, PlayerDataDTO
from overtrick.connector.wire.rules import (
    handrecord_problems,
    participation_problems,
    player_problems,
    scoring_group_problems,
    seat_of,
    settings_problems,
)
from overtrick.guid import is_guid

FolderExists = Callable[[str], bool]


def session_problems(dto: SessionDTO, *, is_added: bool = False) -> list[str]:
    """What is wrong with a session; one that is added to an event has to say to which."""
    found = guid_problems(dto.SessionGuid)
    if is_added and not dto.EventGuid:
        found.append("A session that is added needs the EventGuid of its event.")
    if dto.EventGuid is not None:
        found += guid_problems(dto.EventGuid, "EventGuid")
    groups = dto.ScoringGroups or []
    if not groups:
        return [*found, "A session has at least one scoring group."]
    found += twice((group.ScoringGroupNumber for group in groups), "Scoring group {} is there twice.")
    for group in until_enough(groups, found):
        where = f"scoring group {group.ScoringGroupNumber}"
        if group.SessionGuid != dto.SessionGuid:
            found.append(f"{where}: it has another SessionGuid than its session.")
        found += inside(where, scoring_group_problems(group))
    sections = [section for group in groups for section in group.Sections or []]
    known = {section.Letters for section in sections}
    for section in until_enough(sections, found):
        if not section.IsCombiSection:
            continue
        homes = (section.NorthSouthPairSectionLetters, section.EastWestPairSectionLetters)
        if homes[0] == homes[1]:
            found.append(
                f"Combi section {section.Letters or ''} takes its pairs from two different sections."
            )
        found += [
            f"Combi section {section.Letters or ''} takes pairs of section {home or ''}, which is not there."
            for home in homes
            if home not in known
        ]
    if not dto.Name:
        found.append("A session needs a Name.")
    if dto.Year < 2000:
        found.append(f"Year is {dto.Year}, and has to be 2000 or later.")
    found += not_between("Month", dto.Month, 1, 12)
    found += not_between("Day", dto.Day, 1, 31)
    found += not_between("Hour", dto.Hour, 0, 23)
    found += not_between("Minute", dto.Minute, 0, 59)
    try:
        date(dto.Year, dto.Month, dto.Day)
    except ValueError:
        found.append(f"There is no day {dto.Year}-{dto.Month}-{dto.Day}.")
    return found


def folder_exists(folder: str) -> bool:
    """Whether there is such a folder on this computer; a name that cannot be one is none."""
    try:
        return Path(folder).is_dir()
    except (OSError, ValueError):  # too long, or with a NUL in it
        return False


def _folder(folder: str | None, exists: FolderExists) -> list[str]:
    if folder is None or is_blank(folder) or exists(folder):
        return []
    return [f"AlternativeDataFolder '{folder}' does not exist."]


def init_problems(dto: InitDTO, folder_exists: FolderExists = folder_exists) -> list[str]:
    """What is wrong with a new event."""
    found = not_between("Commands", dto.Commands, 0, 255)
    found += _folder(dto.AlternativeDataFolder, folder_exists)
    sessions = dto.Sessions or []
    if not sessions:
        return [*found, "An event has at least one session."]
    if len(sessions) > 1:
        if is_blank(dto.EventGuid):
            found.append("An event with more than one session needs an EventGuid.")
        else:
            found += [
                f"session {session.SessionGuid or ''}: it has another EventGuid than the event."
                for session in sessions
                if session.EventGuid != dto.EventGuid
            ]
    if dto.EventGuid is not None:
        found += guid_problems(dto.EventGuid, "EventGuid")
    for session in until_enough(sessions, found):
        found += inside(f"session {session.SessionGuid or ''}", session_problems(session))
    groups = [group for session in sessions for group in session.ScoringGroups or []]
    sections = [section for group in groups for section in group.Sections or []]
    found += twice((section.Letters for section in sections), "Section {} is in the event twice.")
    found += twice((group.ScoringGroupNumber for group in groups), "Scoring group {} is in the event twice.")
    found += _people(dto.PlayerData, dto.Participations, [session.SessionGuid for session in sessions])
    explicit = {
        ((section.SessionGuid or ""), (section.Letters or ""))
        for section in sections
        if section.HasExplicitParticipations
    }
    for each in until_enough(dto.Participations or [], found):
        if each.RoundNumber > 1 and ((each.SessionGuid or ""), (each.SectionLetters or "")) not in explicit:
            found.append(
                f"{seat_of(each)}: only a section with explicit participations has them after round 1."
            )
    for each in until_enough(dto.Participations or [], found):
        found += inside(seat_of(each), participation_problems(each))
    return found + _extras(dto)


def _people(
    players: Sequence[PlayerDataDTO] | None,
    participations: Sequence[ParticipationDTO] | None,
    sessions: Sequence[str | None],
) -> list[str]:
    """Players belong to a session at hand, once each, and a participation by number has its player."""
    found: list[str] = []
    for player in until_enough(players or [], found):
        where = f"player {player.PlayerNumber or ''}"
        found += inside(where, player_problems(player))
        if player.SessionGuid not in sessions:
            found.append(f"{where}: its SessionGuid is not that of a session here.")
    found += twice((player.PlayerNumber or "" for player in players or []), "Player {} is there twice.")
    if participations and players is None:
        found.append("There are participations, but no players for them.")
    known = {(player.SessionGuid or "") + (player.PlayerNumber or "") for player in players or []}
    for each in until_enough(participations or [], found):
        wanted = (each.SessionGuid or "") + (each.PlayerNumber or "")
        if each.PlayerNumber and wanted not in known:
            found.append(f"{seat_of(each)}: there is no player {each.PlayerNumber} in its session.")
    return found


def _extras(dto: InitDTO | AddSessionDTO) -> list[str]:
    found: list[str] = []
    for record in until_enough(dto.Handrecords or [], found):
        found += inside(
            f"hand record {record.SectionLetters or ''} {record.BoardNumber}", handrecord_problems(record)
        )
    broken: list[str] = []
    for settings in until_enough(dto.Bridgemate2Settings or [], broken):
        broken += inside(
            f"Bridgemate II settings {settings.SectionLetters or ''}", settings_problems(settings)
        )
    found += broken
    if not broken:
        letters = (settings.SectionLetters for settings in dto.Bridgemate2Settings or [])
        found += twice(letters, "There are Bridgemate II settings for section {} twice.")
    for setting in until_enough(dto.Bridgemate3Settings or [], found):
        found += inside(f"Bridgemate III settings {setting.SectionLetters or ''}", settings_problems(setting))
    return found


_CONTINUING = (
    StartFlag.START
    | StartFlag.START_READING
    | StartFlag.MINIMIZE
    | StartFlag.AUTO_SHUTDOWN
    | StartFlag.DEBUG_LOG
    | StartFlag.CLEAR_DATA
)


def continue_problems(dto: ContinueDTO, folder_exists: FolderExists = folder_exists) -> list[str]:
    """What is wrong with taking up an event; only the lowest eight flags are looked at."""
    found = []
    if dto.Commands & 0xFF & ~int(_CONTINUING):
        found.append(
            f"Commands is {dto.Commands}, and resetting or showing in the app is not for an old event."
        )
    return found + _folder(dto.AlternativeDataFolder, folder_exists)


def add_session_problems(dto: AddSessionDTO) -> list[str]:
    """What is wrong with adding a session."""
    if dto.Session is None:
        return ["There is no Session to add."]
    if not is_guid(dto.EventGuid):
        return guid_problems(dto.EventGuid, "EventGuid")
    found = []
    if dto.Session.EventGuid != dto.EventGuid:
        found.append("The Session has another EventGuid than the event it is added to.")
    found += session_problems(dto.Session, is_added=True)
    found += _people(dto.PlayerData, dto.Participations, [dto.Session.SessionGuid])
    if dto.PlayerData is not None:
        for each in until_enough(dto.Participations or [], found):
            found += inside(seat_of(each), participation_problems(each))
    return found + _extras(dto)


_MANAGEABLE = frozenset({1, 2, 4, 6, 8, 16, 18, 20, 22})


def manage_problems(dto: BCSManagementRequestDTO) -> list[str]:
    """What is wrong with a question for the control software.

    >>> manage_problems(BCSManagementRequestDTO(Command=6))
    []
    """
    if dto.Command in _MANAGEABLE:
        return []
    words = ", ".join(
        f"{flag.value} {flag.name.lower().replace('_', ' ')}" for flag in ManageFlag if flag.name
    )
    return [f"Command {dto.Command} is none of {words}, or of 2, 4 and 16 together."]
