import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Outcome, Side
from overtrick.bridge.pbn import read_pbn
from overtrick.cli import app, main
from overtrick.errors import BadInput
from overtrick.event import OpenEvent
from overtrick.event.results import CorrectResult, EnterResult, Origin
from overtrick.host.runtime import open_runtime
from overtrick.scoring.pbn import write_results
from tests.event.evenings import SESSION, entry, plan
from tests.event.rulings_evening import commands
from tests.scoring.reports import pairs_report, teams_report


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    path = tmp_path / "evening.pbn"
    path.write_bytes(write_results(pairs_report()))
    return path


def run(*arguments: str | Path) -> tuple[int, bytes, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout_bytes, result.stderr


def test_session_without_results_prints_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    with open_runtime(path):
        pass
    with pytest.raises(BadInput, match="There is no session in it yet"):
        run("score", path)
    with open_runtime(path) as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
    status, out, told = run("score", path)
    assert (status, out) == (0, b"")
    assert told == f"{path}: There are no results yet.\n"


def test_rule_set_names_the_method(evening: Path, tmp_path: Path) -> None:
    rules = tmp_path / "club.toml"
    rules.write_text('name = "Club"\nmethod = "butler-mean"\n')
    document = json.loads(run("score", evening, "--rules", rules, "--winners", "1", "--format", "json")[1])
    assert (document["method"], document["rules"]["method"]) == ("butler-mean", "butler-mean")
    other = run("score", evening, "--rules", rules, "--winners", "1", "--format", "json", "--method", "10")
    assert json.loads(other[1])["method"] == "matchpoints"


def test_table_of_another_unit_than_the_method_is_refused(evening: Path, tmp_path: Path) -> None:
    rules = tmp_path / "club.toml"
    table = '[vp_scale]\nname = "Three"\n[[vp_scale.match]]\nboards = 3\nrows = [[0, 10, 10]]\n'
    rules.write_text(f'name = "Club"\n{table}')
    assert run("score", evening, "--rules", rules, "--winners", "1")[0] == 0
    with pytest.raises(
        BadInput, match="'Three' is in IMPs, but matchpoints gives victory points for percentages"
    ):
        run("score", evening, "--rules", rules, "--pairs-vps")


def test_ranking_is_printed_as_a_table(evening: Path) -> None:
    status, out, _ = run("score", evening, "--winners", "1")
    assert status == 0
    text = out.decode()
    assert "Rank" in text
    assert "Łucja" in text
    assert "<b>" in text


def test_title_names_the_side_and_empty_name_column_is_left_out(evening: Path, club_evening: Path) -> None:
    text = run("score", evening, "--winners", "2", "--title", "Monday")[1].decode()
    assert "Monday · North-South" in text
    assert "· 1 ·" not in text, "the number of the only scoring group says nothing"
    text = run("score", club_evening)[1].decode()
    assert "Names" not in text
    assert club_evening.stem in text.splitlines()[0]


def test_json_can_be_piped(evening: Path) -> None:
    _, out, _ = run("score", evening, "--format", "json", "--winners", "1")
    document = json.loads(out)
    assert document["ranking"][0]["rank"] == 1
    assert len(document["ranking"]) == 8
    assert len(document["travellers"]) == 3


def test_every_other_format_is_written(evening: Path, tmp_path: Path) -> None:
    _, out, _ = run("score", evening, "-f", "csv", "-m", "30", "--winners", "1")
    assert out.decode().startswith("rank,rank_max,")
    _, out, _ = run("score", evening, "-f", "usebio", "--winners", "1")
    assert ElementTree.fromstring(out).tag == "USEBIO"
    written = tmp_path / "again.pbn"
    run("score", evening, "-f", "pbn", "-o", written, "--winners", "1")
    assert len(read_pbn(written.read_bytes())) == 3
    _, out, _ = run("score", evening, "-f", "json", "--top", "n-1", "--unequal", "factor", "--title", "Other")
    assert json.loads(out)["title"] == "Other"


def test_pages_go_into_a_folder(evening: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    status, _, err = run("score", evening, "-f", "html", "-o", folder, "--winners", "1")
    assert status == 0
    assert "index.html" in err
    assert (folder / "index.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert not list(folder.glob(".*"))


def test_teams_are_ranked(tmp_path: Path) -> None:
    path = tmp_path / "teams.pbn"
    path.write_bytes(write_results(teams_report()))
    _, out, _ = run("score", path, "-m", "vps-continuous", "--boards-per-match", "8", "-f", "json")
    document = json.loads(out)
    assert document["ranking"][0]["points"] + document["ranking"][1]["points"] == 20
    assert document["matches"][0]["home"]["imps"] == 13


def test_results_left_out_are_listed(evening: Path) -> None:
    raw = evening.read_bytes()
    evening.write_bytes(raw.replace(b"3NT   N 10", b"3NT   N 14"))
    _, out, err = run("score", evening, "-f", "json", "--winners", "1")
    assert "Left out: board 1" in err
    assert len(json.loads(out)["travellers"][0]["lines"]) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing.pbn"], "cannot be read"),
        (["evening.pbn", "-m", "rubber"], "There are: matchpoints (10)"),
        (["evening.pbn", "-f", "html"], "--output"),
        (["evening.pbn", "-f", "csv", "-o", "no/such/folder/x.csv"], "cannot be written"),
        (["evening.pbn", "-f", "html", "-o", "evening.pbn"], "This is a file, not a folder"),
        (["words.pbn"], "neither a ScoreTable"),
        (["words.txt"], "cannot be scored"),
    ],
)
def test_wrong_argument_or_file_is_a_sentence_and_changes_no_file(
    arguments: list[str],
    sentence: str,
    evening: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "words.pbn").write_text('[Board "1"]\n')
    (tmp_path / "words.txt").write_text("hello")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["overtrick", "score", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert sentence in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_real_club_evening_is_ranked(club_evening: Path) -> None:
    _, out, err = run("score", club_evening, "-f", "json")
    document = json.loads(out)
    ranking = document["ranking"]
    assert len(ranking) == 24
    assert {line["direction"] for line in ranking} == {None}
    lines = [line for traveller in document["travellers"] for line in traveller["lines"]]
    assert len(lines) == 288
    assert abs(sum(line["percentage"] for line in ranking) / 24 - 50) < 0.2
    assert "ID 213" in err


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    with open_runtime(tmp_path / "overtrick.journal") as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
        runtime.do(EnterResult(SESSION, entry(2, 1, 1, "3NTN+1")))
    return tmp_path / "overtrick.journal"


def test_a_session_of_a_journal_is_ranked(journal: Path) -> None:
    folder = journal.parent
    for arguments in ((journal,), (folder,), (SESSION, "--data", folder), (journal, "--session", SESSION)):
        _, out, _ = run("score", *arguments, "-f", "json")
        ranking = json.loads(out)["ranking"]
        assert [(line["pair"], line["rank"], line["rank_max"]) for line in ranking] == [
            (2, 1, 2),
            (3, 1, 2),
            (1, 3, 4),
            (4, 3, 4),
        ]


def test_unknown_session_is_an_error_with_a_sentence(journal: Path, tmp_path: Path) -> None:
    for arguments in (
        (journal, "--session", "no such"),
        ("0" * 32,),
        (journal, "--group", "7"),
        (tmp_path / "x",),
    ):
        with pytest.raises(BadInput):
            run("score", *arguments)


def test_rule_set_is_chosen_by_name_or_from_a_file(evening: Path, tmp_path: Path) -> None:
    def rules(*arguments: str | Path) -> dict[str, str]:
        named: dict[str, str] = json.loads(run("score", evening, "--format", "json", *arguments)[1])["rules"]
        return named

    assert rules()["name"] == "WBF"
    assert rules("--rules", "ebu")["small_groups"] == "ebu"
    own = tmp_path / "tuesday.toml"
    own.write_text('name = "Tuesday"\nbased_on = "ACBL"\nsit_out_vps = 11\n')
    assert rules("--rules", own)["sit_out_vps"] == "11"
    assert rules("--rules", own, "--unequal", "factor")["unequal"] == "factor"
    with pytest.raises(BadInput, match="There are: WBF, ACBL, EBU, NZ"):
        run("score", evening, "--rules", "FIDE")
    with pytest.raises(BadInput, match="cannot be read"):
        run("score", evening, "--rules", tmp_path / "nowhere.toml")


def test_pairs_are_ranked_by_victory_points(evening: Path) -> None:
    document = json.loads(run("score", evening, "--format", "json", "--pairs-vps")[1])
    assert document["pair_matches"]
    assert all(0 <= one["points"] <= 60 for one in document["ranking"])
    assert "VP" in run("score", evening, "--pairs-vps")[1].decode()


def test_a_session_is_scored_by_its_own_rules_unless_others_are_named(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    with open_runtime(path) as runtime:
        for command in commands():
            runtime.do(command)
    document = json.loads(run("score", path, "--format", "json")[1])
    assert (document["rules"]["name"], document["rules"]["unequal"]) == ("EBU", "factor")
    assert len(document["rulings"]) == 18
    named = run("score", path, "--format", "json", "--rules", "ACBL", "--top", "2(n-1)")[1]
    assert json.loads(named)["rules"]["name"] == "ACBL"
    changed = json.loads(run("score", path, "--format", "json", "--unequal", "own-top")[1])
    assert (changed["rules"]["name"], changed["rules"]["unequal"]) == ("EBU", "own-top")
    written = run("score", path)[1].decode()
    assert "Rules: EBU with unequal: factor, sit out vps: 11.5." in written
    assert "A1: -10 % of a top. Slow play." in written


def test_rulings_are_kept_in_a_journal_and_scored(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    weighted = "60 % of 3NTN=, 40 % of 3NTN-1"
    with open_runtime(path) as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
        ruling = replace(entry(1, 1, 1, weighted), side=Side.NS)
        runtime.do(CorrectResult(SESSION, ruling, Origin.DESK, was=Outcome.parse("3NTN=")))
        runtime.do(EnterResult(SESSION, entry(2, 1, 3, "55-45")))
    document = json.loads(run("score", path, "--format", "json")[1])
    lines = [line for traveller in document["travellers"] for line in traveller["lines"]]
    assert [(line["outcome"], line["ew_outcome"]) for line in lines] == [(weighted, "3NTN="), ("55-45", None)]
