"""Members are found by any part of name and number, and an import decides about duplicates before it writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.registry import (
    Choice,
    Ledger,
    Members,
    Registry,
    RegistrySide,
    Sameness,
    Title,
    import_members,
    match_members,
    open_registry,
)
from overtrick.registry.member_lists import read_member_list


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(tmp_path / "people.registry", create=RegistrySide.MAGIC) as opened:
        members = Members(opened)
        members.add("7", "Ann", "Berg")
        members.add("", "Bo", "Ek")
        members.add("9", "Zoë", "Åberg")
        yield opened


def names(registry: Registry, text: str = "") -> list[str]:
    return [f"{member.name} {member.number}".strip() for member in Members(registry).find(text)]


def test_members_are_found_by_parts_of_names_and_numbers_without_accents(registry: Registry) -> None:
    assert names(registry) == ["Zoë Åberg 9", "Ann Berg 7", "Bo Ek"]
    assert names(registry, "zoe ab") == names(registry, "9") == ["Zoë Åberg 9"]
    assert names(registry, "berg") == ["Zoë Åberg 9", "Ann Berg 7"]
    assert Members(registry).count("berg") == 2
    assert names(registry, "' OR 1 --") == []
    assert [member.name for member in Members(registry).find("", 1, 1)] == ["Ann Berg"]


def test_number_and_name_are_looked_up_as_a_whole(registry: Registry) -> None:
    members = Members(registry)
    assert members.by_number("7") == members.by_name(" ann BERG")[0]
    assert members.by_number("") is None
    assert members.by_name("Ann") == []


def test_member_is_renamed_and_removed(registry: Registry) -> None:
    members = Members(registry)
    (member,) = members.by_name("Bo Ek")
    members.change(member.key, "8", "Bo", "Ekman")
    assert names(registry, "ekman") == ["Bo Ekman 8"]
    members.remove(member.key)
    assert names(registry, "ekman") == []
    with pytest.raises(BadInput, match="has been removed"):
        members.change(member.key, "8", "Bo", "Ek")


def test_number_of_another_member_is_refused_with_the_name(registry: Registry) -> None:
    with pytest.raises(BadInput, match="Number 7 belongs to Ann Berg"):
        Members(registry).add("7", "Cy", "Fisk")
    with pytest.raises(BadInput, match="Enter a name"):
        Members(registry).add("10", "", "")
    assert Members(registry).count() == 3


def test_member_with_a_title_is_not_removed(registry: Registry) -> None:
    key = Members(registry).by_name("Ann Berg")[0].key
    assert Ledger(registry).set_title(key, 2020, Title.MASTER)
    with pytest.raises(BadInput, match="was not removed"):
        Members(registry).remove(key)
    assert Members(registry).count() == 3


LIST = """Number,First name,Last name
7,Anna,Berg
8,Bo,Ek
10,Zoe,Aberg
11,Cy,Fisk
11,Di,Gran
7,ANN,BERG
"""


def test_list_is_matched_by_number_and_name_before_anything_is_written(registry: Registry) -> None:
    matched = match_members(registry, read_member_list(LIST))
    assert [(line.line, line.sameness) for line in matched.lines] == [
        (2, Sameness.SAME_NUMBER),
        (3, Sameness.SAME_NAME),
        (4, Sameness.SAME_NAME),
        (5, Sameness.NEW),
        (6, Sameness.REPEATED),
        (7, Sameness.REPEATED),
    ]
    assert [line.choices[0] for line in matched.questions] == [Choice.KEEP, Choice.TAKE, Choice.ADD]
    assert names(registry) == ["Zoë Åberg 9", "Ann Berg 7", "Bo Ek"]


def test_usual_decisions_keep_names_fill_in_numbers_and_add_namesakes(registry: Registry) -> None:
    outcome = import_members(registry, match_members(registry, read_member_list(LIST)), {})
    assert (outcome.added, outcome.changed, outcome.refusals) == (2, 1, [])
    assert names(registry) == ["Zoë Åberg 9", "Zoe Aberg 10", "Ann Berg 7", "Bo Ek 8", "Cy Fisk 11"]


def test_other_decisions_take_the_list_or_keep_the_registry(registry: Registry) -> None:
    matched = match_members(registry, read_member_list(LIST))
    import_members(registry, matched, {2: Choice.TAKE, 3: Choice.KEEP, 4: Choice.TAKE})
    assert names(registry) == ["Zoe Aberg 10", "Anna Berg 7", "Bo Ek", "Cy Fisk 11"]


def test_decision_that_a_line_does_not_offer_changes_nothing(registry: Registry) -> None:
    matched = match_members(registry, read_member_list(LIST))
    with pytest.raises(BadInput, match="Line 2"):
        import_members(registry, matched, {2: Choice.ADD, 5: Choice.ADD})
    assert Members(registry).count() == 3


def test_same_list_again_is_known_and_a_changed_registry_has_another_digest(registry: Registry) -> None:
    lines = read_member_list("Name\nDi Gran\nEd Hall\n")
    before = match_members(registry, lines)
    import_members(registry, before, {})
    after = match_members(registry, lines)
    assert [line.sameness for line in after.lines] == [Sameness.KNOWN] * 2
    assert before.digest != after.digest
    assert import_members(registry, after, {}).added == 0
