"""Renderings of the pages of a team event's desk. Read-only."""

from overtrick.event.teams import Room, TeamFormat
from overtrick.web import team_forms as forms
from overtrick.web import team_view_models as view_models
from overtrick.web.session_projection import NotFound
from overtrick.web.site import render
from overtrick.web.sse_messages import Regions
from overtrick.web.team_projection import TeamEventProjection


def event_regions(projection: TeamEventProjection) -> Regions:
    """Render the event: its name, its divisions and its tables."""
    event = projection.view.event
    return {
        "page": render(
            "part/teams_desk_event.html",
            event=event,
            counts={division: len(event.teams_of(division)) for division in event.divisions},
            rounds={division: len(projection.view.rounds(division)) for division in event.divisions},
            formats=TeamFormat,
            methods=forms.METHODS,
            names={
                guid: session.opened.name
                for guid in projection.journal_state.incarnations
                if (session := projection.journal_state.session(guid)) is not None
            },
        )
    }


def division_regions(id: int, projection: TeamEventProjection) -> Regions:
    """Render a division: the next draw, the ranking, all rounds, carry-overs and adjustments."""
    division = projection.division(id)
    event = projection.view.event
    rounds = view_models.match_lines(projection, division)
    return {
        "page": render(
            "part/teams_desk_serie.html",
            event=event,
            division=division,
            teams=event.teams_of(id),
            ranking=view_models.ranking_rows(projection, division),
            rounds=rounds,
            current=view_models.current_round(rounds),
            idle={
                number: view_models.sitting_out(projection, division, matches)
                for number, matches in rounds.items()
            },
            others=[other for other in event.divisions.values() if other.id != id],
            carried=[
                fact
                for key, fact in sorted(event.carried.items())
                if key[0] == id and (fact.imps or fact.vps)
            ],
            adjusted=[
                fact
                for key, fact in sorted(event.adjusted.items())
                if key[0] == id and (fact.imps or fact.vps)
            ],
        )
    }


def teams_regions(id: int, projection: TeamEventProjection) -> Regions:
    """Render the teams of a division."""
    division, event = projection.division(id), projection.view.event
    return {
        "page": render("part/teams_desk_teams.html", event=event, division=division, teams=event.teams_of(id))
    }


def team_regions(id: int, projection: TeamEventProjection) -> Regions:
    """Render a team and its roster; raise NotFound if there is no such team."""
    event = projection.view.event
    team = event.teams.get(id)
    if team is None:
        raise NotFound(f"There is no team {id} in {event.name}.")
    members = event.rosters.get(id, ())
    return {
        "page": render(
            "part/teams_desk_team.html",
            event=event,
            division=event.divisions[team.serie],
            team=team,
            members=members,
            blanks=range(1, (forms.NEW_MEMBERS if len(members) < 4 else 2) + 1),
            roles=forms.ROLES,
        )
    }


def match_regions(division_id: int, round_: int, home: int, projection: TeamEventProjection) -> Regions:
    """Render a match: line-ups, the score sheet of both rooms, reports and adjustments."""
    division, event = projection.division(division_id), projection.view.event
    match = view_models.find_match(projection, division, round_, home)
    segments = []
    length = division.boards // len(match.lines)
    for line in match.lines:
        segment = line.segment
        carried = line.home.imp_carry_over, line.away.imp_carry_over
        rows = view_models.board_rows(projection.view.board_figures(segment, match.pairing), carried, None)
        by_board = {row.board: row for row in rows}
        first = (segment.number - 1) * length + 1
        numbers = sorted({*by_board, *range(first, first + length)})
        segments.append(
            {
                "line": line,
                "boards": [
                    by_board.get(
                        board,
                        view_models.MatchBoardRow(
                            board, view_models.NO_CELL, view_models.NO_CELL, "", "", ""
                        ),
                    )
                    for board in numbers
                ],
                "next": max(numbers, default=0) + 1,
                "rooms": [
                    (room, projection.view.line_up(segment, room), *sides)
                    for room, sides in (
                        (Room.OPEN, (match.home, match.away)),
                        (Room.CLOSED, (match.away, match.home)),
                    )
                ],
                "reported": event.reported.get(segment),
                "adjusted": {
                    team.id: event.adjusted.get((division.id, round_, segment.number, team.id))
                    for team in (match.home, match.away)
                },
            }
        )
    return {
        "page": render(
            "part/teams_desk_match.html",
            event=event,
            division=division,
            match=match,
            segments=segments,
            adjustments=view_models.adjustments(event, match),
            players={
                team.id: [
                    event.players[member.player] for member in event.rosters.get(team.id, ()) if member.plays
                ]
                for team in (match.home, match.away)
            },
            carried={
                team.id: event.carried.get((division.id, round_, team.id))
                for team in (match.home, match.away)
            },
        )
    }
