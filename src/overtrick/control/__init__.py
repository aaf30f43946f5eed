"""The terminal at a table, and what the control software decides. No screen, no socket, no clock, no file."""

from overtrick.control.machine import Conflict, Entry, Notice, Stage
from overtrick.control.rules import Rules, rules_of
from overtrick.control.screens import Display, Screen
from overtrick.control.snapshot import LobbyTable, Snapshot, lobby, take_snapshot
from overtrick.control.terminal import Terminal

__all__ = [
    "Conflict",
    "Display",
    "Entry",
    "LobbyTable",
    "Notice",
    "Rules",
    "Screen",
    "Snapshot",
    "Stage",
    "Terminal",
    "lobby",
    "rules_of",
    "take_snapshot",
]
