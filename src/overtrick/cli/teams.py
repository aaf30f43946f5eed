"""`overtrick teams`: a team event from the first entry to the last ranking."""

from typing import Annotated

import typer

from overtrick.cli.options import AsList, Journal
from overtrick.cli.tables import print_lines

app = typer.Typer(name="teams", help="Run a team event.", no_args_is_help=True, add_completion=False)

Event = Annotated[str, typer.Argument(metavar="EVENT", help="Name, number or guid of the event.")]
DivisionName = Annotated[str, typer.Argument(metavar="DIVISION", help="Name or number of the division.")]
TeamName = Annotated[
    str, typer.Argument(metavar="TEAM", help="Name of the team, or its number in the division.")
]
Round = Annotated[int, typer.Argument(min=1, metavar="ROUND", help="Number of the round.")]
SegmentNumber = Annotated[int, typer.Option("--segment", min=1)]


@app.command("open")
def open_event(
    name: Annotated[str, typer.Argument(help="Name of the event.")],
    journal: Journal,
    guid: Annotated[
        str, typer.Option(help="Guid of the event whose sessions count in it; a new one if not given.")
    ] = "",
) -> None:
    """Open a team event."""
    from overtrick.event.team_rules import SetTeamEvent
    from overtrick.guid import new_guid
    from overtrick.host.lookup import do
    from overtrick.host.runtime import open_runtime

    with open_runtime(journal) as runtime:
        with runtime.writer.reading() as state:
            key = max((event.id for event in state.team_events.values()), default=0) + 1
        event = guid or new_guid()
        do(runtime, SetTeamEvent(event, name, key))
    typer.echo(f"{name} is event {key}, guid {event}.")


@app.command("list")
def list_events(journal: Journal, format_: AsList = "table") -> None:
    """List the team events of a journal, with their divisions; for programs, a line for each division."""
    from overtrick.host.runtime import open_runtime

    with open_runtime(journal, create=False) as runtime, runtime.writer.reading() as state:
        if format_ != "table":
            print_lines(
                [
                    {
                        "event": event.id,
                        "name": event.name,
                        "guid": event.event,
                        "division": division.id if division else None,
                        "division_name": division.name if division else None,
                        "format": division.format.value if division else None,
                        "method": division.method.value if division and division.method else None,
                        "teams": len(event.teams_of(division.id)) if division else 0,
                    }
                    for event in state.team_events.values()
                    for division in (*event.divisions.values(), *([] if event.divisions else [None]))
                ],
                format_,
            )
            return
        for event in state.team_events.values():
            typer.echo(f"{event.id}\t{event.name}\t{event.event}")
            for division in event.divisions.values():
                method = division.method.value if division.method else "as reported"
                teams = len(event.teams_of(division.id))
                typer.echo(
                    f"  {division.id}\t{division.name}\t{division.format.value}, {method}, {teams} teams"
                )


@app.command()
@app.command("serie", hidden=True)  # its name up to 0.1
def division(
    event: Event,
    name: Annotated[str, typer.Argument(help="Name of the division.")],
    journal: Journal,
    format: Annotated[str, typer.Option(help="Format: round robin, swiss or knock-out.")] = "round robin",
    method: Annotated[
        str, typer.Option(help="Scoring: vps-continuous, vps-discrete, vps-25-0 or team-imps.")
    ] = "vps-continuous",
    boards: Annotated[
        int, typer.Option(min=0, help="Boards per round, for the scale; 0 for as many as are played.")
    ] = 0,
) -> None:
    """Add a division, or change its format, scoring or number of boards."""
    from overtrick.errors import BadInput
    from overtrick.event.teams import Division, DivisionSet, TeamFormat
    from overtrick.host.lookup import open_team_event
    from overtrick.scoring import Method

    try:
        team_format = TeamFormat(format)
    except ValueError:
        raise BadInput(f"The format is round robin, swiss or knock-out, not {format!r}.") from None
    with open_team_event(journal, event) as opened:
        series = opened.event.divisions.values()
        existing = next((other.id for other in series if other.name == name), 0)
        key = existing or max((other.id for other in series), default=0) + 1
        opened.put(DivisionSet(Division(key, name, team_format, Method.of(method), boards)))
    typer.echo(f"{name} is division {key}.")


