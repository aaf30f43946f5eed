import io
import random
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import (
    CALLS,
    CARDS,
    SEATS,
    Auction,
    Card,
    Contract,
    Deal,
    Hand,
    Outcome,
    PassedOut,
    Play,
    Played,
    Seat,
    Side,
    Strain,
    Tricks,
    Vulnerability,
)
from overtrick.bridge.pbn import (
    BadPbn,
    CannotWrite,
    Game,
    PbnTable,
    RecordedAuction,
    RecordedCall,
    RecordedCard,
    RecordedPlay,
    read_pbn,
    reader,
    write_pbn,
)

# The example game of the PBN standard, 1.2.
SCHIPHOL = """\
[Event "International Amsterdam Airport Schiphol Bridgetournament"]
[Site "Amsterdam, The Netherlands NLD"]
[Date "1995.06.10"]
[Board "1"]
[West "Podgor"]
[North "Westra"]
[East "Kalish"]
[South "Leufkens"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]
[Scoring "IMP"]
[Declarer "S"]
[Contract "5HX"]
[Result "9"]
{
                S
                H 6 3

                C A 9 7 3 2
%  not an escape in here
}
[Auction "N"]
1D      1S   3H =1= 4S
4NT =2= X    Pass   Pass
5C      X    5H     X
Pass    Pass Pass
[Note "1:non-forcing 6-9 points, 6-card"]
[Note "2:two colors: clubs and diamonds"]
[Play "W"]
SK =1= H3 S4 S3
C5 C2 C6 CK
S2 H6 S5 S7
C8 CA CT C4
D2 DA DT D3
D4 DK H5 H7
-  -  -  H2
*
[Note "1:highest of series"]
"""


def one(text: str) -> Game:
    (game,) = read_pbn(text)
    return game


def test_example_of_the_standard_is_read() -> None:
    game = one(SCHIPHOL)
    assert game.board == 1
    assert game.dealer is Seat.NORTH
    assert game.vulnerability is Vulnerability.NONE
    assert str(game.outcome) == "5HxS-2"
    assert game.tags["West"] == "Podgor"
    assert game.auction is not None
    assert str(game.auction.auction.contract) == "5HxS"
    assert game.auction.explanation(2) == "non-forcing 6-9 points, 6-card"
    assert game.play is not None
    contract = game.contract
    assert contract is not None
    play = game.play.play(game.deal, contract)
    assert play.tricks_won(Side.NS) == 6
    assert len(play.cards) == 25
    assert game.play.notes == {1: "highest of series"}
    assert game.comments["Result"][0].startswith("S\n")
    assert read_pbn(write_pbn([game])) == (game,)


def test_export_format_has_mandatory_tags_first() -> None:
    raw = write_pbn([one(SCHIPHOL), Game.of_board(2, tags={"Zebra": "z", "Annotator": "a"})])
    lines = raw.decode("ascii").split("\r\n")
    assert lines[:2] == ["% PBN 2.1", "% EXPORT"]
    assert lines[-1] == ""
    tags = [line.split()[0][1:] for line in lines if line.startswith("[")]
    second = tags[tags.index("Event", 1) :]
    assert second == [*reader.MANDATORY, "Annotator", "Zebra"]
    assert '[Event "?"]' in lines
    assert "1D 1S 3H =1= 4S" in lines
    assert "- - - H2" in lines
    assert all(len(line) < 254 for line in lines)


