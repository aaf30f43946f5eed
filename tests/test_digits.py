"""Text of others where a number belongs: it is read or refused with a sentence, whatever it is."""

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overtrick.bmpftp.setup_file import parse_setup
from overtrick.bridge.lin import read_lin
from overtrick.bridge.pbn import read_pbn
from overtrick.bws.boards import parse_boards
from overtrick.bws.listings import read_results_csv
from overtrick.bws.players import key_of, parse_players
from overtrick.bws.scoring_side import name_values
from overtrick.cli.teams import _pair
from overtrick.cli.tm import _ports
from overtrick.control.device_location import parse_place
from overtrick.control.orders import parse_command_line
from overtrick.digits import parse_digits
from overtrick.errors import OvertrickError
from overtrick.event.seating import SessionPlayer
from overtrick.magic.values import read_decimal, read_number
from overtrick.movements import Draw
from overtrick.scoring.pbn import _contestant, _number_or
from overtrick.tablemanager.alerts import read_alert
from overtrick.tablemanager.messages import read as read_message
from overtrick.tablemanager.records import _seconds
from overtrick.tablemanager.results import EventTable
from overtrick.web import forms
from overtrick.web.live_page import _read_mark
from overtrick.web.team_forms import key_of as key_of_form
from overtrick.web.team_forms import pairs_of
from overtrick.web.view_models import read_place
from tests.bmpftp.conftest import example as document

NOW = datetime(2026, 2, 3, tzinfo=UTC)
LONG = "9" * 5000


def setup_file(board: str) -> None:
    content = (
        document("BMInput.txt")
        .decode("cp1252")
        .replace("1,2,3,2,3,0,0,1,2,3,4", f"1,2,3,2,3,0,0,{board},2,3,4")
    )
    parse_setup(content.encode("cp1252", "replace"), "cp1252", "BMInput.txt")


READERS: dict[str, Callable[[str], object]] = {
    "a board in BMInput.txt": setup_file,
    "CustomBoards of a .bws": parse_boards,
    "a player's number": lambda text: (
        key_of(text, as_text=False),
        name_values(SessionPlayer(text, "A", "B")),
    ),
    "a list of players": lambda text: parse_players(f"Ada,Berg,{text}\n"),
    "a list of results": lambda text: read_results_csv(
        f"section,table,round,board,result\nA,{text},1,1,4SN=\n", NOW
    ),
    "/h of the control software": lambda text: parse_command_line(["/f:x.bws", "/s", f"/h:[{text}]"]),
    "a match on the command line": lambda text: _pair(f"{text}-1"),
    "ports on the command line": lambda text: _ports(f"1,2,3,{text}"),
    "a draw": Draw.parse,
    "aces in an alert": lambda text: read_alert(f"Alert. {text} total aces."),
    "points in an alert": lambda text: read_alert(f"Alert. {text} to {text} total points."),
    "a line of a player": lambda text: read_message(f'Connecting "A" as NORTH using protocol version {text}'),
    "a board number of a server": lambda text: read_message(
        f"Board number {text}. Dealer North. Neither vulnerable."
    ),
    "a table": lambda text: EventTable.parse(f"A{text}"),
    "the time of a record": lambda text: int(_seconds(text)),
    "a board of PBN": lambda text: [
        (game.board, game.outcome, game.ns_score)
        for game in read_pbn(
            f'[Board "{text}"]\n[Contract "4S"]\n[Declarer "N"]\n[Result "{text}"]\n'.encode()
        )
    ],
    "a board of LIN": lambda text: read_lin(f"ah|Board {text}|mc|{text}|".encode()),
    "a pair in PBN": lambda text: (_number_or(text, 0), _contestant(f"A{text}")),
    "a number of a form": lambda text: forms.read_number({"x": text}, "x", 1, 99, "The board"),
    "a key of a form": lambda text: key_of_form({"x": text}, "x", "The team"),
    "matches of a form": lambda text: pairs_of(f"{text}-1"),
    "a place in an address": lambda text: (read_place(f"A-{text}-1-1"), parse_place(f"A{text}")),
    "a mark of a page": _read_mark,
}


@pytest.mark.parametrize("reader", READERS)
@given(text=st.text(st.sampled_from("0129²٣_+- ,.eE\x00aN∞"), min_size=1, max_size=6))
@example(LONG)
@example(f"1,{LONG}")
@example(f"-{LONG}")
@example("²")
@example("1_0")
@example("inf")
@example("nan")
@example("1e999")
def test_strange_number_is_read_or_refused_with_a_sentence(reader: str, text: str) -> None:
    with contextlib.suppress(OvertrickError):
        READERS[reader](text)


@pytest.mark.parametrize("read", [read_number, read_decimal])
@pytest.mark.parametrize("text", [LONG, "²", "1_0", "٣"])
def test_strange_number_of_a_magic_file_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a |is too large"):
        read(text)


@given(st.text(max_size=12))
def test_digits_are_read_as_they_are_written(text: str) -> None:
    number = parse_digits(text)
    assert number is None or (f"{number:0{len(text)}}" == text and len(text) <= 9)
