"""Players joined by either side's key, and by name and date of birth; nothing is overwritten silently."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.errors import BadInput, OvertrickError
from overtrick.registry import Decisions, People, Person, Registry, RegistrySide, open_registry

BORN = date(1970, 2, 28)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(tmp_path / "people.registry", create=RegistrySide.MAGIC) as opened:
        yield opened


def person(
    magic_id: int | None = None,
    office_id: int | None = None,
    code: str = "",
    last: str = "Brenning",
    first: str = "Tomas",
    sex: str = "",
    birth: date | None = None,
) -> Person:
    return Person(magic_id, office_id, code, last, first, sex, birth)


def take(registry: Registry, *people: Person, **options: object) -> object:
    return People(registry).merge(enumerate(people, start=2), **options)  # type: ignore[arg-type]


def test_new_players_get_our_key_and_the_same_list_again_changes_nothing(registry: Registry) -> None:
    lines = [
        person(office_id=70, code="SWE1"),
        person(magic_id=5, last="Ö"),
        person(last="Three"),
        person(magic_id=1, last="One"),
        person(magic_id=4, last="Four"),
    ]
    joined = People(registry).merge(enumerate(lines, start=2))
    assert (joined.added, joined.changed, joined.same) == (5, 0, 0)
    assert [row[:4] for row in People(registry).every()] == [
        (1, None, "", "One"),
        (4, None, "", "Four"),
        (5, None, "", "Ö"),
        (6, 70, "SWE1", "Brenning"),
        (7, None, "", "Three"),
    ]
    again = People(registry).merge([(2, person(office_id=70, code="SWE1")), (3, person(5, last="Ö"))])
    assert (again.added, again.changed, again.same) == (0, 0, 2)


@st.composite
def lists(draw: st.DrawFn) -> list[Person]:
    keys = st.none() | st.integers(0, 9)
    return draw(
        st.lists(
            st.builds(
                Person,
                keys,
                keys,
                st.sampled_from(["", "", "A", "B", "C"]),
                st.sampled_from(["", "Berg", "Ek"]),
                st.sampled_from(["", "Ana"]),
                st.sampled_from(["", "M", "W", "W", "X"]),
                st.sampled_from([None, BORN]),
            ),
            max_size=9,
        )
        if draw(st.booleans())
        else st.lists(st.integers(1, 99), unique=True, max_size=9).map(
            lambda keys: [person(None, key, f"C{key}") for key in keys]
        )
    )


@given(lists(), st.sampled_from(RegistrySide))
def test_valid_list_and_valid_rows_of_a_bad_list_are_imported_alike(
    tmp_path_factory: pytest.TempPathFactory, people: list[Person], side: RegistrySide
) -> None:
    """A line that is refused changes nothing about the others."""
    made = []
    for lines in (people, [*people, person(sex="F")]):
        with open_registry(tmp_path_factory.mktemp("registry") / "people", create=side) as registry:
            joined = People(registry).merge(enumerate(lines, start=2), partial=True)
            refusals = [one for one in joined.refusals if one.line < len(people) + 2]
            made.append((joined.added, refusals, list(People(registry).every())))
    assert made[0] == made[1]


def test_the_offices_registry_gives_the_offices_keys(tmp_path: Path) -> None:
    with open_registry(tmp_path / "office", create=RegistrySide.OFFICE) as office:
        take(office, person(magic_id=9))
        assert list(People(office).every()) == [person(9, 1)]
    with open_registry(tmp_path / "office") as again:
        assert again.side is RegistrySide.OFFICE


def test_empty_values_are_filled_and_differing_ones_are_conflicts(registry: Registry) -> None:
    take(registry, person(5, code="SWE1"))
    joined = People(registry).merge([(2, person(5, 70, "SWE1", sex="M", birth=BORN))])
    assert (joined.changed, joined.conflicts) == (1, [])
    joined = People(registry).merge([(2, person(5, 70, "SWE1", "Brennink", sex="W"))])
    assert [(one.column, one.ours, one.theirs) for one in joined.conflicts] == [
        ("last_name", "Brenning", "Brennink"),
        ("sex", "M", "W"),
    ]
    assert list(People(registry).every()) == [person(5, 70, "SWE1", sex="M", birth=BORN)]
    People(registry).merge([(2, person(5, last="Brennink"))], Decisions(frozenset({2})))
    assert People(registry).find("magic_id", 5) == person(5, 70, "SWE1", "Brennink", sex="M", birth=BORN)


def test_players_added_on_both_sides_are_joined_by_name_and_birth(registry: Registry) -> None:
    take(registry, person(5, birth=BORN), person(6, last="Nobirth"))
    joined = People(registry).merge(
        [(2, person(office_id=70, birth=BORN)), (3, person(office_id=71, last="Nobirth", birth=BORN))]
    )
    assert (joined.added, joined.changed) == (0, 1)
    assert [(one.line, one.column) for one in joined.conflicts] == [(3, "last_name")]
    assert len(list(People(registry).every())) == 2
    same = [(3, person(office_id=71, last="Nobirth", birth=BORN))]
    People(registry).merge(same, Decisions(apart=frozenset({3})))
    assert [row[:2] for row in People(registry).every()] == [(5, 70), (6, None), (7, 71)]


def test_accepted_namesakes_become_one(registry: Registry) -> None:
    take(registry, person(6, last="Nobirth"))
    People(registry).merge([(3, person(office_id=71, last="Nobirth"))], Decisions(frozenset({3})))
    assert list(People(registry).every()) == [person(6, 71, last="Nobirth")]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([person(5), person(5, last="B")], (3, "magic_id", "5 is in line 2 already.")),
        ([person(office_id=7), person(office_id=7)], (3, "office_id", "7 is in line 2 already.")),
        ([person(code="A"), person(code="A")], (3, "member_code", "A is in line 2 already.")),
        ([person(sex="F")], (2, "sex", "The sex is M, W or empty, not 'F'.")),
        ([person(last="", first="")], (2, "last_name", "The player has no name.")),
        ([person(-4)], (2, "magic_id", "A key is a number above zero, not -4.")),
        ([person(1, 102)], (2, "office_id", "Its keys belong to several players: 'One' and 'Two'.")),
        (
            [person(1, code="T")],
            (2, "member_code", "Its keys belong to several players: 'One' and 'Two'."),
        ),
    ],
)
def test_impossible_lines_are_refused_and_nothing_changes(
    registry: Registry, lines: list[Person], said: tuple[int, str, str]
) -> None:
    take(registry, person(1, 101, last="One"), person(2, 102, "T", last="Two"))
    before = list(People(registry).every())
    good = person(99, last="Good")
    joined = People(registry).merge(enumerate([*lines, good], start=2))
    assert [(one.line, one.column, one.sentence) for one in joined.refusals] == [said]
    assert list(People(registry).every()) == before
    joined = People(registry).merge(enumerate([*lines, good], start=2), partial=True)
    assert People(registry).find("magic_id", 99) == good


@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.integers(1, 4), st.booleans(), st.sampled_from(["", "M", "W"]))
    )
)
def test_a_list_taken_twice_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, int, bool, str]]
) -> None:
    lines = [
        (line, person(None, number, f"C{number}" if coded else "", last, sex=sex))
        for line, (last, number, coded, sex) in enumerate(made, start=2)
    ]
    with open_registry(tmp_path_factory.mktemp("r") / "r", create=RegistrySide.MAGIC) as registry:
        People(registry).merge(lines, partial=True)
        before = list(People(registry).every())
        joined = People(registry).merge(lines, partial=True)
        assert (joined.added, joined.changed) == (0, 0)
        assert list(People(registry).every()) == before
        assert len({row[0] for row in before}) == len(before)


def test_a_file_that_is_no_registry_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(
        "my notes, which are long enough to be mistaken for the header of a database file, or so" * 9
    )
    before = path.read_bytes()
    with (
        pytest.raises(OvertrickError, match="not a database"),
        open_registry(path, create=RegistrySide.MAGIC),
    ):
        pass
    assert path.read_bytes() == before
    with pytest.raises(BadInput, match="There is no registry"), open_registry(tmp_path / "none"):
        pass
    assert not (tmp_path / "none").exists()
