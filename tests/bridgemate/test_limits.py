import pytest

from overtrick.bridgemate.limits import TableLoad, violations
from overtrick.event.setup import Generation

PRO, II, III = Generation.PRO, Generation.II, Generation.III


def load(section: str = "A", table: int = 1, **changes: object) -> TableLoad:
    figures = {"rounds": 1, "boards": (2,), "highest_board": 2, "highest_pair": 2} | changes
    return TableLoad(section, table, **figures)  # type: ignore[arg-type]


def letters(count: int) -> list[str]:
    return [chr(65 + number % 26) * (1 + number // 26) for number in range(count)]


@pytest.mark.parametrize(
    ("generation", "fits", "breaks"),
    [
        (PRO, {"table": 511}, {"table": 512}),
        (II, {"table": 4095}, {"table": 4096}),
        (PRO, {"highest_pair": 999}, {"highest_pair": 1000}),
        (III, {"highest_pair": 4095}, {"highest_pair": 4096}),
        (PRO, {"highest_board": 63}, {"highest_board": 64}),
        (II, {"highest_board": 127}, {"highest_board": 128}),
        (PRO, {"boards": (32,)}, {"boards": (33,)}),
        (II, {"boards": (54,)}, {"boards": (55,)}),
        (PRO, {"rounds": 63}, {"rounds": 64}),
        (III, {"rounds": 255, "boards": ()}, {"rounds": 256, "boards": ()}),
        (PRO, {"rounds": 13, "boards": (22,) * 5}, {"rounds": 14, "boards": (22,) * 5}),
        (II, {"rounds": 8, "boards": (31,) * 8}, {"rounds": 9, "boards": (31,) * 8}),
        (III, {"rounds": 9, "boards": (31,) * 8}, {"rounds": 9, "boards": (55,)}),
        (II, {"group": 127}, {"group": 128}),
        (PRO, {"section": "Z"}, {"section": "AA"}),
    ],
)
def test_table_within_a_limit_fits_and_beyond_it_is_one_violation(
    generation: Generation, fits: dict[str, object], breaks: dict[str, object]
) -> None:
    assert violations(generation, [load(**fits)]) == []  # type: ignore[arg-type]
    assert len(violations(generation, [load(**breaks)])) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sections", "most"),
    [(1, 128), (2, 64), (3, 42), (4, 32), (5, 25), (8, 16), (9, 14), (16, 8), (17, 7), (26, 4)],
)
def test_a_pro_server_takes_128_tables(sections: int, most: int) -> None:
    full = [load(name, table) for name in letters(sections) for table in range(1, most + 1)]
    assert violations(PRO, full) == []


@pytest.mark.parametrize(
    ("sections", "most"), [(3, 64), (4, 64), (5, 32), (8, 32), (9, 16), (16, 16), (17, 8), (26, 8)]
)
def test_a_pro_section_is_limited_by_how_many_there_are(sections: int, most: int) -> None:
    others = [load(name) for name in letters(sections)[1:]]
    assert violations(PRO, [*others, *(load("A", table) for table in range(1, most + 1))]) == []
    assert violations(PRO, [*others, *(load("A", table) for table in range(1, most + 2))])


def test_servers_have_a_number_of_tables_and_sections() -> None:
    assert violations(II, [load(table=table) for table in range(1, 257)]) == []
    assert len(violations(II, [load(table=table) for table in range(1, 258)])) == 1
    assert violations(II, [load(name) for name in letters(78)]) == []
    assert len(violations(PRO, [load(name) for name in letters(27)])) >= 2