@app.command()
def team(
    event: Event,
    division: DivisionName,
    name: Annotated[str, typer.Argument(help="Name of the team.")],
    journal: Journal,
    country: Annotated[str, typer.Option(help="IOC code of its country.")] = "",
) -> None:
    """Add a team to a division."""
    from overtrick.event.teams import Team, TeamSet
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        key, chosen_division = opened.state.next_team_key(), opened.division(division)
        number = max((other.number for other in opened.event.teams_of(chosen_division.id)), default=0) + 1
        opened.put(TeamSet(Team(key, chosen_division.id, number, name, country_ioc=country)))
    typer.echo(f"{name} is team {number} of {chosen_division.name}.")


@app.command()
def player(
    event: Event,
    division: DivisionName,
    team: TeamName,
    first_name: Annotated[str, typer.Argument(metavar="FIRST_NAME")],
    last_name: Annotated[str, typer.Argument(metavar="LAST_NAME")],
    journal: Journal,
    code: Annotated[str, typer.Option(help="Member code.")] = "",
    role: Annotated[str, typer.Option(help="Role: empty for a player, or PC, NPC, Coach.")] = "",
) -> None:
    """Add a player or official to a team's roster."""
    from overtrick.event.teams import Competitor, CompetitorSet, Member, RosterSet
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        team_event, roster_team = opened.event, opened.team(division, team)
        events = opened.state.team_events.values()
        key = max((id for other in events for id in other.players), default=0) + 1
        roster = team_event.rosters.get(roster_team.id, ())
        existing = team_event.player_with_code(code, f"{first_name} {last_name}".strip())
        person = existing or Competitor(key, first_name, last_name, code)
        order = max((member.order for member in roster), default=0) + 1
        opened.put(
            CompetitorSet(person), RosterSet(roster_team.id, (*roster, Member(person.id, role, order)))
        )
    typer.echo(f"{person.name} ({person.id}) is in the roster of {roster_team.name}.")


@app.command()
def draw(
    event: Event,
    division: DivisionName,
    journal: Journal,
    segments: Annotated[int, typer.Option(min=1, help="Segments of each match.")] = 1,
    pair: Annotated[
        list[str] | None, typer.Option(help="A match to draw by hand, such as 1-8. May be repeated.")
    ] = None,
    again: Annotated[
        int, typer.Option(min=0, help="Draw this round again; without --pair, the last round of a Swiss.")
    ] = 0,
    lagging: Annotated[
        bool, typer.Option("--lagging", help="Swiss: draw from the ranking before the round in play.")
    ] = False,
    triangle: Annotated[
        bool,
        typer.Option("--triangle", help="Swiss, odd number of teams: three meet each other in half-matches."),
    ] = False,
    sit_out: Annotated[
        float, typer.Option(min=0, max=100, help="Swiss: the victory points of a team that sits out.")
    ] = 12,
) -> None:
    """Draw the next round, or a whole round robin."""
    from overtrick.directing.team_draws import draw_rounds, sit_out_points
    from overtrick.host.lookup import open_team_event
    from overtrick.scoring.points import to_units

    with open_team_event(journal, event) as opened:
        pairs = [_pair(text) for text in pair or ()]
        drawn_division = opened.division(division)
        rounds = draw_rounds(
            opened.view, drawn_division, segments, pairs, again, is_lagging=lagging, has_triangle=triangle
        )
        teams = opened.event.teams
        opened.put(*rounds, *sit_out_points(opened.view, drawn_division, rounds, to_units(sit_out)))
        for drawn in rounds:
            for match in drawn.pairings:
                typer.echo(
                    f"round {drawn.round}\ttable {match.table}\t{teams[match.home].name} - {teams[match.away].name}"
                )


def _pair(text: str) -> tuple[int, int]:
    from overtrick.digits import parse_digits
    from overtrick.errors import BadInput
    from overtrick.words import shortened

    first, _, second = text.partition("-")
    home, away = parse_digits(first), parse_digits(second)
    if home is None or away is None:
        raise BadInput(f"{shortened(text)} is not a match, such as 1-8.")
    return home, away


