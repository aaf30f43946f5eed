import random
from pathlib import Path

import pytest

from overtrick.bridge import PASS, Award, Deal, PassedOut, Seat, Side, parse_call
from overtrick.bridge.pbn import Game, read_pbn, write_pbn
from overtrick.errors import BadInput
from overtrick.tablemanager.records import MOST_NOTES, RecordFile, game_of, outcome_of, read_boards
from overtrick.tablemanager.rules import Board, BoardRecord

BOARD = Board.numbered(1, Deal.dealt_by(random.Random(1)))


def record(board: Board = BOARD, **changes: object) -> BoardRecord:
    values: dict[str, object] = {
        "board": board,
        "ns": "A",
        "ew": "B",
        "calls": (PASS,) * 4,
        "tails": ("",) * 4,
        "cards": (),
        "outcome": PassedOut(),
    }
    return BoardRecord(**(values | changes))  # type: ignore[arg-type]


def test_alerts_are_written_as_notes_and_equal_ones_share_a_note() -> None:
    calls = tuple(map(parse_call, ["1C", "1D", "2C", "2D", "Pass", "Pass", "Pass"]))
    tails = (
        "Alert. at least 3 cards in clubs.",
        "",
        "Alert. at least 3 cards in clubs.",
        "Infos. long",
        "",
        "",
        "",
    )
    game = game_of(record(calls=calls, tails=tails, outcome=Award(60, 40)))
    assert game.auction is not None
    assert dict(game.auction.notes) == {1: "at least 3 cards in clubs.", 2: "Infos. long"}
    assert [entry.note for entry in game.auction.calls] == [1, None, 1, 2, None, None, None]
    (again,) = read_pbn(write_pbn([game]))
    assert again.auction == game.auction


def test_alerts_beyond_the_limits_of_pbn_notes_are_written_as_comments() -> None:
    calls = tuple(
        parse_call(f"{level}{strain}") for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")
    )
    tails = tuple(
        f"Alert. meaning {number} {'long ' * (60 if number == 3 else 0)}" for number in range(len(calls))
    )
    game = game_of(record(calls=calls, tails=tails, outcome=Award(60, 40)))
    assert game.auction is not None
    assert len(game.auction.notes) == MOST_NOTES
    assert game.auction.calls[3].note is None
    assert game.auction.calls[3].comment.startswith("meaning 3")
    (again,) = read_pbn(write_pbn([game]))
    assert again.auction is not None
    assert [entry.call for entry in again.auction.calls] == list(calls)


def test_adjusted_board_is_written_with_its_award_and_reason() -> None:
    game = game_of(record(calls=(PASS,), tails=("",), outcome=Award(40, 60), remarks=("North was silent",)))
    (again,) = read_pbn(write_pbn([game]))
    assert outcome_of(again) == Award(40, 60)
    assert again.comments[""] == ("North was silent",)


def test_thinking_times_are_written_and_read() -> None:
    played = record(call_seconds=(61.2, 0.1, 2.0, 3.0), ns_seconds=63.2, ew_seconds=3.1)
    (again,) = read_pbn(write_pbn([game_of(played)]))
    assert again.tables["AuctionTimeTable"].rows == (("61",), ("0",), ("2",), ("3",))
    assert again.tags["TimeNS"] == "63.200"


def test_team_name_in_utf8_is_written_with_its_accents(tmp_path: Path) -> None:
    path = tmp_path / "out.pbn"
    file = RecordFile(path)
    file.write(record(ns="Équipe".encode().decode("latin-1")))
    file.write(record(Board.numbered(2, BOARD.deal)))
    games = read_pbn(path.read_bytes())
    assert [game.tags["North"] for game in games] == ["Équipe", "A"]


def test_file_is_complete_after_every_board_and_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "out.pbn"
    file = RecordFile(path)
    for number in (1, 2, 3):
        file.write(record(Board.numbered(number, BOARD.deal), ns_seconds=1.5, ew_seconds=2.0))
        assert [game.board for game in read_pbn(path.read_bytes())] == list(range(1, number + 1))
    again = RecordFile(path, resume=True)
    assert again.totals() == {Side.NS: 4.5, Side.EW: 6.0}
    assert [
        board.number for board in again.unfinished([Board.numbered(n, BOARD.deal) for n in (2, 3, 4)])
    ] == [4]
    assert not list(tmp_path.glob("*.part"))


def test_failed_write_leaves_the_file_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.pbn"
    file = RecordFile(path)
    file.write(record())
    before = path.read_bytes()

    def fail(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        file.write(record(Board.numbered(2, BOARD.deal)))
    assert path.read_bytes() == before


def deals(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "deals.pbn"
    path.write_text(text)
    return path


def test_deal_with_a_missing_card_is_rejected_with_its_line(tmp_path: Path) -> None:
    good = write_pbn([Game.of_board(1, BOARD.deal)]).decode()
    broken = good.replace('[Board "1"]', '[Board "2"]')
    at = broken.index('[Deal "N:') + 9
    broken = broken[:at] + broken[at + 1 :]
    with pytest.raises(BadInput, match=r"deals.pbn, line \d+: .* is missing; North has 12"):
        read_boards(deals(tmp_path, good + "\n" + broken.split("EXPORT")[1]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no boards"),
        ('[Board "1"]\n', "not complete"),
        ('[Board "x"]\n[Deal "N:... ... ... ..."]\n', "board number|not complete"),
    ],
)
def test_file_without_complete_deals_is_rejected(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_boards(deals(tmp_path, text))


def test_missing_file_and_too_few_boards_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_boards(tmp_path / "nothing.pbn")
    path = deals(tmp_path, write_pbn([Game.of_board(1, BOARD.deal)]).decode())
    with pytest.raises(BadInput, match="has 1 board to play, not 2"):
        read_boards(path, count=2)
    with pytest.raises(BadInput, match="no boards"):
        read_boards(path, first=2)


def test_dealer_and_vulnerability_come_from_the_file(tmp_path: Path) -> None:
    text = write_pbn([Game.of_board(1, BOARD.deal)]).decode()
    text = text.replace('[Dealer "N"]', '[Dealer "W"]').replace('[Vulnerable "None"]', '[Vulnerable "All"]')
    (board,) = read_boards(deals(tmp_path, text))
    assert board.dealer is Seat.WEST
    assert board.vulnerability.value == "All"
