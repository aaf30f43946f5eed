"""The folder of a journal, its keys and whatever else a command writes."""

from pathlib import Path

from overtrick.errors import BadInput


def make_folder(folder: Path) -> None:
    """Make a folder that may be there already; BadInput says why it cannot be had."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadInput("This is a file, not a folder; nothing was changed.", where=str(folder)) from None
    except OSError as error:
        raise BadInput(
            f"The folder cannot be made: {error.strerror}; nothing was changed.", where=str(folder)
        ) from None
