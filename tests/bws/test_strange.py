"""Files that make no sense: whatever is in them, reading them ends with sentences and never with a crash."""

from datetime import date, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bws import schema
from overtrick.bws.check import check
from overtrick.bws.contents import Contents, contents_of
from overtrick.bws.control_rows import rows_due
from overtrick.bws.control_side import scan
from overtrick.bws.event_from_file import read_event
from overtrick.bws.listings import differences, hands, hands_pbn, players, results, rounds
from overtrick.bws.row_history import RowHistory
from overtrick.bws.scoring_news import new_contracts, new_numbers, new_recordings, new_results
from overtrick.bws.summary import summary
from overtrick.event import JournalState, Rejection, decide
from tests.bws.files import AT, Rows, mitchell, result
from tests.bws.readings import DEAL

TODAY = date(2026, 11, 15)


def full() -> Rows:
    rows = mitchell()
    more = mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData", "PlayerNumbers"):
        rows[table] += more[table]
    rows["ReceivedData"] = [result(id, 1, 1, id, 1, 1) for id in (1, 2)]
    rows["IntermediateData"] = [result(1, 2, 1, 3, 2, 2, Result="")]
    where = {
        "Section": 1,
        "Table": 1,
        "Round": 1,
        "Board": 1,
        "Direction": "N",
        "Counter": 1,
        "Erased": False,
    }
    rows["BiddingData"] = [{"ID": 1, **where, "Bid": "1C"}]
    rows["PlayData"] = [{"ID": 1, **where, "Card": "S2"}]
    rows["PlayerNames"] = [{"ID": 12, "Name": "Ely", "strID": "12"}]
    rows["HandRecord"] = [{"Section": 1, "Board": 1, **DEAL}]
    rows["HandEvaluation"] = [{"Section": 1, "Board": 1, "NorthSpades": 7}]
    rows["Settings"] = [{field.name: field.default for field in schema.TABLES["Settings"]} | {"Section": 1}]
    return rows


def values_of(kind: schema.FieldType) -> st.SearchStrategy[Any]:
    small = st.integers(-3, 12) | st.sampled_from(
        [255, 256, 257, 511, 700, 996, 997, 998, 999, -256, -32768, 32767]
    )
    match kind:
        case schema.FieldType.TEXT:
            words = st.sampled_from(
                ["", "A", "AB", "4 S", "8 X", "=", "+9", "N", "NS", "1,2", "3,1", "PASS", "%", "\x00"]
            )
            return st.none() | words | st.text(max_size=12)
        case schema.FieldType.YES_NO:
            return st.booleans()
        case schema.FieldType.DATE:
            return st.none() | st.datetimes(datetime(1899, 12, 30), datetime(2100, 1, 1))
        case _:
            return st.none() | small


@st.composite
def strange(draw: st.DrawFn) -> Contents:
    rows = full()
    kinds = {table: {field.name: field.kind for field in fields} for table, fields in schema.TABLES.items()}
    for _ in range(draw(st.integers(1, 12))):
        table = draw(st.sampled_from([name for name in rows if rows[name]]))
        match draw(st.integers(0, 9)):
            case 0:
                rows[table].pop(draw(st.integers(0, len(rows[table]) - 1)))
            case 1:
                rows[table].append(dict(rows[table][draw(st.integers(0, len(rows[table]) - 1))]))
            case 2:
                name = draw(st.sampled_from(sorted(kinds[table])))
                for row in rows[table]:
                    row.pop(name, None)
            case 3:
                rows[table].clear()
            case _:
                row = rows[table][draw(st.integers(0, len(rows[table]) - 1))]
                name = draw(st.sampled_from(sorted(kinds[table])))
                row[name] = draw(values_of(kinds[table][name]))
    for table in draw(st.sets(st.sampled_from(sorted(rows)), max_size=2)):
        del rows[table]
    return contents_of(rows, name="strange")


@settings(max_examples=400)
@given(strange())
def test_file_with_any_value_is_read_or_refused(contents: Contents) -> None:
    summary(contents)
    check(contents)
    for lines in (
        results(contents, TODAY, with_erased=True),
        rounds(contents),
        players(contents),
        hands(contents),
    ):
        assert isinstance(lines, list)
    hands_pbn(contents)
    list(differences(contents_of({}), contents, TODAY))
    if contents.has("ReceivedData", "Processed"):
        new_results(contents, today=TODAY)
    if contents.has("IntermediateData", "Processed"):
        new_contracts(contents, today=TODAY)
    new_numbers(contents)
    new_recordings(contents, today=TODAY)
    reading = read_event(contents, today=TODAY)
    if reading.rejection is not None:
        return
    # What was read is an event that can be opened, with everything that was scored in it.
    journal_state = reading.journal_state()
    sessions = {
        guid: session
        for guid in journal_state.incarnations
        if (session := journal_state.session(guid)) is not None
    }
    for asked in scan(contents, sessions, at=AT).requests:
        decided = decide(journal_state, asked.command)
        assert isinstance(decided, Rejection | tuple)
    histories: dict[str, RowHistory] = {}
    decided = decide(JournalState(), reading.event_with_history())
    assert isinstance(decided, tuple)
    for entry in decided:
        if entry.stream.startswith("session/"):
            histories.setdefault(entry.stream.split("/")[1], RowHistory()).apply(
                entry.fact, AT, from_file=True
            )
    for guid, session in sessions.items():
        rows_due(contents, session, histories[guid])


def test_summary_says_whether_every_board_of_a_session_with_status_0_has_a_result() -> None:
    rows = mitchell(tables=1, boards=2)
    played = rows["RoundData"][0]
    rows["RoundData"] = [played]
    pairs = played["NSPair"], played["EWPair"]
    rows["ReceivedData"] = [result(1, 1, 1, 1, *pairs), result(2, 1, 1, 2, *pairs)]
    for is_whole in (True, False):
        (session,) = summary(contents_of(rows))["sessions"]
        assert (session["status"], session["every_board_has_a_result"]) == ("not started", is_whole)
        rows["ReceivedData"].pop()
