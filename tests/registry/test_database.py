"""The registry beside a journal in PostgreSQL: stored whole, never by halves, and not over somebody else's change."""

from contextlib import suppress

import pytest

from overtrick.errors import BadInput
from overtrick.registry import People, Person, RegistrySide, has_registry, open_registry
from overtrick.registry.database import RegistryUnavailable


def person(last: str) -> Person:
    return Person(None, None, "", last, "Tomas", "", None)


def names(address: str) -> list[str]:
    with open_registry(address) as registry:
        return sorted(player.last_name for player in People(registry).every())


def test_a_registry_is_made_once_and_kept_in_the_database(database: str) -> None:
    assert not has_registry(database)
    with pytest.raises(BadInput, match="no registry"):
        names(database)
    with open_registry(database, create=RegistrySide.OFFICE) as registry:
        People(registry).merge([(2, person("Brenning"))])
    assert has_registry(database)
    with open_registry(database, create=RegistrySide.MAGIC) as registry:
        assert registry.side is RegistrySide.OFFICE
        with suppress(ZeroDivisionError), registry.writing() as connection:
            connection.execute("DELETE FROM people")
            raise ZeroDivisionError
    assert names(database) == ["Brenning"]


def test_second_of_two_concurrent_registry_changes_is_refused(database: str) -> None:
    with open_registry(database, create=RegistrySide.MAGIC) as one, open_registry(database) as other:

        def change() -> None:
            with one.writing() as connection:
                People(other).merge([(2, person("Okafor"))])
                connection.execute("DELETE FROM people")

        with pytest.raises(RegistryUnavailable, match="Another program changed the registry"):
            change()
        People(one).merge([(2, person("Brenning"))])
    assert names(database) == ["Brenning", "Okafor"]
