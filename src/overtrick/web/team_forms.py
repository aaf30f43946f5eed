"""Parse the team desk's forms into facts. Has no dependency on requests."""

import re
from dataclasses import replace

from overtrick.bridge import Played
from overtrick.digits import parse_digits
from overtrick.directing.previews import StalePreview
from overtrick.directing.team_results import report_segment
from overtrick.errors import BadInput
from overtrick.event import Fact, JournalState
from overtrick.event.teams import (
    CarryOverSet,
    Competitor,
    CompetitorSet,
    Division,
    DivisionSeated,
    DivisionSet,
    LineUp,
    LineUpSet,
    MatchNoted,
    Member,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    Team,
    TeamAdjusted,
    TeamBoardErased,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamDropped,
    TeamEvent,
    TeamFormat,
    TeamSet,
    TournamentMapped,
)
from overtrick.magic.values import read_decimal
from overtrick.views.teams import TeamView
from overtrick.web.forms import Form, read_count, read_lead, read_line, read_number, read_outcome
from overtrick.web.team_view_models import METHOD_WORDS

MOST_ROUNDS = 999
NEW_MEMBERS = 6
"""Blank lines of a roster's form."""
ROLES = {"": "Player", "PC": "Playing captain", "NPC": "Non-playing captain", "Coach": "Coach"}
LONGEST_TEXT = 200
MOST_TEAMS = 200
"""The limit on teams in one form; further lines are ignored."""


def decimal_of(form: Form, field: str, label: str) -> int | None:
    """Return a decimal field in units of 1/10000, or None if it is empty; raise BadInput if it is not a number."""
    try:
        return read_decimal(form.get(field, "").replace("−", "-")[:20])
    except ValueError as error:
        raise BadInput(f"{label}: {error} Nothing was changed.") from None


def key_of(form: Form, field: str, label: str) -> int:
    """Return the key of a division, a team or a player, or 0 if the field is empty; raise BadInput if not a number."""
    key = parse_digits(form.get(field, "").strip() or "0", 18)
    if key is None:
        raise BadInput(f"{label} is unknown. Nothing was changed.")
    return key


def room_of(form: Form) -> Room:
    """Return the playing room of a form; raise BadInput if there is none."""
    for room in Room:
        if form.get("room") == room.value:
            return room
    raise BadInput("Choose the open or the closed room. Nothing was changed.")


def division_of(event: TeamEvent, form: Form, field: str = "serie") -> Division:
    """Return the division of a form; raise BadInput if there is none."""
    division = event.divisions.get(key_of(form, field, "The division"))
    if division is None:
        raise BadInput("There is no such division. Nothing was changed.")
    return division


def team_of(event: TeamEvent, form: Form) -> Team:
    """Return the team of a form; raise BadInput if there is none."""
    team = event.teams.get(key_of(form, "team", "The team"))
    if team is None:
        raise BadInput("There is no such team. Nothing was changed.")
    return team


def segment_of(view: TeamView, form: Form) -> tuple[Segment, list[Fact]]:
    """Return the segment of a form, and its draw if that is only derived from the tables and must be recorded first."""
    division = division_of(view.event, form)
    segment = Segment(
        division.id,
        read_number(form, "round", 1, MOST_ROUNDS, "round"),
        read_number(form, "segment", 1, MOST_ROUNDS, "segment"),
        key_of(form, "home", "The team"),
    )
    draw = view.draws.get((segment.serie, segment.round))
    if draw is None or draw == view.event.draws.get((segment.serie, segment.round)):
        return segment, []
    return segment, [draw]


# Divisions, teams and people -----------------------------------------------------------------------------------------


def division_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact for a new or changed division; raise BadInput without a name, a format or a valid method."""
    existing = event.divisions.get(key_of(form, "serie", "The division"))
    format_ = {member.value: member for member in TeamFormat}.get(form.get("format", ""))
    method_value = form.get("method", "")
    method = {member.value: member for member in METHOD_WORDS}.get(method_value)
    if format_ is None or (method_value and method is None):
        raise BadInput("Choose a format and a scoring method. Nothing was changed.")
    key = existing.id if existing else max(event.divisions, default=0) + 1
    boards = read_count(form, "boards", 0, 999, "boards")
    name = read_line(form, "name")
    if not name:
        raise BadInput("Enter a name for the division. Nothing was changed.")
    return [DivisionSet(Division(key, name, format_, method, boards))]


def new_teams(journal_state: JournalState, event: TeamEvent, form: Form) -> list[Fact]:
    """Return the facts for new teams, one per line; a country code of three letters may follow a comma."""
    division = division_of(event, form)
    key = journal_state.next_team_key()
    number = max((team.number for team in event.teams_of(division.id)), default=0) + 1
    facts: list[Fact] = []
    for line in form.get("teams", "").splitlines()[:MOST_TEAMS]:
        name, comma, country = line.rpartition(",")
        if not comma or not re.fullmatch(r"\s*[A-Za-z]{3}\s*", country):
            name, country = line, ""
        if cleaned := read_line({"name": name}, "name"):
            step = len(facts)
            country = country.strip().upper()
            facts.append(TeamSet(Team(key + step, division.id, number + step, cleaned, country_ioc=country)))
    if not facts:
        raise BadInput("Enter at least one team name. Nothing was changed.")
    return facts


def team_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact for a changed or removed team."""
    team = team_of(event, form)
    if form.get("do") == "drop":
        return [TeamDropped(team.id)]
    changed = replace(
        team,
        name=read_line(form, "name"),
        number=read_number(form, "number", 1, 9_999, "team number"),
        country_ioc=read_line(form, "country")[:3].upper(),
    )
    return [TeamSet(changed)]


