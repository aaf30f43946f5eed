"""Errors of Access files, each with a sentence for a director. Independent of pages."""

from overtrick.errors import BadInput, OvertrickError


class AccessFileError(BadInput):
    """The file cannot be read as an Access 97 or 2000 database; it was left untouched."""

    code = "access-file"


class NotAnAccessFile(AccessFileError):
    """The file is something else."""

    code = "not-access"


class NewerAccessFile(AccessFileError):
    """The file was made by Access 2007 or later."""

    code = "newer-access"


class EncryptedAccessFile(AccessFileError):
    """The file is encrypted."""

    code = "encrypted-access"


class DamagedAccessFile(AccessFileError):
    """A page, a row or a definition contradicts itself."""

    code = "damaged-access"


class NoSuchTable(BadInput, KeyError):
    """The database has no table of that name."""

    code = "no-such-table"
    __str__ = BadInput.__str__


class NoSuchRow(BadInput, KeyError):
    """The table has no row with those values."""

    code = "no-such-row"
    __str__ = BadInput.__str__


class NoSuchColumn(BadInput, KeyError):
    """The table has no column of that name."""

    code = "no-such-column"
    __str__ = BadInput.__str__


class ValueRefused(BadInput):
    """A value does not fit its column; nothing was written."""

    code = "value-refused"


class RowGone(OvertrickError):
    """The row was deleted or moved by another program; nothing was written."""

    code = "row-gone"


class IndexNotKept(OvertrickError):
    """An index of the table could not be kept correct, so nothing was written."""

    code = "index-not-kept"


class DuplicateKey(IndexNotKept):
    """A unique index already holds that value; nothing was written."""

    code = "duplicate-key"


class ReadOnlyAccessFile(OvertrickError):
    """The file may only be read now; nothing was written."""

    code = "read-only"


class InUseByAccess(ReadOnlyAccessFile):
    """Access, or a program that uses its driver, has the file open."""

    code = "in-use-by-access"


class NotWritten(OvertrickError):
    """The disk refused a write, for instance because it is full."""

    code = "not-written"
