"""Movements written as text are read back as they were, and texts that are wrong are refused with a sentence."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.movements import (
    Movement,
    MovementError,
    Promises,
    Station,
    check,
    howell,
    individual,
    mitchell,
    observed,
    resized,
    round_robin,
)

MOVEMENTS = [
    mitchell(5, 2),
    mitchell(8, 3, arrow_switches=(2, 5)),
    mitchell(7, 3, kind="rover"),
    mitchell(14, 2, kind="web"),
    mitchell(6, 3, kind="hesitation", missing_pair=3),
    howell(3, 4, sharing=False),
    howell(5, 3, 8),
    individual(3, 2),
    round_robin(5, 4, teams=True),
]


@pytest.mark.parametrize("movement", MOVEMENTS, ids=lambda movement: movement.name)
def test_json_of_a_movement_is_read_back_unchanged(movement: Movement) -> None:
    assert Movement.load(movement.dump()) == movement
    assert Movement.load(movement.dump("json").encode()) == movement


@pytest.mark.parametrize("movement", MOVEMENTS, ids=lambda movement: movement.name)
def test_csv_of_a_movement_is_read_back_with_the_promises_it_keeps(movement: Movement) -> None:
    read = Movement.load(movement.dump("csv"))
    assert replace(read, promises=movement.promises) == movement
    assert check(read) == ()


def test_csv_with_semicolons_names_in_other_order_and_a_byte_order_mark_is_read() -> None:
    text = "\ufeffTable;Round;Boards;N-S;E-W\n1;1;1-2;1;2\n2;1;3, 4;3;4\n1;2;3 4;1;3\n2;2;1-2;4;2\n"
    movement = Movement.load(text.encode(), name="club night")
    assert (movement.name, movement.tables, movement.rounds, movement.winners) == ("club night", 2, 2, 1)
    assert movement.at(2, 1) == Station(1, 2, 1, 3, (3, 4))


def test_winners_are_implied_by_the_seats_or_named() -> None:
    seats = "round,table,ns,ew,boards\n1,1,1,1,1\n"
    assert Movement.load(seats).winners == 2
    assert Movement.load("# winners: 1\n" + seats.replace("1,1,1,1,1", "1,1,1,2,1")).winners == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("round,table,ns,ew\n1,1,1,2\n", "'boards' is missing"),
        ("round,table,ns,ew,boards\n", "no tables"),
        ("round,table,ns,ew,boards\n1,1,x,2,1-2\n", "Line 2: 'x' is not a number"),
        ("round,table,ns,ew,boards\n1,1,1,2,2-1\n", "Line 2: '2-1' is not a board"),
        ("round,table,ns,ew,boards\n0,1,1,2,1\n", "round of line 2 must be 1 to 99"),
        ("round,table,ns,ew,boards\n1,1,1,2,1-9999\n", "is not a board"),
        ("{", "not JSON"),
        ("{}", 'no list "stations"'),
        ('{"stations": [1]}', "Station 1 must be an object"),
        ('{"stations": [{"round": 1, "table": 1, "ns": true, "ew": 2}]}', "ns of station 1"),
        ('{"stations": [{"round": 1, "table": 1, "boards": 3}]}', "needs a list of boards"),
        ('{"stations": [{"round": 1, "table": 1}], "winners": 3}', "1 or 2"),
        ('{"stations": [{"round": 1, "table": 1}], "promises": {"luck": true}}', '"luck" is unknown'),
        ('{"stations": [{"round": 1, "table": 1}], "promises": {"copies": "2"}}', '"copies"'),
        (b"\xff\xfe", "neither text in UTF-8 nor"),
        (b"\x5d\x8d\x01\x02\x03\x03", "damaged"),
    ],
)
def test_wrong_text_is_refused_with_a_sentence(content: str | bytes, sentence: str) -> None:
    with pytest.raises(MovementError, match=sentence):
        Movement.load(content)


@given(st.one_of(st.text(max_size=200), st.binary(max_size=900).map(lambda tail: b"\x5d\x8d" + tail)))
def test_any_text_or_bytes_are_read_or_refused(content: str | bytes) -> None:
    try:
        movement = Movement.load(content)
    except MovementError:
        return
    check(movement)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["round", "table", "ns", "boards", "mates", "shared"]), inner)
        ),
        max_leaves=12,
    )
)
def test_any_json_stations_and_promises_are_read_or_refused(values: object) -> None:
    for key in ("stations", "promises", "name", "winners", "rounds"):
        found = {"stations": [{"round": 1, "table": 1, "ns": 1, "ew": 2, "boards": [1]}], key: values}
        try:
            movement = Movement.load(json.dumps(found))
        except MovementError:
            continue
        check(movement)


def mov(kind: int, tables: int, rounds: int, triples: bytes) -> bytes:
    text = b"Three pairs of tables".ljust(600)
    head = bytes((0x5D, 0x8D, kind, tables, rounds, rounds)) + text
    return head.ljust(0x29F, b"\0") + bytes(range(1, 37)) + triples


def test_mov_file_is_read_table_by_table() -> None:
    # The two-table Howell: table 1 in three rounds, then table 2.
    triples = bytes((4, 1, 1, 4, 2, 2, 4, 3, 3, 2, 3, 1, 3, 1, 2, 1, 2, 3))
    movement = Movement.load(mov(1, 2, 3, triples), boards_per_round=7)
    assert (movement.name, movement.winners, movement.rounds) == ("Three pairs of tables", 1, 3)
    assert movement.stations == howell(2, 7).stations
    assert check(movement) == ()
    assert Movement.load(mov(1, 2, 3, triples)).boards_per_round == 8
    assert Movement.load(mov(0, 2, 3, triples)).winners == 2


def test_mov_file_with_an_unknown_table_of_numbers_is_refused() -> None:
    content = bytearray(mov(1, 2, 3, bytes(18)))
    content[0x29F] = 9
    with pytest.raises(MovementError, match="which is not supported"):
        Movement.load(bytes(content))


def test_mov_file_without_pairs_or_sets_has_empty_tables() -> None:
    movement = Movement.load(mov(1, 2, 3, bytes(18)))
    assert all(station.is_empty and not station.boards for station in movement)


@pytest.mark.parametrize("movement", MOVEMENTS, ids=lambda movement: movement.name)
def test_observed_promises_hold(movement: Movement) -> None:
    promises = observed(movement)
    assert check(replace(movement, promises=promises)) == ()
    assert promises.all_boards == movement.promises.all_boards or promises.all_boards


def test_observed_promises_never_excuse_a_board_played_twice() -> None:
    twice = Movement("twice", 1, 1, 2, 1, (Station(1, 1, 1, 2, (1,)), Station(1, 2, 1, 2, (1,))), Promises())
    assert [problem.rule for problem in check(replace(twice, promises=observed(twice)))] == [
        "boards-once"
    ] * 2


def test_resized_movement_has_larger_sets() -> None:
    assert resized(howell(5, 2), 3) == howell(5, 3)
    with pytest.raises(MovementError, match="not in separate sets"):
        resized(howell(3, 4, sharing=False), 6)


def test_card_of_a_pair_lists_every_round() -> None:
    (card,) = mitchell(5, 2, arrow_switches=1).cards(pair=7).values()
    assert [str(line) for line in card][::4] == [
        "round 1: table 2 E-W against 2, boards 3-4",
        "round 5: table 1 N-S against 1, boards 9-10",
    ]
    assert [str(who) for who in mitchell(3, 2).cards(pair=2)] == ["N-S 2", "E-W 2"]
    assert next(map(str, mitchell(3, 2, missing_pair=-3).cards(3).popitem()[1])) == (
        "round 1: sit out at table 3"
    )
    with pytest.raises(MovementError, match="has no 9"):
        mitchell(3, 2).cards(pair=9)


def test_card_of_an_individual_names_partner_and_opponents() -> None:
    card = individual(2, 4).cards(8)
    assert next(str(line) for lines in card.values() for line in lines) == (
        "round 1: table 1 N-S with 1 against 6 and 2, boards 1-4"
    )


def test_cards_of_everyone_hold_every_seat() -> None:
    movement = round_robin(4, 6, teams=True)
    cards = movement.cards()
    assert list(cards) == list(movement.pairs)
    assert sum(len(lines) for lines in cards.values()) == 2 * len(movement.stations)


def test_mov_file_with_too_many_tables_is_refused() -> None:
    content = bytearray(0x2C3)
    content[:6] = bytes((0x5D, 0x8D, 1, 255, 99, 99))
    content[0x29F : 0x29F + 36] = bytes(range(1, 37))
    with pytest.raises(MovementError, match="at most"):
        Movement.load(bytes(content) + bytes(3 * 255 * 99))


def test_header_that_is_too_long_is_refused_with_its_line() -> None:
    with pytest.raises(MovementError, match="Line 1: "):
        Movement.load("round,table,ns,ew,boards," + "x" * 200_000)


def test_name_of_a_movement_has_only_signs_that_can_be_printed() -> None:
    station = '{"round": 1, "table": 1, "ns": 1, "ew": 2, "boards": [1]}'
    name = "\\ud800Club\\u202e \\u0000card"
    movement = Movement.load(f'{{"name": "{name}", "stations": [{station}]}}')
    assert movement.name == "Club card"


def test_movement_with_thousands_of_problems_lists_a_hundred() -> None:
    lines = "\n".join(f"1,{table},{table % 50 + 1},{table % 50 + 101},1-9" for table in range(1, 999))
    assert len(check(Movement.load(f"round,table,ns,ew,boards\n{lines}"))) == 100
