"""Decisions that follow from the state of a session or a team event. Pure: no I/O, so any program may evaluate them."""

from overtrick.directing.due import DueCommand, deals_to_evaluate, due, due_shutdowns, evaluation

__all__ = ["DueCommand", "deals_to_evaluate", "due", "due_shutdowns", "evaluation"]
