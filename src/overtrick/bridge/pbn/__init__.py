"""PBN 2.1, Portable Bridge Notation: records of boards as text. Pure: no I/O."""

from overtrick.bridge.pbn.reader import BadPbn, read_pbn
from overtrick.bridge.pbn.writer import CannotWrite, write_pbn
from overtrick.bridge.record import (
    Game,
    PbnTable,
    RecordedAuction,
    RecordedCall,
    RecordedCard,
    RecordedPlay,
)

__all__ = [
    "BadPbn",
    "CannotWrite",
    "Game",
    "PbnTable",
    "RecordedAuction",
    "RecordedCall",
    "RecordedCard",
    "RecordedPlay",
    "read_pbn",
    "write_pbn",
]
