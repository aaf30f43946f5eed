"""The errors of the journal, each with a stable code. Has no dependency on engines or events."""

from overtrick.errors import BadInput, OvertrickError


class JournalError(OvertrickError):
    """The journal cannot be used as asked; nothing was changed."""

    code = "journal"
    exit_status = 2


class NotAJournal(JournalError):
    """The file or the database is something else."""

    code = "not-a-journal"


class NewerJournal(JournalError):
    """The journal was written by a later Overtrick."""

    code = "newer-journal"


class DamagedJournal(JournalError):
    """The journal is damaged, as a whole or in one fact."""

    code = "damaged-journal"


class JournalUnavailable(JournalError):
    """The journal cannot be reached or written just now. The same command may be sent again."""

    code = "journal-unavailable"
    exit_status = 1


class StreamLocked(JournalUnavailable):
    """Another node has had a stream locked for too long; nothing was written."""

    code = "stream-locked"


class CommitUnknown(JournalUnavailable):
    """COMMIT failed, and the command may have been written or not. The same command sent again counts once."""

    code = "commit-unknown"


class JournalSetBack(JournalUnavailable):
    """The server lacks facts that this process has seen; all state folded from them is dropped."""

    code = "journal-set-back"


class UnknownFact(JournalError):
    """The journal holds a kind of fact, or a newer form of one, that this Overtrick does not know."""

    code = "unknown-fact"


class BadFact(BadInput):
    """A fact that could not be read back; it was not written."""

    code = "bad-fact"


class VersionConflict(OvertrickError):
    """Another writer appended to the stream first; nothing was written."""

    code = "version-conflict"

    def __init__(self, stream: str, expected: int, found: int) -> None:
        super().__init__(
            f"The stream is at version {found}, not at {expected}; nothing was written.",
            where=f"stream {stream}",
        )
        self.stream = stream
        self.expected = expected
        self.found = found
