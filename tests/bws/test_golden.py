"""The bytes of a new file are frozen, because Access itself may be stricter than every reader that the tests have."""

import hashlib
from pathlib import Path

from overtrick.bws.scoring_side import create
from overtrick.event import OpenEvent
from tests.bws.files import GUID
from tests.bws.test_scoring_side import CLOCK, evening

DIGEST = "6687d6a86f077c8329b2fab60278d3a9a8fe809dc47c5253ee649a35db3846f7"


def test_new_file_equals_the_golden_file(tmp_path: Path) -> None:
    path = tmp_path / "monday.bws"
    create(path, OpenEvent(GUID, (evening(),)), computer="CLUB", clock=lambda: CLOCK)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DIGEST, (
        "A new .bws file has other bytes than before. If that is meant, look at it with mdbtools and mdb-reader, "
        "open it in Access if you can, and put the new digest here."
    )