def test_import_format_with_spaces_comments_and_repeated_tags_is_read() -> None:
    game = one(
        '  [ Board\t"4" ] [Dealer "w"]; a comment [Board "5"]\n'
        "% [Board \"6\"]\n"
        '[Vulnerable\n "Both"] {one} {two}\n'
        '[Board "7"] {gone}\n'
        '[auction_x ""] [Auction "N"]\n - - - 1s! =1=\n2NT$25?? {why} Xx\r\n ap [Note "1:strong"]\n'
    )  # fmt: skip
    assert game.board == 4
    assert game.vulnerability is Vulnerability.ALL
    assert game.comments == {"Dealer": ('a comment [Board "5"]',), "Vulnerable": ("one", "two")}
    assert game.auction is not None
    assert game.auction.first is Seat.WEST
    texts = [str(entry.call) for entry in game.auction.calls]
    assert texts == ["1S", "2NT", "XX", "Pass", "Pass", "Pass"]
    assert game.auction.calls[0] == RecordedCall(game.auction.calls[0].call, note=1, glyphs=(1,))
    assert game.auction.calls[1].glyphs == (4, 25)
    assert game.auction.calls[1].comment == "why"
    assert game.auction.explanation(0) == "strong"


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("{a {b} c}", ("a {b} c",)),
        ("{a {b {c} d} e} {f}", ("a {b {c} d} e", "f")),
        ("{first {x}\n\nsecond part}", ("first {x}\n\nsecond part",)),
        # As the standard has it: a left brace in a comment is an ordinary character.
        ("{a { b}", ("a { b",)),
        ("{a { b} {c}", ("a { b", "c")),
        ("{a { b}\n; c } d", ("a { b", "c } d")),
        ('{a { b}\n[Site "c } d"]', ("a { b",)),
        ("{a ; { b}", ("a ; { b",)),
    ],
)
def test_braces_within_a_comment(text: str, comments: tuple[str, ...]) -> None:
    game, *rest = read_pbn(f'[Board "1"]\n{text}\n[Room "Open"]\n')
    assert game.comments["Board"] == comments
    assert game.tags["Room"] == "Open"
    assert not rest


def test_many_open_braces_take_linear_time() -> None:
    (game,) = read_pbn('[Board "1"]\n' + "{{}" * 50_000)
    assert len(game.comments["Board"]) == 50_000


def test_inherited_values_are_filled_in() -> None:
    games = read_pbn(
        '[Event "##Cup"]\n[Site "Here"]\n[Date "##2026.01.01"]\n[Board "1"]\n\n'
        '[Site "#"]\n[Board "2"]\n   \t\n'
        '[Site "#"]\n[Round "#"]\n[Date "2026.01.02"]\n[Board "3"]\n\n\n'
        '[Board "4"]\n'
    )
    assert [game.tags["Event"] for game in games] == ["Cup"] * 4
    assert [game.tags.get("Site") for game in games] == ["Here", "Here", "Here", None]
    assert [game.tags["Date"][-2:] for game in games] == ["01", "01", "02", "02"]
    assert games[2].tags["Round"] == ""


def test_all_pass_adds_the_missing_passes() -> None:
    for calls, count in [
        ("AP", 4),
        ("Pass AP", 4),
        ("1C AP", 4),
        ("1C Pass AP", 4),
        ("Pass Pass Pass 1C AP", 7),
    ]:
        game = one(f'[Auction "N"]\n{calls}\n')
        assert game.auction is not None
        assert len(game.auction.calls) == count
        assert game.auction.auction.is_over


def test_star_after_a_call_is_an_alert_if_calls_follow() -> None:
    game = one('[Auction "N"]\n1H P 2D* P\nAP *')
    assert game.auction is not None
    assert len(game.auction.calls) == 6
    assert game.auction.ending == "*"
    game = one('[Auction "N"]\n1H P 2D*')
    assert game.auction is not None
    assert game.auction.ending == "*"


def test_empty_sections_are_skipped() -> None:
    game = one('[Auction ""]\n[Play "?"]\n{none}\n[OptimumResultTable "Declarer Suit Tricks"]\nW S 9\n')
    assert game.auction is None
    assert game.play is None
    assert game.tricks is None


