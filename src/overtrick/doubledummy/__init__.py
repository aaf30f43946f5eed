"""Double dummy tables and par: the only importer of the solver.

Importing this room does not load the solver; solving does, in processes of its own.
"""

from overtrick.bridge import Tricks
from overtrick.doubledummy.par import Par, par
from overtrick.doubledummy.solver import Batch, SolveCancelled, SolverFailed, tables

__all__ = ["Batch", "Par", "SolveCancelled", "SolverFailed", "Tricks", "par", "tables"]
