"""PBN files of a table: reading the deals, and writing a record after each board.

The file is replaced as a whole after each board, so a crash loses only the board in play.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from overtrick.bridge import Auction, Outcome, PassedOut, Play, Played, Seat, Side, dealer, vulnerability
from overtrick.bridge.pbn import Game, RecordedAuction, RecordedCall, RecordedPlay, read_pbn, write_pbn
from overtrick.bridge.record import PbnTable as PbnTable
from overtrick.errors import BadInput
from overtrick.files import write_file
from overtrick.tablemanager.alerts import alert_text
from overtrick.tablemanager.messages import decode_if_utf8
from overtrick.tablemanager.rules import Board, BoardRecord, BoardResult
from overtrick.words import counted

MOST_NOTES = 32
"""The largest number of notes that PBN allows for an auction."""

LONGEST_NOTE = 200
"""Characters; longer explanations are written as comments."""

LONGEST_TIME = 1e9
"""Seconds; a larger number in a file is taken for damage."""


def read_boards(path: Path, *, first: int | None = None, count: int | None = None) -> list[Board]:
    """Read the boards of a PBN file: those with at least the number `first`, and at most `count` of them.

    Raise BadInput if a deal is incomplete, or if there are no boards or fewer than `count`.
    """
    try:
        games = read_pbn(path.read_bytes(), name=path.name)
    except OSError as fault:
        raise BadInput(f"{path.name} cannot be read: {fault.strerror}.") from None
    boards: dict[int, Board] = {}
    for place, game in enumerate(games, 1):
        where = f"{path.name}, game {place}"
        try:
            deal, number = game.deal, game.board or place
        except BadInput as fault:
            raise BadInput(fault.sentence, where=where) from None
        if deal is None:
            raise BadInput("The deal is not complete.", where=where)
        # A file of results repeats a board for each table.
        boards.setdefault(
            number,
            Board(
                number,
                deal,
                game.dealer or dealer(number),
                game.vulnerability or vulnerability(number),
            ),
        )
    chosen = [board for board in boards.values() if first is None or board.number >= first]
    if count is not None:
        if len(chosen) < count:
            raise BadInput(f"{path.name} has {counted(len(chosen), 'board')} to play, not {count}.")
        chosen = chosen[:count]
    if not chosen:
        raise BadInput(f"{path.name} has no boards to play.")
    return chosen


def game_of(record: BoardRecord, tags: Mapping[str, str] | None = None) -> Game:
    """Return the record of a board as a PBN game, with extra `tags`.

    >>> import random
    >>> from overtrick.bridge import Deal, PASS
    >>> board = Board.numbered(1, Deal.dealt_by(random.Random(1)))
    >>> game = game_of(BoardRecord(board, "A", "B", (PASS,) * 4, ("",) * 4, (), PassedOut()))
    >>> game.tags["North"], game.tags["Contract"], game.tags["Score"]
    ('A', 'Pass', 'NS 0')
    """
    board = record.board
    ns, ew = decode_if_utf8(record.ns), decode_if_utf8(record.ew)
    auction = Auction(board.dealer, record.calls)
    contract = auction.contract
    values = {
        "Board": str(board.number),
        "Dealer": board.dealer.value,
        "Vulnerable": board.vulnerability.value,
        "Deal": board.deal.written_from(board.dealer),
        "North": ns,
        "South": ns,
        "East": ew,
        "West": ew,
        "HomeTeam": ns,
        "VisitTeam": ew,
        "NorthType": "program",
        "EastType": "program",
        "SouthType": "program",
        "WestType": "program",
        "TimeNS": f"{record.ns_seconds:.3f}",
        "TimeEW": f"{record.ew_seconds:.3f}",
    }
    match record.outcome:
        case PassedOut():
            values |= {"Contract": "Pass", "Declarer": "", "Result": "", "Score": "NS 0"}
        case Played(tricks=tricks) if contract is not None:
            values |= {"Result": str(tricks), "Score": f"NS {record.ns_score}"}
        case adjusted:
            values |= {"Result": "", "Score": "", "Adjusted": str(adjusted)}
    if contract is not None:
        strain = f"{contract.level}{contract.strain.letter}{'X' * contract.doubling}"
        values |= {"Contract": strain, "Declarer": contract.declarer.value}
    if record.claimed_by is not None:
        values["ClaimedBy"] = record.claimed_by.value
    play = None
    if contract is not None:
        play = RecordedPlay.of(Play(board.deal, contract, record.cards))
    return Game(
        tags=values | dict(tags or {}),
        auction=_auction(record, auction) if record.calls else None,
        play=play,
        tables=_time_tables(record),
        comments={"": tuple(decode_if_utf8(remark) for remark in record.remarks)} if record.remarks else {},
    )


def _auction(record: BoardRecord, auction: Auction) -> RecordedAuction:
    entries: list[RecordedCall] = []
    notes: dict[str, int] = {}
    for call, tail in zip(record.calls, record.tails, strict=True):
        explanation = decode_if_utf8(alert_text(tail) or tail)
        if not explanation:
            entries.append(RecordedCall(call))
        elif len(explanation) > LONGEST_NOTE or (explanation not in notes and len(notes) == MOST_NOTES):
            entries.append(RecordedCall(call, comment=explanation))
        else:
            entries.append(RecordedCall(call, note=notes.setdefault(explanation, len(notes) + 1)))
    ending = "" if auction.is_over else "*"
    return RecordedAuction(
        record.board.dealer, tuple(entries), ending, {number: text for text, number in notes.items()}
    )


def _time_tables(record: BoardRecord) -> dict[str, PbnTable]:
    """Return tables of whole seconds for each call and card; a table in which all would be 0 is left out."""
    tables = {}
    first = record.board.dealer
    for name, seconds in (("AuctionTimeTable", record.call_seconds), ("PlayTimeTable", record.card_seconds)):
        if name == "PlayTimeTable" and record.contract is not None:
            first = record.contract.declarer.next
        if seconds and max(seconds) >= 0.5:
            tables[name] = PbnTable((first.value,), tuple((str(round(spent)),) for spent in seconds))
    return tables


class RecordFile:
    """The PBN file of a table; with `resume` it continues the existing one."""

    def __init__(self, path: Path, *, resume: bool = False, tags: Mapping[str, str] | None = None) -> None:
        self.path = path
        self._tags = {"Date": f"{date.today():%Y.%m.%d}", **(tags or {})}
        self._games: list[str] = []
        self.finished_games: dict[int, Game] = {}
        if not path.exists():
            if not path.parent.is_dir():
                raise BadInput(f"The folder {path.parent} for the records does not exist.")
            return
        if not resume:
            raise BadInput(
                f"{path.name} already exists. Use --resume to continue from it. Nothing was changed."
            )
        for game in read_pbn(path.read_bytes(), name=path.name):
            self._add_game(game)

    def totals(self) -> dict[Side, float]:
        """Return the thinking time of both sides on the finished boards, in seconds."""
        return {
            side: sum(
                _seconds(game.tags.get(f"Time{side.value}", "0")) for game in self.finished_games.values()
            )
            for side in Side
        }

    def unfinished(self, boards: Iterable[Board]) -> list[Board]:
        """Return the unfinished boards; raise BadInput if a finished one has another deal."""
        unfinished_boards = []
        for board in boards:
            game = self.finished_games.get(board.number)
            if game is None:
                unfinished_boards.append(board)
            elif game.deal != board.deal:
                raise BadInput(f"{self.path.name} has a different deal for board {board.number}.")
        return unfinished_boards

    def teams(self) -> dict[Side, str]:
        """Return the teams that played the finished boards; empty if none are finished."""
        for game in reversed(self.finished_games.values()):
            names = {Side.NS: game.tags.get("North", ""), Side.EW: game.tags.get("East", "")}
            if all(names.values()):
                return names
        return {}

    def records(self, boards: Iterable[Board]) -> list[BoardRecord]:
        """Return the records of the finished boards among these, without the seconds of each call and card."""
        return [
            record
            for board in boards
            if (game := self.finished_games.get(board.number)) is not None
            and (record := record_of(game, board)) is not None
        ]

    def results(self) -> list[BoardResult]:
        """Return the results of the boards that were finished before the session was resumed."""
        results = []
        for number, game in self.finished_games.items():
            outcome = outcome_of(game)
            if outcome is not None:
                lead = game.play.cards[0].card if game.play is not None and game.play.cards else None
                results.append(BoardResult(number, outcome, lead, is_resumed=True))
        return results

    def write(self, record: BoardRecord) -> None:
        """Add a board and replace the file atomically, so that it is complete at any moment."""
        self._add_game(game_of(record, self._tags))
        text = "% PBN 2.1\r\n% EXPORT\r\n" + "\r\n".join(self._games)
        try:
            raw = text.encode("ascii")
        except UnicodeEncodeError:
            raw = text.encode("utf-8-sig")
        write_file(self.path, raw)

    def _add_game(self, game: Game) -> None:
        raw = write_pbn([game])
        text = raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "latin-1")
        self._games.append(text.split("\r\n", 2)[2])
        if game.board is not None:
            self.finished_games[game.board] = game


def _seconds(text: str) -> float:
    """Parse seconds from a record; return 0 for text that is not a number, or not a plausible one."""
    try:
        seconds = float(text[:20])
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < LONGEST_TIME else 0.0


def record_of(game: Game, board: Board) -> BoardRecord | None:
    """Return the record of a board from its PBN game; None if the game has no result."""
    outcome = outcome_of(game)
    if outcome is None:
        return None
    recorded = game.auction
    auction = recorded.auction if recorded is not None else Auction(board.dealer)
    alerts = (
        [recorded.explanation(place) or "" for place in range(len(auction.calls))]
        if recorded is not None
        else []
    )
    contract = auction.contract
    cards = game.play.in_order(contract.strain) if game.play is not None and contract is not None else ()
    claimed_by = game.tags.get("ClaimedBy")
    return BoardRecord(
        board,
        game.tags.get("North", ""),
        game.tags.get("East", ""),
        auction.calls,
        tuple(f"Alert. {words}" if words else "" for words in alerts),
        tuple(card for _, card in cards),
        outcome,
        ns_seconds=_seconds(game.tags.get("TimeNS", "0")),
        ew_seconds=_seconds(game.tags.get("TimeEW", "0")),
        claimed_by=Seat.parse(claimed_by) if claimed_by else None,
        remarks=game.comments.get("", ()),
    )


def outcome_of(game: Game) -> Outcome | None:
    """Return the outcome of a game in a record file, which may be adjusted; None if it has none."""
    adjusted = game.value("Adjusted")
    return Outcome.parse(adjusted) if adjusted is not None else game.outcome
