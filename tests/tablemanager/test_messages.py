import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import CALLS, CARDS, PASS, SEATS, Bid, Card, Hand, Seat, Strain, Vulnerability
from overtrick.tablemanager.messages import (
    BoardLine,
    CallMade,
    CardPlayed,
    Cards,
    ClaimAnswer,
    ClaimDecided,
    ClaimMade,
    Connecting,
    Dialect,
    EndOfSession,
    IllegalNotice,
    LeadRequest,
    Message,
    Ready,
    SeatAssignment,
    SeatRefusal,
    StartOfBoard,
    Teams,
    Timing,
    Topic,
    UnclearLine,
    read,
    write,
)

N, E, S, W = SEATS

DOCUMENT: list[tuple[str, Message]] = [
    ('Connecting "Blue Chip" as North using protocol version 18', Connecting("Blue Chip", "North", 18)),
    ('North ("Blue Chip") seated', SeatAssignment(N, "Blue Chip")),
    ("North ready for teams", Ready(N, Topic.TEAMS)),
    ('Teams: N/S: "Blue Chip". E/W: "Micro"', Teams("Blue Chip", "Micro")),
    ("East ready to start", Ready(E, Topic.START)),
    ("Start of board", StartOfBoard()),
    ("South ready for deal", Ready(S, Topic.DEAL)),
    ("Board number 7. Dealer South. Both vulnerable", BoardLine(7, S, Vulnerability.ALL)),
    ("Board number 1. Dealer North. Neither vulnerable", BoardLine(1, N, Vulnerability.NONE)),
    ("Board number 2. Dealer East. N/S vulnerable", BoardLine(2, E, Vulnerability.NS)),
    ("Board number 3. Dealer South. E/W vulnerable", BoardLine(3, S, Vulnerability.EW)),
    ("West ready for cards", Ready(W, Topic.CARDS)),
    (
        "North's cards: S A K Q. H J T 9 8. D -. C 7 6 5 4 3 2.",
        Cards(N, Hand.parse("AKQ.JT98..765432")),
    ),
    ("North bids 3NT", CallMade(N, Bid(3, Strain.NOTRUMP))),
    ("East passes", CallMade(E, PASS)),
    ("South ready for East's bid", Ready(S, Topic.BID, E)),
    ("Illegal bid", IllegalNotice("bid")),
    ("Illegal card", IllegalNotice("card")),
    ("West to lead", LeadRequest(W)),
    ("Dummy to lead", LeadRequest(None)),
    ("West plays TS", CardPlayed(W, Card.ST)),
    ("East ready for West's card to trick 13", Ready(E, Topic.CARD, W, 13)),
    ("North ready for dummy's card to trick 1", Ready(N, Topic.CARD, None, 1)),
    ("East ready for dummy", Ready(E, Topic.DUMMY)),
    ("Dummy's cards: S A. H -. D -. C 2.", Cards(None, Hand.parse("A...2"))),
    (
        "Timing - N/S: this board  01:36,  total  0:01:36.  E/W: this board  01:34,  total  1:01:34",
        Timing(96, 96, 94, 3694),
    ),
    ("End of session", EndOfSession()),
    ("North claims", ClaimMade(N)),
    ("East accepts North's claim", ClaimAnswer(E, N, True)),
    ("East rejects North's claim", ClaimAnswer(E, N, False)),
    ("North's claim is accepted", ClaimDecided(N, True)),
    ("North's claim is rejected", ClaimDecided(N, False)),
    ("Error: seat North is taken.", SeatRefusal("seat North is taken.")),
]


@pytest.mark.parametrize(("line", "message"), DOCUMENT)
def test_documents_messages_are_read_and_written_word_for_word(line: str, message: Message) -> None:
    assert write(message) == line
    assert read(line) == message


