import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.magic.rows import LAYOUTS, FileKind
from overtrick.store import CommandBatch, Journal
from overtrick.store.errors import JournalUnavailable

ENTRIES = (
    "eventname\tteamname\tteamid\tSurn\tName\trole\tCountryLongName\tCountryAbbrevIOC\tEBLCode\r\n"
    + "".join(
        f"Champion's Cup Q-A\t{team}\t{30 + number}\tL{number}{seat}\tF\t\t\tESP\tC{number}{seat}\r\n"
        for number, team in enumerate(("Barcelona", "Madrid", "Malmö", "Tenerife"), start=1)
        for seat in range(4)
    )
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Run":
    monkeypatch.setenv("OVERTRICK_JOURNAL", str(tmp_path / "cup.overtrick"))
    monkeypatch.setenv("OVERTRICK_REGISTRY", str(tmp_path / "people.registry"))
    monkeypatch.chdir(tmp_path)
    return Run()


class Run:
    """The command line; returns the output, or the message of a refusal."""

    def __call__(self, *arguments: object) -> str:
        done = CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    def refused(self, *arguments: object) -> str:
        with pytest.raises(OvertrickError) as caught:
            CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)
        return str(caught.value)


@pytest.fixture
def cup(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "entries.txt").write_bytes(ENTRIES.encode("cp1252"))
    run("magic", "registry")
    run("teams", "open", "Champion's Cup")
    run("teams", "serie", "Champion's Cup", "Q-A", "--boards", 16)
    run("magic", "import", "entries.txt", "--encoding", "windows-1252")
    return run


