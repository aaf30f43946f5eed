"""The vendor's vocabulary, defined once: settings of table units, levels of results and device limits.

What the Data Connector and a `.bws` file have in common is here. Does no I/O.
"""