def test_irregular_calls_and_cards_are_marked() -> None:
    game = one('[Auction "W"]\n1D ^S ^I 1C +\n[Play "W"]\nCA ^R S6 C3 C4\n+ - ^L D2 -\n*')
    assert game.auction is not None
    assert game.auction.calls[1] == RecordedCall(None)
    assert game.auction.calls[2].insufficient
    assert game.auction.ending == "+"
    assert game.play is not None
    assert game.play.cards[1] == RecordedCard(Card.S6, revoke=True)
    assert game.play.cards[4] == RecordedCard(None, awaited=True)
    assert game.play.cards[6].out_of_turn
    assert read_pbn(write_pbn([game])) == (game,)


RESULTS = """\
[Board "1"]
[ScoreTable "Table\\1R;+Rank\\2R;PairId_NS;Names_NS\\20L;Contract\\4L;Declarer;Result\\2R;Score_NS"]
4 1 6 "Andersson; Rick" 5HX E 7 800
2 2 7 "Björk" - - - "Bye"
[OptimumScore "NS 450"]
[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]
"""
TWENTY = [f"{seat} {strain} 7\n" for seat in "NSEW" for strain in ("NT", "S", "H", "D", "C")]


def test_tables_are_read() -> None:
    game = one(RESULTS + "".join(TWENTY))
    table = game.tables["ScoreTable"]
    assert table.names[:3] == ("Table", "Rank", "PairId_NS")
    assert [row["Names_NS"] for row in table.rows_by_name] == ["Andersson; Rick", "Björk"]
    assert table.rows[1][-1] == "Bye"
    assert game.tricks == Tricks((7,) * 20)
    assert one(RESULTS + " ".join(TWENTY).replace("\n", " ")).tricks == game.tricks
    assert one(RESULTS + "".join(TWENTY[:-1])).tricks is None
    text = write_pbn([game]).decode("latin-1")
    assert '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]' in text
    assert "N NT  7" in text
    assert '4  1 6 "Andersson; Rick"    5HX' in text


def test_percent_sign_escapes_a_line_only_at_its_start() -> None:
    game = one('[ScoreTable "A;B"]\n58 %2\n% 60 1\n 3 4%\n')
    assert game.tables["ScoreTable"].rows == (("58", "%2"), ("3", "4%"))
    assert read_pbn(write_pbn([game])) == (game,)