def test_file_about_two_events_is_imported_in_one_transaction(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("magic", "registry")
    columns = LAYOUTS[FileKind.TEAMS].columns
    rows = [
        dict.fromkeys(columns, "")
        | {"csEvent": f"Cup {cup}", "csSerie": "Open", "csTeam": team, "nEventID": str(cup), "nSerieID": "1"}
        | {"csLastName": f"L{cup}{team}", "csFirstName": "F"}
        for cup in (1, 2)
        for team in ("Malmö", "Madrid")
    ]
    text = "".join("\t".join(row) + "\r\n" for row in (columns, *(one.values() for one in rows)))
    (tmp_path / "teams.txt").write_text(text, encoding="utf-8", newline="")
    append_all, calls = Journal.append_all, 0

    def fail_after_the_first(journal: Journal, batches: Sequence[CommandBatch]) -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise JournalUnavailable("The power went.")
        return append_all(journal, batches)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append_all", fail_after_the_first)
        assert "imported" in run("magic", "import", "teams.txt")
    assert calls == 1
    listed = run("teams", "list").splitlines()
    assert sorted(line.split("\t")[1] for line in listed if line[0] != " ") == ["Cup 1", "Cup 2"]
    assert "nothing new" in run("magic", "import", "teams.txt")


def test_team_event_runs_from_entries_to_ranking(cup: Run, tmp_path: Path) -> None:
    assert cup("magic", "map", 1) == "Champion's Cup Q-A\tQ-A\n"
    assert cup("teams", "list").splitlines()[1] == "  1\tQ-A\tround robin, vps-continuous, 4 teams"
    drawn = cup("teams", "draw", 1, "Q-A").splitlines()
    assert len(drawn) == 6
    assert drawn[0] == "round 1\ttable 1\tTenerife - Barcelona"
    for room, result in (("open", "4SN="), ("closed", "4SN-1")):
        cup("teams", "board", 1, "Q-A", 1, "Barcelona", room, 1, result, "--lead", "HA")
    assert (
        cup.refused("teams", "report", 1, "Q-A", 1, "Barcelona", 27, 30)
        == "Tenerife - Barcelona has results on 1 boards (1 to 1), which count instead of a reported result: erase "
        "them first. Nothing was changed."
    )
    cup("teams", "report", 1, "Q-A", 1, "Madrid", 27, 30)
    cup("teams", "adjust", 1, "Q-A", 1, "Madrid", "--imps", 13)
    cup("teams", "adjust", 1, "Q-A", 1, "Malmö", "--imps", 10, "--vps", -1, "--reason", "late")
    cup("teams", "carry", 1, "Q-A", 1, "Malmö", "--vps", "1.5")
    assert cup("teams", "matches", 1, "Q-A", "--round", 1).splitlines() == [
        "1.1\ttable 1\tTenerife - Barcelona\t10-0\t12.8-7.2",
        "1.1\ttable 2\tMadrid - Malmö\t40-40\t12.8-13.52",
    ]
    assert cup("teams", "ranking", 1, "Q-A").splitlines() == [
        "1\tMalmö\t14.02",
        "2=\tMadrid\t12.8",
        "2=\tTenerife\t12.8",
        "4\tBarcelona\t7.2",
    ]
    ranking = [json.loads(line) for line in cup("teams", "ranking", 1, "Q-A", "-f", "json").splitlines()]
    assert [(line["rank"], line["is_shared"], line["team"], line["points"]) for line in ranking[:2]] == [
        (1, False, "Malmö", 14.02),
        (2, True, "Madrid", 12.8),
    ]
    matches = [json.loads(line) for line in cup("teams", "matches", 1, "Q-A", "-f", "json").splitlines()]
    assert [matches[1][name] for name in ("home_imps", "away_imps", "home_vps", "away_vps")] == [
        40,
        40,
        12.8,
        13.52,
    ]
    assert matches[-1]["home_imps"] is None
    assert cup("teams", "list", "-f", "csv").splitlines()[0].startswith("event,name,guid,division,")
    assert cup("magic", "map", 1, "-f", "csv") == "tournament,division\nChampion's Cup Q-A,Q-A\n"
    cup("teams", "board", 1, "Q-A", 1, "Barcelona", "open", 1, "-")
    assert cup("teams", "matches", 1, "Q-A").splitlines()[0] == "1.1\ttable 1\tTenerife - Barcelona"
    for wrong, output in (
        (("board", 1, "Q-A", 1, "Barcelona", "bar", 1, "4SN="), "The room is open or closed"),
        (("board", 1, "Q-A", 1, "Barcelona", "open", 1, "8SN="), "'8SN=' is not a result"),
        (("board", 1, "Q-A", 9, "Barcelona", "open", 1, "4SN="), "has no match in round 9"),
        (("draw", 1, "Q-A"), "is drawn already"),
        (("ranking", 1, "Women"), "There is no division 'Women'"),
        (("ranking", "Other", "Q-A"), "There is no team event 'Other'"),
        (("carry", 1, "Q-A", 2, "Madrid", "--vps", 3), "first round only"),
        (("serie", 1, "X", "--format", "ladder"), "not 'ladder'"),
    ):
        assert output in cup.refused("teams", *wrong)


def test_qualified_teams_are_entered_in_the_final_and_drawn(cup: Run) -> None:
    cup("teams", "serie", 1, "Final", "--format", "knock-out", "--method", "team-imps")
    cup("teams", "carry", 1, "Q-A", 1, "Madrid", "--vps", 9)
    cup("teams", "carry", 1, "Q-A", 1, "Malmö", "--vps", 8)
    cup("teams", "qualify", 1, "Q-A", "1-2", "Final")
    assert "Madrid - Malmö" in cup("teams", "draw", 1, "Final", "--segments", 2)
    assert "Round 1 of Final is not over" in cup.refused("teams", "draw", 1, "Final")
    cup("teams", "report", 1, "Final", 1, "Malmö", 10, 0)
    cup("teams", "report", 1, "Final", 1, "Malmö", 0, 10, "--segment", 2)
    assert "ends level" in cup.refused("teams", "draw", 1, "Final")
    cup("teams", "adjust", 1, "Final", 1, "Malmö", "--imps", 1, "--segment", 2)
    assert "Malmö has won Final" in cup.refused("teams", "draw", 1, "Final")
    cup("teams", "player", 1, "Final", "Malmö", "Eva", "Ny", "--code", "C99")
    other_name = cup.refused("teams", "player", 1, "Final", "Madrid", "Bo", "Ek", "--code", "C99")
    assert "Member code C99 belongs to Eva Ny, not to Bo Ek. Nothing was changed." in other_name
    line_up = "teams", "line-up", 1, "Final", 1, "Malmö", "open"
    assert "'Nobody' is not one player of the two teams. There are: " in cup.refused(
        *line_up, "Nobody", 0, 0, 0
    )
    assert "Eva Ny, North, is not a player of Madrid" in cup.refused(*line_up, "ny", 0, 0, 0)
    assert "East Eva Ny, West nobody" in cup(*line_up, 0, 0, "Eva Ny", 0)


def test_exported_files_are_imported(cup: Run, tmp_path: Path) -> None:
    cup("teams", "draw", 1, "Q-A")
    cup("teams", "board", 1, "Q-A", 1, "Barcelona", "open", 1, "4SN=")
    kinds = [
        word for kind in ("2A", "2A-a", "2A-b", "2A-c", "2B", "2C", "2D", "2E") for word in ("--file", kind)
    ]
    output = cup("magic", "export", 1, *kinds, "--out", "out").splitlines()
    assert len(output) == 8
    assert all(line.endswith(": written") for line in output)
    again = cup("magic", "export", 1, *kinds, "--out", "out").splitlines()
    assert all(line.endswith(": unchanged") for line in again)
    files = sorted(str(path) for path in (tmp_path / "out").iterdir() if "2A-c" not in path.name)
    imported = cup("magic", "import", "--journal", "office.overtrick", *files)
    assert "2D-1-1-01-001.txt is 2D, 1 row: imported." in imported
    assert ": imported." not in cup("magic", "import", "--journal", "office.overtrick", *files)
    assert "Add the EVENT" in cup.refused("magic", "export", "--file", "2B", "--out", "out")
    assert "There is no kind of file '9Z'" in cup.refused(
        "magic", "export", 1, "--file", "9Z", "--out", "out"
    )


def test_conflict_is_listed_until_its_line_is_accepted(cup: Run, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_bytes(b"nTeamID\tnTeamIDForeign\r\n1\t31\r\n2\t77\r\n9\t5\r\n")
    assert "line 4, column nTeamID: There is no team 9" in cup.refused("magic", "import", ids)
    output = cup("magic", "import", ids, "--partial")
    assert "line 3, column nTeamIDForeign: we have '32', the file has '77'." in output
    assert (tmp_path / "ids.txt.rejects.txt").read_bytes() == b"nTeamID\tnTeamIDForeign\r\n9\t5\r\n"
    assert "we have" not in cup("magic", "import", ids, "--partial", "--accept", 3)
    assert "we have" not in cup("magic", "import", ids, "--partial")


def test_watch_imports_new_files_and_exports_changes(cup: Run, tmp_path: Path) -> None:
    coming = tmp_path / "in"
    coming.mkdir()
    (coming / "codes.txt").write_bytes(b"nPlayerID\tcsMemberID\r\n1\tNEW1\r\n")
    (coming / "bad.txt").write_bytes(b"nPlayerID\tcsMemberID\r\n999\tNEW2\r\n")
    output = cup("magic", "watch", 1, "--out", "out", "--in", coming, "--looks", 2, "--every", 0.1)
    assert "codes.txt (2A-b) was imported." in output
    assert "bad.txt was refused" in output
    assert (coming / "taken" / "codes.txt").exists()
    assert "There is no player 999" in (coming / "refused" / "bad.why.txt").read_text(encoding="utf-8")
    assert "NEW1" in (tmp_path / "out" / "2A-1.txt").read_text(encoding="utf-8")
    assert cup("magic", "watch", 1, "--out", "out", "--looks", 1) == "", "nothing has changed"


def test_watch_leaves_a_file_in_its_folder_while_the_journal_does_not_answer(
    cup: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coming = tmp_path / "in"
    coming.mkdir()
    (coming / "codes.txt").write_bytes(b"nPlayerID\tcsMemberID\r\n1\tNEW1\r\n")
    append_all, failures = Journal.append_all, [0, 1]

    def unavailable(journal: Journal, batches: Sequence[CommandBatch]) -> object:
        if failures:
            failures.pop()
            raise JournalUnavailable("The journal does not answer; nothing was written.")
        return append_all(journal, batches)

    monkeypatch.setattr(Journal, "append_all", unavailable)
    output = cup("magic", "watch", 1, "--out", "out", "--in", coming, "--looks", 4, "--every", 0.1)
    assert output.count("The journal does not answer; nothing was written. Overtrick will try again.\n") == 1
    assert "codes.txt (2A-b) was imported." in output
    assert output.endswith("The journal answers again.\n")
    assert not (coming / "refused").exists()


def test_watch_rejects_a_missing_folder(cup: Run, tmp_path: Path) -> None:
    output = cup.refused("magic", "watch", 1, "--out", "out", "--in", "nowhere", "--looks", 1)
    assert output == "nowhere: There is no such folder to import files from. Nothing was done."
    assert not (tmp_path / "out").exists()


def test_watch_ignores_folders_and_broken_links(cup: Run, tmp_path: Path) -> None:
    coming = tmp_path / "in"
    coming.mkdir()
    (coming / "a folder.txt").mkdir()
    (coming / "gone.txt").symlink_to("nowhere")
    (coming / "zcodes.txt").write_bytes(b"nPlayerID\tcsMemberID\r\n1\tNEW1\r\n")
    output = cup("magic", "watch", 1, "--out", "out", "--in", coming, "--looks", 2, "--every", 0.1)
    assert "zcodes.txt (2A-b) was imported." in output
    assert (coming / "a folder.txt").is_dir()
    assert (coming / "gone.txt").is_symlink()


def test_imported_file_that_cannot_be_moved_is_reported(cup: Run, tmp_path: Path) -> None:
    coming = tmp_path / "in"
    coming.mkdir()
    (coming / "taken").write_text("a file, and no folder")
    (coming / "codes.txt").write_bytes(b"nPlayerID\tcsMemberID\r\n1\tNEW1\r\n")
    output = cup("magic", "watch", 1, "--out", "out", "--in", coming, "--looks", 2, "--every", 0.1)
    assert "codes.txt (2A-b) was imported.\n  It could not be moved: File exists." in output


def test_unknown_tournament_is_imported_after_it_was_mapped(cup: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(ENTRIES.replace("Champion's Cup Q-A", "EBL 2004/1").encode().replace(b"\t3", b"\t4"))
    assert "say what it is with `overtrick magic map`" in cup.refused("magic", "import", other)
    assert cup("magic", "map", 1, "EBL 2004/1", "Q-B") == "EBL 2004/1\tQ-B\n"
    cup("magic", "import", other)
    assert "Q-B\tround robin, as reported, 4 teams" in cup("teams", "list")


def test_totals_and_ranks_of_a_year_are_exported_and_imported(cup: Run, tmp_path: Path) -> None:
    people = tmp_path / "3a.txt"
    people.write_bytes(
        b"nPlayerID\tnPlayerIDForeign\tcsEBLCode\tcsLastName\tcsFirstName\tcsSex\tdateBirth\r\n"
        b"\t701\tESP1\tGrau\tAna\tW\t1980-01-31\r\n"
        b"\t702\tESP2\tRius\tPau\tM\t1940-12-01\r\n"
    )
    assert "2 added, 0 changed, 0 unchanged." in cup("magic", "import", people)
    assert "0 added, 0 changed, 2 unchanged." in cup("magic", "import", people)
    cup("magic", "award", 1, 2005, "European Teams", "--emp", 12)
    cup("magic", "award", 2, 2006, "European Teams", "--emp", 20, "--smp", 4)
    cup("magic", "title", 2, 2006, 1)
    cup("magic", "country", 1, 2000, "ESP")
    cup("magic", "limit", "senior", 2000, 58)
    kinds = [word for kind in ("3A", "3B", "3C", "3D") for word in ("--file", kind)]
    cup("magic", "export", *kinds, "--year", 2006, "--out", "out")
    assert (tmp_path / "out" / "3B-2006.txt").read_bytes().splitlines()[1:] == [
        b"1\t701\tESP1\tESP\tGrau\tAna\tW\t1980-01-31\t2006\t2005\t12\t0\t0\t0",
        b"2\t702\tESP2\t\tRius\tPau\tM\t1940-12-01\t2006\t2006\t20\t0\t4\t1",
    ]
    ranks = (tmp_path / "out" / "3D-2006.txt").read_text().splitlines()
    assert ranks[1:6] == [
        "2\t2006\t1\t1\t\t1",
        "1\t2006\t1\t1\t\t2",
        "1\t2006\t1\t2\t\t1",
        "2\t2006\t1\t3\t\t1",
        "1\t2006\t1\t11\tESP\t1",
    ]
    cup("magic", "registry", "--registry", "office.registry", "--side", "office")
    files = sorted(str(path) for path in (tmp_path / "out").iterdir())
    cup("magic", "import", "--registry", "office.registry", *files)
    cup("magic", "export", "--file", "3B", "--year", 2006, "--out", "back", "--registry", "office.registry")
    assert (tmp_path / "back" / "3B-2006.txt").read_bytes() == (tmp_path / "out" / "3B-2006.txt").read_bytes()
    wrong = (tmp_path / "out" / "3D-2006.txt").read_text().replace("2\t2006\t1\t1\t\t1", "2\t2006\t1\t1\t\t3")
    (tmp_path / "wrong.txt").write_text(wrong)
    output = cup.refused("magic", "import", "--registry", "office.registry", "wrong.txt")
    assert "line 2, column nRank: Rank 3 with 20 points comes after rank 2 with 12." in output
