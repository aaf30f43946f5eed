"""Files of team events at the desk, in and out."""

import io
import re
import zipfile
from pathlib import Path

from overtrick.magic.export import files_of_kind
from overtrick.magic.files import Encoding, write_file
from overtrick.magic.rows import FileKind
from overtrick.views.teams import TeamView
from tests.event import team_events
from tests.web.team_director import TeamDirector, first_match


def test_downloads_are_the_files_of_the_exchange(league: TeamDirector, tmp_path: Path) -> None:
    home, _ = first_match(league)
    for room in ("Open", "Closed"):
        league.board(home, 1, room, "4SN=")
    view = league.view
    for kind in (
        *(FileKind.TEAMS, FileKind.RESULTS, FileKind.LINE_UPS, FileKind.SCHEDULE),
        *(FileKind.INITIAL_TEAMS, FileKind.TEAM_IDS, FileKind.MEMBER_CODES, FileKind.BOARDS),
    ):
        for encoding in Encoding:
            answer = league.browser.get(
                f"/desk/teams/{league.event}/files/{kind.value}", params={"encoding": encoding.value}
            )
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment")
            found = {"": answer.content}
            if kind is FileKind.BOARDS:
                with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                    found = {name: archive.read(name) for name in archive.namelist()}
            wanted = {}
            for sheet in files_of_kind(view, kind):
                write_file(tmp_path / sheet.name, kind, sheet.rows, encoding)
                wanted[str(sheet.name) if kind is FileKind.BOARDS else ""] = (
                    tmp_path / sheet.name
                ).read_bytes()
            assert found == wanted
    assert league.look("/files/3A", 404)


def test_name_outside_the_encoding_is_refused_with_the_file_name(
    team_director: TeamDirector,
) -> None:
    team_director.open("Łódź")
    team_director.act("teams", serie=1, teams="A\nB")
    answer = team_director.browser.get(
        f"/desk/teams/{team_director.event}/files/2A", params={"encoding": "windows-1252"}
    )
    assert answer.status_code == 400
    assert "2A-1.txt" in answer.text
    assert "/tmp" not in answer.text


def test_magic_teams_file_creates_its_event(team_director: TeamDirector, tmp_path: Path) -> None:
    journal_state = team_events.teams(4)
    view = TeamView.of(journal_state, team_events.event(journal_state))
    (sheet,) = files_of_kind(view, FileKind.TEAMS)
    write_file(tmp_path / "2A.txt", FileKind.TEAMS, sheet.rows)
    file = (tmp_path / "2A.txt").read_bytes()
    preview = team_director.send(file)
    page = team_director.browser.get(preview).text
    assert "changes to make" in page
    assert "for European Teams" in page
    assert not team_director.pages.journal.heads()
    page = team_director.take(preview)
    guid = re.search('href="/desk/teams/([0-9A-F]{32})">Go to European Teams', page)
    assert guid is not None
    team_director.event = guid[1]
    assert len(team_director.view.event.teams) == 4
    assert len(team_director.view.event.players) == 16
    again = team_director.browser.get(team_director.send(file)).text
    assert "No changes." in again
    assert "<button>Import</button>" not in again


def test_entries_of_the_office_go_into_the_event_that_they_name(league: TeamDirector) -> None:
    entries = league.browser.get(f"/desk/teams/{league.event}/files/2A-c").content
    league.open("Cup", **{"serie-name": "Mixed"})
    page = league.browser.get(league.send(entries.replace(b"League Open", b"Winter games"))).text
    assert "under Tournament names" in page
    league.act("map", tournament="Winter games", serie=1)
    assert "“Winter games” is Mixed" in league.look("/files")
    league.take(league.send(entries.replace(b"League Open", b"Winter games")))
    event = league.view.event
    assert [team.name for team in event.teams_of(1)] == ["Amber", "Blue", "Crimson", "Dun"]
    assert len(event.players) == 16


def test_conflict_is_shown_and_imported_only_if_accepted(league: TeamDirector) -> None:
    file = league.browser.get(f"/desk/teams/{league.event}/files/2A").text
    changed = file.replace("Amber", "Umber").replace("first 21\tlast 21", "Ada\tBerg").encode()
    preview = league.send(changed)
    page = league.browser.get(preview).text
    assert "<h2>Conflicts</h2>" in page
    assert "Umber" in page
    assert "Not changed: the file differs" in league.take(preview)
    event = league.view.event
    assert event.teams[1].name == "Amber"
    # One line is taken, the others not.
    line = next(
        number
        for number, text in enumerate(changed.decode().splitlines(), start=1)
        if "\tAda\tBerg\t" in text
    )
    preview = league.send(changed)
    league.take(preview, **{f"accept-{line}": "1"})
    event = league.view.event
    assert event.teams[1].name == "Amber"
    assert "Ada Berg" in [player.name for player in event.players.values()]
    # What was looked at is not what it would do any more.
    preview = league.send(changed)
    league.browser.get(preview)
    answer = league.browser.post(preview, data={"token": league.token, "seen": "x", "accept": "all"})
    assert answer.status_code == 400
    assert league.view.event.teams[1].name == "Amber"
    league.take(league.send(changed), accept="all")
    assert league.view.event.teams[1].name == "Umber"


def test_bad_files_are_refused_with_their_lines(league: TeamDirector) -> None:
    before = league.pages.journal.head(f"teams/{league.event}")
    file = league.browser.get(f"/desk/teams/{league.event}/files/2A").text
    lines = file.splitlines()
    bad = "\r\n".join([lines[0], lines[1].replace("\t1\t", "\tone\t", 1), *lines[2:]]).encode()
    page = league.browser.get(league.send(bad)).text
    assert "line 2, column" in page
    assert "not a whole number" in page
    assert "<button>Import</button>" not in page
    preview = league.send(bad, "my 2A.txt", partial="1")
    page = league.browser.get(preview).text
    assert "Lines to skip" in page
    rejects = league.browser.get(f"{preview}/rejects")
    assert rejects.text.splitlines() == [lines[0], lines[1].replace("\t1\t", "\tone\t", 1)]
    assert 'filename="my 2A.rejects.txt"' in rejects.headers["content-disposition"]
    for content, words in (
        (b"hello", "not the header of an exchange file"),
        (b"", "not the header of an exchange file"),
        (b"\xff\xfe\x00", "characters are not utf-8"),
        (file.replace("csTeam\t", "csTeem\t", 1).encode(), "similar to that of 2A"),
    ):
        page = league.browser.get(league.send(content, "x.txt")).text
        assert words in page
        assert "/tmp" not in page
        assert "--" not in page.split("<main")[1]
    assert league.pages.journal.head(f"teams/{league.event}") == before


def test_file_about_players_is_refused_with_the_command_to_use(league: TeamDirector, tmp_path: Path) -> None:
    write_file(tmp_path / "3A.txt", FileKind.PLAYERS, [])
    page = league.browser.get(league.send((tmp_path / "3A.txt").read_bytes())).text
    assert "overtrick magic import" in page
