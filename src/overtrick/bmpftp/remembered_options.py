"""The options that are remembered for a folder: the control program and the text encoding."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from overtrick.bmpftp.folder import Folder, read_file, replace_durably
from overtrick.bmpftp.text_fields import ENCODING, LineEnds, canonical_encoding
from overtrick.bmpftp.transfer import TextFormat


@dataclass(frozen=True, slots=True)
class RememberedOptions:
    """The options of the last run in a folder."""

    start: str = ""
    """The command of another control program; empty for our own."""
    journal: str = ""
    """The journal of our own control program; empty for one beside the session."""
    encoding: str = ENCODING
    line_ends: str = LineEnds.CRLF.value
    ids: bool = False
    control: int = 0
    """The process ID of the control program that was started last."""
    born: str = ""
    """The start time of that process, because process IDs are reused."""

    @property
    def text_format(self) -> TextFormat:
        """Return the format of this folder's text files."""
        return TextFormat(canonical_encoding(self.encoding), LineEnds(self.line_ends), self.ids)


def read_options(folder: Folder) -> RememberedOptions:
    """Read the options; return the defaults if they are missing or damaged."""
    if not folder.memory.exists():
        return RememberedOptions()
    try:
        stored = json.loads(read_file(folder.memory))
        options = {
            option.name: stored[option.name] for option in fields(RememberedOptions) if option.name in stored
        }
        memory = RememberedOptions(**options)
        if any(
            type(getattr(memory, option.name)) is not type(option.default)
            for option in fields(RememberedOptions)
        ):
            return RememberedOptions()
        LineEnds(memory.line_ends)
    except (ValueError, TypeError):
        return RememberedOptions()
    return memory


def write_options(folder: Folder, memory: RememberedOptions) -> None:
    """Write the options."""
    replace_durably(folder.memory, json.dumps(asdict(memory), indent=1).encode())