@app.command()
def board(
    event: Event,
    division: DivisionName,
    round_: Round,
    team: TeamName,
    room: Annotated[str, typer.Argument(help="Room: open or closed.")],
    number: Annotated[int, typer.Argument(min=1, help="Board number.")],
    result: Annotated[str, typer.Argument(help="Result such as 4SxN+1, Pass, 60-40 or NP; - erases it.")],
    journal: Journal,
    segment: SegmentNumber = 1,
    lead: Annotated[str, typer.Option(help="The card led, such as HA.")] = "",
    ew: Annotated[
        str,
        typer.Option(help="Result for East-West, if the director gave the sides separate results."),
    ] = "",
) -> None:
    """Enter, correct or erase the result of a board in one room of a team's match."""
    from overtrick.bridge import Card, Outcome
    from overtrick.errors import BadInput
    from overtrick.event import Fact
    from overtrick.event.teams import Room, TeamBoardErased, TeamBoardRecorded, TeamBoardResult
    from overtrick.host.lookup import open_team_event

    try:
        room_ = Room(room.capitalize())
    except ValueError:
        raise BadInput(f"The room is open or closed, not {room!r}.") from None
    fact: Fact
    with open_team_event(journal, event) as opened:
        segment_ = opened.segment(division, team, round_, segment)
        if result == "-":
            fact = TeamBoardErased(segment_, room_, number)
        else:
            card = Card.parse(lead) if lead else None
            outcome_ew = Outcome.parse(ew) if ew else None
            fact = TeamBoardRecorded(
                segment_, TeamBoardResult(room_, number, Outcome.parse(result), card, outcome_ew)
            )
        facts = opened.put(fact)
    typer.echo("Recorded." if facts else "Nothing has changed.")


@app.command()
def report(
    event: Event,
    division: DivisionName,
    round_: Round,
    home: TeamName,
    imps_home: Annotated[str, typer.Argument(metavar="IMPS", help="IMPs of the named team.")],
    imps_away: Annotated[str, typer.Argument(metavar="OPPONENTS_IMPS", help="IMPs of its opponents.")],
    journal: Journal,
    segment: SegmentNumber = 1,
) -> None:
    """Report the IMPs of a segment whose boards are not entered, first those of the named team."""
    from overtrick.directing.team_results import report_segment
    from overtrick.host.lookup import open_team_event
    from overtrick.magic.values import write_decimal

    with open_team_event(journal, event) as opened:
        view, segment_ = opened.view, opened.segment(division, home, round_, segment)
        own_imps, opponents_imps = _units(imps_home), _units(imps_away)
        if opened.team(division, home).id != segment_.home:
            own_imps, opponents_imps = opponents_imps, own_imps
        fact = report_segment(view, segment_, own_imps, opponents_imps)
        match = next(
            pairing
            for pairing in view.draws[segment_.serie, round_].pairings
            if pairing.home == segment_.home
        )
        team_names, previous = view.names(match), view.event.reported.get(segment_)
        opened.put(fact)
    sentence = f"{team_names}: {write_decimal(own_imps)}-{write_decimal(opponents_imps)}"
    if previous is not None and previous != fact:
        sentence += f"; it was {write_decimal(previous.imps_home)}-{write_decimal(previous.imps_away)}"
    typer.echo(f"{sentence}.")


def _units(text: str) -> int:
    from overtrick.errors import BadInput
    from overtrick.magic.values import read_decimal

    try:
        units = read_decimal(text)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return units or 0


@app.command("line-up")
def line_up(
    event: Event,
    division: DivisionName,
    round_: Round,
    team: TeamName,
    room: Annotated[str, typer.Argument(help="Room: open or closed.")],
    players: Annotated[
        list[str],
        typer.Argument(help="North, South, East and West, by name, last name or number; 0 for nobody."),
    ],
    journal: Journal,
    segment: SegmentNumber = 1,
) -> None:
    """Set the line-up in a room of a team's match."""
    from overtrick.errors import BadInput
    from overtrick.event.teams import LineUp, LineUpSet, Room
    from overtrick.host.lookup import find_player, open_team_event

    if len(players) != 4 or room.capitalize() not in ("Open", "Closed"):
        raise BadInput("A line-up needs a room (open or closed) and four players.")
    with open_team_event(journal, event) as opened:
        segment_ = opened.segment(division, team, round_, segment)
        pairing = next(
            match
            for segment_of_match, match in opened.view.segments(segment_.serie)
            if segment_of_match == segment_
        )
        ids = [find_player(opened.event, (pairing.home, pairing.away), player) for player in players]
        opened.put(LineUpSet(segment_, Room(room.capitalize()), LineUp(*ids)))
        seats = zip(("North", "South", "East", "West"), ids, strict=True)
        names = (f"{seat} {opened.event.players[id].name if id else 'nobody'}" for seat, id in seats)
        typer.echo(f"Recorded: {', '.join(names)}.")


