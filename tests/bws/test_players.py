from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bws.contents import Contents
from overtrick.bws.players import (
    LOOKUP_TABLE,
    NotALookupFile,
    names_due,
    names_of,
    parse_players,
    read_lookup,
    read_players_csv,
)
from overtrick.bws.rows import PlayerNameRow
from overtrick.errors import BadInput
from overtrick.event.seating import SessionPlayer
from overtrick.event.settings import NameSource

ELY, JO = SessionPlayer("0012", "Ely", "Culbertson"), SessionPlayer("7", "Josephine", "Murphy, Dillon")


@pytest.mark.parametrize(
    "text",
    [
        'firstname;lastname;playernumber\nEly;Culbertson;0012\nJosephine;"Murphy, Dillon";7\n',
        "Ely;Culbertson;0012\r\nJosephine;Murphy, Dillon;7\r\n",
        '"Ely","Culbertson","0012"\n"Josephine","Murphy, Dillon","7"\n',
        'First name,Last name,Number\nEly,Culbertson,0012\n\nJosephine,"Murphy, Dillon",7',
    ],
)
def test_commas_or_semicolons_quotes_and_header_are_optional(text: str) -> None:
    assert parse_players(text) == (ELY, JO)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_players_file_is_read_in_each_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "players.csv"
    path.write_bytes("Zoë;Müller;3\n".encode(encoding))
    assert read_players_csv(path) == (SessionPlayer("3", "Zoë", "Müller"),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Ely;Culbertson\n", "players, line 1: There are 2 fields"),
        ("Ely;Culbertson;1\nJo;Dillon;1\n", "players, line 2: The number 1 occurs twice"),
        ("Ely;Culbertson;1\nJo;Dillon;\n", "players, line 2: Jo Dillon has no number"),
    ],
)
def test_bad_players_file_is_reported_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse_players(text)


def test_an_empty_file_has_no_players() -> None:
    assert parse_players("\n\n") == ()


def test_missing_players_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_players_csv(tmp_path / "nowhere.csv")


def lookup_file(path: Path, table: str) -> Path:
    with jet.create(path) as db:
        made = db.create_table(
            table,
            [
                jet.Column("ID", jet.ColumnType.LONG),
                jet.Column("Name", jet.ColumnType.TEXT, 40),
                jet.Column("strID", jet.ColumnType.TEXT, 18),
            ],
        )
        made.insert_many(
            [
                {"ID": 12, "Name": "Ely Culbertson", "strID": None},
                {"ID": 0, "Name": "Jo Dillon", "strID": "007"},
                {"ID": 0, "Name": "Nobody", "strID": None},
            ]
        )
    return path


def test_names_from_the_lookup_file(tmp_path: Path) -> None:
    people = read_lookup(lookup_file(tmp_path / "BMPlayerDB.mdb", LOOKUP_TABLE))
    assert [(player.number, player.name) for player in people] == [
        ("12", "Ely Culbertson"),
        ("007", "Jo Dillon"),
    ]
    assert names_of(people) == {"12": "Ely Culbertson", "7": "Jo Dillon"}
    assert names_of(people, as_text=True) == {"12": "Ely Culbertson", "007": "Jo Dillon"}


def test_another_access_file_is_no_lookup_file(tmp_path: Path) -> None:
    with pytest.raises(NotALookupFile, match="has no table PlayerNameDatabase"):
        read_lookup(lookup_file(tmp_path / "other.mdb", "Members"))


def test_each_number_gets_its_name_from_the_source_of_its_section() -> None:
    contents = Contents(player_names=(PlayerNameRow(1, "Loaded 1"), PlayerNameRow(3, "Loaded 3")))
    lookup = {"1": "Listed 1", "2": "Listed 2", "3": "Listed 3", "4": "Listed 4"}
    numbers = {
        "1": NameSource.SESSION,
        "2": NameSource.SESSION,
        "3": NameSource.LOOKUP_FILE,
        "03": NameSource.SESSION_THEN_LOOKUP_FILE,
        "4": NameSource.SESSION_THEN_LOOKUP_FILE,
        "5": NameSource.LOOKUP_FILE,
    }
    assert {player.number: player.last_name for player in names_due(contents, numbers, lookup)} == {
        "1": "Loaded 1",
        "3": "Listed 3",
        "03": "Loaded 3",
        "4": "Listed 4",
    }