def roster_facts(journal_state: JournalState, event: TeamEvent, form: Form) -> list[Fact]:
    """Return the facts for a team's roster: its changed and new players, then the roster itself."""
    team = team_of(event, form)
    competitor_facts: list[Fact] = []
    members: list[Member] = []
    for member in event.rosters.get(team.id, ()):
        field = f"-{member.player}"
        if f"last{field}" not in form:
            members.append(member)
            continue
        if form.get(f"gone{field}"):
            continue
        first, last = read_line(form, f"first{field}"), read_line(form, f"last{field}")
        player = event.players[member.player]
        code = read_line(form, f"code{field}")[:20]
        competitor_facts.append(
            CompetitorSet(replace(player, first_name=first, last_name=last, member_code=code))
        )
        members.append(Member(player.id, _role(form, field), _order(form, field, member.order)))
    key = max(
        (id for other_event in journal_state.team_events.values() for id in other_event.players), default=0
    )
    order = max((member.order for member in members), default=0)
    for number in range(1, NEW_MEMBERS + 1):
        field = f"-new{number}"
        first, last = read_line(form, f"first{field}"), read_line(form, f"last{field}")
        code = read_line(form, f"code{field}")[:20]
        if not (first or last or code):
            continue
        competitor = event.player_with_code(code, f"{first} {last}".strip())
        if competitor is None:
            if not (first or last):
                raise BadInput(f"Enter the name of the player with member code {code}. Nothing was changed.")
            key += 1
            competitor = Competitor(key, first, last, code)
            competitor_facts.append(CompetitorSet(competitor))
        order += 1
        members.append(Member(competitor.id, _role(form, field), order))
    members.sort(key=lambda member: member.order)
    return [*competitor_facts, RosterSet(team.id, tuple(members))]


def _role(form: Form, field: str) -> str:
    return read_line(form, f"role{field}")[:20]


def _order(form: Form, field: str, default: int) -> int:
    order = parse_digits(form.get(f"order{field}", "").strip(), 3)
    return default if order is None else order


# Rounds and matches -----------------------------------------------------------------------------------------------


def pairs_of(text: str) -> list[tuple[int, int]]:
    """Parse matches that the director typed, as team numbers; raise BadInput for anything else.

    >>> pairs_of("1-8, 2 - 7 3–6")
    [(1, 8), (2, 7), (3, 6)]
    """
    normalised = re.sub(r"\s*[-–]\s*", "-", text[:2_000])
    matches = []
    for part in normalised.replace(",", " ").replace(";", " ").split():
        first, _, second = part.partition("-")
        home, away = parse_digits(first, 5), parse_digits(second, 5)
        if home is None or away is None:
            raise BadInput(f"{part[:20]!r} is not a match. Type matches like 1-8. Nothing was changed.")
        matches.append((home, away))
    return matches


def rounds_text(rounds: list[RoundDrawn]) -> str:
    """Return rounds as one line; a form sends it back to show which preview the director saw."""
    return " ".join(
        f"{drawn.round}.{drawn.segments}:"
        + ",".join(f"{match.table}={match.home}-{match.away}" for match in drawn.pairings)
        for drawn in rounds
    )


def with_place_fields(form: Form) -> Form:
    """Return the form of one score sheet cell with its place split into separate fields.

    >>> sorted(with_place_fields({"place": "2-1-1-4-Open-7", "2-1-1-4-Open-7": "4SN="}).items())[:3]
    [('board', '7'), ('home', '4'), ('room', 'Open')]
    """
    place = form.get("place", "")
    parts = place.split("-")
    if len(parts) != 6:
        return form
    names = ("serie", "round", "segment", "home", "room", "board")
    return {"was": form.get("was", ""), "typed": form.get(place, ""), **dict(zip(names, parts, strict=True))}