@pytest.mark.parametrize(("line", "message"), DOCUMENT)
def test_case_and_spaces_around_a_message_do_not_matter(line: str, message: Message) -> None:
    if isinstance(message, Connecting | SeatAssignment | Teams | SeatRefusal):
        return  # names keep their case
    for spelling in (line.upper(), line.lower(), f"  {line} \t", line.replace(" ", "  ")):
        assert read(spelling) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        # WBridge5, as OpenSpiel met it
        ('Connecting "WBridge5" as ANYPL using protocol version 18', Connecting("WBridge5", "ANYPL", 18)),
        ("WEST ready for  NORTH's bid", Ready(W, Topic.BID, N)),
        ("WEST PASSES", CallMade(W, PASS)),
        ("WEST plays ck", CardPlayed(W, Card.CK)),
        ('Teams: N/S "silent" E/W "bidders"', Teams("silent", "bidders")),
        ("EAST bids 1C Alert.", CallMade(E, Bid(1, Strain.CLUBS), "Alert.")),
        # ben, earlier and now
        ('Connecting "BEN" as North using protocol version 18.', Connecting("BEN", "North", 18)),
        ('Connecting "BEN" as East using protocol version 18 BEN 0.8', Connecting("BEN", "East", 18)),
        ("North ready for teams.", Ready(N, Topic.TEAMS)),
        ("North ready for West's card to trick 3.", Ready(N, Topic.CARD, W, 3)),
        ("North ready for dummy's card to trick 3", Ready(N, Topic.CARD, None, 3)),
        ("North plays 5S. Forced", CardPlayed(N, Card.S5)),
        ("North bids 1NT Infos. 15-17 HCP", CallMade(N, Bid(1, Strain.NOTRUMP), "Infos. 15-17 HCP")),
        ("South's cards : S K J 9 3. H K 7 6. D A J. C A Q 8 7. ", Cards(S, Hand.parse("KJ93.K76.AJ.AQ87"))),
        # Bridge Moniteur and RoboBridge
        ('Teams : N/S : "RoboNS" E/W : "RoboEW"', Teams("RoboNS", "RoboEW")),
        (
            "Timing - N/S : this board  00:06,  total  0:00:06.  E/W : this board  00:08,  total  0:00:08.",
            Timing(6, 6, 8, 8),
        ),
        ("Timing - N/S : this board  [1:15],  total  [0:11:23].  E/W : this board  [1:18],  total  [0:10:23]",
         Timing(75, 683, 78, 623)),
        # the document's other suggestion for a card
        ("North plays SA", CardPlayed(N, Card.SA)),
        # no seat, and no quotation marks
        ('Connecting "A" using protocol version 18', Connecting("A", "", 18)),
        ("Connecting Team One as South using protocol version 17", Connecting("Team One", "South", 17)),
    ],
)  # fmt: skip
def test_message_of_a_deployed_program_is_read(line: str, message: Message) -> None:
    assert read(line) == message


def test_classic_dialect_writes_the_older_punctuation() -> None:
    classic = Dialect.CLASSIC
    assert write(Teams("A", "B"), classic) == 'Teams : N/S : "A" E/W : "B"'
    assert write(Cards(N, Hand.parse("AK...")), classic) == "North's cards : S A K. H -. D -. C -."
    assert write(Cards(None, Hand.parse("AK...")), classic) == "Dummy's cards : S A K. H -. D -. C -."
    assert write(BoardLine(8, W, Vulnerability.NONE), classic) == (
        "Board number 8. Dealer West. Neither vulnerable."
    )


@pytest.mark.parametrize(
    "line", ["", "hello", "North", "North ready for lunch", "Board number x", "plays AS"]
)
def test_line_that_is_not_a_message_is_read_as_none(line: str) -> None:
    assert read(line) is None


@pytest.mark.parametrize("line", ["North bids 8NT", "North bids 0C", "north bids", "North bids 1NTX"])
def test_invalid_call_is_read_as_unclear(line: str) -> None:
    message = read(line)
    assert isinstance(message, UnclearLine)
    assert (message.seat, message.what) == (N, "bid")


def test_invalid_card_is_read_as_unclear() -> None:
    assert read("South plays 1S") == UnclearLine(S, "card", "1S")


seats = st.sampled_from(SEATS)
names = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"'), min_size=1).map(
    str.strip
)
hands = st.sets(st.sampled_from(CARDS), max_size=13).map(Hand)
seconds = st.integers(0, 3599)
messages = st.one_of(
    st.builds(
        Ready, seats, st.sampled_from([Topic.TEAMS, Topic.START, Topic.DEAL, Topic.CARDS, Topic.DUMMY])
    ),
    st.builds(Ready, seats, st.just(Topic.BID), seats),
    st.builds(Ready, seats, st.just(Topic.CARD), st.none() | seats, st.integers(1, 13)),
    st.builds(CallMade, seats, st.sampled_from(CALLS), st.just("") | st.just("Alert. 0 or 4 total aces.")),
    st.builds(CardPlayed, seats, st.sampled_from(CARDS)),
    st.builds(Cards, st.none() | seats, hands),
    st.builds(SeatAssignment, seats, names),
    st.builds(Teams, names, names),
    st.builds(BoardLine, st.integers(1, 999), seats, st.sampled_from(Vulnerability)),
    st.builds(Timing, seconds, seconds, seconds, seconds),
    st.builds(ClaimAnswer, seats, seats, st.booleans()),
)


@given(messages, st.sampled_from(Dialect))
def test_written_message_is_read_as_the_same_message_in_both_dialects(
    message: Message, dialect: Dialect
) -> None:
    assert read(write(message, dialect)) == message


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read(text)


@given(st.text(st.sampled_from('connectig "asu north18 '), max_size=4000))
def test_long_connecting_line_is_read_without_backtracking(text: str) -> None:
    read("Connecting " + text)


def test_seat_of_a_read_message_is_the_enum_member() -> None:
    message = read("north passes")
    assert isinstance(message, CallMade)
    assert message.seat is Seat.NORTH


def test_rejected_claim_with_a_reason_is_written_and_read() -> None:
    message = ClaimDecided(N, False, "claims are off at this table")
    assert write(message) == "North's claim is rejected: claims are off at this table"
    assert read(write(message)) == message
    assert read("NORTH's claim is rejected.") == ClaimDecided(N, False)
