"""What is remembered for a folder: the control program that was chosen and started, and how text is spelled."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from overtrick.bmpftp.folder import Folder, read_file, replace_durably
from overtrick.bmpftp.text_fields import ENCODING, LineEnds, known_encoding
from overtrick.bmpftp.transfer import Spelling


@dataclass(frozen=True, slots=True)
class Memory:
    """What was chosen last time."""

    start: str = ""
    """The command of another control program; empty for our own."""
    journal: str = ""
    """The journal of our own control program; empty for one beside the session."""
    encoding: str = ENCODING
    line_ends: str = LineEnds.CRLF.value
    ids: bool = False
    control: int = 0
    """The process of the control program that was started last, and when it was born."""
    born: str = ""

    @property
    def spelling(self) -> Spelling:
        """How text files are spelled here."""
        return Spelling(known_encoding(self.encoding), LineEnds(self.line_ends), self.ids)


def read_memory(folder: Folder) -> Memory:
    """What is remembered; nothing where it cannot be read, as it is only a convenience."""
    if not folder.memory.exists():
        return Memory()
    try:
        kept = json.loads(read_file(folder.memory))
        known = {each.name: kept[each.name] for each in fields(Memory) if each.name in kept}
        memory = Memory(**known)
        if any(type(getattr(memory, each.name)) is not type(each.default) for each in fields(Memory)):
            return Memory()
        LineEnds(memory.line_ends)
    except (ValueError, TypeError):
        return Memory()
    return memory


def write_memory(folder: Folder, memory: Memory) -> None:
    """Remember this."""
    replace_durably(folder.memory, json.dumps(asdict(memory), indent=1).encode())
