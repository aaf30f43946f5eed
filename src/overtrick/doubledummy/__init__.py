"""Double dummy tables, figures of plays, and par: the only package that imports the solver.

Importing it does not load the solver; solving does, in worker processes.
"""

from overtrick.bridge import Tricks
from overtrick.doubledummy.library import SolverFailed
from overtrick.doubledummy.lines import LineOfPlay, PlayFigures
from overtrick.doubledummy.par import Par, par
from overtrick.doubledummy.solver import PlayBatch, SolveCancelled, SolverBatch, double_dummy, tables

__all__ = [
    "LineOfPlay",
    "Par",
    "PlayBatch",
    "PlayFigures",
    "SolveCancelled",
    "SolverBatch",
    "SolverFailed",
    "Tricks",
    "double_dummy",
    "par",
    "tables",
]
