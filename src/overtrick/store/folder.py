"""The data folder: the journal, its keys and the files that commands write."""

import contextlib
import stat
from pathlib import Path

from overtrick.errors import BadInput

KEYS_FILE = "keys.json"
"""The file that identifies an existing data folder."""


def make_folder(folder: Path, *, is_private: bool = False) -> None:
    """Create a folder unless it exists; raise BadInput if that fails.

    Only its owner can read a private folder. The mode of an existing folder is changed only if it holds our
    keys.
    """
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700 if is_private else 0o777)
    except FileExistsError:
        raise BadInput("This is a file, not a folder; nothing was changed.", where=str(folder)) from None
    except OSError as error:
        raise BadInput(
            f"The folder cannot be created: {error.strerror}; nothing was changed.", where=str(folder)
        ) from None
    if is_private and not is_new and (folder / KEYS_FILE).exists():
        with contextlib.suppress(OSError):
            is_shared = folder.stat().st_mode & stat.S_ISVTX  # such as /tmp
            if not is_shared:
                folder.chmod(0o700)
