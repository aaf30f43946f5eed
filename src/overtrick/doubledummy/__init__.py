"""Double dummy tables and par: the only importer of the solver."""
