"""The import of hand records at the desk: the file, and the questions before it replaces deals or leaves some out.

Has no dependency on requests.
"""

from dataclasses import dataclass

from overtrick.bridge.deal_files import deals_by_board, read_deal_file
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.movement import boards_to_play
from overtrick.web.view_models import boards_text
from overtrick.words import counted


class NotConfirmed(BadInput):
    """The file would replace deals, or has too few; nothing was imported."""

    code = "not-confirmed"


@dataclass(frozen=True, slots=True)
class HandsImport:
    """The deals of a file for scoring groups of a session, and what the director should know first."""

    command: PutHandRecords
    deals: int
    replaced: tuple[int, ...]
    """The boards that have another deal now."""
    missing: tuple[int, ...]
    """The boards of the movement that have no deal, neither now nor in the file."""

    @property
    def questions(self) -> list[str]:
        """Return a sentence for each thing that the director should know."""
        sentences = []
        if self.replaced:
            sentences.append(f"{_boards(self.replaced)} already {_has(self.replaced)} another deal.")
        if self.missing:
            words = counted(self.deals, "deal")
            sentences.append(f"The file has {words}. {_boards(self.missing)} would have none.")
        return sentences

    @property
    def text(self) -> str:
        """Return the deals as PBN, which a page keeps while it asks."""
        deals = {record.board: record.deal for record in self.command.records}
        return "".join(f'[Board "{board}"]\n[Deal "{deal}"]\n\n' for board, deal in deals.items())


def _boards(boards: tuple[int, ...]) -> str:
    return f"{'board' if len(boards) == 1 else 'boards'} {boards_text(boards)}".capitalize()


def _has(boards: tuple[int, ...]) -> str:
    return "has" if len(boards) == 1 else "have"


def read_hands(session: Session, groups: list[int], source: bytes, name: str) -> HandsImport:
    """Read the deals of a PBN, LIN or DUP file for these scoring groups; raise BadInput if there are none."""
    deals = deals_by_board(read_deal_file(source, name=name))
    records = tuple(HandRecord(group, board, deal) for group in groups for board, deal in deals.items())
    if not records:
        raise BadInput("The file has no deal with a board number. Nothing was changed.", where=name)
    current = session.hands.records
    played = {
        (session.setup.sections[section].group, board) for section, _, _, board in boards_to_play(session)
    }
    replaced = {
        record.board
        for record in records
        if (previous := current.get((record.group, record.board))) is not None
        and previous.deal != record.deal
    }
    missing = {
        board
        for group, board in played
        if group in groups and board not in deals and (group, board) not in current
    }
    return HandsImport(
        PutHandRecords(session.opened.session, records, HandSource.DESK),
        len(deals),
        tuple(sorted(replaced)),
        tuple(sorted(missing)),
    )
