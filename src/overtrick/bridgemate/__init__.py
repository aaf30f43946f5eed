"""The vendor's vocabulary, defined once: settings of table units, levels of results and device limits.

It is what the Data Connector and `.bws` files have in common. Pure: no I/O.
"""