def test_unknown_section_is_kept_line_by_line() -> None:
    game = one('[Board "1"]\n[HandAnalysis "by us"]\nfirst line "of words"\nsecond\n')
    assert game.tables["HandAnalysis"].rows == (("first", "line", "of words"), ("second",))
    assert read_pbn(write_pbn([game])) == (game,)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[Board "1"]\n[Dealer "N]\n', 2, "not a tag"),
        ('[Board "1"]\n\n\n[Board "x"]\n', 4, "not a board number"),
        ('[Board "1"]\n[Deal "N:AK... - - -"]\n[Deal "N:AA... - - -"]\n[Dealer "Q"]', 4, "not a seat"),
        ('% PBN 2.1\n[Deal "N:AA... - - -"]\n', 2, "ace of spades is in one hand twice"),
        ('[Board "1"]\n{ never\nends\n', 2, "does not end"),
        ('[Board "1"]\n"never\n', 2, "does not end on its line"),
        ("1C Pass\n", 1, "before the first tag"),
        ('[Board "1"]\n]\n', 2, "not expected"),
        ('[Auction "N"]\n1C\n1Z\n', 3, "'1Z' is not a call"),
        ('[Auction "N"]\n1C (x)\n', 2, "not expected in the Auction"),
        ('[Auction "N"]\n1C -\n', 2, "before the dealer"),
        ('[Auction "N"]\n1C *\n\n[Auction "N"]\n* 1D', 5, "after the end"),
        ('[Auction "N"]\n=1= 1C\n', 2, "before the first call"),
        ('[Dealer "E"]\n[Auction "N"]\n1C\n', 2, "starts with North, but the dealer is East"),
        ('[Auction "Q"]\n', 1, "not a seat"),
        ('[Auction ""]\n1C\n', 2, "does not name its first player"),
        ('[Auction "N"]\n' + "Pass " * 401, 2, "more than 400 calls"),
        ('[Auction "N"]\n1C =99999=\n', 2, "not the number of a note"),
        ('[Auction "N"]\n1C ^R\n', 2, "not expected in an auction"),
        ('[Play "N"]\nC1\n', 2, "not a card"),
        ('[Play "N"]\n* C2\n', 2, "after the end"),
        ('[Play "N"]\n! C2\n', 2, "before the first card"),
        ('[Play "N"]\n^I C2\n', 2, "not expected in the play"),
        ('[Play "N"]\n' + "- " * 53, 2, "more than 52 cards"),
        ('[Deal "#"]\n', 1, "cannot inherit its value"),
        ('[Contract "4S"]\n[Declarer "N"]\n[Result "ten"]\n', 3, "not a result"),
        ('[ScoreTable "A;B"]\n1 2\n3\n', 3, "not a multiple of its 2 columns"),
        ('[OptimumResultTable "Declarer;Denomination;Result"]\nN NT x\n', 1, "not a number of tricks"),
        ('[DoubleDummyTricks "12"]\n', 1, "not a table of tricks"),
        ('[Auction "N"]\n[Note "strong"]\n', 2, "does not begin with its number"),
    ],
)
def test_bad_line_is_refused_with_its_number(text: str, line: int, words: str) -> None:
    with pytest.raises(BadPbn) as raised:
        read_pbn(text, name="evening.pbn")
    assert str(raised.value).startswith(f"evening.pbn, line {line}: ")
    assert words in str(raised.value)


def test_text_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_BYTES", 10)
    for source in (b'[Board "1"]', '[Board "1"]'):
        with pytest.raises(BadPbn, match="at most 10 are read"):
            read_pbn(source)


@given(st.text(alphabet='[]{};"%=$!?*+^-#\\\n\r\t 1SNXCAuctionPlayDealTable', max_size=60))
def test_any_text_is_read_or_raises_bad_pbn(text: str) -> None:
    for start in ("", '[Auction "N"]\n', '[Play "N"]\n', '[ScoreTable "A;B"]\n'):
        try:
            games = read_pbn(start + text)
        except BadPbn:
            continue
        assert all(isinstance(game, Game) for game in games)


def test_encoding_is_latin_1_or_utf_8_with_a_mark() -> None:
    game = Game({"Event": "Coupe d'été", "West": "Ångström, Åsa"})
    assert write_pbn([game]).decode("latin-1").count("été") == 1
    for name in ("Łukasz", "Ã©", "日本", "é"):
        game = Game({"Event": name})
        assert read_pbn(write_pbn([game])) == (game,)
        assert read_pbn(f'[Event "{name}"]'.encode("utf-8-sig")) == (game,)
        assert read_pbn(f'[Event "{name}"]'.encode()) == (game,)
    assert write_pbn([Game({"Event": "Łukasz"})]).startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Game({"Event": "x" * 250}), "too long"),
        (Game({"Event": "#"}), "an inherited value"),
        (Game({"Event": "##1"}), "an inherited value"),
        (Game({"event": "x"}), "cannot be the name"),
        (Game({"E\n": "x"}), "cannot be the name"),
        (Game(tables={"ScoreTable": PbnTable(("A", "B"), (("1",),))}), "1 elements for 2 columns"),
        (Game(tables={"Words": PbnTable(("A",), (("x" * 300,),))}), "too long"),
    ],
)
def test_value_that_pbn_cannot_express_is_refused(game: Game, words: str) -> None:
    with pytest.raises(CannotWrite, match=words):
        write_pbn([game])