@app.command()
def carry(
    event: Event,
    division: DivisionName,
    round_: Round,
    team: TeamName,
    journal: Journal,
    imps: Annotated[str, typer.Option(help="IMPs carried into the match of that round.")] = "0",
    vps: Annotated[str, typer.Option(help="Victory points carried into the first round.")] = "0",
) -> None:
    """Set the carry-over of a team into a round."""
    from overtrick.event.teams import CarryOverSet
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        chosen_team = opened.team(division, team)
        opened.put(CarryOverSet(chosen_team.serie, round_, chosen_team.id, _units(imps), _units(vps)))
    typer.echo("Recorded.")


@app.command()
def adjust(
    event: Event,
    division: DivisionName,
    round_: Round,
    team: TeamName,
    journal: Journal,
    imps: Annotated[
        str, typer.Option(help="IMPs; with victory points they change the score of this team only.")
    ] = "0",
    vps: Annotated[str, typer.Option(help="Victory points; negative for a penalty.")] = "0",
    reason: str = "",
    segment: SegmentNumber = 1,
) -> None:
    """Adjust the score of one team in one segment. This replaces an earlier adjustment."""
    from overtrick.event.teams import TeamAdjusted
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        chosen_team = opened.team(division, team)
        opened.put(
            TeamAdjusted(
                chosen_team.serie, round_, segment, chosen_team.id, _units(imps), _units(vps), reason
            )
        )
    typer.echo("Recorded.")


@app.command()
def tables(
    event: Event,
    division: DivisionName,
    round_: Round,
    boards: Annotated[str, typer.Argument(help="Boards to play, such as 1-16.")],
    journal: Journal,
    segment: SegmentNumber = 1,
    format_: AsList = "table",
) -> None:
    """Assign a round to tables, two for each match. Results from the terminals then count automatically."""
    from datetime import date

    from overtrick.directing.team_tables import plan_team_tables
    from overtrick.errors import BadInput
    from overtrick.event.teams import Room
    from overtrick.guid import new_guid
    from overtrick.host.lookup import do, open_team_event

    first, last = _pair(boards)
    if not 1 <= first <= last <= 999:
        raise BadInput(f"{boards} is not a range of boards, such as 1-16.")
    session = new_guid()
    with open_team_event(journal, event) as opened:
        tables_plan = plan_team_tables(
            opened.state,
            opened.event,
            opened.division(division),
            round_,
            segment,
            range(first, last + 1),
            session=session,
            day=date.today(),
        )
        teams = opened.event.teams
        do(opened.runtime, tables_plan.command)
    lines = []
    for match, room, section, table in tables_plan.tables:
        ns, ew = (match.home, match.away) if room is Room.OPEN else (match.away, match.home)
        names = {"ns": teams[ns].name, "ew": teams[ew].name}
        lines.append(
            {"session": session, "section": section, "table": table, "room": room.value.lower(), **names}
        )
    if format_ != "table":
        print_lines(lines, format_)
        return
    for line in lines:
        typer.echo(f"{line['section']}{line['table']}\t{line['room']}\tN-S {line['ns']}\tE-W {line['ew']}")
    typer.echo(f"session\t{session}")


@app.command()
def seat(
    event: Event,
    division: DivisionName,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Guid of the session.")],
    section: Annotated[str, typer.Argument(metavar="SECTION", help="Letter of the section.")],
    journal: Journal,
    round_: Annotated[
        int, typer.Option("--round", min=1, help="The round of the division that is round 1 at the tables.")
    ] = 1,
    segment: Annotated[
        int,
        typer.Option(
            min=0, help="Set if each round at the tables is a segment: the number of the first one."
        ),
    ] = 0,
) -> None:
    """Set which rounds of a division the tables of a section play."""
    from overtrick.event.teams import DivisionSeated
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        seated_division = opened.division(division)
        opened.put(DivisionSeated(seated_division.id, session, section, round_, segment))
    typer.echo(f"Section {section} plays {seated_division.name}.")


