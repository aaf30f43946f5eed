"""The data that a device at a table gets, the entries it may send, the round clock, and BCS's start options.

Independent of screens and sockets; functions get the time as an argument.
"""

from overtrick.control.rules import TerminalRules, rules_of
from overtrick.control.snapshot import LobbyTable, Snapshot, take_snapshot

__all__ = ["LobbyTable", "Snapshot", "TerminalRules", "rules_of", "take_snapshot"]
