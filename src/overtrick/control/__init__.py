"""The data that a device at a table gets, and the entries it may send. No screen, no socket, no clock, no file."""

from overtrick.control.rules import TerminalRules, rules_of
from overtrick.control.snapshot import LobbyTable, Snapshot, take_snapshot

__all__ = ["LobbyTable", "Snapshot", "TerminalRules", "rules_of", "take_snapshot"]