@app.command("qualify")
def qualify_teams(
    event: Event,
    origin: Annotated[str, typer.Argument(metavar="FROM", help="The finished division.")],
    places: Annotated[str, typer.Argument(help="Ranks that qualify, such as 1-4.")],
    final: Annotated[str, typer.Argument(metavar="TO", help="The division to enter them in.")],
    journal: Journal,
) -> None:
    """Enter the best teams of one division in another, with their rosters."""
    from overtrick.directing.qualification import qualify
    from overtrick.directing.team_draws import unfinished
    from overtrick.host.lookup import open_team_event

    first, last = _pair(places)
    with open_team_event(journal, event) as opened:
        target, finished = opened.division(final), opened.division(origin)
        facts = qualify(opened.state, opened.view, finished, first, last, target)
        missing = len(unfinished(opened.view, finished))
        opened.put(*facts)
    teams = len(facts) // 2
    typer.echo(
        f"{teams} teams continue in {target.name}." if teams > 1 else f"1 team continues in {target.name}."
    )
    if missing:
        typer.echo(
            f"Warning: {finished.name} is not over. {missing} of its segments are incomplete.", err=True
        )


@app.command()
def ranking(event: Event, division: DivisionName, journal: Journal, format_: AsList = "table") -> None:
    """Show the ranking of a division."""
    from overtrick.host.lookup import open_team_event
    from overtrick.magic.values import write_decimal
    from overtrick.scoring.ranking import rank_text

    with open_team_event(journal, event) as opened:
        teams = opened.event.teams
        standings = opened.view.ranking(opened.division(division).id)
        if format_ != "table":
            print_lines(
                [
                    {
                        "rank": line.rank or None,
                        "is_shared": line.rank_max > line.rank,
                        "number": teams[line.team].number,
                        "team": teams[line.team].name,
                        "points": float(write_decimal(line.points)),
                    }
                    for line in standings
                ],
                format_,
            )
            return
        for line in standings:
            rank = rank_text(line.rank, line.rank_max)
            typer.echo(f"{rank}\t{teams[line.team].name}\t{write_decimal(line.points)}")


@app.command()
def matches(
    event: Event,
    division: DivisionName,
    journal: Journal,
    round_: Annotated[int, typer.Option("--round", min=0, help="Only this round; 0 for all.")] = 0,
    format_: AsList = "table",
) -> None:
    """Show the matches of a division with their IMPs and victory points."""
    from overtrick.host.lookup import open_team_event
    from overtrick.magic.values import write_decimal

    with open_team_event(journal, event) as opened:
        teams = opened.event.teams
        lines = [
            line
            for line in opened.view.figures(opened.division(division).id)
            if round_ in (0, line.segment.round)
        ]
        if format_ != "table":
            sides = [
                {
                    "round": line.segment.round,
                    "segment": line.segment.number,
                    "table": line.pairing.table,
                    "home": teams[line.home.team].name,
                    "away": teams[line.away.team].name,
                    "home_imps": float(write_decimal(line.home.imp_total)) if line.is_played else None,
                    "away_imps": float(write_decimal(line.away.imp_total)) if line.is_played else None,
                    "home_vps": None if line.home.vps is None else float(write_decimal(line.home.vps)),
                    "away_vps": None if line.away.vps is None else float(write_decimal(line.away.vps)),
                }
                for line in lines
            ]
            print_lines(sides, format_)
            return
        for line in lines:
            place = f"{line.segment.round}.{line.segment.number}\ttable {line.pairing.table}"
            names = f"{teams[line.home.team].name} - {teams[line.away.team].name}"
            if not line.is_played:
                typer.echo(f"{place}\t{names}")
                continue
            imps = f"{write_decimal(line.home.imp_total)}-{write_decimal(line.away.imp_total)}"
            vps = (
                ""
                if line.home.vps is None
                else f"{write_decimal(line.home.vps)}-{write_decimal(line.away.vps)}"
            )
            typer.echo(f"{place}\t{names}\t{imps}\t{vps}".rstrip())
