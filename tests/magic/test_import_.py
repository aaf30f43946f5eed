"""Import of files about team events: exported events come back the same, and a bad file changes nothing."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from overtrick.event import JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    CarryOverSet,
    Competitor,
    CompetitorSet,
    DivisionSet,
    LineUp,
    LineUpSet,
    MatchReported,
    Member,
    Room,
    RosterSet,
    Segment,
    TeamAdjusted,
    TeamEvent,
    TeamFormat,
    TeamSet,
)
from overtrick.magic.errors import BadFile
from overtrick.magic.files import Encoding, open_file
from overtrick.magic.import_ import write_rejects
from overtrick.magic.rows import LAYOUTS, FileKind, MatchRow, TeamRow
from overtrick.registry import Decisions
from overtrick.scoring import UNIT, Method
from overtrick.views.teams import TeamView
from tests.event.evenings import do, refuse
from tests.event.team_events import EVENT, board, drawn, event, put, teams
from tests.magic.events import export, import_into, only_event, team_events


def file_content(event: TeamEvent) -> object:
    """Return the parts of an event that files can express."""
    return (
        event.name,
        event.id,
        {id: division.name for id, division in event.divisions.items()},
        event.teams,
        {id: (p.first_name, p.last_name, p.member_code) for id, p in event.players.items()},
        {id: members for id, members in event.rosters.items() if members},
        event.draws,
        {key: carried for key, carried in event.carried.items() if carried.imps or carried.vps},
        {key: adjusted for key, adjusted in event.adjusted.items() if adjusted.imps or adjusted.vps},
        event.line_ups,
        event.boards,
        event.notes,
    )


@settings(max_examples=60)
@given(team_events())
def test_exported_event_is_imported_as_the_same_event(
    tmp_path_factory: pytest.TempPathFactory, journal_state: JournalState
) -> None:
    out = tmp_path_factory.mktemp("out")
    files = export(journal_state, out, encoding=Encoding.WINDOWS_1252)
    other = JournalState()
    for path in files:
        result = import_into(other, path, encoding=Encoding.WINDOWS_1252)
        assert not result.conflicts, result.conflicts
        # Files do not say which series are knock-outs, where boards count otherwise (Law 12C4): the office does.
        series = only_event(journal_state).divisions
        do(
            other,
            PutTeamFacts(
                EVENT,
                tuple(
                    DivisionSet(replace(division, format=series[division.id].format))
                    for division in only_event(other).divisions.values()
                ),
            ),
        )
    assert file_content(only_event(other)) == file_content(only_event(journal_state))
    again = export(other, tmp_path_factory.mktemp("again"), encoding=Encoding.WINDOWS_1252)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in files]
    for state in (journal_state, other):
        for path in files:
            result = import_into(state, path, encoding=Encoding.WINDOWS_1252)
            assert result.commands == (), "a second import of a file changes nothing"
            assert not result.conflicts


def file(folder: Path, kind: FileKind, *rows: Mapping[str, object]) -> Path:
    """Write a file with these rows; columns that are not given are empty."""
    columns = LAYOUTS[kind].columns
    for row in rows:
        assert set(row) <= set(columns)
    lines = ["\t".join(columns), *("\t".join(str(row.get(name, "")) for name in columns) for row in rows)]
    path = folder / f"{kind.value}.txt"
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


def entered(
    tournament: str, team: str, id: int, last: str, code: str = "", role: str = ""
) -> dict[str, object]:
    return {
        "eventname": tournament,
        "teamname": team,
        "teamid": id,
        "Surn": last,
        "Name": "A",
        "role": role,
        "CountryAbbrevIOC": "ESP",
        "EBLCode": code,
    }


@pytest.fixture
def cup() -> JournalState:
    journal_state = JournalState()
    do(journal_state, SetTeamEvent(EVENT, "Champion's Cup", 7))
    return journal_state


def test_initial_teams_go_to_the_office_and_member_codes_come_back(cup: JournalState, tmp_path: Path) -> None:
    path = file(
        tmp_path,
        FileKind.INITIAL_TEAMS,
        entered("Champion's Cup Q-A", "Barcelona", 31, "One", "ESP1"),
        entered("Champion's Cup Q-A", "Barcelona", 31, "Two", role="pc"),
        entered("Champion's Cup Q-A", "Barcelona", 31, "Coach", role="trainer"),
        entered("Champion's Cup Q-B", "Madrid", 32, "Three"),
    )
    result = import_into(cup, path)
    assert result.notes == ("Not imported: 1 person who does not play.",)
    event = only_event(cup)
    assert [division.name for division in event.divisions.values()] == ["Q-A", "Q-B"]
    assert [(team.name, team.foreign_id, team.number, team.country_ioc) for team in event.teams.values()] == [
        ("Barcelona", 31, 1, "ESP"),
        ("Madrid", 32, 1, "ESP"),
    ]
    assert event.tournaments == {"Champion's Cup Q-A": 1, "Champion's Cup Q-B": 2}
    assert import_into(cup, path).commands == ()

    # The office imports 2A and answers with a member code and a corrected name.
    office = JournalState()
    for sheet in export(cup, tmp_path, FileKind.TEAMS):
        import_into(office, sheet)
    assert only_event(office).rosters == event.rosters
    two = next(player for player in event.players.values() if player.last_name == "Two")
    answer = file(
        tmp_path,
        FileKind.MEMBER_CODES,
        {"nPlayerID": two.id, "csMemberID": "ESP2", "csFirstName": "Anna"},
    )
    result = import_into(cup, answer)
    assert only_event(cup).players[two.id] == replace(two, member_code="ESP2", first_name="Anna")
    assert result.notes == ("line 2, name: 'A Two' became 'Anna Two'.",)
    assert import_into(cup, answer).commands == ()


def test_unknown_tournament_is_rejected(cup: JournalState, tmp_path: Path) -> None:
    path = file(tmp_path, FileKind.INITIAL_TEAMS, entered("EBL Cup Q", "Barcelona", 31, "One"))
    with pytest.raises(
        BadFile, match="line 2, column eventname: 'EBL Cup Q' is not the name of an event and a division"
    ):
        import_into(cup, path)
    assert only_event(cup).teams == {}


def test_foreign_ids_are_imported_and_a_different_one_is_a_conflict(tmp_path: Path) -> None:
    journal_state = teams(3)
    import_into(journal_state, file(tmp_path, FileKind.TEAM_IDS, {"nTeamID": 101, "nTeamIDForeign": 9}))
    assert event(journal_state).teams[101].foreign_id == 9
    other = file(tmp_path, FileKind.TEAM_IDS, {"nTeamID": 101, "nTeamIDForeign": 8})
    result = import_into(journal_state, other)
    assert [str(conflict) for conflict in result.conflicts] == [
        "line 2, column nTeamIDForeign: we have '9', the file has '8'."
    ]
    assert event(journal_state).teams[101].foreign_id == 9
    import_into(journal_state, other, accepted=Decisions(frozenset({2})))
    assert event(journal_state).teams[101].foreign_id == 8
    for row, message in (
        ({"nTeamID": 999, "nTeamIDForeign": 1}, "column nTeamID: There is no team 999"),
        (
            {"nTeamID": 102, "nTeamIDForeign": 8},
            "column nTeamIDForeign: .*Team 1 has the foreign id 8 already",
        ),
    ):
        with pytest.raises(BadFile, match=message):
            import_into(journal_state, file(tmp_path, FileKind.TEAM_IDS, row))
    fives: list[dict[str, object]] = [{"nTeamID": team, "nTeamIDForeign": 5} for team in (102, 103)]
    with pytest.raises(BadFile, match="line 3, column nTeamIDForeign: 5 is '102' in line 2"):
        import_into(journal_state, file(tmp_path, FileKind.TEAM_IDS, *fives))


def test_changed_team_list_gives_conflicts_and_changes_nothing_unless_accepted(tmp_path: Path) -> None:
    journal_state = teams(2)
    (path,) = export(journal_state, tmp_path, FileKind.TEAMS)
    text = (
        path.read_text(encoding="utf-8").replace("Last1011", "Lost1011").replace("\tTeam 2\t", "\tTeam Two\t")
    )
    lines = text.splitlines()
    path.write_text("\n".join(line for line in lines if "Last1024" not in line), encoding="utf-8")
    before = event(journal_state).copy()
    result = import_into(journal_state, path)
    assert event(journal_state) == before
    assert {str(conflict) for conflict in result.conflicts} == {
        "line 2, column csLastName: we have 'Last1011', the file has 'Lost1011'.",
        *(f"line {line}, column csTeam: we have 'Team 2', the file has 'Team Two'." for line in (6, 7, 8)),
        "line 6, column csTeam: we have 'Team 2 with First1024 Last1024', the file has ''.",
    }
    import_into(journal_state, path, accepted=Decisions(accepts_all=True))
    assert event(journal_state).players[1011].last_name == "Lost1011"
    assert event(journal_state).teams[102].name == "Team Two"
    assert [member.player for member in event(journal_state).rosters[102]] == [1021, 1022, 1023]


def test_player_id_used_twice_is_rejected(tmp_path: Path) -> None:
    (path,) = export(teams(2), tmp_path, FileKind.TEAMS)
    path.write_text(path.read_text(encoding="utf-8").replace("\t1012\t", "\t1011\t"), encoding="utf-8")
    with pytest.raises(BadFile, match=r"line 3, column nPlayerID: 1011 is 'First1011 Last1011' in line 2"):
        import_into(JournalState(), path)


def match_row(home: int, away: int, round_: int = 1, segment: int = 1, **cells: object) -> dict[str, object]:
    return {
        "csEvent": "European Teams",
        "csSerie": "Open",
        "nRound": round_,
        "nSegment": segment,
        "nTable": home - 100,
        "csTeamHome": f"Team {home - 100}",
        "csTeamAway": f"Team {away - 100}",
        "nTeamIDHome": home,
        "nTeamIDAway": away,
        **cells,
    }


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"nTeamIDHome": 109}, "column nTeamIDHome: There is no team 109 in Open"),
        ({"csEvent": "X"}, "column csEvent: There is no event 'X'"),
        ({"nSerieID": 4}, "column nSerieID: There is no division 4"),
        ({"nRound": 0}, "column nRound: Rounds and segments are numbered from 1"),
        ({"fIMPHome": 5}, "column fIMPHome: A result needs the IMPs of both teams"),
        (
            {"fIMPHome": 5, "fIMPAway": 1, "fIMPTotalHome": 7},
            "column fIMPTotalHome: It is 7, but its parts add up to 5",
        ),
        (
            {"fIMPHome": 5, "fIMPAway": 1, "fVPHome": 11, "fVPAdjustmentHome": -1, "fVPTotalRoundHome": 11},
            "column fVPTotalRoundHome: It is 11, but its parts add up to 10",
        ),
        (
            {"fIMPHome": 5, "fIMPAway": 1, "fVPTotalHome": 5, "nRankHome": 3, "nRankMaxHome": 2},
            "column nRankMaxHome: Ranks 3 to 2 are not a valid tie",
        ),
        (
            {
                "fIMPHome": 5,
                "fIMPAway": 1,
                "fVPTotalHome": 5,
                "nRankHome": 1,
                "fVPTotalAway": 6,
                "nRankAway": 2,
            },
            "column nRankAway: Rank 2 with 6 VPs contradicts line 2: rank 1 with 5",
        ),
        ({"fVPCarryOverHome": 5, "nRound": 2, "fIMPHome": 1, "fIMPAway": 0}, "into the first round only"),
    ],
)
def test_contradictory_result_is_rejected_with_its_column(
    tmp_path: Path, cells: dict[str, object], message: str
) -> None:
    journal_state = teams(4)
    before = event(journal_state).copy()
    row = {**match_row(101, 102), "fIMPHome": "", **cells}
    with pytest.raises(BadFile, match=message):
        import_into(
            journal_state, file(tmp_path, FileKind.RESULTS, row, match_row(103, 104, fIMPHome=1, fIMPAway=0))
        )
    assert event(journal_state) == before


def test_tie_of_three_teams_needs_three_ranks(tmp_path: Path) -> None:
    journal_state = teams(4)

    def rows(rank_max: int) -> Path:
        tied = {"fVPTotalHome": 10, "nRankHome": 5, "nRankMaxHome": rank_max}
        tied |= {"fVPTotalAway": 10, "nRankAway": 5, "nRankMaxAway": rank_max, "fIMPHome": 0, "fIMPAway": 0}
        third = {**tied, "fVPTotalAway": 9, "nRankAway": 8, "nRankMaxAway": 8}
        return file(tmp_path, FileKind.RESULTS, match_row(101, 102, **tied), match_row(103, 104, **third))

    import_into(journal_state, rows(7))
    with pytest.raises(
        BadFile, match="line 3, column nRankMaxHome: 3 teams share rank 5, but the tie ends at 6"
    ):
        import_into(teams(4), rows(6))


def test_carry_over_of_a_segment_must_be_the_total_of_the_one_before(tmp_path: Path) -> None:
    first = match_row(101, 102, fIMPCarryOverHome=12, fIMPHome=34, fIMPTotalHome=46, fIMPAway=0)
    second = match_row(101, 102, segment=2, fIMPCarryOverHome=45, fIMPHome=14, fIMPAway=0)
    with pytest.raises(
        BadFile, match="line 3, column fIMPCarryOverHome: It is 45, but the total of the segment before is 46"
    ):
        import_into(teams(2), file(tmp_path, FileKind.RESULTS, first, second))
    journal_state = teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)
    import_into(
        journal_state,
        file(tmp_path, FileKind.RESULTS, first, {**second, "fIMPCarryOverHome": 46, "fIMPTotalHome": 60}),
    )
    assert event(journal_state).carried[1, 1, 101] == CarryOverSet(1, 1, 101, 12 * UNIT, 0)
    assert event(journal_state).draws[1, 1] == drawn(1, (101, 102), segments=2)


def test_bye_with_carry_over_and_points_is_exported_and_imported(tmp_path: Path) -> None:
    journal_state = teams(3)
    put(
        journal_state,
        drawn(1, (101, 102)),
        MatchReported(Segment(1, 1, 1, 101), 10 * UNIT, 0, 12 * UNIT, 8 * UNIT),
    )
    put(journal_state, CarryOverSet(1, 1, 103, 0, 5 * UNIT), TeamAdjusted(1, 1, 1, 103, 0, 11 * UNIT))
    (schedule,) = export(journal_state, tmp_path, FileKind.SCHEDULE)
    (results,) = export(journal_state, tmp_path, FileKind.RESULTS)
    with open_file(results, Encoding.UTF_8) as reading:
        rows = [row for _, row in reading.rows() if isinstance(row, MatchRow)]
    row = next(row for row in rows if row.human.home == "Team 3")
    assert (row.human.away, row.human.table, row.ids.away_id, any(row.away)) == ("", None, None, False)
    assert (row.home.vp_carry_over, row.home.vp_round, row.home.vp_total) == (5 * UNIT, 11 * UNIT, 16 * UNIT)
    for paths in ((schedule, results), (results,)):
        office = teams(3)
        for path in paths:
            result = import_into(office, path)
            assert not result.conflicts
        assert event(office).carried[1, 1, 103].vps == 5 * UNIT
        assert event(office).adjusted[1, 1, 1, 103].vps == 11 * UNIT
        ranking = TeamView(event(office)).ranking(1)
        assert (ranking[0].team, ranking[0].points) == (103, 16 * UNIT)
        assert import_into(office, results).commands == ()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"fVPAway": 3}, "column csTeamAway: There are figures for an away team, but no team"),
        ({"fIMPHome": 3}, "column fIMPHome: A team with a bye wins no IMPs"),
        ({"nTeamIDHome": 103, "csTeamHome": "Team 3"}, "In round 1 we have Team 3 - Team 4"),
    ],
)
def test_contradictory_bye_is_rejected(tmp_path: Path, cells: dict[str, object], message: str) -> None:
    no_away_team = {"csTeamAway": "", "nTeamIDAway": "", "nTable": ""}
    bye = {**match_row(105, 0), **no_away_team, "fVPHome": 12, "fVPTotalRoundHome": 12}
    with pytest.raises(BadFile, match=message):
        import_into(
            teams(5),
            file(tmp_path, FileKind.RESULTS, match_row(103, 104, fIMPHome=1, fIMPAway=0), {**bye, **cells}),
        )
    journal_state = teams(5)
    import_into(
        journal_state, file(tmp_path, FileKind.RESULTS, match_row(103, 104, fIMPHome=1, fIMPAway=0), bye)
    )
    assert event(journal_state).adjusted[1, 1, 1, 105].vps == 12 * UNIT


def test_schedule_does_not_clear_results(tmp_path: Path) -> None:
    journal_state = teams(4)
    put(journal_state, drawn(1, (101, 102), (103, 104)), board(1, 1, 101, Room.OPEN, 1, "4SN="))
    put(journal_state, MatchReported(Segment(1, 1, 1, 103), UNIT, 0))
    before = event(journal_state).copy()
    (path,) = export(journal_state, tmp_path, FileKind.SCHEDULE)
    assert import_into(journal_state, path).commands == ()
    assert event(journal_state) == before
    with pytest.raises(BadFile, match="In round 1 we have Team 1 - Team 2"):
        import_into(journal_state, file(tmp_path, FileKind.SCHEDULE, match_row(101, 103)))


def test_partial_imports_the_valid_rows_and_writes_the_others_to_a_file(tmp_path: Path) -> None:
    journal_state = teams(4)
    path = file(
        tmp_path,
        FileKind.RESULTS,
        match_row(101, 109, fIMPHome=5, fIMPAway=0),
        match_row(103, 104, fIMPHome=7, fIMPAway=0),
        match_row(101, 102, fIMPHome="x", fIMPAway=0),
    )
    with pytest.raises(BadFile):
        import_into(journal_state, path)
    assert not event(journal_state).reported
    result = import_into(journal_state, path, partial=True)
    assert [problem.line for problem in result.problems] == [2, 4]
    assert list(event(journal_state).reported) == [Segment(1, 1, 1, 103)]
    rejects = tmp_path / "rejects.txt"
    write_rejects(path, rejects, result.problems, Encoding.UTF_8)
    lines = path.read_bytes().splitlines(keepends=True)
    assert rejects.read_bytes() == lines[0] + lines[1] + lines[3]


def test_line_ups_are_exported_by_name_and_a_player_of_the_other_team_is_rejected(tmp_path: Path) -> None:
    journal_state = teams(2)
    put(
        journal_state,
        drawn(1, (101, 102)),
        LineUpSet(Segment(1, 1, 1, 101), Room.CLOSED, LineUp(1021, 1022, 1013, 1014)),
    )
    (path,) = export(journal_state, tmp_path, FileKind.LINE_UPS)
    row = path.read_bytes().decode().splitlines()[1].split("\t")
    assert row[5:16] == [
        *("Closed", "Team 1", "Team 2"),
        *("First1021 Last1021", "First1022 Last1022", "First1013 Last1013", "First1014 Last1014"),
        *("M1021", "M1022", "M1013", "M1014"),
    ]
    north = {"csRoom": "Open", "csPlayerNameNorth": "First1021 Last1021"}
    with pytest.raises(
        BadFile, match="column csPlayerNameNorth: There is no player 'First1021 Last1021' in Team 1"
    ):
        import_into(journal_state, file(tmp_path, FileKind.LINE_UPS, {**match_row(101, 102), **north}))
    with pytest.raises(BadFile, match="column csRoom: The room is Open or Closed, not 'Bar'"):
        import_into(journal_state, file(tmp_path, FileKind.LINE_UPS, match_row(101, 102, csRoom="Bar")))


def played(contract: str, declarer: str, tricks: object, **cells: object) -> dict[str, object]:
    open_room = {"csContractOpen": contract, "csDeclarerOpen": declarer, "nTricksWonOpen": tricks}
    return {**match_row(101, 102), "nBoard": 1, **open_room, **cells}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (played("8S", "N", 9), "column csContractOpen: '8S' is not a contract"),
        (played("4S", "X", 9), "column csContractOpen: The declarer must be N, E, S or W"),
        (played("4S", "N", ""), "column csContractOpen: 4S needs the number of tricks"),
        (played("4S", "N", 14), "column csContractOpen: Nobody can win 14 tricks"),
        (played("4S", "N", 10, nResultNSOpen=620), "column nResultNSOpen: 4SN= on board 1 is 420, not 620"),
        (played("4S", "N", 9, nResultNSOpen=50), "column nResultNSOpen: 4SN-1 on board 1 is -50, not 50"),
        (
            played("4S", "N", 10, nResultNSOpen=420, nResultEWOpen=90),
            "column nResultEWOpen: 4SN= on board 1 is -420, not 90. .* no number of tricks in this contract",
        ),
        (played("4S", "N", 10, nResultEWOpen=50), "column nResultEWOpen: 4SN= on board 1 is -420, not 50"),
        (played("Pass", "", "", csLeadOpen="S2"), "column csLeadOpen: A lead needs a contract"),
        (played("165-35", "", ""), "column csContractOpen"),
        (played("4S", "N", 10, fIMPHome=5), "column fIMPHome: It is 5, but the results give 0"),
        ({**played("Pass", "", ""), "nBoard": ""}, "column nBoard: The board number is missing"),
    ],
)
def test_contradictory_board_is_rejected_with_its_column(
    tmp_path: Path, row: dict[str, object], message: str
) -> None:
    journal_state = teams(2)
    before = event(journal_state).copy()
    with pytest.raises(BadFile, match=message):
        import_into(journal_state, file(tmp_path, FileKind.BOARDS, row))
    assert event(journal_state) == before


def test_board_with_separate_results_for_both_sides_is_imported_and_exported(tmp_path: Path) -> None:
    journal_state = teams(2)
    closed = {"csContractClosed": "Pass", "nResultNSClosed": 0, "nResultEWClosed": 0}
    row = played("4S", "N", 10, nResultNSOpen=420, nResultEWOpen=50, fIMPHome=9, fIMPAway=2, **closed)
    result = import_into(journal_state, file(tmp_path, FileKind.BOARDS, row))
    assert result.notes == (
        "line 2: in the open room board 1 is 4SN= for North-South and 4SN-1 for East-West.",
    )
    board_result = event(journal_state).boards[Segment(1, 1, 1, 101)][Room.OPEN, 1]
    assert (str(board_result.outcome), str(board_result.outcome_ew)) == ("4SN=", "4SN-1")
    assert not import_into(journal_state, file(tmp_path, FileKind.BOARDS, row)).commands
    (path,) = export(journal_state, tmp_path, FileKind.BOARDS)
    assert "\t420\t50\t" in path.read_text(encoding="utf-8")


def test_scores_that_do_not_balance_are_averaged_in_a_knock_out(tmp_path: Path) -> None:
    journal_state = teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)
    closed = {"csContractClosed": "Pass", "nResultNSClosed": 0, "nResultEWClosed": 0}
    row = played("4S", "N", 10, nResultNSOpen=420, nResultEWOpen=50, **closed)
    import_into(journal_state, file(tmp_path, FileKind.BOARDS, row))
    # The home team has won 9 IMPs by its own result, the away team 2 by its: half of 9 - 2 for both (Law 12C4).
    (line,) = TeamView(event(journal_state)).figures(1)
    assert (line.home.imps, line.home.imp_adjustment) == (35_000, 0)
    assert (line.away.imps, line.away.imp_adjustment) == (0, 0)
    (boards,) = export(journal_state, tmp_path, FileKind.BOARDS)
    (results,) = export(journal_state, tmp_path, FileKind.RESULTS)
    with open_file(results, Encoding.UTF_8) as reading:
        (match,) = [row for _, row in reading.rows() if isinstance(row, MatchRow)]
    assert (match.home.imps, match.away.imps) == (35_000, 0)
    office = teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)
    for path in (boards, results):
        assert not import_into(office, path).conflicts
    assert event(office).boards == event(journal_state).boards
    for imps, is_read in ({"fIMPHome": 9, "fIMPAway": 2}, True), ({"fIMPHome": 9}, False):
        path = file(tmp_path, FileKind.BOARDS, {**row, **imps})
        if is_read:
            import_into(teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS), path)
        else:
            with pytest.raises(BadFile, match=r"column fIMPHome: It is 9, but the results give 3\.5"):
                import_into(teams(2, TeamFormat.KNOCK_OUT, Method.TEAM_IMPS), path)


def test_team_list_of_a_new_event_is_one_command(tmp_path: Path) -> None:
    (path,) = export(teams(4), tmp_path, FileKind.TEAMS)
    assert len(import_into(JournalState(), path).commands) == 1


def test_result_for_a_match_with_boards_of_one_room_is_a_conflict(tmp_path: Path) -> None:
    journal_state = teams(2)
    put(journal_state, drawn(1, (101, 102)), board(1, 1, 101, Room.OPEN, 1, "4SN="))
    result = import_into(
        journal_state, file(tmp_path, FileKind.RESULTS, match_row(101, 102, fIMPHome=6, fIMPAway=0))
    )
    assert [str(conflict) for conflict in result.conflicts] == [
        "line 2, column fIMPHome: we have 'boards of one room', the file has '6'."
    ]
    assert event(journal_state).reported == {}


def test_different_board_result_is_a_conflict(tmp_path: Path) -> None:
    journal_state = teams(2)
    put(journal_state, drawn(1, (101, 102)), board(1, 1, 101, Room.OPEN, 1, "4SN="))
    path = file(tmp_path, FileKind.BOARDS, played("4S", "N", 11, csContractClosed="Pass"))
    result = import_into(journal_state, path)
    assert [str(conflict) for conflict in result.conflicts] == [
        "line 2, column csContractOpen: we have '4SN=', the file has '4SN+1'."
    ]
    results = event(journal_state).boards[Segment(1, 1, 1, 101)]
    assert {room.value: str(result.outcome) for (room, _), result in results.items()} == {
        "Open": "4SN=",
        "Closed": "Pass",
    }


def test_different_match_result_is_a_conflict_until_accepted(tmp_path: Path) -> None:
    journal_state = teams(2, method=None)
    put(
        journal_state,
        drawn(1, (101, 102)),
        MatchReported(Segment(1, 1, 1, 101), 5 * UNIT, 0),
        TeamAdjusted(1, 1, 1, 102, 0, -UNIT),
        RosterSet(101, (Member(1011),)),
    )
    path = file(tmp_path, FileKind.RESULTS, match_row(101, 102, fIMPHome=6, fIMPAway=0, fVPAdjustmentAway=0))
    result = import_into(journal_state, path)
    assert {conflict.column for conflict in result.conflicts} == {"fIMPHome", "fVPAdjustmentAway"}
    assert event(journal_state).reported[Segment(1, 1, 1, 101)].imps_home == 5 * UNIT
    import_into(journal_state, path, accepted=Decisions(frozenset({2})))
    assert event(journal_state).reported[Segment(1, 1, 1, 101)].imps_home == 6 * UNIT
    assert event(journal_state).adjusted[1, 1, 1, 102].vps == 0


def test_wrong_total_of_victory_points_is_rejected_or_noted_if_a_round_is_missing(tmp_path: Path) -> None:
    figures: dict[str, int] = {"fIMPHome": 5, "fIMPAway": 0, "fVPHome": 12, "fVPAway": 8}
    first = match_row(101, 102, **figures, fVPTotalHome=12, fVPTotalAway=8)
    second = match_row(101, 102, round_=2, **figures, fVPTotalHome=23, fVPTotalAway=16)
    message = "line 3, column fVPTotalHome: It is 23, but the rounds add up to 24"
    with pytest.raises(BadFile, match=message):
        import_into(teams(2, method=None), file(tmp_path, FileKind.RESULTS, first, second))
    result = import_into(teams(2, method=None), file(tmp_path, FileKind.RESULTS, second))
    assert [note for note in result.notes if "fVPTotal" in note] == [
        "Line 2, column fVPTotalHome: It is 23, but the rounds add up to 12 without round 1, which is missing.",
        "Line 2, column fVPTotalAway: It is 16, but the rounds add up to 8 without round 1, which is missing.",
    ]
    journal_state = teams(2, method=None)
    import_into(journal_state, file(tmp_path, FileKind.RESULTS, first))
    with pytest.raises(BadFile, match="fVPTotalHome: It is 23, but the rounds add up to 24"):
        import_into(journal_state, file(tmp_path, FileKind.RESULTS, second))


def test_exported_country_has_its_iso_code_and_england_none(tmp_path: Path) -> None:
    journal_state = teams(3)
    for number, code in enumerate(("GER", "ENG", "FAR"), start=1):
        team = event(journal_state).teams[100 + number]
        put(journal_state, TeamSet(replace(team, country_iso="", country_ioc=code)))
    (path,) = export(journal_state, tmp_path, FileKind.TEAMS)
    with open_file(path, Encoding.UTF_8) as reading:
        rows = [row for _, row in reading.rows() if isinstance(row, TeamRow)]
    codes = {row.country_ioc: row.country_iso for row in rows}
    assert codes == {"GER": "DEU", "ENG": "", "FAR": "FRO"}


def test_rejected_player_is_reported_once_and_not_as_missing_from_the_roster() -> None:
    journal_state = teams(1)
    twin = Competitor(7, "A", "B", "M1011")
    refused = refuse(journal_state, PutTeamFacts(EVENT, (CompetitorSet(twin), RosterSet(101, (Member(7),)))))
    assert str(refused).count("already") == 1
    assert "There is no player" not in str(refused)