def test_long_rows_and_comments_are_wrapped() -> None:
    table = PbnTable(tuple("ABC"), (("x" * 150, "y" * 150, "z"),))
    long = " ".join(["word"] * 200)
    game = Game({"Board": "1"}, tables={"ScoreTable": table}, comments={"Board": (long,)})
    raw = write_pbn([game])
    assert all(len(line) <= 255 for line in raw.splitlines(keepends=True))
    (back,) = read_pbn(raw)
    assert back.tables == game.tables
    assert back.comments["Board"][0].split() == long.split()


# What is written is read back equal

printing = st.text(alphabet=[*string.printable[:95], "é", "ß", "Ł", "♠"], max_size=30)
values = printing.filter(lambda text: text not in ("#", "?") and not text.startswith("##"))
comment = printing.map(str.strip).filter(bool)
names = st.sampled_from(["Event", "Site", "Date", "West", "Room", "Description", "Table", "X_1"])
numbers = st.integers(1, 32)
glyphs = st.sets(st.integers(0, 255), max_size=3).map(lambda found: tuple(sorted(found)))
notes = st.dictionaries(numbers, values.map(str), max_size=3)
recorded_calls = st.builds(
    RecordedCall,
    st.sampled_from(CALLS),
    st.booleans(),
    st.none() | numbers,
    glyphs,
    st.just("") | comment,
) | st.just(RecordedCall(None))
recorded_cards = st.one_of(
    st.builds(
        RecordedCard,
        st.sampled_from(CARDS),
        st.just(False),
        st.booleans(),
        st.just(False),
        st.none() | numbers,
        glyphs,
        st.just("") | comment,
    ),
    st.sampled_from(
        [RecordedCard(None), RecordedCard(None, awaited=True), RecordedCard(Card.D2, out_of_turn=True)]
    ),
)
auctions = st.builds(
    RecordedAuction,
    st.just(Seat.EAST),
    st.lists(recorded_calls, max_size=12).map(tuple),
    st.sampled_from(["", "*", "+"]),
    notes,
)
plays = st.builds(
    RecordedPlay,
    st.sampled_from(SEATS),
    st.lists(recorded_cards, max_size=12).map(tuple),
    st.booleans(),
    notes,
)
elements = st.text(alphabet=[*string.printable[:95], "é"], max_size=8)
columns = st.sampled_from([("A", "+B\\3R"), ("Rank\\2", "-Names\\12L", "C")])


@st.composite
def tables(draw: st.DrawFn) -> PbnTable:
    heading = draw(columns)
    rows = draw(st.lists(st.tuples(*[elements] * len(heading)), max_size=4))
    return PbnTable(heading, tuple(rows))


@st.composite
def games(draw: st.DrawFn) -> Game:
    board = draw(st.integers(1, 64))
    outcome = draw(
        st.none() | st.sampled_from([PassedOut(), Outcome.parse("4SxN+1"), Outcome.parse("1NTW-2")])
    )
    assert outcome is None or isinstance(outcome, Played | PassedOut)
    deal = draw(st.none() | st.integers(0, 999).map(lambda seed: Deal.dealt_by(random.Random(seed))))
    tricks = draw(st.none() | st.lists(st.integers(0, 13), min_size=20, max_size=20).map(tuple).map(Tricks))
    game = Game.of_board(
        board, deal, outcome=outcome, tricks=tricks, tags=draw(st.dictionaries(names, values, max_size=4))
    )
    tags = {**game.tags, "Dealer": "E"}
    return Game(
        tags,
        draw(st.none() | auctions),
        draw(st.none() | plays),
        {
            **game.tables,
            **draw(st.dictionaries(st.sampled_from(["ScoreTable", "TotalScoreTable"]), tables())),
        },
        draw(
            st.dictionaries(
                st.sampled_from(["", "Board", "Result", "Event"]),
                st.lists(comment, min_size=1, max_size=2).map(tuple),
                max_size=2,
            )
        ),
    )


