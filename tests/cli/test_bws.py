"""`overtrick bws` from the outside, as a person or another program uses it."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick import jet
from overtrick.bridge.pbn import read_pbn
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Insert, Update, carry_out
from overtrick.bws.file_creation import create_file
from overtrick.cli import app, main
from tests.bws.files import mitchell, result

PBN = b"""% PBN 2.1
[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3"]

[Board "99"]
[Dealer "S"]
[Vulnerable "None"]
[Deal "N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3"]
"""


def run(*arguments: str | Path | float) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["bws", *(str(argument) for argument in arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout_bytes.decode(), done.stderr


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    path = tmp_path / "monday.bws"
    rows = mitchell()
    rows["ReceivedData"] = [
        result(1, 1, 1, 1, 1, 1, Contract="4 S x", Result="+1", LeadCard="C10"),
        result(2, 1, 1, 2, 1, 1, Contract="", Result="", Remarks="60%-40%"),
        result(3, 2, 1, 3, 2, 2, Erased=True),
    ]
    create_file(path, rows)
    return path


def test_create_makes_a_file_that_checks_out(tmp_path: Path) -> None:
    players, deals, out = tmp_path / "players.csv", tmp_path / "deals.pbn", tmp_path / "new.bws"
    players.write_text("firstname;lastname;playernumber\nEly;Culbertson;12\n")
    deals.write_bytes(PBN)
    status, said, _ = run(
        *(
            "create",
            out,
            "--movement",
            "mitchell",
            "--tables",
            7,
            "--boards-per-round",
            3,
            "--sections",
            "A,B",
        ),
        *("--players", players, "--deals", deals, "--computer", "CLUB"),
    )
    assert status == 0
    assert "14 tables, 7 rounds, boards 1 to 21" in said
    contents = open_contents(out)
    assert [row.letter for row in contents.sections] == ["A", "B"]
    assert [row.name for row in contents.player_names] == ["Ely Culbertson"]
    assert [(row.section, row.board) for row in contents.hand_records] == [(1, 1), (2, 1)]
    assert [row.computer for row in contents.clients] == ["CLUB"]
    assert run("check", out)[0] == 0


@pytest.mark.parametrize(
    ("movement", "winners", "rounds"), [("howell", 1, 7), ("round-robin", 1, 7), ("individual", 1, 15)]
)
def test_create_makes_every_movement(tmp_path: Path, movement: str, winners: int, rounds: int) -> None:
    out = tmp_path / "new.bws"
    assert run("create", out, "--movement", movement, "--tables", 4, "--boards-per-round", 2)[0] == 0
    contents = open_contents(out)
    assert contents.sections[0].winners == winners
    assert max(row.round for row in contents.rounds) == rounds
    assert run("check", out)[0] == 0


def test_create_with_fewer_rounds_and_one_field(tmp_path: Path) -> None:
    out = tmp_path / "new.bws"
    arguments = ("--tables", 6, "--boards-per-round", 4, "--rounds", 5, "--sections", "A,C", "--together")
    assert run("create", out, *arguments, "--method", "cross-imps")[0] == 0
    contents = open_contents(out)
    assert max(row.round for row in contents.rounds) == 5
    assert contents.settings[0].get("GroupSections") is True
    assert {row.scoring_type for row in contents.sections} == {3}


def test_info_in_words_and_as_json(evening: Path) -> None:
    _, said, _ = run("info", evening)
    assert "Session Monday, 2026-03-02, not started: sections A" in said
    assert "Section A: 3 tables, 3 rounds, 6 contestants, two winners, 2 results" in said
    _, said, _ = run("info", evening, "--format", "json")
    found = json.loads(said)
    assert (found["results"], found["rows_erased"], found["missing_tables"]) == (2, 1, [])
    _, said, _ = run("info", evening, "-f", "csv")
    assert "results,2" in said


def test_player_number_0_is_an_empty_seat(tmp_path: Path) -> None:
    path = tmp_path / "zeros.bws"
    chair = {"Section": 1, "Table": 1, "Name": "", "Round": 0}
    numbers = [{**chair, "Direction": "N", "Number": "0"}, {**chair, "Direction": "S", "Number": "7"}]
    create_file(path, {**mitchell(), "PlayerNumbers": numbers})
    assert json.loads(run("info", path, "-f", "json")[1])["players_seated"] == 1
    seated = json.loads(run("export", path, "--what", "players", "-f", "json")[1])
    assert (seated["seat"], seated["number"]) == ("S", "7")


def test_empty_export_prints_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "new.bws"
    create_file(path, mitchell())
    assert run("export", path, "--what", "hands") == (0, "", f"{path}: There are no hands yet.\n")
    assert run("export", path)[2] == f"{path}: There are no results yet.\n"


def test_check_exits_with_1_for_a_violation(evening: Path) -> None:
    assert run("check", evening)[:2] == (0, "")
    with jet.open(evening, "r+") as db:
        carry_out(db, [Update("Section", {"ID": 1}, {"Letter": "AB", "Winners": 0})])
    status, said, counted = run("check", evening)
    assert status == 1
    assert "Section, ID 1: Letters are A to Z, AA to ZZ or AAA to ZZZ, not 'AB'." in said
    assert "Warning: Section, ID 1: Winners should be set to 1 or 2." in said
    assert counted == "1 violation, 1 warning\n"
    _, said, _ = run("check", evening, "-f", "json")
    assert {json.loads(line)["level"] for line in said.splitlines()} == {"violation", "warning"}


def test_export_of_results(evening: Path) -> None:
    _, said, _ = run("export", evening, "-f", "csv")
    first, second = csv.DictReader(io.StringIO(said))
    assert (first["result"], first["score"], first["lead"], first["at"]) == (
        "4SxN+1",
        "690",
        "C10",
        "2026-03-02T19:45:30",
    )
    assert (second["result"], second["score"]) == ("60-40", "")
    _, said, _ = run("export", evening, "-f", "json", "--erased")
    assert [json.loads(line)["remark"] for line in said.splitlines()] == ["", "", "Erased"]
    assert "4SxN+1" in run("export", evening)[1]


def test_export_of_rounds_players_and_hands(evening: Path, tmp_path: Path) -> None:
    deals = tmp_path / "deals.pbn"
    deals.write_bytes(PBN)
    run("import", evening, "--deals", deals)
    with jet.open(evening, "r+") as db:
        carry_out(
            db,
            [
                Update("PlayerNumbers", {"Table": 1, "Direction": "N"}, {"Number": "12"}),
                Insert("PlayerNames", {"ID": 12, "Name": "Ely"}),
            ],
        )
    _, said, _ = run("export", evening, "--what", "rounds", "-f", "csv")
    assert said.splitlines()[1] == "A,1,1,1,1,1-2"
    _, said, _ = run("export", evening, "--what", "players", "-f", "csv")
    assert said.splitlines()[1] == "A,1,0,N,12,Ely"
    _, said, _ = run("export", evening, "--what", "hands", "-f", "json")
    assert json.loads(said.splitlines()[0])["deal"].startswith("N:AQ7.AQJ4.6.AKJT5")
    _, said, _ = run("export", evening, "--what", "hands", "-f", "pbn")
    assert [game.board for game in read_pbn(said)] == [1, 99]


def test_import_puts_names_deals_and_results_in(evening: Path, tmp_path: Path) -> None:
    players, deals, results = tmp_path / "players.csv", tmp_path / "deals.pbn", tmp_path / "results.csv"
    players.write_text("Ely,Culbertson,12\n")
    deals.write_bytes(PBN)
    results.write_text(
        "section,table,round,board,result,lead\nA,1,1,1,4SxN=,H4\nA,3,1,5,3NTE-1,\nA,1,1,2,60-40,\n"
    )
    status, said, _ = run("import", evening, "--players", players, "--deals", deals, "--results", results)
    assert status == 0
    assert "6 changes written" in said
    contents = open_contents(evening)
    standing = {row.place: row for row in contents.standing().values()}
    corrected, added = standing[1, 1, 1, 1], standing[1, 3, 1, 5]
    assert (corrected.id, corrected.result, corrected.external_update, corrected.processed) == (
        1,
        "=",
        True,
        True,
    )
    assert (added.contract, added.result, added.direction, added.external_update) == ("3 NT", "-1", "E", True)
    assert not standing[1, 1, 1, 2].external_update
    assert [row.instruction for row in contents.tables] == [996, 0, 0]
    assert run("check", evening)[0] == 0


def test_names_are_loaded_once_and_changed_in_place(evening: Path, tmp_path: Path) -> None:
    players = tmp_path / "players.csv"
    players.write_text("Ely;Culbertson;12\nJo;Dillon;7\n")
    run("import", evening, "--players", players)
    players.write_text("Josephine;Dillon;007\n")
    run("import", evening, "--players", players)
    assert [(row.id, row.name) for row in open_contents(evening).player_names] == [
        (12, "Ely Culbertson"),
        (7, "Josephine Dillon"),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("section,table,round,board,result\nA,1,1,9,4S=\n", "Nobody plays that board there"),
        (
            "section,table,round,board,result\nA,x,1,1,4SN=\n",
            "line 2: Table, round and board must be numbers",
        ),
        ("section,table,round,board,result\nA,1,1,1,9SN=\n", "line 2"),
        ("a,b\n1,2\n", "The first line must name these columns"),
    ],
)
def test_impossible_results_change_nothing(
    evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    results = tmp_path / "results.csv"
    results.write_text(text.replace("4S=", "4SN="))
    before = evening.read_bytes()
    assert sentence in mistake(monkeypatch, "import", evening, "--results", results)
    assert evening.read_bytes() == before


def mistake(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path | int) -> str:
    """Return the error of a command; check that there is no traceback and that the status is not 0."""
    monkeypatch.setattr(sys, "argv", ["overtrick", "bws", *(str(argument) for argument in arguments)])
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code not in (0, None)
    assert "Traceback" not in said.getvalue()
    return said.getvalue()


def test_mistakes_are_errors_with_a_sentence(
    evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "text.bws"
    text.write_text("not a database " * 500)
    before = evening.read_bytes()
    for command in ("info", "check", "export", "watch"):
        assert "text.bws" in mistake(monkeypatch, command, text)
        assert "nowhere.bws" in mistake(monkeypatch, command, tmp_path / "nowhere.bws")
    create = ("--tables", 3, "--boards-per-round", 2)
    assert "it was not changed" in mistake(monkeypatch, "create", evening, *create)
    assert "not section letters" in mistake(
        monkeypatch, "create", tmp_path / "x.bws", *create, "--sections", "AB"
    )
    assert "named twice" in mistake(monkeypatch, "create", tmp_path / "x.bws", *create, "--sections", "A,A")
    assert "no scoring method" in mistake(monkeypatch, "create", tmp_path / "x.bws", *create, "--method", "x")
    assert "nowhere.pbn" in mistake(
        monkeypatch, "create", tmp_path / "x.bws", *create, "--deals", "nowhere.pbn"
    )
    assert "Name what to import" in mistake(monkeypatch, "import", evening)
    assert "Only hands" in mistake(monkeypatch, "export", evening, "-f", "pbn")
    assert "not a field for marking" in mistake(
        monkeypatch, "watch", evening, "--mark", "Erased", "--looks", 1
    )
    assert not (tmp_path / "x.bws").exists()
    assert evening.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="folders have other permissions on Windows")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    assert "cannot be created" in mistake(
        monkeypatch, "create", folder / "x.bws", "--tables", 3, "--boards-per-round", 2
    )


def test_watch_shows_what_is_there_and_leaves_the_file_alone(evening: Path) -> None:
    before = evening.read_bytes()
    _, said, _ = run("watch", evening, "--looks", 1)
    assert said.splitlines() == [
        "new     A1 round 1 board 1: 1 - 1  4SxN+1",
        "new     A1 round 1 board 2: 1 - 1  60-40",
    ]
    assert evening.read_bytes() == before


def test_watch_marks_what_it_has_shown(evening: Path) -> None:
    assert (
        len(run("watch", evening, "--looks", 1, "--mark", "custom_Screen", "-f", "json")[1].splitlines()) == 2
    )
    assert run("watch", evening, "--looks", 1, "--mark", "custom_Screen", "-f", "json")[1] == ""
    with jet.open(evening, "r+") as db:
        carry_out(
            db,
            [
                Update("ReceivedData", {"ID": 1}, {"Result": "-1", "custom_Screen": False}),
                Insert("ReceivedData", {**result(9, 3, 1, 5, 3, 3), "ID": None}),
            ],
        )
    _, said, _ = run("watch", evening, "--looks", 1, "--mark", "custom_Screen", "-f", "csv")
    assert [line.split(",")[0] for line in said.splitlines()] == ["new", "new"]


def test_watch_follows_a_running_file(evening: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play_meanwhile(interval: float) -> None:
        assert interval == 0.1
        with jet.open(evening, "r+") as db:
            carry_out(
                db,
                [
                    Update("ReceivedData", {"ID": 1}, {"Result": "-1"}),
                    Update("ReceivedData", {"ID": 2}, {"Erased": True}),
                ],
            )

    monkeypatch.setattr("overtrick.bws.polling.time.sleep", play_meanwhile)
    _, said, _ = run("watch", evening, "--interval", 0.1, "--looks", 2, "-f", "json")
    happened = [json.loads(line) for line in said.splitlines()]
    assert [(each["what"], each["board"]) for each in happened] == [
        ("new", 1),
        ("new", 2),
        ("changed", 1),
        ("erased", 2),
    ]


def test_info_imports_no_heavy_packages(evening: Path) -> None:
    code = (
        "import sys; sys.argv = ['overtrick', 'bws', 'info', sys.argv[1]]\n"
        "from overtrick.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = 'sqlalchemy', 'endplay', 'overtrick.event', 'rich', 'pydantic'\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(evening)], capture_output=True, text=True, check=True, timeout=50
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_on_a_real_club_evening(club_evening: Path) -> None:
    before = club_evening.read_bytes()
    _, said, _ = run("export", club_evening, "-f", "csv")
    assert len(said.splitlines()) == 289
    assert "24 contestants, one winner, 288 results" in run("info", club_evening)[1]
    assert run("check", club_evening)[0] == 0
    assert club_evening.read_bytes() == before
