"""A pasted list of names: what is understood, and where it is seated."""

import pytest

from overtrick import movements
from overtrick.bridge import Seat, Side
from overtrick.event import Session
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.setup import GameKind
from overtrick.web import name_list
from overtrick.web.name_list import ListedNames, parse_names, seat_names
from tests.event.evenings import SESSION, minimal


def read(text: str) -> list[str]:
    return [
        f"{each.pair or ''}{each.side.value if each.side else ''}|"
        + " + ".join(f"{one.first_name}_{one.last_name}_{one.number}" for one in each.players)
        for each in parse_names(text)
    ]


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ("Ann Berg & Bo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg-Lund - Bo Ek", "|Ann_Berg-Lund_ + Bo_Ek_"),
        ("Ann Berg – Bo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg / Bo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg and Bo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg\tBo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg, Bo Ek", "|Ann_Berg_ + Bo_Ek_"),
        ("Berg, Ann & Ek, Bo", "|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg 12 & Bo Ek (13)", "|Ann_Berg_12 + Bo_Ek_13"),
        ("12 Ann Berg / 13 Bo Ek", "|Ann_Berg_12 + Bo_Ek_13"),
        ("Ann Berg\t12\tBo Ek\t13", "|Ann_Berg_12 + Bo_Ek_13"),
        ("12;Ann Berg;13;Bo Ek", "|Ann_Berg_12 + Bo_Ek_13"),
        ("Ann Berg, 12, Bo Ek, 13", "|Ann_Berg_12 + Bo_Ek_13"),
        ("Ann\tBerg\tBo\tEk", "|Ann_Berg_ + Bo_Ek_"),
        ("4\tAnn Berg\tBo Ek", "4|Ann_Berg_ + Bo_Ek_"),
        ("4\tAnn Berg & Bo Ek", "4|Ann_Berg_ + Bo_Ek_"),
        ("4\tAnn Berg\t12\tBo Ek\t13", "4|Ann_Berg_12 + Bo_Ek_13"),
        ("4 Ann Berg & Bo Ek", "4|Ann_Berg_ + Bo_Ek_"),
        ("4. Ann Berg & Bo Ek", "4|Ann_Berg_ + Bo_Ek_"),
        ("Pair 4: Ann Berg - Bo Ek", "4|Ann_Berg_ + Bo_Ek_"),
        ("EW 4 Ann Berg / Bo Ek", "4EW|Ann_Berg_ + Bo_Ek_"),
        ("4 N-S: Ann Berg, Bo Ek", "4NS|Ann_Berg_ + Bo_Ek_"),
        ("Ann Berg", "|Ann_Berg_"),
        ("Berg, Ann", "|Ann_Berg_"),
        ("Ann Berg 12", "|Ann_Berg_12"),
        ("12\tAnn Berg", "|Ann_Berg_12"),
        ("Ann Berg,12", "|Ann_Berg_12"),
        ("J123456 Ann Berg & Bo Ek", "|Ann_Berg_J123456 + Bo_Ek_"),
        ("1001 & 1003", "|__1001 + __1003"),
        ("4. J1001\t1003", "4|__J1001 + __1003"),
        ("Jan van der Berg & Bo", "|Jan_van der Berg_ + _Bo_"),
    ],
)
def test_pasted_line_is_parsed(line: str, understood: str) -> None:
    assert read(f"\n{line}\n") == [understood]


@pytest.mark.parametrize("text", ["", "\n \t\n", "&", "12\t13", " - ", ",;,"])
def test_text_without_names_has_no_lines(text: str) -> None:
    assert parse_names(text) == []


def session_of(chosen: movements.Movement, game: GameKind = GameKind.PAIRS) -> Session:
    section = SectionPlan("A", 1, chosen.winners, game=game)
    session = minimal(section=section, tables=table_plans(chosen, "A")).session(SESSION)
    assert session is not None
    return session


MITCHELL = session_of(movements.mitchell(5, 2))


def seated(lines: list[ListedNames], session: Session, **options: bool) -> list[tuple[str, list[str]]]:
    return [
        (each.title or each.problem, [f"{key}={player.name}" for key, _, player in each.seats])
        for each in seat_names(session, "A", lines, **options)
    ]


def test_lines_fill_north_south_pairs_first_where_two_win() -> None:
    lines = parse_names("A B & C D\nE F & G H\nI J & K L\nM N & O P\nQ R & S T\nU V & W X\n")
    found = seated(lines, MITCHELL)
    assert found[0] == ("N-S 1", ["A-1-0-N=A B", "A-1-0-S=C D"])
    assert found[5] == ("E-W 1", ["A-1-0-E=U V", "A-1-0-W=W X"])
    assert seated(lines, MITCHELL, by_table=True)[1] == ("E-W 1", ["A-1-0-E=E F", "A-1-0-W=G H"])


def test_pair_numbers_of_lines_win_and_other_lines_fill_the_rest() -> None:
    found = seated(parse_names("EW 2: A B & C D\nE F & G H\n1. I J & K L\n"), MITCHELL)
    assert [title for title, _ in found] == ["E-W 2", "N-S 2", "N-S 1"]
    assert found[0][1] == ["A-2-0-E=A B", "A-2-0-W=C D"]


def test_pairs_of_a_howell_are_in_the_order_of_their_numbers() -> None:
    session = session_of(movements.howell(6, 2))
    found = seated(parse_names("\n".join(f"A{n} & B{n}" for n in "abcdef")), session)
    assert [title for title, _ in found] == list("123456")


def test_lines_of_one_player_are_partners_two_by_two() -> None:
    found = seated(parse_names("A B\nC D\nE F\n"), MITCHELL)
    assert found == [("N-S 1", ["A-1-0-N=A B", "A-1-0-S=C D"]), ("N-S 2", ["A-2-0-N=E F"])]


def test_players_of_an_individual_have_a_line_each() -> None:
    session = session_of(movements.choose_individuals(8, 14)[0].movement, GameKind.INDIVIDUAL)
    assert session.setup.sections["A"].game is GameKind.INDIVIDUAL
    found = seated(parse_names("\n".join(f"A{n} Bee" for n in "abcdefgh")), session)
    assert [title for title, _ in found] == list("12345678")
    assert {len(seats) for _, seats in found} == {1}


def test_lines_without_a_pair_are_reported() -> None:
    lines = parse_names("9. A B & C D\n1. E F & G H\n1. I J & K L\n1. M N & O P\n")
    found = seated(lines, MITCHELL)
    assert found[0] == ("There is no pair 9 without a name.", [])
    assert [title for title, _ in found[1:3]] == ["N-S 1", "E-W 1"]
    assert found[3][0] == "There is no pair 1 without a name."
    many = seated(parse_names("\n".join(f"A{n} & B" for n in range(11))), MITCHELL)
    assert many[-1][0] == "There is no pair left for this line."


def test_seats_are_those_of_the_pair() -> None:
    (line,) = seat_names(MITCHELL, "A", parse_names("EW 3. A B & C D"))
    assert [(seat, seat.side) for _, seat, _ in line.seats] == [(Seat.EAST, Side.EW), (Seat.WEST, Side.EW)]


def test_many_spaces_of_a_line_are_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(line: str) -> ListedNames:
        parsed.append(line)
        return ListedNames(1, ())

    monkeypatch.setattr(name_list, "_parse_line", parse)
    parse_names("Ann" + " " * 200 + "Berg\u2003\u2003&  Bo Ek\t12")
    assert parsed == ["Ann Berg & Bo Ek\t12"]
