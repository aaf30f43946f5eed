import threading
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.registry.club import LARGEST_LOGO, Club, ClubDamaged, ClubStore
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.documents import DatabaseDocuments, FolderDocuments
from tests.waiting import wait_for

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
JPEG = b"\xff\xd8\xff\xe0" + bytes(20)


def test_club_is_empty_before_it_is_saved_and_then_the_same_for_another_process(tmp_path: Path) -> None:
    store, other = (ClubStore(FolderDocuments(tmp_path)) for _ in range(2))
    assert store.club() == Club()
    saved = store.save(" Bridge Club Æbeltoft ", "4711", PNG)
    assert saved == other.club() == Club("Bridge Club Æbeltoft", "4711", PNG)
    assert saved.logo_file == "logo.png"
    assert other.save("Other", "1").logo == PNG
    assert store.save("Other", "1", JPEG).logo_file == "logo.jpg"
    assert other.save("Other", "1", b"") == store.club() == Club("Other", "1")


@pytest.mark.parametrize(
    ("name", "number", "logo", "sentence"),
    [
        ("n" * 101, "", None, "at most 100 characters"),
        ("", "1" * 31, None, "its number 30"),
        ("a\nb", "", None, "cannot contain control characters"),
        ("Club", "", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG or JPEG"),
        ("Club", "", b"\x89PNG\r\n\x1a\n" + bytes(LARGEST_LOGO), "larger than 200 kB"),
    ],
)
def test_club_that_is_not_valid_is_refused_and_the_old_one_stays(
    tmp_path: Path, name: str, number: str, logo: bytes | None, sentence: str
) -> None:
    store = ClubStore(FolderDocuments(tmp_path))
    before = store.save("Club", "1", PNG)
    with pytest.raises(BadInput, match=sentence):
        store.save(name, number, logo)
    assert store.club() == before


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"format": 2}', b'{"format": 1, "name": "a", "number": "b"}']
)
def test_damaged_document_is_reported_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "club.json").write_bytes(content)
    store = ClubStore(FolderDocuments(tmp_path))
    with pytest.raises(ClubDamaged, match="not changed"):
        store.save("Club", "1")
    assert (tmp_path / "club.json").read_bytes() == content


def test_club_in_a_database_is_the_same_on_every_node(database: str) -> None:
    with open_journal(database, event_codec()) as one, open_journal(database, event_codec()) as two:
        first, second = ClubStore(one.documents), ClubStore(two.documents)
        assert first.club() == second.club() == Club()
        first.save("Club", "4711", PNG)
        wait_for(lambda: second.club() == Club("Club", "4711", PNG))
        second.save("Other", "1")
        wait_for(lambda: first.club() == Club("Other", "1", PNG))


class Rows:
    """A database with one table of documents, which counts the questions."""

    name = "database"

    def __init__(self) -> None:
        self.documents: dict[str, tuple[int, bytes]] = {}
        self.asked = 0
        self.lock = threading.Lock()

    def rows(self, sql: str, values: dict[str, object]) -> list[tuple[object, ...]]:
        with self.lock:
            self.asked += 1
            name = str(values["name"])
            version, content = self.documents.get(name, (0, b""))
            if sql.startswith("SELECT"):
                return [(version, content)] if version and version != values.get("seen") else []
            if version != (values["seen"] or 0):
                return []
            self.documents[name] = version + 1, values["content"]  # type: ignore[assignment]
            return [(version + 1,)]


def test_database_is_not_asked_again_for_a_club_that_was_never_saved() -> None:
    """Every page asks for the club, and must not wait for the database."""
    engine = Rows()
    documents = DatabaseDocuments(engine)  # type: ignore[arg-type]
    documents._watcher = threading.Thread()  # no checks beside the test
    store = ClubStore(documents)
    assert [store.club() for _ in range(5)] == [Club()] * 5
    assert engine.asked == 1
    assert store.save("Club", "1").name == "Club"
    assert store.club() == Club("Club", "1")
    assert engine.asked == 2
