"""The place of a board: its section, table, round and number, by which results and recorded play are found."""

Place = tuple[str, int, int, int]
"""Section, table, round and board."""


class AtBoard:
    """A fact, command or entry about one board at one table in one round."""

    __slots__ = ()
    section: str
    table: int
    round: int
    board: int

    @property
    def place(self) -> Place:
        """Return the place of the board."""
        return self.section, self.table, self.round, self.board
