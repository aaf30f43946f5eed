"""Addresses of a Data Connector: the name and path of its pipe, and its port and path over HTTP."""

import getpass
import os
import sys
import tempfile
from pathlib import Path

PORT = 5079
PATH = "/dc-scoringprogram"
PIPE = "BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram"


def pipe_name(user: str | None = None) -> str:
    """Return the name of a user's pipe.

    >>> pipe_name("johndoe")
    'BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram.johndoe'
    """
    return f"{PIPE}.{user or current_user()}"


def current_user() -> str:
    """Return the name of the user of this process, or the number if there is no name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # Python 3.13 raises OSError; Windows has no passwd to import
        return str(os.getuid()) if sys.platform != "win32" else "user"


def pipe_path(user: str | None = None) -> str:
    """Return the path of a user's pipe on this computer, as .NET looks for it."""
    name = pipe_name(user)
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    return str(Path(tempfile.gettempdir()) / f"CoreFxPipe_{name}")
