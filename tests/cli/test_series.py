"""`overtrick series` and `overtrick award`, and the further rankings of `overtrick score`."""

import csv
import json
from datetime import date
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.event import OpenEvent
from overtrick.event.further_rankings import PutPlayerDetails, SetFurtherRankings
from overtrick.event.results import EnterResult
from overtrick.host.runtime import open_runtime
from overtrick.registry import Ledger, People, Person, RegistrySide, open_registry
from overtrick.scoring.pbn import write_results
from overtrick.scoring.player_list import PlayerDetails
from tests.cli.test_score import run
from tests.event.evenings import SESSION, entry, plan
from tests.scoring.reports import pairs_report

SERIES = """
name = "Two evenings"
combine = "average"
{more}
[[session]]
name = "First"
file = "first.pbn"
[[session]]
name = "Second"
file = "second.pbn"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions with the same results, and a series of them."""
    for name in ("first", "second"):
        (tmp_path / f"{name}.pbn").write_bytes(write_results(pairs_report()))
    (tmp_path / "series.toml").write_text(SERIES.format(more=""))
    return tmp_path


def players_of(folder: Path) -> list[str]:
    document = json.loads(run("score", folder / "first.pbn", "--winners", "1", "--format", "json")[1])
    return [name for line in document["ranking"] for name in line["players"]]


def test_series_of_files_as_json_csv_table_and_pages(folder: Path) -> None:
    status, out, _ = run("series", folder / "series.toml", "--format", "json")
    assert status == 0
    document = json.loads(out)
    (table,) = document["rankings"]
    assert table["stage"] == "Ranking"
    session = json.loads(run("score", folder / "first.pbn", "--format", "json")[1])["ranking"]
    shares = {
        tuple(sorted(line["players"])): f"{line['percentage']:.2f}" for line in session if line["players"]
    }
    found = {
        tuple(sorted(player["name"] for player in line["players"])): line["result"]
        for line in table["ranking"]
        if line["players"]
    }
    assert found == shares
    rows = list(csv.reader(run("series", folder / "series.toml", "-f", "csv")[1].decode().splitlines()))
    assert rows[0][-2:] == ["First", "Second"]
    assert len(rows) == len(table["ranking"]) + 1
    assert "Two evenings" in run("series", folder / "series.toml")[1].decode()
    status, _, told = run("series", folder / "series.toml", "-f", "html", "-o", folder / "site")
    assert "2 files are in" in told
    assert "<h1>Two evenings</h1>" in (folder / "site" / "index.html").read_text()
    with pytest.raises(BadInput, match="--output"):
        run("series", folder / "series.toml", "-f", "html")


def test_series_of_sessions_in_a_journal(tmp_path: Path) -> None:
    journal, described = tmp_path / "club.overtrick", tmp_path / "series.toml"
    with open_runtime(journal) as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    described.write_text(f'name = "Cup"\n[[session]]\nname = "One"\nsession = "{SESSION}"\n')
    document = json.loads(run("series", described, "--data", journal, "-f", "json")[1])
    assert [line["sessions"]["One"]["boards"] for line in document["rankings"][0]["ranking"]] == [1, 1]
    with pytest.raises(BadInput, match="Name the journal"):
        run("series", described)