@settings(max_examples=150)
@given(st.lists(games(), max_size=3))
def test_written_games_are_read_back_equal(written: list[Game]) -> None:
    raw = write_pbn(written)
    assert read_pbn(raw) == tuple(written)
    assert all(len(line) <= 255 for line in reader.decode(raw).splitlines(keepends=True))
    assert write_pbn(read_pbn(raw)) == raw


def played_out(seed: int) -> Game:
    """A game with a legal auction and thirteen tricks."""
    chance = random.Random(seed)
    board = chance.randint(1, 32)
    deal = Deal.dealt_by(chance)
    first = Game.of_board(board).dealer
    assert first is not None
    auction = Auction(first)
    while not auction.is_over:
        auction = auction.add(chance.choice([*auction.legal_calls()[:5], auction.legal_calls()[0]]))
    contract = auction.contract
    if contract is None:
        return Game(Game.of_board(board, deal, outcome=PassedOut()).tags, RecordedAuction.of(auction))
    play = Play(deal, contract)
    while not play.is_over:
        play = play.add(chance.choice(list(play.legal_cards())))
    outcome = Played(contract, play.tricks_won(contract.side))
    tags = Game.of_board(board, deal, outcome=outcome, tags={"North": "Garozzo", "East": "Forquet"}).tags
    return Game(tags, RecordedAuction.of(auction), RecordedPlay.of(play)).with_tricks(Tricks((6,) * 20))


def test_another_program_reads_what_we_write() -> None:
    from endplay.parsers import pbn as other
    from endplay.types import Player

    ours = [played_out(seed) for seed in range(12)]
    theirs = other.load(io.StringIO(write_pbn(ours).decode("ascii").replace("\r\n", "\n")))
    assert len(theirs) == len(ours)
    for game, board in zip(ours, theirs, strict=True):
        assert board.board_num == game.board
        assert board.dealer is not None
        assert board.dealer.abbr == (game.dealer or Seat.NORTH).value
        deal = game.deal
        assert deal is not None
        for seat, player in zip(SEATS, (Player.north, Player.east, Player.south, Player.west), strict=True):
            assert Hand.parse(board.deal[player].to_pbn()) == deal[seat]
        assert game.auction is not None
        assert len(board.auction) == len(game.auction.calls)
        outcome = game.outcome
        if isinstance(outcome, Played):
            assert game.play is not None
            assert len(board.play) == 52
            contract = board.contract
            assert contract is not None
            assert contract.level == outcome.contract.level
            assert contract.declarer.abbr == outcome.contract.declarer.value
            assert contract.result == outcome.overtricks


def test_we_read_what_another_program_writes() -> None:
    from endplay.parsers import pbn as other

    ours = [played_out(seed) for seed in range(12)]
    theirs = other.load(io.StringIO(write_pbn(ours).decode("ascii").replace("\r\n", "\n")))
    out = io.StringIO()
    other.dump(theirs, out)
    back = read_pbn(out.getvalue())
    assert [game.deal for game in back] == [game.deal for game in ours]
    assert [game.outcome for game in back] == [game.outcome for game in ours]
    for game, original in zip(back, ours, strict=True):
        if original.auction is not None:
            assert game.auction is not None
            assert game.auction.auction == original.auction.auction


def test_contract_and_play_agree_on_a_played_out_game() -> None:
    for seed in range(20):
        game = played_out(seed)
        (back,) = read_pbn(write_pbn([game]))
        contract = back.contract
        if contract is None:
            continue
        assert isinstance(contract, Contract)
        assert back.play is not None
        assert back.play.play(back.deal, contract).is_over
        assert len(back.play.in_order(Strain(contract.strain))) == 52


def test_path_instead_of_a_text_is_refused_with_a_sentence() -> None:
    with pytest.raises(BadPbn, match=r"is bytes or a string, not .*overtrick\.pbn\.load reads a file"):
        read_pbn(Path("evening.pbn"))  # type: ignore[arg-type]
