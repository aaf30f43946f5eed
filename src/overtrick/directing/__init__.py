"""Decisions that follow from the state of a session or a team event, for every program that looks after one."""

from overtrick.directing.due import DueCommand, deals_to_evaluate, due, evaluation

__all__ = ["DueCommand", "deals_to_evaluate", "due", "evaluation"]
