"""BMPFTP: text files in a folder for scoring programs that cannot open an Access file.

Handles the three text files and the `.bws` file that belongs to them; starts no program and does not wait.
"""
