"""The vendor's vocabulary, defined once: settings of table units, guids, levels, section letters and device limits.

What the Data Connector and a `.bws` file have in common is here. Does no I/O.
"""