def test_score_ranks_also_with_handicaps_strata_and_filters(folder: Path) -> None:
    names = players_of(folder)
    lines = [f"{name};{place};{100 * place};North" for place, name in enumerate(names)]
    (folder / "players.csv").write_text(
        "name;handicap;holding;club\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )
    asked = ("score", folder / "first.pbn", "--winners", "1", "--players", folder / "players.csv")
    further = ("--handicap", "mean", "--strata", "A, B:200", "--strata-by", "higher", "--only", "club=north")
    document = json.loads(run(*asked, *further, "--format", "json")[1])
    titles = [one["title"] for one in document["further_rankings"]]
    assert titles == ["Handicap", "Stratum B", "north"]
    by_title = {one["title"]: one["ranking"] for one in document["further_rankings"]}
    raw = {line["pair"]: line["percentage"] for line in document["ranking"]}
    for line in by_title["Handicap"]:
        assert line["percentage"] == pytest.approx(raw[line["pair"]] + line["handicap"], abs=0.0001)
    assert [line["players"] for line in by_title["Stratum B"]] == [names[:2]]
    text = run(*asked, *further, "--title", "Monday")[1].decode()
    assert "Monday · Handicap" in text
    assert "Monday · Stratum B" in text
    rows = list(csv.DictReader(run(*asked, *further, "--format", "csv")[1].decode().splitlines()))
    assert {row["ranking"] for row in rows} == {"", "Handicap", "Stratum B", "north"}
    with pytest.raises(BadInput, match="--players"):
        run("score", folder / "first.pbn", "--handicap", "sum")
    with pytest.raises(BadInput, match="not a filter"):
        run(*asked, "--only", "colour=red")


def test_score_leaves_those_with_few_boards_without_a_rank(folder: Path) -> None:
    document = json.loads(
        run("score", folder / "first.pbn", "--winners", "1", "--minimum-boards", "99", "--format", "json")[1]
    )
    assert {line["rank"] for line in document["ranking"]} == {None}


def test_score_of_a_journal_has_the_further_rankings_chosen_at_the_desk(tmp_path: Path) -> None:
    journal = tmp_path / "club.overtrick"
    with open_runtime(journal) as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        runtime.do(EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
        runtime.do(PutPlayerDetails(SESSION, (PlayerDetails("1", "Ann"),)))
        runtime.do(SetFurtherRankings(SESSION, strata="A, B:100"))
    document = json.loads(run("score", journal, "--format", "json")[1])
    assert [one["title"] for one in document["further_rankings"]] == ["Stratum B"]
    document = json.loads(run("score", journal, "--only", "mixed", "--format", "json")[1])
    assert [one["title"] for one in document["further_rankings"]] == ["Mixed"]


def test_awards_land_in_the_ledger_once(folder: Path) -> None:
    names = players_of(folder)
    registry = folder / "people.registry"
    with open_registry(registry, create=RegistrySide.MAGIC) as opened:
        people = [
            Person(
                place, None, f"M{place}", name.rpartition(" ")[2] or name, name.rpartition(" ")[0], "", None
            )
            for place, name in enumerate(names[:-1], 1)
        ]
        assert People(opened).merge(enumerate(people, 2)).added == len(people)
    numbered = "\n".join(f"{name};M{place}" for place, name in enumerate(names, 1))
    (folder / "players.csv").write_text(f"name;number\n{numbered}\n", encoding="utf-8")
    asked = ("award", folder / "first.pbn", "--scheme", "example", "--players", folder / "players.csv")
    shown = run(*asked)[1].decode()
    assert f"1. {names[0]} (M1):" in shown
    more = ("--registry", registry, "--event", "Cup", "--day", "2026-05-17")
    told = run(*asked, *more)[1].decode()
    assert "awards entered, 0 were already in the ledger." in told
    assert "0 awards entered" in run(*asked, *more)[1].decode()
    with open_registry(registry) as opened:
        entered = [
            (one.member_code, one.day, one.event, one.rank, one.emp) for one in Ledger(opened).awards()
        ]
    assert entered
    assert all(one[1:3] == (date(2026, 5, 17), "Cup") for one in entered)
    awarded = [line.split(". ", 1)[1] for line in shown.splitlines()]
    assert len(entered) == len([line for line in awarded if not line.startswith(names[-1])])


def test_awards_of_a_series_are_for_raw_results(folder: Path) -> None:
    names = players_of(folder)
    (folder / "players.csv").write_text(f"name;handicap\n{names[-1]};90\n", encoding="utf-8")
    (folder / "series.toml").write_text(SERIES.format(more='players = "players.csv"\nhandicap = "sum"'))
    document = json.loads(run("series", folder / "series.toml", "-f", "json")[1])
    assert names[-1] in document["rankings"][0]["ranking"][0]["name"]
    first = run("award", folder / "series.toml", "--scheme", "example")[1].decode().splitlines()[0]
    assert names[-1] not in first


def test_bad_file_is_an_error_with_a_sentence(folder: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        run("series", folder / "nothing.toml")
    (folder / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="UTF-8"):
        run("series", folder / "bad.toml")
    with pytest.raises(BadInput, match="not a date"):
        run("award", folder / "first.pbn", "--scheme", "example", "--day", "today")
    (folder / "series.toml").write_text(SERIES.format(more='players = "nobody.csv"'))
    with pytest.raises(BadInput, match="cannot be read"):
        run("series", folder / "series.toml")