def board_facts(view: TeamView, form: Form) -> list[Fact]:
    """Return the facts for a board's result at one table; `-` erases it.

    Raise StalePreview if the result is not the one that the form showed, or was scored at the table and cannot be
    erased here.
    """
    form = with_place_fields(form)
    segment, draw_facts = segment_of(view, form)
    room, board = room_of(form), read_number(form, "board", 1, 999, "board")
    standing = view.boards(segment).get((room, board))
    standing_text = str(standing.outcome) if standing else ""
    if form.get("was", standing_text) != standing_text:
        raise StalePreview(
            f"Board {board} is now {standing_text or 'without a result'}. Nothing was changed."
        )
    typed = "".join(form.get("typed", "").split())
    if form.get("do") == "erase" or typed in ("-", "–", "−"):
        if standing is not None and (room, board) not in view.event.boards.get(segment, {}):
            raise StalePreview(
                f"Board {board} was scored at the table. Erase it at the desk of that session. Nothing was changed."
            )
        return [TeamBoardErased(segment, room, board)]
    if not typed and "kind" not in form:
        raise BadInput(f"Enter a result for board {board}, or a dash to erase it. Nothing was changed.")
    outcome = read_outcome(form)
    lead = read_lead(form) if "lead" in form else standing.lead if standing else None
    if not isinstance(outcome, Played):
        lead = None
    outcome_ew = read_outcome({"typed": form["ew"]}) if form.get("ew", "").strip() else None
    if outcome_ew == outcome:
        outcome_ew = None
    return [*draw_facts, TeamBoardRecorded(segment, TeamBoardResult(room, board, outcome, lead, outcome_ew))]


def report_facts(view: TeamView, form: Form) -> list[Fact]:
    """Return the facts for the reported IMPs, and perhaps VPs, of a segment."""
    segment, draw_facts = segment_of(view, form)
    home, away = decimal_of(form, "imps-home", "IMPs"), decimal_of(form, "imps-away", "IMPs")
    if home is None or away is None:
        raise BadInput("Enter the IMPs of both teams; 0 is allowed. Nothing was changed.")
    vps = decimal_of(form, "vps-home", "VPs"), decimal_of(form, "vps-away", "VPs")
    return [*draw_facts, report_segment(view, segment, home, away, vps)]


def line_up_facts(view: TeamView, form: Form) -> list[Fact]:
    """Return the facts for a line-up."""
    segment, draw_facts = segment_of(view, form)
    line_up = LineUp(*(key_of(form, seat, "A player") for seat in ("north", "south", "east", "west")))
    return [*draw_facts, LineUpSet(segment, room_of(form), line_up)]


def adjust_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact for an adjustment."""
    division, team = division_of(event, form), team_of(event, form)
    return [
        TeamAdjusted(
            division.id,
            read_number(form, "round", 1, MOST_ROUNDS, "round"),
            read_number(form, "segment", 1, MOST_ROUNDS, "segment"),
            team.id,
            decimal_of(form, "imps", "IMPs") or 0,
            decimal_of(form, "vps", "VPs") or 0,
            read_line(form, "reason", LONGEST_TEXT),
        )
    ]


def carry_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact for a carry-over; a missing field keeps its value."""
    division, team = division_of(event, form), team_of(event, form)
    round_ = read_number(form, "round", 1, MOST_ROUNDS, "round")
    previous = event.carried.get(
        (division.id, round_, team.id), CarryOverSet(division.id, round_, team.id, 0, 0)
    )
    imps = decimal_of(form, "imps", "IMPs") or 0 if "imps" in form else previous.imps
    vps = decimal_of(form, "vps", "VPs") or 0 if "vps" in form else previous.vps
    return [CarryOverSet(division.id, round_, team.id, imps, vps)]


def note_facts(view: TeamView, form: Form) -> list[Fact]:
    """Return the facts for a comment on a segment."""
    segment, draw_facts = segment_of(view, form)
    return [*draw_facts, MatchNoted(segment, read_line(form, "comment", LONGEST_TEXT))]


# Tables and other events ------------------------------------------------------------------------------------------


def seat_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact that assigns a section's tables to rounds of a division."""
    session, dot, section = form.get("tables", "").partition(".")
    if not dot:
        raise BadInput("Choose the tables. Nothing was changed.")
    return [
        DivisionSeated(
            division_of(event, form).id,
            session[:32],
            section[:3],
            read_number(form, "round", 1, MOST_ROUNDS, "round"),
            read_number(form, "segment", 0, MOST_ROUNDS, "segment"),
        )
    ]


def places_of(form: Form) -> tuple[int, int]:
    """Return the first and the last rank that qualify."""
    return read_number(form, "first", 1, MOST_ROUNDS, "first rank"), read_number(
        form, "last", 1, MOST_ROUNDS, "last rank"
    )


def tournament_facts(event: TeamEvent, form: Form) -> list[Fact]:
    """Return the fact that maps a tournament name of the federation office to a division."""
    return [TournamentMapped(read_line(form, "tournament"), division_of(event, form).id)]


METHODS: dict[str, str] = {method.value: words for method, words in METHOD_WORDS.items()}
"""The scoring methods of a form by value, with their labels; no method means that results are reported."""
